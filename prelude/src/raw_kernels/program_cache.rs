//! The compiled programs of a kernel: one for each device and each combination of types.

use super::compiler_log;
use crate::backend::text::{Text, TextProgram};
use crate::device::{Device, Handle};
use crate::dtype::DType;
use crate::error::Result;
use std::sync::{Arc, PoisonError, RwLock};

/// The element type of each parameter, and whether it is a scalar.
pub(super) type ArgumentTypes = Vec<(DType, bool)>;

/// Programs, found by the device and a key.
pub(super) struct ProgramCache<K, P: ?Sized> {
    made: RwLock<Vec<(Device, K, Arc<P>)>>,
}

impl<K, P: ?Sized> Default for ProgramCache<K, P> {
    fn default() -> Self {
        ProgramCache { made: RwLock::default() }
    }
}

/// A clone is empty: a definition is cloned in order to change it, and the changed definition needs other programs.
impl<K, P: ?Sized> Clone for ProgramCache<K, P> {
    fn clone(&self) -> Self {
        ProgramCache::default()
    }
}

impl<K: PartialEq, P: ?Sized> ProgramCache<K, P> {
    /// The program for a key, made if there is none. If two threads make it at the same time, the first one is kept.
    pub fn get(&self, handle: &Handle, key: &K, make: impl FnOnce() -> Result<Arc<P>>) -> Result<Arc<P>>
    where
        K: Clone,
    {
        let find = |made: &[(Device, K, Arc<P>)]| {
            made.iter()
                .find(|(device, known, _)| *device == handle.device && known == key)
                .map(|(.., program)| program.clone())
        };
        if let Some(program) = find(&self.made.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(program);
        }
        let program = make()?;
        let mut made = self.made.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = find(&made) {
            return Ok(program);
        }
        made.push((handle.device, key.clone(), program.clone()));
        Ok(program)
    }
}

/// Compiles a program. Errors in the text come with advice.
pub(super) fn compiled(handle: &Handle, text: &Text<'_>) -> Result<Arc<dyn TextProgram>> {
    handle.backend.compile_text(text).map_err(compiler_log::advised)
}
