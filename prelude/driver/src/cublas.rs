//! cuBLAS, NVIDIA's library of products of matrices: one handle a device, used by one thread at a time.

use super::context::{Device, lock};
use super::{library, oldest};
use cudarc::cublas::sys::{self, cublasStatus_t};
use std::ffi::c_void;
use std::sync::MutexGuard;
use warpcell_base::error::{Error, Result};

/// What the library keeps for a device. Whoever destroys it has made the device's context current.
pub(super) struct Handle(sys::cublasHandle_t);

// SAFETY: a handle may be used from every thread, by one at a time.
unsafe impl Send for Handle {}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: created by `Device::cublas`, not used after this; the context is current (see the type).
        let _ = unsafe { sys::cublasDestroy_v2(self.0) };
    }
}

/// A device's handle, locked, with the stream set to which work goes: what is called with [`raw`](Self::raw) while this lives
/// is queued there.
pub struct Cublas<'a> {
    guard: MutexGuard<'a, Option<Handle>>,
}

/// Whether products of matrices can be computed; if not, what is missing. Never panics.
pub fn present(driver_major: i32) -> Result<()> {
    let library = "libcublas.so".to_string();
    library::blas(driver_major).map_err(|reason| Error::LibraryMissing { library, reason })
}

/// `Ok` for success, else the error with the library's name of the status.
pub fn check(status: cublasStatus_t, operation: &'static str) -> Result<()> {
    if status == cublasStatus_t::CUBLAS_STATUS_SUCCESS {
        return Ok(());
    }
    Err(Error::Cuda { operation: operation.to_string(), status: format!("{status:?}") })
}

impl Device {
    /// The device's cuBLAS, with its context current in this thread. Scalars are passed by pointers to the host, and f32 is
    /// not rounded to TF32. Creates the handle at the first call, and waits while another thread holds it.
    pub fn cublas(&self) -> Result<Cublas<'_>> {
        if warpcell_base::interrupt::interrupted() {
            return Err(Error::Interrupted);
        }
        present(self.target().driver_major)?;
        self.bind()?;
        let mut guard = lock(&self.cublas);
        if guard.is_none() {
            let mut handle = std::ptr::null_mut();
            // SAFETY: the library is present and the context current; `handle` is a handle to write to.
            check(unsafe { sys::cublasCreate_v2(&raw mut handle) }, "cublasCreate")?;
            *guard = Some(Handle(handle));
        }
        let cublas = Cublas { guard };
        // SAFETY: the handle is alive, and the stream lives as long as the device.
        check(unsafe { sys::cublasSetStream_v2(cublas.raw(), self.stream().cast()) }, "cublasSetStream")?;
        Ok(cublas)
    }
}

/// The numbers of matrices, and what products are added up in: f16, bf16 and TF32 in f32.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    F16,
    Bf16,
    F32,
    /// Of f32, whose factors are rounded to the 10 bits behind the point that TF32 has.
    Tf32,
    F64,
    /// Complex numbers of two f32.
    C64,
    /// Complex numbers of two f64.
    C128,
}

/// Where matrices lie: column-major, each column's numbers side by side.
#[derive(Clone, Copy, Debug)]
pub struct Matrices {
    /// Of the first matrix's first number.
    pub address: u64,
    /// How many numbers apart the columns begin, at least the length of a column.
    pub leading: usize,
    /// How many numbers apart the matrices begin; 0 if all are the same one.
    pub distance: i64,
    /// Whether the rows and columns are to be swapped.
    pub is_transposed: bool,
}

/// Products of as many pairs of matrices: `c = a · b`, where `a` is `rows` by `inner`, `b` is `inner` by `columns`.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    pub numbers: Numbers,
    pub rows: usize,
    pub columns: usize,
    pub inner: usize,
    pub count: usize,
    pub a: Matrices,
    pub b: Matrices,
    /// Not transposed.
    pub c: Matrices,
}

impl Cublas<'_> {
    /// For functions of the library. While this borrow lasts, no other thread has it.
    pub fn raw(&self) -> sys::cublasHandle_t {
        self.guard.as_ref().expect("`Device::cublas` has made it").0
    }

    /// Queues a product of matrices of `i8`, of which both are read along `inner`: `a` is transposed and `b` is not. The sums are `i32`.
    /// `false` if the library does not have it for the device. Addresses are multiples of 16, `rows` and all distances between columns of 4, `inner`
    /// of 16, and no length is 0.
    ///
    /// # Safety
    /// As for [`multiply`](Self::multiply).
    pub unsafe fn multiply_bytes(&self, [rows, columns, inner]: [usize; 3], [a, b, c]: [Matrices; 3]) -> Result<bool> {
        use sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
        use sys::cudaDataType::{CUDA_R_8I, CUDA_R_32I};
        if oldest::is_wished() {
            return Ok(false);
        }
        let (one, zero) = (1i32, 0i32);
        // SAFETY: the handle is this thread's, the scalars live until the call returns, and the rest is the caller's promise.
        let status = unsafe {
            sys::cublasGemmEx_64(
                self.raw(),
                CUBLAS_OP_T,
                CUBLAS_OP_N,
                rows as i64,
                columns as i64,
                inner as i64,
                (&raw const one).cast(),
                a.address as *const c_void,
                CUDA_R_8I,
                a.leading as i64,
                b.address as *const c_void,
                CUDA_R_8I,
                b.leading as i64,
                (&raw const zero).cast(),
                c.address as *mut c_void,
                CUDA_R_32I,
                c.leading as i64,
                sys::cublasComputeType_t::CUBLAS_COMPUTE_32I,
                sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT,
            )
        };
        if status == cublasStatus_t::CUBLAS_STATUS_NOT_SUPPORTED {
            return Ok(false);
        }
        check(status, "a product of matrices of bytes").map(|()| true)
    }

    /// Queues products of matrices; there is at least one, and no length is 0.
    ///
    /// # Safety
    /// The matrices lie in live blocks of the device, and those of `c` overlap neither one another nor the others.
    pub unsafe fn multiply(&self, products: &Products) -> Result<()> {
        use sys::cublasComputeType_t::{CUBLAS_COMPUTE_32F, CUBLAS_COMPUTE_32F_FAST_TF32, CUBLAS_COMPUTE_64F};
        use sys::cublasOperation_t::{CUBLAS_OP_N, CUBLAS_OP_T};
        use sys::cudaDataType::{CUDA_C_32F, CUDA_C_64F, CUDA_R_16BF, CUDA_R_16F, CUDA_R_32F, CUDA_R_64F};
        let Products { numbers, rows, columns, inner, count, a, b, c } = *products;
        let (kind, compute) = match numbers {
            Numbers::F16 => (CUDA_R_16F, CUBLAS_COMPUTE_32F),
            Numbers::Bf16 => (CUDA_R_16BF, CUBLAS_COMPUTE_32F),
            Numbers::F32 => (CUDA_R_32F, CUBLAS_COMPUTE_32F),
            Numbers::Tf32 => (CUDA_R_32F, CUBLAS_COMPUTE_32F_FAST_TF32),
            Numbers::F64 => (CUDA_R_64F, CUBLAS_COMPUTE_64F),
            Numbers::C64 => (CUDA_C_32F, CUBLAS_COMPUTE_32F),
            Numbers::C128 => (CUDA_C_64F, CUBLAS_COMPUTE_64F),
        };
        // Of the type that is computed in; a complex number has a second part, 0.
        let (single, double) = ([[1.0f32, 0.0], [0.0; 2]], [[1.0f64, 0.0], [0.0; 2]]);
        let [one, zero]: [*const c_void; 2] = match compute {
            CUBLAS_COMPUTE_64F => [(&raw const double[0]).cast(), (&raw const double[1]).cast()],
            _ => [(&raw const single[0]).cast(), (&raw const single[1]).cast()],
        };
        let operation = |matrices: Matrices| if matrices.is_transposed { CUBLAS_OP_T } else { CUBLAS_OP_N };
        let [rows, columns, inner, count] = [rows, columns, inner, count].map(|length| length as i64);
        let algorithm = sys::cublasGemmAlgo_t::CUBLAS_GEMM_DEFAULT;
        // SAFETY: the handle is this thread's, the scalars live until the call returns (they are read by then), and the rest is
        // the caller's promise.
        let status = unsafe {
            if count == 1 {
                sys::cublasGemmEx_64(
                    self.raw(),
                    operation(a),
                    operation(b),
                    rows,
                    columns,
                    inner,
                    one,
                    a.address as *const c_void,
                    kind,
                    a.leading as i64,
                    b.address as *const c_void,
                    kind,
                    b.leading as i64,
                    zero,
                    c.address as *mut c_void,
                    kind,
                    c.leading as i64,
                    compute,
                    algorithm,
                )
            } else {
                sys::cublasGemmStridedBatchedEx_64(
                    self.raw(),
                    operation(a),
                    operation(b),
                    rows,
                    columns,
                    inner,
                    one,
                    a.address as *const c_void,
                    kind,
                    a.leading as i64,
                    a.distance,
                    b.address as *const c_void,
                    kind,
                    b.leading as i64,
                    b.distance,
                    zero,
                    c.address as *mut c_void,
                    kind,
                    c.leading as i64,
                    c.distance,
                    count,
                    compute,
                    algorithm,
                )
            }
        };
        check(status, "a product of matrices")
    }
}
