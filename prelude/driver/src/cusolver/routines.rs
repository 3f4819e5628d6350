//! The functions of cuSOLVER and cuBLAS that each of the element types has its own of.

use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys::{
    self, cublasFillMode_t, cublasOperation_t, cudaDataType, cusolverDnHandle_t, cusolverEigMode_t, cusolverStatus_t,
};
use std::ffi::{c_int, c_schar};

macro_rules! routines {
    ($($name:ident($($argument:ident: $type:ty),* $(,)?) -> $status:ty =
        $single:path, $double:path, $complex_single:path, $complex_double:path;)*) => {
        /// The element types, by their functions of the libraries.
        ///
        /// Safe to call are they under the libraries' own conditions: handles are alive and this thread's, and addresses lead to
        /// as many numbers as the arguments say, in live blocks of the device.
        #[allow(clippy::too_many_arguments, clippy::missing_safety_doc, reason = "those of the library's functions")]
        pub trait Routines: Copy {
            /// The type of the real and imaginary parts; of real numbers, the type itself.
            type Part: Copy;
            const ONE: Self;
            /// The library's name of the type, and of the complex numbers with these parts.
            const TYPES: [cudaDataType; 2];
            $(unsafe fn $name($($argument: $type),*) -> $status;)*
        }
        impl Routines for f32 {
            type Part = f32;
            const ONE: f32 = 1.0;
            const TYPES: [cudaDataType; 2] = [cudaDataType::CUDA_R_32F, cudaDataType::CUDA_C_32F];
            $(unsafe fn $name($($argument: $type),*) -> $status {
                // SAFETY: the caller's promise.
                unsafe { $single($($argument),*) }
            })*
        }
        impl Routines for f64 {
            type Part = f64;
            const ONE: f64 = 1.0;
            const TYPES: [cudaDataType; 2] = [cudaDataType::CUDA_R_64F, cudaDataType::CUDA_C_64F];
            $(unsafe fn $name($($argument: $type),*) -> $status {
                // SAFETY: the caller's promise.
                unsafe { $double($($argument),*) }
            })*
        }
        impl Routines for sys::cuComplex {
            type Part = f32;
            const ONE: Self = Self { x: 1.0, y: 0.0 };
            const TYPES: [cudaDataType; 2] = [cudaDataType::CUDA_C_32F, cudaDataType::CUDA_C_32F];
            $(unsafe fn $name($($argument: $type),*) -> $status {
                // SAFETY: the caller's promise. Each of the libraries has its type of complex numbers: they are the same in memory.
                unsafe { $complex_single($($argument as _),*) }
            })*
        }
        impl Routines for sys::cuDoubleComplex {
            type Part = f64;
            const ONE: Self = Self { x: 1.0, y: 0.0 };
            const TYPES: [cudaDataType; 2] = [cudaDataType::CUDA_C_64F, cudaDataType::CUDA_C_64F];
            $(unsafe fn $name($($argument: $type),*) -> $status {
                // SAFETY: as above.
                unsafe { $complex_double($($argument as _),*) }
            })*
        }
    };
}
routines! {
    getrf_size(handle: cusolverDnHandle_t, m: c_int, n: c_int, a: *mut Self, lda: c_int, size: *mut c_int) -> cusolverStatus_t =
        sys::cusolverDnSgetrf_bufferSize, sys::cusolverDnDgetrf_bufferSize,
        sys::cusolverDnCgetrf_bufferSize, sys::cusolverDnZgetrf_bufferSize;
    getrf(
        handle: cusolverDnHandle_t, m: c_int, n: c_int, a: *mut Self, lda: c_int, work: *mut Self, pivots: *mut c_int,
        status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSgetrf, sys::cusolverDnDgetrf,
        sys::cusolverDnCgetrf, sys::cusolverDnZgetrf;
    getrs(
        handle: cusolverDnHandle_t, operation: cublasOperation_t, n: c_int, k: c_int, a: *const Self, lda: c_int,
        pivots: *const c_int, b: *mut Self, ldb: c_int, status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSgetrs, sys::cusolverDnDgetrs,
        sys::cusolverDnCgetrs, sys::cusolverDnZgetrs;
    trsm(
        handle: blas::cublasHandle_t, side: blas::cublasSideMode_t, triangle: blas::cublasFillMode_t,
        operation: blas::cublasOperation_t, diagonal: blas::cublasDiagType_t, m: c_int, n: c_int, factor: *const Self,
        a: *const Self, lda: c_int, b: *mut Self, ldb: c_int,
    ) -> blas::cublasStatus_t =
        blas::cublasStrsm_v2, blas::cublasDtrsm_v2,
        blas::cublasCtrsm_v2, blas::cublasZtrsm_v2;
    geqrf_size(handle: cusolverDnHandle_t, m: c_int, n: c_int, a: *mut Self, lda: c_int, size: *mut c_int) -> cusolverStatus_t =
        sys::cusolverDnSgeqrf_bufferSize, sys::cusolverDnDgeqrf_bufferSize,
        sys::cusolverDnCgeqrf_bufferSize, sys::cusolverDnZgeqrf_bufferSize;
    geqrf(
        handle: cusolverDnHandle_t, m: c_int, n: c_int, a: *mut Self, lda: c_int, tau: *mut Self, work: *mut Self, size: c_int,
        status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSgeqrf, sys::cusolverDnDgeqrf,
        sys::cusolverDnCgeqrf, sys::cusolverDnZgeqrf;
    orgqr_size(
        handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *const Self, lda: c_int, tau: *const Self, size: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSorgqr_bufferSize, sys::cusolverDnDorgqr_bufferSize,
        sys::cusolverDnCungqr_bufferSize, sys::cusolverDnZungqr_bufferSize;
    orgqr(
        handle: cusolverDnHandle_t, m: c_int, n: c_int, k: c_int, a: *mut Self, lda: c_int, tau: *const Self, work: *mut Self,
        size: c_int, status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSorgqr, sys::cusolverDnDorgqr,
        sys::cusolverDnCungqr, sys::cusolverDnZungqr;
    potrf_size(
        handle: cusolverDnHandle_t, triangle: cublasFillMode_t, n: c_int, a: *mut Self, lda: c_int, size: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSpotrf_bufferSize, sys::cusolverDnDpotrf_bufferSize,
        sys::cusolverDnCpotrf_bufferSize, sys::cusolverDnZpotrf_bufferSize;
    potrf(
        handle: cusolverDnHandle_t, triangle: cublasFillMode_t, n: c_int, a: *mut Self, lda: c_int, work: *mut Self, size: c_int,
        status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSpotrf, sys::cusolverDnDpotrf,
        sys::cusolverDnCpotrf, sys::cusolverDnZpotrf;
    potrf_batched(
        handle: cusolverDnHandle_t, triangle: cublasFillMode_t, n: c_int, a: *mut *mut Self, lda: c_int, statuses: *mut c_int,
        count: c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSpotrfBatched, sys::cusolverDnDpotrfBatched,
        sys::cusolverDnCpotrfBatched, sys::cusolverDnZpotrfBatched;
    syevd_size(
        handle: cusolverDnHandle_t, mode: cusolverEigMode_t, triangle: cublasFillMode_t, n: c_int, a: *const Self, lda: c_int,
        values: *const Self::Part, size: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSsyevd_bufferSize, sys::cusolverDnDsyevd_bufferSize,
        sys::cusolverDnCheevd_bufferSize, sys::cusolverDnZheevd_bufferSize;
    syevd(
        handle: cusolverDnHandle_t, mode: cusolverEigMode_t, triangle: cublasFillMode_t, n: c_int, a: *mut Self, lda: c_int,
        values: *mut Self::Part, work: *mut Self, size: c_int, status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSsyevd, sys::cusolverDnDsyevd,
        sys::cusolverDnCheevd, sys::cusolverDnZheevd;
    gesvd_size(handle: cusolverDnHandle_t, m: c_int, n: c_int, size: *mut c_int) -> cusolverStatus_t =
        sys::cusolverDnSgesvd_bufferSize, sys::cusolverDnDgesvd_bufferSize,
        sys::cusolverDnCgesvd_bufferSize, sys::cusolverDnZgesvd_bufferSize;
    gesvd(
        handle: cusolverDnHandle_t, left: c_schar, right: c_schar, m: c_int, n: c_int, a: *mut Self, lda: c_int,
        values: *mut Self::Part, u: *mut Self, ldu: c_int, vt: *mut Self, ldvt: c_int, work: *mut Self, size: c_int,
        rest: *mut Self::Part, status: *mut c_int,
    ) -> cusolverStatus_t =
        sys::cusolverDnSgesvd, sys::cusolverDnDgesvd,
        sys::cusolverDnCgesvd, sys::cusolverDnZgesvd;
    getrf_batched(
        handle: blas::cublasHandle_t, n: c_int, a: *const *mut Self, lda: c_int, pivots: *mut c_int, statuses: *mut c_int,
        count: c_int,
    ) -> blas::cublasStatus_t =
        blas::cublasSgetrfBatched, blas::cublasDgetrfBatched,
        blas::cublasCgetrfBatched, blas::cublasZgetrfBatched;
    getrs_batched(
        handle: blas::cublasHandle_t, operation: blas::cublasOperation_t, n: c_int, k: c_int, a: *const *const Self, lda: c_int,
        pivots: *const c_int, b: *const *mut Self, ldb: c_int, status: *mut c_int, count: c_int,
    ) -> blas::cublasStatus_t =
        blas::cublasSgetrsBatched, blas::cublasDgetrsBatched,
        blas::cublasCgetrsBatched, blas::cublasZgetrsBatched;
}
