//! Plans of cuFFT, NVIDIA's library of Fourier transforms: a table of its functions, from the library that suits the driver.
//!
//! Not cudarc's, whose type of a status is an enum of the codes that one version has: to read another version's new code as
//! such would be undefined behaviour.

use super::context::Device;
use super::library;
use super::memory::DeviceMemory;
use super::nvrtc::symbol;
use super::status;
use cudarc::driver::sys;
use libloading::Library;
use std::ffi::{c_int, c_longlong, c_void};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use warpcell_base::error::{Error, Result};

type Status = c_int;
type Handle = c_int;
type Execute = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void) -> Status;
type ExecuteEitherWay = unsafe extern "C" fn(Handle, *mut c_void, *mut c_void, c_int) -> Status;

/// cuFFT's functions, with the library that they live in.
struct Cufft {
    /// cuFFT's own: the major version in the thousands.
    version: i32,
    create: unsafe extern "C" fn(*mut Handle) -> Status,
    destroy: unsafe extern "C" fn(Handle) -> Status,
    set_auto_allocation: unsafe extern "C" fn(Handle, c_int) -> Status,
    set_stream: unsafe extern "C" fn(Handle, *mut c_void) -> Status,
    set_work_area: unsafe extern "C" fn(Handle, *mut c_void) -> Status,
    make_plan: unsafe extern "C" fn(
        Handle,
        c_int,
        *mut c_longlong,
        *mut c_longlong,
        c_longlong,
        c_longlong,
        *mut c_longlong,
        c_longlong,
        c_longlong,
        c_int,
        c_longlong,
        *mut usize,
    ) -> Status,
    /// For f32 and f64, as the next two.
    complex: [ExecuteEitherWay; 2],
    to_complex: [Execute; 2],
    to_real: [Execute; 2],
    /// The functions above point into it.
    _library: Library,
}

/// Which numbers a transform takes and gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    RealToComplex,
    ComplexToReal,
    Complex,
}

/// A number of transforms of the same lengths.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    pub kind: Kind,
    /// Whether the numbers are f64, else f32.
    pub is_double: bool,
    /// One to three, row-major.
    pub lengths: Vec<usize>,
    pub count: usize,
    /// How many real or complex numbers apart the inputs of neighbouring transforms are, and their outputs.
    pub distances: [usize; 2],
    /// How many numbers apart neighbours along the last axis are; other than 1 with one length only.
    pub stride: usize,
}

/// A plan; it may be used by one thread at a time.
pub struct Plan {
    device: Arc<Device>,
    cufft: &'static Cufft,
    handle: Handle,
    shape: Shape,
    /// Bytes of memory that a transform needs beside its arrays.
    workspace: usize,
}

/// Whether transforms can be computed; if not, what is missing. Never panics.
pub fn present(driver_major: i32) -> Result<()> {
    Cufft::get(driver_major).map(|_| ())
}

impl Cufft {
    /// The cuFFT for a driver that supports CUDA `driver_major`: the first that is not newer. Looked for once per process.
    fn get(driver_major: i32) -> Result<&'static Cufft> {
        static FOUND: OnceLock<std::result::Result<Cufft, String>> = OnceLock::new();
        FOUND
            .get_or_init(|| Cufft::find(driver_major))
            .as_ref()
            .map_err(|reason| Error::LibraryMissing { library: "libcufft.so".to_string(), reason: reason.clone() })
    }

    fn find(driver_major: i32) -> std::result::Result<Cufft, String> {
        // cuFFT 11 is that of CUDA 12, and so on.
        let names: Vec<String> =
            (11..driver_major.max(12)).rev().map(|version| format!("libcufft.so.{version}")).collect();
        let folders = library::folders();
        let in_folders = |name: &String| folders.iter().map(|folder| folder.join(name)).collect::<Vec<PathBuf>>();
        let paths = names.iter().flat_map(|name| [vec![PathBuf::from(name)], in_folders(name)].concat());
        let mut newer = None;
        for path in paths.chain([PathBuf::from("libcufft.so")]) {
            if let Ok(cufft) = Cufft::open(&path) {
                let needed = cufft.version / 1000 + 1;
                if needed <= driver_major {
                    return Ok(cufft);
                }
                newer = Some(needed);
            }
        }
        let install = format!("`pip install nvidia-cufft{}`", if driver_major >= 13 { "" } else { "-cu12" });
        Err(match newer {
            Some(needed) => format!(
                "the installed version is for CUDA {needed}, but the driver supports CUDA {driver_major}; install a \
                 version for it with {install}, or update the driver; convolutions with Method::Direct do not need it"
            ),
            None => format!(
                "Fourier transforms on CUDA devices need it; install it with {install} or with the CUDA toolkit; \
                 convolutions with Method::Direct do not need it"
            ),
        })
    }

    /// Loads the library at `path` (or of that name) and reads its version.
    fn open(path: &Path) -> std::result::Result<Cufft, String> {
        // SAFETY: the path names cuFFT, whose initialisers have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(|error| error.to_string())?;
        // SAFETY: the types are those of cufft.h, with integers in the place of its enums, which have their size.
        unsafe {
            let get_version: unsafe extern "C" fn(*mut c_int) -> Status = symbol(&library, c"cufftGetVersion")?;
            let mut version = 0;
            if get_version(&raw mut version) != 0 {
                return Err("it does not report its version".to_string());
            }
            Ok(Cufft {
                version,
                create: symbol(&library, c"cufftCreate")?,
                destroy: symbol(&library, c"cufftDestroy")?,
                set_auto_allocation: symbol(&library, c"cufftSetAutoAllocation")?,
                set_stream: symbol(&library, c"cufftSetStream")?,
                set_work_area: symbol(&library, c"cufftSetWorkArea")?,
                make_plan: symbol(&library, c"cufftMakePlanMany64")?,
                complex: [symbol(&library, c"cufftExecC2C")?, symbol(&library, c"cufftExecZ2Z")?],
                to_complex: [symbol(&library, c"cufftExecR2C")?, symbol(&library, c"cufftExecD2Z")?],
                to_real: [symbol(&library, c"cufftExecC2R")?, symbol(&library, c"cufftExecZ2D")?],
                _library: library,
            })
        }
    }
}

/// cuFFT's name of a status, as far as it is known here.
fn name(status: Status) -> String {
    let known = match status {
        1 => "CUFFT_INVALID_PLAN",
        2 => "CUFFT_ALLOC_FAILED",
        3 => "CUFFT_INVALID_TYPE",
        4 => "CUFFT_INVALID_VALUE",
        5 => "CUFFT_INTERNAL_ERROR",
        6 => "CUFFT_EXEC_FAILED",
        7 => "CUFFT_SETUP_FAILED",
        8 => "CUFFT_INVALID_SIZE",
        9 => "CUFFT_UNALIGNED_DATA",
        11 => "CUFFT_INVALID_DEVICE",
        13 => "CUFFT_NO_WORKSPACE",
        14 => "CUFFT_NOT_IMPLEMENTED",
        16 => "CUFFT_NOT_SUPPORTED",
        17 => "CUFFT_MISSING_DEPENDENCY",
        18 => "CUFFT_NVRTC_FAILURE",
        19 => "CUFFT_NVJITLINK_FAILURE",
        20 => "CUFFT_NVSHMEM_FAILURE",
        other => return format!("the status {other} of cuFFT"),
    };
    known.to_string()
}

fn check(status: Status, operation: &'static str) -> Result<()> {
    if status == 0 {
        return Ok(());
    }
    Err(Error::Cuda { operation: operation.to_string(), status: name(status) })
}

impl Plan {
    pub fn new(device: &Arc<Device>, shape: Shape) -> Result<Plan> {
        let cufft = Cufft::get(device.target().driver_major)?;
        device.bind()?;
        let mut handle = 0;
        // SAFETY: `handle` is a handle to write to.
        check(unsafe { (cufft.create)(&raw mut handle) }, "cufftCreate")?;
        // From here on the plan is destroyed when dropped.
        let mut plan = Plan { device: device.clone(), cufft, handle, shape, workspace: 0 };
        let shape = &plan.shape;
        let real: Vec<c_longlong> = shape.lengths.iter().map(|&length| length as c_longlong).collect();
        let mut half = real.clone();
        if let Some(last) = half.last_mut() {
            *last = *last / 2 + 1;
        }
        let (mut lengths, mut inputs, mut outputs) = match shape.kind {
            Kind::RealToComplex => (real.clone(), real, half),
            Kind::ComplexToReal => (real.clone(), half, real),
            Kind::Complex => (real.clone(), real.clone(), real),
        };
        let [input_distance, output_distance] = shape.distances.map(|distance| distance as c_longlong);
        // `cufftType`.
        let kind = match (shape.kind, shape.is_double) {
            (Kind::RealToComplex, false) => 0x2a,
            (Kind::ComplexToReal, false) => 0x2c,
            (Kind::Complex, false) => 0x29,
            (Kind::RealToComplex, true) => 0x6a,
            (Kind::ComplexToReal, true) => 0x6c,
            (Kind::Complex, true) => 0x69,
        };
        let (rank, count, stride) = (lengths.len() as c_int, shape.count as c_longlong, shape.stride as c_longlong);
        let mut workspace = 0;
        // SAFETY: the handle was just created; the three lists have `rank` numbers; `workspace` is a size to write to. Memory
        // for the work is given at each transform, from the device's pool.
        unsafe {
            check((cufft.set_auto_allocation)(handle, 0), "cufftSetAutoAllocation")?;
            let status = (cufft.make_plan)(
                handle,
                rank,
                lengths.as_mut_ptr(),
                inputs.as_mut_ptr(),
                stride,
                input_distance,
                outputs.as_mut_ptr(),
                stride,
                output_distance,
                kind,
                count,
                &raw mut workspace,
            );
            check(status, "cufftMakePlanMany64")?;
            // A plan's tables are copied in the legacy default stream, and may still be under way. Our streams do not wait for that one: then
            // a transform reads tables that are not there, and the context is lost. Seen with transforms to real numbers by cuFFT 12 while other
            // processes kept the device busy.
            if !device.is_capturing() {
                status::check(sys::cuStreamSynchronize(std::ptr::null_mut()), "cuStreamSynchronize")?;
            }
        }
        plan.workspace = workspace;
        Ok(plan)
    }

    /// Queues the transforms: from one address to another, or in place for complex numbers. `is_inverse` counts for those only.
    ///
    /// # Safety
    /// Both addresses lead to as many numbers as the plan's shape says, in live blocks of the device, aligned to complex
    /// numbers. A transform to real numbers may overwrite its input.
    pub unsafe fn run(&mut self, input: u64, output: u64, is_inverse: bool) -> Result<()> {
        if warpcell_base::interrupt::interrupted() {
            return Err(Error::Interrupted);
        }
        // It goes back to the pool when this returns, and whatever gets it then is queued behind this.
        let work = DeviceMemory::new(&self.device, self.workspace)?;
        self.device.bind()?;
        let (cufft, handle, precision) = (self.cufft, self.handle, usize::from(self.shape.is_double));
        let (input, output) = (input as *mut c_void, output as *mut c_void);
        // SAFETY: the plan is alive and used by this thread alone, and the stream as long as the device; the addresses are the
        // caller's promise. Each call has its own memory for work, so one plan may be at work in several streams.
        unsafe {
            check((cufft.set_stream)(handle, self.device.stream().cast()), "cufftSetStream")?;
            check((cufft.set_work_area)(handle, work.address() as *mut c_void), "cufftSetWorkArea")?;
            let status = match self.shape.kind {
                Kind::RealToComplex => (cufft.to_complex[precision])(handle, input, output),
                Kind::ComplexToReal => (cufft.to_real[precision])(handle, input, output),
                Kind::Complex => (cufft.complex[precision])(handle, input, output, if is_inverse { 1 } else { -1 }),
            };
            check(status, "a Fourier transform")
        }
    }
}

impl Drop for Plan {
    fn drop(&mut self) {
        // SAFETY: created by `new`, not used after this.
        self.device.release(|| check(unsafe { (self.cufft.destroy)(self.handle) }, "cufftDestroy"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_status_that_is_not_known_is_told_by_its_number() {
        assert_eq!(check(0, "cufftCreate"), Ok(()));
        let text = |status| check(status, "cufftCreate").unwrap_err().to_string();
        assert!(text(8).contains("CUFFT_INVALID_SIZE during cufftCreate"), "{}", text(8));
        assert!(text(99).contains("the status 99 of cuFFT"), "{}", text(99));
    }

    #[test]
    fn what_is_no_library_is_not_opened() {
        assert!(Cufft::open(Path::new("libcufft.so.nowhere")).is_err());
    }
}
