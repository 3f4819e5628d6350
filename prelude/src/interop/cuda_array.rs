//! The fields of `__cuda_array_interface__`, version 3.

use super::{Elements, adopted, row_major};
use crate::array::{DeviceArray, RawArray};
use crate::backend::StreamOrder;
use crate::backend::cuda;
use crate::device::{self, Device};
use crate::dtype::{DType, Element, typestr};
use crate::error::{Error, Result, check};
use crate::fallible::fallible;

/// The fields of `__cuda_array_interface__`, by which Python's libraries for CUDA (CuPy, Numba, PyTorch, RAPIDS) show one another
/// their arrays.
///
/// `mask` and `descr` are left out: arrays have neither.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaArrayInterface {
    /// The length of each axis.
    pub shape: Vec<usize>,
    /// The element type as NumPy names it, such as `<f4`.
    pub typestr: String,
    /// The address of the first element on the device (0 if there are none), and whether it must not be written to.
    pub data: (usize, bool),
    /// How many bytes apart neighbours along each axis are; none if the elements follow one another in row-major order.
    pub strides: Option<Vec<isize>>,
    /// The version of the interface: 3.
    pub version: u32,
    /// The stream on which work on the elements is queued, which whoever uses them must wait for; none if there is nothing to wait
    /// for. 1 and 2 are CUDA's default streams.
    pub stream: Option<usize>,
}

impl<T: Element> DeviceArray<T> {
    fallible! {
        /// The fields of `__cuda_array_interface__` of an array on a GPU. They do not keep the elements: the array must
        /// live until whoever reads the fields is done. Nothing waits: `stream` is the one to wait for.
        ///
        /// **Panics** for an array on the CPU, which the interface cannot describe ([`Error::InvalidArgument`]), and
        /// for elements of `bf16`, for which NumPy has no name ([`Error::UnsupportedDType`]). DLPack
        /// ([`to_dlpack`](Self::to_dlpack)) takes both.
        ///
        /// ```
        /// let a = warpcell::zeros::<f32>((2, 3));
        /// if let Ok(fields) = a.try_cuda_array_interface() {
        ///     assert_eq!((fields.typestr.as_str(), fields.version), ("<f4", 3));
        /// }
        /// ```
        pub fn cuda_array_interface, try_cuda_array_interface(&self) -> Result<CudaArrayInterface> {
            export(&self.raw)
        }
    }
}

fn export(raw: &RawArray) -> Result<CudaArrayInterface> {
    const OPERATION: &str = "cuda_array_interface";
    if raw.handle.device == Device::Cpu {
        let reason = "the array is on the CPU; use `to_dlpack`, or `to_host`, which copies it";
        return Err(Error::argument(OPERATION, reason));
    }
    let backend = &raw.handle.backend;
    fields(raw, backend.address(&raw.allocation), backend.stream())
}

/// The fields of an array whose allocation begins at an address.
fn fields(raw: &RawArray, start: usize, stream: Option<usize>) -> Result<CudaArrayInterface> {
    let size = raw.dtype.size();
    let typestr = typestr::typestr(raw.dtype).ok_or(Error::dtype(
        "cuda_array_interface",
        raw.dtype,
        "NumPy has no name for it; use `to_dlpack`, or convert the array, such as `a.astype::<f32>()`",
    ))?;
    let is_read_only = crate::array::writable("cuda_array_interface", raw).is_err();
    let strides = raw.layout.strides.iter().map(|stride| stride * size as isize);
    Ok(CudaArrayInterface {
        shape: raw.layout.shape.clone(),
        typestr,
        data: (if raw.size() == 0 { 0 } else { start + raw.layout.offset * size }, is_read_only),
        strides: (!raw.layout.is_contiguous()).then(|| strides.collect()),
        version: 3,
        stream,
    })
}

/// The elements that fields of `__cuda_array_interface__` describe as an array, without copying: it is on the device where they
/// are, has their strides, and drops `owner`, which keeps them, when its last clone or view is dropped. CuPy's `asarray` of such an
/// object.
///
/// What is queued from now on waits for `fields.stream`, if there is one. Elements that are marked as read-only, or overlap, are
/// copied.
///
/// # Safety
///
/// 1. The elements are where the fields say, in memory of a CUDA device, until `owner` is dropped; `stream`, if there is one, exists.
/// 2. Nothing else writes to them, or reads what operations on the array write, while these run on the device.
///
/// # Panics
///
/// If the elements are not of `T`, are not in memory of a CUDA device that can be used, or are not aligned.
#[track_caller]
pub unsafe fn from_cuda_array_interface<T: Element>(
    fields: &CudaArrayInterface,
    owner: impl Send + Sync + 'static,
) -> DeviceArray<T> {
    // SAFETY: the caller's promise.
    check(unsafe { try_from_cuda_array_interface(fields, owner) })
}

/// As [`from_cuda_array_interface`], but returns the error.
///
/// # Safety
///
/// As of [`from_cuda_array_interface`].
pub unsafe fn try_from_cuda_array_interface<T: Element>(
    fields: &CudaArrayInterface,
    owner: impl Send + Sync + 'static,
) -> Result<DeviceArray<T>> {
    let elements = elements(fields, T::DTYPE)?;
    let handle = if elements.shape.contains(&0) {
        device::current()?
    } else {
        let ordinal = cuda::driver::interop::ordinal_of("from_cuda_array_interface", fields.data.0 as u64)?;
        let handle = device::open(Device::Cuda(ordinal))?;
        if let Some(stream) = fields.stream {
            // SAFETY: the caller's promise.
            unsafe { handle.backend.order(stream, StreamOrder::Theirs)? };
        }
        handle
    };
    // SAFETY: the caller's promise.
    unsafe { adopted("from_cuda_array_interface", &handle, elements, Box::new(owner)) }.map(DeviceArray::from_raw)
}

/// What fields describe, if it is elements of `wanted`.
fn elements(fields: &CudaArrayInterface, wanted: DType) -> Result<Elements> {
    let operation = "from_cuda_array_interface";
    let invalid = |reason: String| Error::argument(operation, reason);
    let CudaArrayInterface { shape, typestr: name, data: (address, is_read_only), strides, version, stream } = fields;
    if *version < 2 {
        return Err(invalid(format!(
            "the fields are of version {version} of the interface; only 2 and 3 are supported"
        )));
    }
    if *stream == Some(0) {
        return Err(invalid(
            "the stream 0 is not allowed, because it can mean two streams; give 1 or 2, CUDA's default streams".into(),
        ));
    }
    match typestr::parse(name) {
        Some((dtype, false)) if dtype == wanted => {}
        Some((dtype, false)) => {
            let reason = format!("the elements are {dtype} (`{name}`), not {wanted}; use `{operation}::<{dtype}>(…)`");
            return Err(invalid(reason));
        }
        _ => {
            return Err(invalid(format!(
                "the elements are `{name}`, which arrays cannot hold; convert them to {wanted}"
            )));
        }
    }
    let size = wanted.size() as isize;
    let strides = match strides {
        None => {
            crate::array::byte_count(operation, shape, wanted)?;
            row_major(shape)
        }
        Some(strides) if strides.len() == shape.len() && strides.iter().all(|stride| stride % size == 0) => {
            strides.iter().map(|stride| stride / size).collect()
        }
        Some(strides) => {
            let reason = format!("the strides {strides:?} do not fit {} axes of elements of {size} bytes", shape.len());
            return Err(invalid(reason));
        }
    };
    Ok(Elements { address: *address, dtype: wanted, shape: shape.clone(), strides, is_read_only: *is_read_only })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{arange, bf16, zeros};
    use ndarray::s;

    fn example() -> CudaArrayInterface {
        CudaArrayInterface {
            shape: vec![2, 3],
            typestr: "<f4".into(),
            data: (0x7000_0000, false),
            strides: None,
            version: 3,
            stream: Some(1),
        }
    }

    #[test]
    fn fields_are_those_of_the_interface() {
        let a = arange(12.0f32).reshape((3, 4));
        let whole = fields(&a.raw, 0x1000, Some(7)).unwrap();
        assert_eq!((whole.typestr.as_str(), whole.data, whole.strides), ("<f4", (0x1000, false), None));
        assert_eq!((whole.shape, whole.version, whole.stream), (vec![3, 4], 3, Some(7)));
        let part = fields(&a.slice(s![1.., ..;2]).raw, 0x1000, None).unwrap();
        assert_eq!((part.data.0, part.strides), (0x1000 + 16, Some(vec![16, 8])));
        let repeated = fields(&a.slice(s![0, ..]).broadcast_to((5, 4)).raw, 0x1000, None).unwrap();
        assert_eq!((repeated.data.1, repeated.strides), (true, Some(vec![0, 4])));
        assert_eq!(fields(&zeros::<bool>((0, 2)).raw, 0x1000, None).unwrap().data.0, 0);
        assert!(matches!(fields(&zeros::<bf16>(2).raw, 0, None), Err(Error::UnsupportedDType { .. })));
    }

    #[test]
    fn fields_are_read() {
        let read = |fields: &CudaArrayInterface| elements(fields, DType::F32).map(|read| read.strides);
        assert_eq!(read(&example()), Ok(vec![3, 1]));
        assert_eq!(read(&CudaArrayInterface { strides: Some(vec![4, -8]), ..example() }), Ok(vec![1, -2]));
        let refused = |fields: CudaArrayInterface, said: &str| {
            let error = read(&fields).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        };
        refused(CudaArrayInterface { typestr: "<f8".into(), ..example() }, "f64 (`<f8`), not f32");
        refused(CudaArrayInterface { typestr: ">f4".into(), ..example() }, "`>f4`");
        refused(CudaArrayInterface { strides: Some(vec![4]), ..example() }, "do not fit 2 axes");
        refused(CudaArrayInterface { strides: Some(vec![4, 6]), ..example() }, "elements of 4 bytes");
        refused(CudaArrayInterface { version: 1, ..example() }, "version 1");
        refused(CudaArrayInterface { stream: Some(0), ..example() }, "stream 0");
        refused(CudaArrayInterface { shape: vec![usize::MAX, 2], ..example() }, "more elements");
    }

    #[test]
    fn arrays_on_the_cpu_have_no_such_interface() {
        if crate::device() == Device::Cpu {
            let error = zeros::<f32>(3).try_cuda_array_interface().unwrap_err().to_string();
            assert!(error.contains("`to_dlpack`"), "{error}");
        }
    }
}
