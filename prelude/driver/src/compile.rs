//! CUDA C to machine code for one architecture, by NVRTC or from the cache on disk.

use super::cache::{self, Key};
use super::context;
use super::nvrtc::{Form, Nvrtc};
use super::oldest;
use warpcell_base::error::{Error, Result};

/// What code is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The device's compute capability, such as (9, 0).
    pub capability: (i32, i32),
    /// The major CUDA version that the driver supports.
    pub driver_major: i32,
}

/// The program's image, ready to be loaded: a cubin, or PTX where this NVRTC is older than the device.
pub fn compile(target: Target, name: &str, source: &str, options: &[String]) -> Result<Vec<u8>> {
    let (nvrtc, all, form, key) = prepare(target, source, options, true)?;
    if let Some(image) = cache::read(key) {
        return Ok(image);
    }
    let image = nvrtc.compile(name, source, &all, form)?;
    cache::write(key, &image);
    Ok(image)
}

/// As [`compile`], of a program with functions that are meant by the names that C++ has for them: also gives the names that
/// they have in the image. What includes files that may change is compiled each time.
pub fn compile_named(
    target: Target,
    name: &str,
    source: &str,
    options: &[String],
    functions: &[String],
    may_be_cached: bool,
) -> Result<(Vec<u8>, Vec<String>)> {
    // Beside the options, the functions are a part of the key; in front of the image stand their names.
    let (nvrtc, all, form, _) = prepare(target, source, options, false)?;
    let (.., key) = prepare(target, source, &[options, &["functions".to_owned()], functions].concat(), false)?;
    if may_be_cached && let Some(found) = cache::read(key).and_then(unpacked) {
        return Ok(found);
    }
    let (image, names) = nvrtc.compile_named(name, source, &all, form, functions)?;
    if may_be_cached {
        cache::write(key, &packed(&image, &names));
    }
    Ok((image, names))
}

/// Names, each with its length before it, and behind all of them the image.
fn packed(image: &[u8], names: &[String]) -> Vec<u8> {
    let mut bytes = (names.len() as u64).to_le_bytes().to_vec();
    for name in names {
        bytes.extend_from_slice(&(name.len() as u64).to_le_bytes());
        bytes.extend_from_slice(name.as_bytes());
    }
    bytes.extend_from_slice(image);
    bytes
}

/// The opposite of [`packed`]; none if it is not that.
fn unpacked(bytes: Vec<u8>) -> Option<(Vec<u8>, Vec<String>)> {
    let mut rest = bytes.as_slice();
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

/// What [`compile`] gives, if that is in the cache.
pub fn cached(target: Target, source: &str, options: &[String]) -> Result<Option<Vec<u8>>> {
    prepare(target, source, options, true).map(|(.., key)| cache::read(key))
}

/// The major CUDA version up to which a compiler is looked for where no driver says what it takes.
const NEWEST: i32 = 13;

/// What PTX is made for where there is no device: devices of this capability and all newer ones take it.
const PORTABLE: (i32, i32) = (8, 0);

/// The program in NVIDIA's portable assembly; for [`PORTABLE`] without a device.
pub fn ptx(target: Option<Target>, name: &str, source: &str, options: &[String]) -> Result<String> {
    let driver_major = context::count().and_then(|_| context::driver_major().map_err(|error| error.to_string()));
    let without = Target { capability: PORTABLE, driver_major: driver_major.unwrap_or(NEWEST) };
    let target = target.unwrap_or(without);
    let nvrtc = Nvrtc::get(target.driver_major)?;
    let (architecture, _) = choose(&nvrtc.architectures, target.capability).ok_or_else(|| no_code(nvrtc, target))?;
    let architecture = architecture.replace("sm_", "compute_");
    let all = [vec![architecture, "--std=c++17".to_owned()], options.to_vec()].concat();
    let text = nvrtc.compile(name, source, &all, Form::Ptx)?;
    Ok(String::from_utf8_lossy(&text).trim_end_matches('\0').to_owned())
}

/// The compiler, all of its options, what it shall make, and where that is in the cache. `is_ours` says that the program is
/// [minimal](Nvrtc::minimal).
fn prepare(
    target: Target,
    source: &str,
    options: &[String],
    is_ours: bool,
) -> Result<(&'static Nvrtc, Vec<String>, Form, Key)> {
    let nvrtc = Nvrtc::get(target.driver_major)?;
    let chosen = choose(&nvrtc.architectures, target.capability);
    let (mut architecture, mut form) = chosen.ok_or_else(|| no_code(nvrtc, target))?;
    if oldest::is_wished() {
        (architecture, form) = (architecture.replace("sm_", "compute_"), Form::Ptx);
    }
    let mut all = vec![architecture];
    // The compiler warns of a second one.
    if !options.iter().any(|option| option.trim_start_matches('-').starts_with("std")) {
        all.push("--std=c++17".to_string());
    }
    if is_ours {
        all.extend(nvrtc.minimal());
    }
    all.extend_from_slice(options);
    let version = format!("nvrtc {}.{}, {form:?}", nvrtc.version.0, nvrtc.version.1);
    let parts = [version.as_bytes(), source.as_bytes()];
    let key = Key::of(parts.into_iter().chain(all.iter().map(|option| option.as_bytes())));
    Ok((nvrtc, all, form, key))
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
    Some(if newest / 10 == major {
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
        assert_eq!(unpacked(bytes.clone()), Some((b"image".to_vec(), names.to_vec())));
        assert_eq!(unpacked(packed(b"", &[])), Some((Vec::new(), Vec::new())));
        for length in 0..bytes.len() - b"image".len() {
            assert_eq!(unpacked(bytes[..length].to_vec()), None, "{length}");
        }
        assert_eq!(unpacked([255; 16].to_vec()), None);
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
