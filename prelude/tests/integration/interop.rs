//! Sharing arrays with other libraries, on the device that the tests run on; on the CPU, what is of CUDA is an error.

use warpcell as gpu;
use warpcell::interop::dlpark::ffi::DLDeviceType;
use warpcell::interop::{self, cudarc::driver::CudaContext};
use warpcell::ndarray::{Array, ShapeBuilder, array};
use warpcell::prelude::*;
use warpcell::{Device, Error};

fn is_on_gpu() -> bool {
    gpu::device() != Device::Cpu
}

#[test]
fn tensors_of_dlpack_share_the_elements() {
    let mut a = gpu::arange(12.0f32).reshape((3, 4));
    let tensor = a.t().to_dlpack();
    let kind = tensor.validate().unwrap().device().device_type;
    assert_eq!(kind, if is_on_gpu() { DLDeviceType::CUDA } else { DLDeviceType::CPU });
    // SAFETY: the tensor is an array's own.
    let mut b = unsafe { DeviceArray::<f32>::from_dlpack(tensor) };
    assert_eq!((b.device(), b.shape(), b.strides()), (a.device(), &[4, 3][..], &[1, 4][..]));
    a *= 2.0;
    assert_eq!(b.get(&[3, 2]), 22.0);
    b.fill(1.0);
    assert_eq!(a.sum(), 12.0);
    let (kept, view) = (b.clone(), b.slice(s![1.., ..]));
    drop((a, b));
    assert_eq!((kept.sum(), view.sum(), (&view + &view).sum()), (12.0, 9.0, 18.0));
    // SAFETY: as above.
    let legacy = unsafe { DeviceArray::<f32>::from_dlpack(view.to_dlpack_legacy()) };
    assert_eq!(legacy.strides(), view.strides());
}

#[test]
fn host_arrays_become_arrays_on_the_device_and_come_back() {
    let host = Array::from_shape_fn((50, 70), |(row, column)| (row * column) as f64);
    let mut a = DeviceArray::from(host.clone());
    a += 1.0;
    assert_eq!(a.into_host(), (&host + 1.0).into_dyn());
    let columns = Array::from_shape_vec((2, 3).f(), vec![1, 2, 3, 4, 5, 6]).unwrap();
    assert_eq!(gpu::asarray(columns.clone()).into_host(), columns.into_dyn());
    let collected: DeviceArray<i32> = (0..4).map(|value| value * value).collect();
    assert_eq!(collected.to_host(), array![0, 1, 4, 9].into_dyn());
    let other = gpu::arange(2).try_as_host_mut().map(|view| view.sum());
    assert_eq!(other.is_ok(), !is_on_gpu());
}

#[test]
fn the_fields_of_the_cuda_array_interface_lead_to_the_elements() {
    let a = gpu::arange(12i32).reshape((3, 4));
    let part = a.slice(s![..;-1, ..;2]);
    let fields = match part.try_cuda_array_interface() {
        Ok(fields) => fields,
        Err(error) => {
            assert!(!is_on_gpu() && matches!(error, Error::InvalidArgument { .. }), "{error}");
            return;
        }
    };
    assert_eq!((fields.typestr.as_str(), &fields.shape, fields.data.0), ("<i4", &vec![3, 2], a.data_ptr() + 32));
    assert_eq!((fields.strides.as_deref(), fields.stream), (Some(&[-16, 8][..]), interop::stream()));
    // SAFETY: the owner is the array itself.
    let mut b = unsafe { interop::from_cuda_array_interface::<i32>(&fields, part.clone()) };
    assert_eq!((b.to_host(), b.strides()), (part.to_host(), part.strides()));
    b.fill(7);
    assert_eq!(a.slice(s![.., 0]).to_host(), array![7, 7, 7].into_dyn());
    let repeated = a.slice(s![0, ..]).broadcast_to((2, 4));
    // SAFETY: as above.
    let copy = unsafe { interop::from_cuda_array_interface::<i32>(&repeated.cuda_array_interface(), repeated.clone()) };
    assert_ne!(copy.data_ptr(), repeated.data_ptr());
    assert_eq!(copy.to_host(), repeated.to_host());
    let nowhere = interop::CudaArrayInterface { data: (0x1000, false), ..fields };
    // SAFETY: the address is refused.
    let error = unsafe { interop::try_from_cuda_array_interface::<i32>(&nowhere, ()) }.map(|_| ()).unwrap_err();
    assert!(error.to_string().contains("0x1000"), "{error}");
}

#[test]
fn streams_of_others_are_ordered() {
    if !is_on_gpu() {
        return;
    }
    let context = CudaContext::new(0).unwrap();
    let stream = context.new_stream().unwrap();
    let handle = stream.cu_stream() as usize;
    let values: Vec<f32> = (0..1 << 20).map(|value| (value % 7) as f32).collect();
    // A slice of others becomes an array.
    let slice = stream.clone_htod(&values).unwrap();
    let a = interop::from_cuda_slice(slice);
    assert_eq!((a.size(), a.device()), (values.len(), gpu::device()));
    let doubled = &a + &a;
    drop(a);
    assert_eq!(doubled.get(&[6]), 12.0);
    // An array of ours is read on a stream of others, behind the work that makes it.
    let mut chain = doubled;
    for _ in 0..20 {
        chain += 1.0;
    }
    // SAFETY: the stream exists.
    unsafe { interop::hold_stream(handle).unwrap() };
    // SAFETY: the array has as many elements there, and outlives the slice, which does not free them.
    let view = unsafe { stream.upgrade_device_ptr::<f32>(chain.data_ptr() as u64, chain.size()) };
    let read = stream.clone_dtoh(&view).unwrap();
    view.leak();
    stream.synchronize().unwrap();
    assert!(read.iter().zip(&values).all(|(read, value)| *read == 2.0 * value + 20.0));
    // What others write on their stream is waited for.
    // SAFETY: as above.
    let mut view = unsafe { stream.upgrade_device_ptr::<f32>(chain.data_ptr() as u64, chain.size()) };
    stream.memcpy_htod(&values, &mut view).unwrap();
    // SAFETY: the stream exists.
    unsafe { interop::wait_for_stream(handle).unwrap() };
    let sum = chain.sum();
    view.leak();
    assert_eq!(sum, gpu::asarray(&values).sum());
    // SAFETY: the stream exists.
    let tensor = unsafe { chain.to_dlpack_for(handle) }.unwrap();
    // SAFETY: the tensor is an array's own.
    assert_eq!(unsafe { DeviceArray::<f32>::from_dlpack(tensor) }.sum(), sum);
}

#[test]
fn without_streams_there_is_nothing_to_order() {
    // SAFETY: 1 is CUDA's default stream.
    let results = unsafe { [interop::hold_stream(1), interop::wait_for_stream(1)] };
    assert!(results.iter().all(|result| result.is_ok() == is_on_gpu()));
}

#[test]
fn pointers_lead_to_elements_on_the_device() {
    let a = gpu::arange(10.0f64);
    let owner = a.clone();
    // SAFETY: the owner is the array itself.
    let mut b = unsafe { DeviceArray::<f64>::from_data_ptr(a.data_ptr() + 16, (2, 3), gpu::device(), owner) };
    b *= 0.0;
    assert_eq!(a.to_host(), array![0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 9.0].into_dyn());
    drop(a);
    assert_eq!(b.sum(), 0.0);
}
