//! Names that are hashes of values.

use std::hash::{DefaultHasher, Hash, Hasher};

/// Bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A value as a name, in hexadecimal digits: deterministic, and the same in all kernels of one installation.
pub fn hash(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
