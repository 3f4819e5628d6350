//! What a device's memory and cache are to a measurement: the bandwidth that nothing exceeds, and a cache emptied of
//! what an earlier call has left there.

use crate::array::RawArray;
use crate::backend::ReduceOperation;
use crate::device::{Device, Handle};
use crate::dtype::{DType, Scalar};
use crate::error::Result;
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

/// Bytes a second that a copy within the device's memory reads and writes: the most that any operation can reach.
/// Measured once for each device; `None` if the device has no room for two arrays that its cache cannot hold.
pub(crate) fn copy_bandwidth(handle: &Handle) -> Result<Option<f64>> {
    static KNOWN: Mutex<Option<HashMap<Device, f64>>> = Mutex::new(None);
    let known = || KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known().as_ref().and_then(|known| known.get(&handle.device).copied()) {
        return Ok(Some(found));
    }
    let wanted = (4 * handle.backend.cache_bytes()).clamp(64 << 20, 512 << 20);
    let room = || Some((array(handle, wanted).ok()?, array(handle, wanted).ok()?));
    let Some((source, target)) = room() else { return Ok(None) };
    fill(&source)?;
    let backend = &handle.backend;
    let copy = || -> Result<f64> {
        backend.synchronize()?;
        let start = backend.record()?;
        backend.copy(source.view(), target.view())?;
        let end = backend.record()?;
        backend.elapsed(&*start, &*end)
    };
    // The first one also has the system provide the target's memory.
    copy()?;
    let mut best = f64::INFINITY;
    for _ in 0..5 {
        best = best.min(copy()?);
    }
    let found = 2.0 * wanted as f64 / best;
    known().get_or_insert_default().insert(handle.device, found);
    Ok(Some(found))
}

/// Replaces what is in the device's caches.
pub(crate) struct Flush {
    /// Twice what the caches hold.
    other: RawArray,
}

impl Flush {
    pub fn new(handle: &Handle) -> Result<Flush> {
        let other = array(handle, 2 * handle.backend.cache_bytes().max(1 << 20))?;
        fill(&other)?;
        Ok(Flush { other })
    }

    /// Fills the caches with other data, queued. It is read, not written: stores may go past the caches of a processor.
    pub fn run(&self) -> Result<()> {
        let Flush { other } = self;
        let out = RawArray::uninitialised("benchmark", &other.handle, &[], DType::F32)?;
        other.handle.backend.reduce(ReduceOperation::Max, other.view(), &[0], out.view())
    }
}

fn array(handle: &Handle, bytes: usize) -> Result<RawArray> {
    RawArray::uninitialised("benchmark", handle, &[bytes / DType::F32.size()], DType::F32)
}

fn fill(array: &RawArray) -> Result<()> {
    array.handle.backend.fill(Scalar::F32(1.0), array.view())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device;

    #[test]
    fn a_copy_has_a_bandwidth_and_it_is_measured_once() {
        let host = device::host();
        let found = copy_bandwidth(&host).unwrap().unwrap();
        assert!(found > 1e8 && found < 1e13, "{found} bytes a second");
        assert_eq!(copy_bandwidth(&host).unwrap(), Some(found));
    }

    #[test]
    fn the_flush_is_larger_than_the_caches() {
        let host = device::host();
        let flush = Flush::new(&host).unwrap();
        assert!(flush.other.size() * 4 > host.backend.cache_bytes());
        flush.run().unwrap();
    }
}
