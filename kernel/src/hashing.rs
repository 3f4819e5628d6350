//! Names that are hashes of values.

use std::hash::{DefaultHasher, Hash, Hasher};

/// A value as a name, in hexadecimal digits: deterministic, and the same in all kernels of one installation.
pub fn hash(value: &impl Hash) -> String {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}
