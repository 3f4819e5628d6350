//! CUDA C to machine code for one architecture: embedded in the process, from the cache on disk, or by NVRTC. All programs go through
//! here.

use super::cache::{self, Key};
use super::context;
use super::nvrtc::{Form, Nvrtc};
use super::recorded::{self, Request};
use super::{embedded, library, oldest};
use warpcell_base::backend::Programs;
use warpcell_base::error::{Error, Result};

/// What code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Target {
    /// The device's compute capability, such as (9, 0).
    pub capability: (i32, i32),
    /// The major CUDA version that the driver supports.
    pub driver_major: i32,
}

/// A program's image, ready to be loaded (a cubin, or PTX where this NVRTC is older than the device), with the names that its
/// functions have in it: none of a program of ours.
pub type Made = (Vec<u8>, Vec<String>);

/// The program's image: that which is embedded in this process, or the compiler's. What includes files that may change is compiled
/// each time.
pub fn compile(target: Target, request: &Request<'_>) -> Result<Made> {
    let made = match embedded::find(request, target) {
        Some(made) => made,
        None => by_compiler(target, request).map_err(|error| embedded::lacking(request, target, error))?,
    };
    recorded::note(request)?;
    Ok(made)
}

/// What [`compile`] gives, if that need not be compiled: it is embedded, or in the cache.
pub fn cached(target: Target, request: &Request<'_>) -> Result<Option<Made>> {
    let found = match embedded::find(request, target) {
        Some(made) => Some(made),
        None => match prepare(target, request) {
            Ok((_, job)) => job.cached(request),
            // What embeds programs does without the compiler.
            Err(_) if embedded::is_used() => None,
            Err(error) => return Err(error),
        },
    };
    if found.is_some() {
        recorded::note(request)?;
    }
    Ok(found)
}

/// Where the process has its programs from.
#[inline]
pub fn programs() -> Programs {
    match (recorded::is_wished(), embedded::is_used()) {
        (true, _) => Programs::Recorded,
        (false, true) => Programs::Embedded,
        (false, false) => Programs::Compiled,
    }
}

/// Whether [`takes`] is to be asked: this process embeds programs, or records them.
#[inline]
pub fn has_choices() -> bool {
    programs() != Programs::Compiled
}

/// Whether a program that is for some sizes or layouts only can be had. If not, which is so only where programs are embedded, `general`
/// is to be taken. So whoever records the one records the other.
pub fn takes(target: Target, special: &Request<'_>, general: &Request<'_>) -> Result<bool> {
    recorded::note(general)?;
    Ok(!embedded::is_used() || embedded::find(special, target).is_some() || Nvrtc::get(target.driver_major).is_ok())
}

fn by_compiler(target: Target, request: &Request<'_>) -> Result<Made> {
    let (nvrtc, job) = prepare(target, request)?;
    job.run(nvrtc, request)
}

/// The image for an architecture, such as 90, whatever devices there are.
pub fn for_architecture(nvrtc: &Nvrtc, request: &Request<'_>, architecture: i32) -> Result<Made> {
    let option = format!("--gpu-architecture=sm_{architecture}");
    Job::new(nvrtc, request, option, Form::Cubin).run(nvrtc, request)
}

/// What the compiler is to do for a request.
struct Job {
    options: Vec<String>,
    form: Form,
    /// Where the result is in the cache.
    key: Key,
    may_be_cached: bool,
}

impl Job {
    fn new(nvrtc: &Nvrtc, request: &Request<'_>, architecture: String, form: Form) -> Job {
        let mut options = vec![architecture];
        // The compiler warns of a second one.
        if !request.options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
            options.push("--std=c++17".to_string());
        }
        if request.functions.is_none() {
            options.extend(nvrtc.minimal());
        }
        let is_ours = request.functions.is_none();
        options.extend(request.options.iter().filter(|option| !is_ours || nvrtc.knows(option)).cloned());
        if request.functions.is_some() && request.source.contains("#include") {
            options.extend(library::headers().iter().map(|folder| format!("--include-path={}", folder.display())));
        }
        // The user's own headers may change; those of CUDA do not, as long as they are where they were.
        let has_own = request.source.contains("#include \"") || request.options.iter().any(|option| is_include(option));
        let may_be_cached = request.functions.is_none() || !has_own;
        let version = format!("nvrtc {}.{}, {form:?}", nvrtc.version.0, nvrtc.version.1);
        let parts = [version.as_bytes(), request.source.as_bytes()];
        // The functions are a part of the key.
        let functions =
            request.functions.map(|functions| std::iter::once("functions").chain(functions.iter().map(String::as_str)));
        let more = options.iter().map(String::as_str).chain(functions.into_iter().flatten());
        let key = Key::of(parts.into_iter().chain(more.map(str::as_bytes)));
        Job { options, form, key, may_be_cached }
    }

    /// The result, if it is in the cache.
    fn cached(&self, request: &Request<'_>) -> Option<Made> {
        let found = cache::read(self.key).filter(|_| self.may_be_cached)?;
        // In front of an image with functions stand their names.
        if request.functions.is_some() { unpacked(&found) } else { Some((found, Vec::new())) }
    }

    fn run(&self, nvrtc: &Nvrtc, request: &Request<'_>) -> Result<Made> {
        if let Some(made) = self.cached(request) {
            return Ok(made);
        }
        let functions = request.functions.unwrap_or_default();
        let (image, names) = nvrtc.compile_named(request.name, request.source, &self.options, self.form, functions)?;
        if self.may_be_cached {
            match request.functions {
                Some(_) => cache::write(self.key, &packed(&image, &names)),
                None => cache::write(self.key, &image),
            }
        }
        Ok((image, names))
    }
}

/// Whether an option names headers, or folders of them.
fn is_include(option: &str) -> bool {
    ["-I", "--include-path", "-include", "--pre-include"].iter().any(|name| option.starts_with(name))
}

/// Names, each with its length before it, and behind all of them the image.
pub(super) fn packed(image: &[u8], names: &[String]) -> Vec<u8> {
    let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
    for name in names {
        bytes.extend_from_slice(&(name.len() as u64).to_le_bytes());
        bytes.extend_from_slice(name.as_bytes());
    }
    bytes.extend_from_slice(image);
    bytes
}

/// The opposite of [`packed`]; none if it is not that.
pub(super) fn unpacked(bytes: &[u8]) -> Option<Made> {
    let mut rest = bytes;
    let number = |rest: &mut &[u8]| {
        let (first, behind) = rest.split_first_chunk::<8>()?;
        *rest = behind;
        usize::try_from(u64::from_le_bytes(*first)).ok()
    };
    let count = number(&mut rest)?;
    let mut names = Vec::new();
    for _ in 0..count {
        let length = number(&mut rest)?;
        let (name, behind) = rest.split_at_checked(length)?;
        names.push(String::from_utf8(name.to_vec()).ok()?);
        rest = behind;
    }
    Some((rest.to_vec(), names))
}

/// The major CUDA version up to which a compiler is looked for where no driver says what it takes.
const NEWEST: i32 = 13;

/// What PTX is made for where there is no device: devices of this capability and all newer ones take it.
const PORTABLE: (i32, i32) = (8, 0);

/// The major CUDA version that the driver supports, or where there is none the newest that is known.
pub(super) fn newest_driver() -> i32 {
    let driver_major = context::count().and_then(|_| context::driver_major().map_err(|error| error.to_string()));
    driver_major.unwrap_or(NEWEST)
}

/// The program in NVIDIA's portable assembly; for [`PORTABLE`] without a device.
pub fn ptx(target: Option<Target>, name: &str, source: &str, options: &[String]) -> Result<String> {
    let target = target.unwrap_or_else(|| Target { capability: PORTABLE, driver_major: newest_driver() });
    let nvrtc = Nvrtc::get(target.driver_major)?;
    let (architecture, _) = choose(&nvrtc.architectures, target.capability).ok_or_else(|| no_code(nvrtc, target))?;
    let architecture = architecture.replace("sm_", "compute_");
    let all = [vec![architecture, "--std=c++17".to_owned()], options.to_vec()].concat();
    let text = nvrtc.compile(name, source, &all, Form::Ptx)?;
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

/// The compiler, and what it is to do for a device.
fn prepare(target: Target, request: &Request<'_>) -> Result<(&'static Nvrtc, Job)> {
    let nvrtc = Nvrtc::get(target.driver_major)?;
    let chosen = choose(&nvrtc.architectures, target.capability);
    let (mut architecture, mut form) = chosen.ok_or_else(|| no_code(nvrtc, target))?;
    if oldest::is_wished() {
        (architecture, form) = (architecture.replace("sm_", "compute_"), Form::Ptx);
    }
    Ok((nvrtc, Job::new(nvrtc, request, architecture, form)))
}

fn no_code(nvrtc: &Nvrtc, target: Target) -> Error {
    let (major, minor) = target.capability;
    Error::DeviceUnavailable {
        device: format!("a device of compute capability {major}.{minor}"),
        reason: format!(
            "NVRTC {}.{} cannot compile for it; install NVRTC of an older CUDA version",
            nvrtc.version.0, nvrtc.version.1
        ),
    }
}

/// The option for the architecture and what to make: machine code of the newest architecture that the device runs
/// (same major version, minor not above), else PTX of the newest that is older.
fn choose(architectures: &[i32], (major, minor): (i32, i32)) -> Option<(String, Form)> {
    let device = major * 10 + minor;
    let newest = architectures.iter().copied().filter(|&architecture| architecture <= device).max()?;
    Some(if embedded::runs_on(newest, (major, minor)) {
        (format!("--gpu-architecture=sm_{newest}"), Form::Cubin)
    } else {
        (format!("--gpu-architecture=compute_{newest}"), Form::Ptx)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stand_before_the_image() {
        let names = ["add".to_owned(), "_Z3addPf".to_owned(), String::new()];
        let bytes = packed(b"image", &names);
        assert_eq!(unpacked(&bytes), Some((b"image".to_vec(), names.to_vec())));
        assert_eq!(unpacked(&packed(b"", &[])), Some((Vec::new(), Vec::new())));
        for length in 0..bytes.len() - b"image".len() {
            assert_eq!(unpacked(&bytes[..length]), None, "{length}");
        }
        assert_eq!(unpacked(&[255; 16]), None);
    }

    #[test]
    fn architecture_suits_the_device() {
        let chosen = |capability| choose(&[75, 80, 86, 90], capability);
        assert_eq!(chosen((9, 0)), Some(("--gpu-architecture=sm_90".into(), Form::Cubin)));
        assert_eq!(chosen((8, 9)), Some(("--gpu-architecture=sm_86".into(), Form::Cubin)));
        assert_eq!(chosen((12, 0)), Some(("--gpu-architecture=compute_90".into(), Form::Ptx)));
        assert_eq!(chosen((7, 0)), None);
    }
}
