//! Bindings of NVRTC, the run-time compiler: a table of functions from the library that suits the driver.
//!
//! Not cudarc's: its loader tries `libnvrtc.so.12` and older, not the `.13` that the wheels of CUDA 13 hold, and takes
//! the first library that loads, though an NVRTC newer than the driver makes code that the driver may refuse.

use super::library;
use libloading::Library;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;
use warpcell_base::backend::COMPILER;
use warpcell_base::error::{Error, Result};

type Program = *mut c_void;
type Status = c_int;
type ReadSize = unsafe extern "C" fn(Program, *mut usize) -> Status;
type ReadText = unsafe extern "C" fn(Program, *mut c_char) -> Status;

/// NVRTC's functions, with the library that they live in.
pub struct Nvrtc {
    /// Major and minor version.
    pub version: (i32, i32),
    /// Architectures that machine code can be made for, such as 90, in ascending order.
    pub architectures: Vec<i32>,
    create: unsafe extern "C" fn(
        *mut Program,
        *const c_char,
        *const c_char,
        c_int,
        *const *const c_char,
        *const *const c_char,
    ) -> Status,
    compile: unsafe extern "C" fn(Program, c_int, *const *const c_char) -> Status,
    destroy: unsafe extern "C" fn(*mut Program) -> Status,
    describe: unsafe extern "C" fn(Status) -> *const c_char,
    log: (ReadSize, ReadText),
    ptx: (ReadSize, ReadText),
    cubin: (ReadSize, ReadText),
    add_name: unsafe extern "C" fn(Program, *const c_char) -> Status,
    lowered_name: unsafe extern "C" fn(Program, *const c_char, *mut *const c_char) -> Status,
    /// The functions above point into it.
    _library: Library,
}

/// The option for code that is compiled in less time, and may be slower. Left out where the compiler does not [know](Nvrtc::knows) it.
pub const QUICK: &str = "--Ofast-compile=mid";

/// What the compiler shall make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Machine code of one architecture.
    Cubin,
    /// NVIDIA's portable assembly, which the driver compiles.
    Ptx,
}

impl Nvrtc {
    /// The NVRTC for a driver that supports CUDA `driver_major`: `WARPCELL_NVRTC` (a path) if that is set, else the
    /// first that is not newer. Looked for once per process.
    pub fn get(driver_major: i32) -> Result<&'static Nvrtc> {
        static FOUND: OnceLock<std::result::Result<Nvrtc, String>> = OnceLock::new();
        FOUND
            .get_or_init(|| Nvrtc::find(driver_major))
            .as_ref()
            .map_err(|reason| Error::LibraryMissing { library: COMPILER.to_string(), reason: reason.clone() })
    }

    fn find(driver_major: i32) -> std::result::Result<Nvrtc, String> {
        if let Some(path) = std::env::var_os("WARPCELL_NVRTC") {
            let path = PathBuf::from(path);
            return Nvrtc::open(&path)
                .map_err(|reason| format!("WARPCELL_NVRTC is set to {}, but {reason}", path.display()));
        }
        let mut newer = None;
        for path in candidates(driver_major) {
            if let Ok(nvrtc) = Nvrtc::open(&path) {
                if nvrtc.version.0 <= driver_major {
                    return Ok(nvrtc);
                }
                newer = Some(nvrtc.version.0);
            }
        }
        let install = format!("`pip install nvidia-cuda-nvrtc{}`", if driver_major >= 13 { "" } else { "-cu12" });
        Err(match newer {
            Some(major) => format!(
                "the installed version is for CUDA {major}, but the driver supports CUDA {driver_major}; install a \
                 version for it with {install}, or update the driver"
            ),
            None => format!(
                "it is needed to compile CUDA kernels; install it with {install} or with the CUDA toolkit, or set \
                 WARPCELL_NVRTC to its path"
            ),
        })
    }

    /// The option for programs without textures, launches and functions of CUDA's runtime, if this version knows it. The declarations of
    /// those take a quarter of the time of a small program. 12.3.107 refuses the option, 12.4.127 takes it.
    pub fn minimal(&self) -> Option<String> {
        (self.version >= (12, 4)).then(|| "--minimal".to_owned())
    }

    /// Whether this version knows an option of a program of ours. To compile in less time for slower code is known by 12.9.86, not yet
    /// by 12.8.93.
    pub fn knows(&self, option: &str) -> bool {
        self.version >= (12, 9) || option != QUICK
    }

    /// Loads the library at `path` (or of that name) and reads its version.
    pub fn open(path: &std::path::Path) -> std::result::Result<Nvrtc, String> {
        // SAFETY: the path names NVRTC, whose initialisers have no preconditions.
        let library = unsafe { Library::new(path) }.map_err(|error| {
            // The loader's words are in the source.
            let words = std::error::Error::source(&error).map_or_else(|| error.to_string(), ToString::to_string);
            format!("it cannot be loaded: {words}")
        })?;
        // SAFETY: the types are those of nvrtc.h; the functions have had them since CUDA 11.2.
        unsafe {
            let version: unsafe extern "C" fn(*mut c_int, *mut c_int) -> Status = symbol(&library, c"nvrtcVersion")?;
            let count: unsafe extern "C" fn(*mut c_int) -> Status = symbol(&library, c"nvrtcGetNumSupportedArchs")?;
            let list: unsafe extern "C" fn(*mut c_int) -> Status = symbol(&library, c"nvrtcGetSupportedArchs")?;
            let (mut major, mut minor, mut length) = (0, 0, 0);
            if version(&raw mut major, &raw mut minor) != 0 || count(&raw mut length) != 0 {
                return Err("it does not report its version".to_string());
            }
            let mut architectures = vec![0; length as usize];
            if list(architectures.as_mut_ptr()) != 0 {
                return Err("it does not report its architectures".to_string());
            }
            architectures.sort_unstable();
            Ok(Nvrtc {
                version: (major, minor),
                architectures,
                create: symbol(&library, c"nvrtcCreateProgram")?,
                compile: symbol(&library, c"nvrtcCompileProgram")?,
                destroy: symbol(&library, c"nvrtcDestroyProgram")?,
                describe: symbol(&library, c"nvrtcGetErrorString")?,
                log: (symbol(&library, c"nvrtcGetProgramLogSize")?, symbol(&library, c"nvrtcGetProgramLog")?),
                ptx: (symbol(&library, c"nvrtcGetPTXSize")?, symbol(&library, c"nvrtcGetPTX")?),
                cubin: (symbol(&library, c"nvrtcGetCUBINSize")?, symbol(&library, c"nvrtcGetCUBIN")?),
                add_name: symbol(&library, c"nvrtcAddNameExpression")?,
                lowered_name: symbol(&library, c"nvrtcGetLoweredName")?,
                _library: library,
            })
        }
    }

    /// Compiles CUDA C. `name` is what the compiler's messages call the source.
    pub fn compile(&self, name: &str, source: &str, options: &[String], form: Form) -> Result<Vec<u8>> {
        self.compile_named(name, source, options, form, &[]).map(|(image, _)| image)
    }

    /// As [`compile`](Self::compile), of a program with functions that are meant by the names that C++ has for them: also gives
    /// the names that they have in the image.
    pub fn compile_named(
        &self,
        name: &str,
        source: &str,
        options: &[String],
        form: Form,
        functions: &[String],
    ) -> Result<(Vec<u8>, Vec<String>)> {
        let failed = |log: String| Error::KernelCompilation { kernel: name.to_string(), log };
        let text =
            |text: &str| CString::new(text).map_err(|_| failed("the source or an option has a zero byte".into()));
        let (title, source) = (text(name)?, text(source)?);
        let options = options.iter().map(|option| text(option)).collect::<Result<Vec<CString>>>()?;
        let functions = functions.iter().map(|function| text(function)).collect::<Result<Vec<CString>>>()?;
        let pointers: Vec<*const c_char> = options.iter().map(|option| option.as_ptr()).collect();
        let mut program: Program = std::ptr::null_mut();
        // SAFETY: `source` and `title` are zero-terminated and outlive the call, which copies them; there are no headers.
        let status = unsafe {
            (self.create)(&raw mut program, source.as_ptr(), title.as_ptr(), 0, std::ptr::null(), std::ptr::null())
        };
        if status != 0 {
            return Err(failed(self.describe(status)));
        }
        // SAFETY: `program` was just created; the names and the `options.len()` options are zero-terminated.
        let status = unsafe {
            let add = |function: &CString| (self.add_name)(program, function.as_ptr());
            match functions.iter().map(add).find(|&status| status != 0) {
                Some(status) => status,
                None => (self.compile)(program, pointers.len() as c_int, pointers.as_ptr()),
            }
        };
        let result = if status == 0 {
            self.read(program, if form == Form::Cubin { self.cubin } else { self.ptx })
                .and_then(|image| Ok((image, self.lowered(program, &functions)?)))
                .map_err(failed)
        } else {
            let log = self.read(program, self.log).map(|log| String::from_utf8_lossy(&log).into_owned());
            let log = log.unwrap_or_default().trim_end_matches(['\0', '\n']).to_string();
            Err(failed(if log.is_empty() { self.describe(status) } else { log }))
        };
        // SAFETY: `program` is a live program and is not used after this.
        unsafe { (self.destroy)(&raw mut program) };
        result
    }

    /// The names in the image of functions that were named before the program was compiled.
    fn lowered(&self, program: Program, functions: &[CString]) -> std::result::Result<Vec<String>, String> {
        let one = |function: &CString| {
            let mut name = std::ptr::null();
            // SAFETY: `program` is live and compiled; the name is zero-terminated, and so is the program's own, which is copied.
            unsafe {
                let status = (self.lowered_name)(program, function.as_ptr(), &raw mut name);
                if status == 0 {
                    Ok(CStr::from_ptr(name).to_string_lossy().into_owned())
                } else {
                    Err(self.describe(status))
                }
            }
        };
        functions.iter().map(one).collect()
    }

    fn read(&self, program: Program, (size, text): (ReadSize, ReadText)) -> std::result::Result<Vec<u8>, String> {
        let mut length = 0;
        // SAFETY: `program` is live; the second call writes as many bytes as the first one names.
        let (status, bytes) = unsafe {
            let status = size(program, &raw mut length);
            if status != 0 {
                return Err(self.describe(status));
            }
            let mut bytes = vec![0u8; length];
            (text(program, bytes.as_mut_ptr().cast()), bytes)
        };
        if status == 0 { Ok(bytes) } else { Err(self.describe(status)) }
    }

    fn describe(&self, status: Status) -> String {
        // SAFETY: takes any status and gives a static string.
        unsafe { CStr::from_ptr((self.describe)(status)) }.to_string_lossy().into_owned()
    }
}

/// Names and paths to try, in order: the driver's own version by the loader's paths, then by the known folders.
fn candidates(driver_major: i32) -> Vec<PathBuf> {
    let names: Vec<String> = (12..=driver_major.max(12)).rev().map(|major| format!("libnvrtc.so.{major}")).collect();
    let folders = library::folders();
    let mut paths = Vec::new();
    for name in &names {
        paths.push(PathBuf::from(name));
        paths.extend(folders.iter().map(|folder| folder.join(name)).filter(|path| path.exists()));
    }
    paths.push(PathBuf::from("libnvrtc.so"));
    // Newer ones come last: they are only there for the message.
    let newer = format!("libnvrtc.so.{}", driver_major + 1);
    paths.extend(folders.iter().map(|folder| folder.join(&newer)).filter(|path| path.exists()));
    paths
}

/// A function of the library.
///
/// # Safety
/// `T` must be the function's type.
pub(super) unsafe fn symbol<T: Copy>(library: &Library, name: &CStr) -> std::result::Result<T, String> {
    // SAFETY: the caller names the right type.
    unsafe { library.get::<T>(name.to_bytes_with_nul()) }
        .map(|found| *found)
        .map_err(|_| format!("it has no function {}", name.to_string_lossy()))
}
