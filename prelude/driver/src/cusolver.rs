//! cuSOLVER, NVIDIA's library of factorisations of dense matrices: one handle a device, used by one thread at a time.
//!
//! Matrices are column-major, one behind the other without gaps. What is given back to the pool when a function here returns may
//! still be in use by queued work: whatever gets it then is queued behind that.

mod routines;

use super::context::Device;
use super::memory::DeviceMemory;
use super::{cublas, library, oldest, staging};
use cudarc::cublas::sys as blas;
use cudarc::cusolver::sys::{
    self, cublasFillMode_t, cublasOperation_t, cusolverDnHandle_t, cusolverDnParams_t, cusolverEigMode_t,
    cusolverStatus_t,
};
pub use cudarc::cusolver::sys::{cuComplex, cuDoubleComplex};
pub use routines::Routines;
use std::ffi::{c_int, c_schar, c_void};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use warpcell_base::backend::factorisations::Fault;
use warpcell_base::error::{Error, Result};

/// The first version with eigenvalues of general matrices for sure, 11.7.1, that of CUDA 12.6.3.
const GENERAL: c_int = 11_701;

/// Parts of a block of memory begin at multiples of this.
const ALIGNMENT: usize = 256;

/// The library, for one device.
pub struct Solver {
    device: Arc<Device>,
    handle: Mutex<Option<Handle>>,
}

struct Handle(cusolverDnHandle_t);

// SAFETY: a handle may be used from every thread, by one at a time.
unsafe impl Send for Handle {}

/// A device's handle, locked, with the stream set to which work goes, and the context current in this thread.
pub struct Session<'a> {
    device: &'a Arc<Device>,
    guard: MutexGuard<'a, Option<Handle>>,
}

/// A stack of matrices on the device.
#[derive(Clone, Copy, Debug)]
pub struct Stack {
    /// Of the first matrix's first number.
    pub address: u64,
    pub rows: usize,
    pub columns: usize,
    pub count: usize,
}

impl Stack {
    fn at<T>(&self, index: usize) -> *mut T {
        (self.address + (index * self.rows * self.columns * size_of::<T>()) as u64) as *mut T
    }
}

/// A status for each of some matrices, on the device.
pub struct Statuses {
    memory: DeviceMemory,
    count: usize,
}

/// What [`Session::reflect`] leaves beside the matrices: the factors of the reflections, and room for later work.
pub struct Reflections {
    /// The factors, the room, a status that nobody reads.
    memory: DeviceMemory,
    room: u64,
    size: c_int,
    status: u64,
}

/// Where singular vectors go.
#[derive(Clone, Copy)]
pub struct SingularVectors {
    pub u: Stack,
    /// The transpose of the right ones, of complex matrices the conjugate one.
    pub vt: Stack,
}

/// Whether matrices can be factorised; if not, what is missing. Never panics.
pub fn present(driver_major: i32) -> Result<()> {
    cublas::present(driver_major)?;
    let library = "libcusolver.so".to_string();
    library::solver(driver_major).map_err(|reason| Error::LibraryMissing { library, reason })
}

fn check(status: cusolverStatus_t, operation: &'static str) -> Result<()> {
    if status == cusolverStatus_t::CUSOLVER_STATUS_SUCCESS {
        return Ok(());
    }
    Err(Error::Cuda { operation: operation.to_string(), status: format!("{status:?}") })
}

/// What a status means that is not 0.
pub(super) fn fault(matrix: usize, status: c_int) -> Result<Fault> {
    match usize::try_from(status) {
        Ok(order) => Ok(Fault { matrix, order }),
        Err(_) => Err(Error::Cuda {
            operation: "a factorisation".into(),
            status: format!("{status} for matrix {matrix}, which means a wrong argument"),
        }),
    }
}

/// A length as the library takes it.
fn length(length: usize) -> Result<c_int> {
    c_int::try_from(length).map_err(|_| {
        let reason = format!("a length of {length} is more than cuSOLVER takes; use smaller matrices");
        Error::argument("a factorisation", reason)
    })
}

/// The number of numbers that the library asks to have for its work, and their bytes.
fn room<T>(asked: c_int) -> Result<usize> {
    let numbers = usize::try_from(asked).map_err(|_| {
        let reason = "cuSOLVER cannot address the memory that it needs beside the matrix; use a smaller one";
        Error::argument("a factorisation", reason)
    })?;
    Ok(numbers * size_of::<T>())
}

impl Solver {
    pub fn new(device: &Arc<Device>) -> Solver {
        Solver { device: device.clone(), handle: Mutex::default() }
    }

    pub fn present(&self) -> Result<()> {
        present(self.device.target().driver_major)
    }

    /// Whether the library is there, and of a version that finds the eigenvalues of general matrices.
    pub fn has_general(&self) -> bool {
        let mut version = 0;
        // SAFETY: the library is present; `version` is an int to write to.
        !oldest::is_wished()
            && self.present().is_ok()
            && unsafe { sys::cusolverGetVersion(&raw mut version) } == cusolverStatus_t::CUSOLVER_STATUS_SUCCESS
            && version >= GENERAL
    }

    /// The library's handle for this thread; waits while another has it. Created at the first call.
    pub fn session(&self) -> Result<Session<'_>> {
        if warpcell_base::interrupt::interrupted() {
            return Err(Error::Interrupted);
        }
        self.present()?;
        self.device.bind()?;
        let mut guard = self.handle.lock().unwrap_or_else(PoisonError::into_inner);
        if guard.is_none() {
            let mut handle = std::ptr::null_mut();
            // SAFETY: the library is present and the context current; `handle` is a handle to write to.
            check(unsafe { sys::cusolverDnCreate(&raw mut handle) }, "cusolverDnCreate")?;
            *guard = Some(Handle(handle));
        }
        let session = Session { device: &self.device, guard };
        // SAFETY: the handle is alive, and the stream lives as long as the device.
        let status = unsafe { sys::cusolverDnSetStream(session.raw(), self.device.stream().cast()) };
        check(status, "cusolverDnSetStream")?;
        Ok(session)
    }
}

impl Drop for Solver {
    fn drop(&mut self) {
        if let Some(Handle(handle)) = self.handle.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            // SAFETY: created by `session`, not used after this.
            self.device.release(|| check(unsafe { sys::cusolverDnDestroy(handle) }, "cusolverDnDestroy"));
        }
    }
}

/// Parameters of functions of all types, those that it has without a word.
struct Parameters(cusolverDnParams_t);

impl Parameters {
    fn new() -> Result<Parameters> {
        let mut parameters = std::ptr::null_mut();
        // SAFETY: a session has seen that the library is present; `parameters` is a handle to write to.
        check(unsafe { sys::cusolverDnCreateParams(&raw mut parameters) }, "cusolverDnCreateParams")?;
        Ok(Parameters(parameters))
    }
}

impl Drop for Parameters {
    fn drop(&mut self) {
        // SAFETY: made by `new`, not used after this. Of an error nobody would know what to do.
        let _ = unsafe { sys::cusolverDnDestroyParams(self.0) };
    }
}

impl Statuses {
    pub fn new(device: &Arc<Device>, count: usize) -> Result<Statuses> {
        Ok(Statuses { memory: DeviceMemory::new(device, count * size_of::<c_int>())?, count })
    }

    /// Of the first matrix's status.
    pub fn address(&self) -> u64 {
        self.memory.address()
    }

    fn at(&self, index: usize) -> *mut c_int {
        (self.memory.address() as *mut c_int).wrapping_add(index)
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Waits, and gives the first matrix whose status is not 0.
    pub fn read(&self, device: &Device) -> Result<Option<Fault>> {
        let mut bytes = vec![0; self.count * size_of::<c_int>()];
        // SAFETY: the block has as many bytes.
        unsafe { staging::download(device, self.memory.address(), &mut bytes)? };
        let statuses = bytes.as_chunks::<4>().0.iter().map(|&bytes| c_int::from_ne_bytes(bytes));
        let found = statuses.enumerate().find(|&(_, status)| status != 0);
        found.map(|(matrix, status)| fault(matrix, status)).transpose()
    }
}

/// What the functions below are given must be as their names say: addresses of as many numbers as the stacks have, or of a number
/// of 32 bits for each pivot, in live blocks of the device.
#[allow(clippy::missing_safety_doc, reason = "said above for all of them")]
impl Session<'_> {
    fn raw(&self) -> cusolverDnHandle_t {
        self.guard.as_ref().expect("`Solver::session` has made it").0
    }

    fn memory(&self, bytes: usize) -> Result<DeviceMemory> {
        DeviceMemory::new(self.device, bytes)
    }

    /// Queues LU with row exchanges, in place: for each matrix as many pivots as its smaller length, numbered from 1.
    pub unsafe fn lu<T: Routines>(&self, a: Stack, pivots: u64, statuses: &Statuses) -> Result<()> {
        let (m, n, mut size) = (length(a.rows)?, length(a.columns)?, 0);
        // SAFETY: the caller's promise; the room is as large as asked for.
        unsafe {
            check(T::getrf_size(self.raw(), m, n, a.at(0), m, &raw mut size), "cusolverDn getrf_bufferSize")?;
            let work = self.memory(room::<T>(size)?)?;
            for index in 0..a.count {
                let pivots = (pivots as *mut c_int).add(index * a.rows.min(a.columns));
                let work = work.address() as *mut T;
                let status = T::getrf(self.raw(), m, n, a.at(index), m, work, pivots, statuses.at(index));
                check(status, "an LU factorisation")?;
            }
        }
        Ok(())
    }

    /// The same for square matrices, all at once; `addresses` leads to the address of each.
    pub unsafe fn lu_together<T: Routines>(
        &self,
        a: Stack,
        addresses: u64,
        pivots: u64,
        statuses: &Statuses,
    ) -> Result<()> {
        let (n, count) = (length(a.rows)?, length(a.count)?);
        let blas = self.device.cublas()?;
        // SAFETY: the caller's promise.
        let status = unsafe {
            T::getrf_batched(blas.raw(), n, addresses as *const _, n, pivots as *mut c_int, statuses.at(0), count)
        };
        cublas::check(status, "LU factorisations")
    }

    /// Queues the solutions of `a[i] x = b[i]`, or of `a[i]ᵀ x = b[i]`, in place of `b`, by the LU factors of `a`.
    pub unsafe fn solve<T: Routines>(&self, lu: Stack, pivots: u64, b: Stack) -> Result<()> {
        let (n, k) = (length(lu.rows)?, length(b.columns)?);
        let operation = cublasOperation_t::CUBLAS_OP_N;
        let unread = self.memory(size_of::<c_int>())?;
        for index in 0..lu.count {
            // SAFETY: the caller's promise.
            let status = unsafe {
                let pivots = (pivots as *const c_int).add(index * lu.rows);
                let unread = unread.address() as *mut c_int;
                T::getrs(self.raw(), operation, n, k, lu.at(index), n, pivots, b.at(index), n, unread)
            };
            check(status, "the solution by LU factors")?;
        }
        Ok(())
    }

    /// The same where the rows of `b` have been exchanged already.
    pub unsafe fn solve_triangles<T: Routines>(&self, lu: Stack, b: Stack) -> Result<()> {
        use blas::cublasDiagType_t::{CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
        use blas::cublasFillMode_t::{CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
        let (n, k) = (length(lu.rows)?, length(b.columns)?);
        let (side, operation) = (blas::cublasSideMode_t::CUBLAS_SIDE_LEFT, blas::cublasOperation_t::CUBLAS_OP_N);
        let (handle, one) = (self.device.cublas()?, T::ONE);
        for index in 0..lu.count {
            for (triangle, diagonal) in
                [(CUBLAS_FILL_MODE_LOWER, CUBLAS_DIAG_UNIT), (CUBLAS_FILL_MODE_UPPER, CUBLAS_DIAG_NON_UNIT)]
            {
                let (factors, right) = (lu.at::<T>(index), b.at(index));
                let (handle, one) = (handle.raw(), &raw const one);
                // SAFETY: the caller's promise; the factor is on the host, where the library reads it before it returns.
                let status =
                    unsafe { T::trsm(handle, side, triangle, operation, diagonal, n, k, one, factors, n, right, n) };
                cublas::check(status, "the solution by triangular factors")?;
            }
        }
        Ok(())
    }

    /// The same as `solve`, all at once; the addresses lead to the addresses of the factors, and of what is solved for.
    pub unsafe fn solve_together<T: Routines>(
        &self,
        lu: Stack,
        pivots: u64,
        b: Stack,
        addresses: [u64; 2],
    ) -> Result<()> {
        let (n, k, count, mut wrong) = (length(lu.rows)?, length(b.columns)?, length(lu.count)?, 0);
        let operation = blas::cublasOperation_t::CUBLAS_OP_N;
        let handle = self.device.cublas()?;
        let [factors, right] = addresses;
        // SAFETY: the caller's promise; the status of the arguments is written on the host.
        let status = unsafe {
            T::getrs_batched(
                handle.raw(),
                operation,
                n,
                k,
                factors as *const _,
                n,
                pivots as *const c_int,
                right as *const _,
                n,
                &raw mut wrong,
                count,
            )
        };
        cublas::check(status, "the solutions by LU factors")
    }

    /// Queues QR of the first `columns` columns of each matrix, in place: R, and below its diagonal the reflections. `wanted`
    /// columns of the orthogonal matrix can be made of them.
    pub unsafe fn reflect<T: Routines>(&self, a: Stack, columns: usize, wanted: usize) -> Result<Reflections> {
        let (m, n, mut size) = (length(a.rows)?, length(columns)?, 0);
        let each = a.rows.min(columns);
        let (k, q) = (length(each)?, length(wanted)?);
        // SAFETY: the caller's promise; the memory has parts for all that is written.
        unsafe {
            check(T::geqrf_size(self.raw(), m, n, a.at(0), m, &raw mut size), "cusolverDn geqrf_bufferSize")?;
            if wanted > 0 {
                let mut more = 0;
                // The factors, of which there are none yet, are not read.
                let status = T::orgqr_size(self.raw(), m, q, k, a.at::<T>(0), m, a.at::<T>(0), &raw mut more);
                check(status, "cusolverDn orgqr_bufferSize")?;
                size = size.max(more);
            }
            let factors = (a.count * each * size_of::<T>()).next_multiple_of(ALIGNMENT);
            let work = room::<T>(size)?.next_multiple_of(ALIGNMENT);
            let memory = self.memory(factors + work + size_of::<c_int>())?;
            let room = memory.address() + factors as u64;
            let reflections = Reflections { room, size, status: room + work as u64, memory };
            for index in 0..a.count {
                let tau = (reflections.memory.address() as *mut T).add(index * each);
                let status = reflections.status as *mut c_int;
                let status = T::geqrf(self.raw(), m, n, a.at(index), m, tau, room as *mut T, size, status);
                check(status, "a QR factorisation")?;
            }
            Ok(reflections)
        }
    }

    /// Queues the first `wanted` columns of the orthogonal matrices, in place of the reflections of `columns` columns.
    pub unsafe fn orthogonal<T: Routines>(
        &self,
        a: Stack,
        columns: usize,
        wanted: usize,
        reflections: &Reflections,
    ) -> Result<()> {
        let each = a.rows.min(columns);
        let (m, q, k) = (length(a.rows)?, length(wanted)?, length(each)?);
        let Reflections { memory, room, size, status } = reflections;
        for index in 0..a.count {
            // SAFETY: the caller's promise, and `reflect` made room.
            let status = unsafe {
                let tau = (memory.address() as *const T).add(index * each);
                let work = *room as *mut T;
                T::orgqr(self.raw(), m, q, k, a.at(index), m, tau, work, *size, *status as *mut c_int)
            };
            check(status, "the orthogonal matrix of a QR factorisation")?;
        }
        Ok(())
    }

    /// Queues the Cholesky factors of symmetric or Hermitian matrices, column-major: they replace the lower triangles.
    pub unsafe fn cholesky<T: Routines>(&self, a: Stack, statuses: &Statuses) -> Result<()> {
        let (n, mut size, lower) = (length(a.rows)?, 0, cublasFillMode_t::CUBLAS_FILL_MODE_LOWER);
        // SAFETY: the caller's promise; the room is as large as asked for.
        unsafe {
            check(T::potrf_size(self.raw(), lower, n, a.at(0), n, &raw mut size), "cusolverDn potrf_bufferSize")?;
            let work = self.memory(room::<T>(size)?)?;
            for index in 0..a.count {
                let work = work.address() as *mut T;
                let status = T::potrf(self.raw(), lower, n, a.at(index), n, work, size, statuses.at(index));
                check(status, "a Cholesky factorisation")?;
            }
        }
        Ok(())
    }

    /// The same, all at once; `addresses` leads to the address of each.
    pub unsafe fn cholesky_together<T: Routines>(&self, a: Stack, addresses: u64, statuses: &Statuses) -> Result<()> {
        let (n, count, lower) = (length(a.rows)?, length(a.count)?, cublasFillMode_t::CUBLAS_FILL_MODE_LOWER);
        // SAFETY: the caller's promise.
        let status = unsafe { T::potrf_batched(self.raw(), lower, n, addresses as *mut _, n, statuses.at(0), count) };
        check(status, "Cholesky factorisations")
    }

    /// Queues the eigenvalues of symmetric or Hermitian matrices one triangle of which is read, column-major, and with `with_vectors`
    /// the eigenvectors in place of the matrices.
    pub unsafe fn eigenvalues<T: Routines>(
        &self,
        a: Stack,
        is_lower: bool,
        with_vectors: bool,
        values: u64,
        statuses: &Statuses,
    ) -> Result<()> {
        use cublasFillMode_t::{CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
        use cusolverEigMode_t::{CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR};
        let (n, mut size) = (length(a.rows)?, 0);
        let triangle = if is_lower { CUBLAS_FILL_MODE_LOWER } else { CUBLAS_FILL_MODE_UPPER };
        let mode = if with_vectors { CUSOLVER_EIG_MODE_VECTOR } else { CUSOLVER_EIG_MODE_NOVECTOR };
        let values = values as *mut T::Part;
        // SAFETY: the caller's promise; the room is as large as asked for.
        unsafe {
            let status = T::syevd_size(self.raw(), mode, triangle, n, a.at::<T>(0), n, values, &raw mut size);
            check(status, "cusolverDn syevd_bufferSize")?;
            let work = self.memory(room::<T>(size)?)?;
            for index in 0..a.count {
                let (values, work) = (values.add(index * a.rows), work.address() as *mut T);
                let status = statuses.at(index);
                let status = T::syevd(self.raw(), mode, triangle, n, a.at(index), n, values, work, size, status);
                check(status, "the eigenvalues of a symmetric matrix")?;
            }
        }
        Ok(())
    }

    /// The eigenvalues of general matrices, which it destroys: complex numbers, as many as a matrix has rows. And the eigenvectors, by
    /// columns; of real matrices they are real, and those of a conjugate pair of eigenvalues are the real and the imaginary parts of
    /// the first one's. Waits, and gives what [`Statuses::read`] does.
    pub unsafe fn general_eigenvalues<T: Routines>(
        &self,
        a: Stack,
        values: u64,
        vectors: Option<Stack>,
    ) -> Result<Option<Fault>> {
        use cusolverEigMode_t::{CUSOLVER_EIG_MODE_NOVECTOR, CUSOLVER_EIG_MODE_VECTOR};
        let [of_matrix, of_values] = T::TYPES;
        let n = i64::from(length(a.rows)?);
        let (no, right) =
            (CUSOLVER_EIG_MODE_NOVECTOR, vectors.map_or(CUSOLVER_EIG_MODE_NOVECTOR, |_| CUSOLVER_EIG_MODE_VECTOR));
        // Nothing is written to what is not asked for.
        let target = |index: usize| vectors.unwrap_or(a).at::<T>(index).cast::<c_void>();
        let unasked = target(0);
        let statuses = Statuses::new(self.device, a.count)?;
        let parameters = Parameters::new()?;
        let (mut on_device, mut on_host) = (0, 0);
        // SAFETY: the caller's promise.
        let status = unsafe {
            sys::cusolverDnXgeev_bufferSize(
                self.raw(),
                parameters.0,
                no,
                right,
                n,
                of_matrix,
                a.at::<T>(0).cast(),
                n,
                of_values,
                values as *const c_void,
                of_matrix,
                unasked,
                n,
                of_matrix,
                unasked,
                n,
                of_matrix,
                &raw mut on_device,
                &raw mut on_host,
            )
        };
        check(status, "cusolverDnXgeev_bufferSize")?;
        let work = self.memory(on_device)?;
        let mut rest = vec![0u128; on_host.div_ceil(size_of::<u128>())];
        for index in 0..a.count {
            let values = (values + (index * a.rows * 2 * size_of::<T::Part>()) as u64) as *mut c_void;
            // SAFETY: the caller's promise; the rooms are as large as asked for, and that on the host is there until the statuses
            // were waited for.
            let status = unsafe {
                sys::cusolverDnXgeev(
                    self.raw(),
                    parameters.0,
                    no,
                    right,
                    n,
                    of_matrix,
                    a.at::<T>(index).cast(),
                    n,
                    of_values,
                    values,
                    of_matrix,
                    unasked,
                    n,
                    of_matrix,
                    target(index),
                    n,
                    of_matrix,
                    work.address() as *mut c_void,
                    on_device,
                    rest.as_mut_ptr().cast(),
                    on_host,
                    statuses.at(index),
                )
            };
            check(status, "the eigenvalues of a general matrix")?;
        }
        statuses.read(self.device)
    }

    /// The singular values and vectors of real matrices with no more columns than rows, which it destroys, by the polar decomposition:
    /// two to four times as fast as [`singular_values`](Self::singular_values), for which it waits. `u` gets the left ones, all if it is
    /// square, `v` the right ones as columns. `false` if one does not converge, or is so near to a singular matrix that the library has
    /// taken another one in its place: then nothing that was written counts.
    pub unsafe fn singular_values_by_polar<T: Routines>(
        &self,
        a: Stack,
        values: u64,
        [u, v]: [Stack; 2],
        statuses: &Statuses,
    ) -> Result<bool> {
        if oldest::is_wished() {
            return Ok(false);
        }
        let (m, n, mode) = (a.rows as i64, a.columns as i64, cusolverEigMode_t::CUSOLVER_EIG_MODE_VECTOR);
        let (kind, is_short) = (T::TYPES[0], c_int::from(u.columns != a.rows));
        let parameters = Parameters::new()?;
        for index in 0..a.count {
            let (mut on_device, mut on_host, mut changed) = (0, 0, 0.0);
            let [matrix, left, right]: [*mut c_void; 3] =
                [a.at::<T>(index).cast(), u.at::<T>(index).cast(), v.at::<T>(index).cast()];
            let values = (values as *mut T).wrapping_add(index * a.columns).cast::<c_void>();
            // SAFETY: the caller's promise; the numbers of bytes are written on the host.
            let status = unsafe {
                sys::cusolverDnXgesvdp_bufferSize(
                    self.raw(),
                    parameters.0,
                    mode,
                    is_short,
                    m,
                    n,
                    kind,
                    matrix,
                    m,
                    kind,
                    values,
                    kind,
                    left,
                    m,
                    kind,
                    right,
                    n,
                    kind,
                    &raw mut on_device,
                    &raw mut on_host,
                )
            };
            check(status, "cusolverDnXgesvdp_bufferSize")?;
            let work = self.memory(on_device)?;
            let mut rest = vec![0u64; on_host.div_ceil(8)];
            // SAFETY: the caller's promise; both rooms are as large as asked for, and the call returns when the one on the host is done with.
            let status = unsafe {
                sys::cusolverDnXgesvdp(
                    self.raw(),
                    parameters.0,
                    mode,
                    is_short,
                    m,
                    n,
                    kind,
                    matrix,
                    m,
                    kind,
                    values,
                    kind,
                    left,
                    m,
                    kind,
                    right,
                    n,
                    kind,
                    work.address() as *mut c_void,
                    on_device,
                    rest.as_mut_ptr().cast(),
                    on_host,
                    statuses.at(index),
                    &raw mut changed,
                )
            };
            check(status, "the singular values of a matrix")?;
            // The library may still use the room on the host.
            self.device.synchronize()?;
            if changed != 0.0 {
                return Ok(false);
            }
        }
        Ok(statuses.read(self.device)?.is_none())
    }

    /// Queues the singular values of matrices with no more columns than rows, which it destroys, and their singular vectors: all
    /// the left ones if `u` is square, else as many as there are columns.
    pub unsafe fn singular_values<T: Routines>(
        &self,
        a: Stack,
        values: u64,
        vectors: Option<SingularVectors>,
        statuses: &Statuses,
    ) -> Result<()> {
        let (m, n, mut size) = (length(a.rows)?, length(a.columns)?, 0);
        let job = vectors.map_or(b'N', |SingularVectors { u, .. }| if u.columns == a.rows { b'A' } else { b'S' });
        let job = job as c_schar;
        let nowhere = std::ptr::null_mut();
        // What is left of an iteration without an end, which nobody reads.
        let rest = std::ptr::null_mut();
        // SAFETY: the caller's promise; the room is as large as asked for.
        unsafe {
            check(T::gesvd_size(self.raw(), m, n, &raw mut size), "cusolverDn gesvd_bufferSize")?;
            let work = self.memory(room::<T>(size)?)?;
            for index in 0..a.count {
                let values = (values as *mut T::Part).add(index * a.columns);
                let (u, vt) = vectors.map_or((nowhere, nowhere), |to| (to.u.at(index), to.vt.at(index)));
                let (work, status) = (work.address() as *mut T, statuses.at(index));
                let (handle, a) = (self.raw(), a.at(index));
                let status = T::gesvd(handle, job, job, m, n, a, m, values, u, m, vt, n, work, size, rest, status);
                check(status, "the singular values of a matrix")?;
            }
        }
        Ok(())
    }
}
