//! Programs that were compiled when a notebook was exported: an archive of machine code that an exported program brings along, so that
//! it needs no NVRTC.
//!
//! An archive has an entry for each program and architecture. Which entry a device takes follows CUDA's rule of binary compatibility: code
//! for compute capability X.y runs on devices of X.z with z not below y, and on no other. (Between desktop devices and Tegra NVIDIA
//! promises nothing.)
//!
//! Little-endian numbers of 8 bytes, texts behind their lengths:
//!
//! ```text
//! magic, hash of the rest of the head (16 bytes), length of the head
//! NVRTC's version (2 numbers), name of the notebook, number of entries
//! of each entry: key (16 bytes), architecture, begin and end of the image, hash of the image (16 bytes)
//! images: as `compile` keeps them in the cache
//! ```
//!
//! The head is checked when an archive is registered, an image when it is taken. While nothing is registered, asking costs a look at
//! a flag.

use super::cache::{self, Key};
use super::compile::{self, Target};
use super::nvrtc::Nvrtc;
use super::recorded::{self, Recorded, Request};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_base::error::{Error, Result};

const MAGIC: &[u8; 8] = b"warpkrn1";
/// The magic, the hash, and the length of the head.
const BEFORE_HEAD: usize = 32;

/// An archive, with its head read.
#[derive(Debug)]
pub struct Archive<'a> {
    bytes: &'a [u8],
    /// That compiled it.
    nvrtc: (i32, i32),
    /// The file that was exported.
    notebook: String,
    /// In the order of keys.
    entries: Vec<Entry>,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: Key,
    /// Such as 90.
    architecture: i32,
    begin: usize,
    end: usize,
    hash: u128,
}

/// What the process has registered, or why it cannot be used.
static REGISTERED: OnceLock<std::result::Result<Archive<'static>, String>> = OnceLock::new();

/// Makes programs of an archive known, once per process. One without a byte has none.
pub fn register(bytes: &'static [u8]) {
    if !bytes.is_empty() {
        let _ = REGISTERED.set(Archive::read(bytes));
    }
}

/// Whether there is an archive.
#[inline]
pub fn is_used() -> bool {
    REGISTERED.get().is_some()
}

/// Whether an image for this architecture, such as 86, runs on devices of a compute capability.
pub fn runs_on(architecture: i32, (major, minor): (i32, i32)) -> bool {
    architecture / 10 == major && architecture % 10 <= minor
}

/// `sm_80, sm_90`, in ascending order.
pub fn names_of(architectures: &[i32]) -> Vec<String> {
    architectures.iter().map(|architecture| format!("sm_{architecture}")).collect()
}

/// What a program's text was compiled to, if that is embedded for a device.
pub fn find(request: &Request<'_>, target: Target) -> Option<(Vec<u8>, Vec<String>)> {
    let Ok(archive) = REGISTERED.get()? else { return None };
    archive.find(request.key(), target)
}

/// Why no program of the archive runs on a device: in words that end with what to do. None if they do, or nothing is embedded.
pub fn unserved(target: Target) -> Option<String> {
    match REGISTERED.get()? {
        Ok(archive) => archive.unserved(target),
        Err(reason) => Some(reason.clone()),
    }
}

/// The error for a program that is neither embedded nor can be compiled; `reason` is why there is no NVRTC. Without an archive it is `error`.
#[cold]
pub fn lacking(request: &Request<'_>, target: Target, error: Error) -> Error {
    match (REGISTERED.get(), error) {
        (Some(registered), Error::LibraryMissing { library, reason }) => {
            let embedded = match registered {
                Ok(archive) => archive.unserved(target).unwrap_or_else(|| archive.not_recorded(request)),
                Err(reason) => reason.clone(),
            };
            Error::LibraryMissing { library, reason: format!("{reason}. {embedded}") }
        }
        (_, error) => error,
    }
}

impl<'a> Archive<'a> {
    /// Reads and checks the head.
    pub fn read(bytes: &'a [u8]) -> std::result::Result<Archive<'a>, String> {
        Archive::parsed(bytes).ok_or_else(|| {
            format!(
                "The kernels that are embedded in this program are damaged ({} bytes); export the notebook again: \
                 warpcell export NOTEBOOK --to DIR --embed sm_80,sm_90",
                bytes.len()
            )
        })
    }

    fn parsed(bytes: &'a [u8]) -> Option<Archive<'a>> {
        let (before, _) = bytes.split_at_checked(BEFORE_HEAD)?;
        let mut reader = Reader(&before[MAGIC.len()..]);
        let (hash, length) = (reader.hash()?, reader.number()?);
        let head = bytes.get(BEFORE_HEAD..BEFORE_HEAD.checked_add(length)?)?;
        if before[..MAGIC.len()] != *MAGIC || cache::hash(head) != hash {
            return None;
        }
        let mut reader = Reader(head);
        let nvrtc = (i32::try_from(reader.number()?).ok()?, i32::try_from(reader.number()?).ok()?);
        let notebook = reader.text()?;
        let count = reader.number()?;
        let mut entries = Vec::new();
        for _ in 0..count {
            entries.push(Entry {
                key: Key(reader.hash()?),
                architecture: i32::try_from(reader.number()?).ok()?,
                begin: reader.number()?,
                end: reader.number()?,
                hash: reader.hash()?,
            });
        }
        Some(Archive { bytes, nvrtc, notebook, entries })
    }

    /// How many programs there are.
    pub fn programs(&self) -> usize {
        let mut keys: Vec<Key> = self.entries.iter().map(|entry| entry.key).collect();
        keys.dedup();
        keys.len()
    }

    /// The architectures that programs were compiled for, such as 90.
    pub fn architectures(&self) -> Vec<i32> {
        let mut all: Vec<i32> = self.entries.iter().map(|entry| entry.architecture).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The image of a program for a device, with the names of its functions.
    pub fn find(&self, key: Key, target: Target) -> Option<(Vec<u8>, Vec<String>)> {
        if self.nvrtc.0 > target.driver_major {
            return None;
        }
        let of_program = self.entries.partition_point(|entry| entry.key < key);
        let same = self.entries[of_program..].iter().take_while(|entry| entry.key == key);
        let runs = same.filter(|entry| runs_on(entry.architecture, target.capability));
        let entry = runs.max_by_key(|entry| entry.architecture)?;
        let image = self.bytes.get(entry.begin..entry.end).filter(|image| cache::hash(image) == entry.hash)?;
        compile::unpacked(image)
    }

    fn unserved(&self, target: Target) -> Option<String> {
        let architectures = self.architectures();
        let ((major, minor), list) = (target.capability, names_of(&architectures).join(","));
        if self.nvrtc.0 > target.driver_major {
            return Some(format!(
                "The kernels that are embedded in this program are for CUDA {}, but the driver supports CUDA {}; update the driver, or \
                 export with NVRTC of CUDA {}: WARPCELL_NVRTC=libnvrtc.so.{} {}",
                self.nvrtc.0,
                target.driver_major,
                target.driver_major,
                target.driver_major,
                self.command(&list)
            ));
        }
        if architectures.iter().any(|&architecture| runs_on(architecture, target.capability)) {
            return None;
        }
        let mut all = architectures;
        all.push(10 * major + minor);
        all.sort_unstable();
        Some(format!(
            "The kernels that are embedded in this program are for {}, and the device has compute capability {major}.{minor}; export for \
             it too: {}",
            list.replace(',', ", "),
            self.command(&names_of(&all).join(","))
        ))
    }

    fn not_recorded(&self, request: &Request<'_>) -> String {
        let list = names_of(&self.architectures());
        format!(
            "{} is not among the {} programs that are embedded in this one for {}; run it with this input where NVRTC is, with {}=records, \
             and export again: {} --programs records",
            request.label(),
            self.programs(),
            list.join(", "),
            recorded::VARIABLE,
            self.command(&list.join(","))
        )
    }

    fn command(&self, architectures: &str) -> String {
        let notebook = match self.notebook.contains(|c: char| !c.is_ascii_alphanumeric() && !"-_.".contains(c)) {
            true => format!("'{}'", self.notebook),
            false => self.notebook.clone(),
        };
        format!("warpcell export {notebook} --to DIR --embed {architectures}")
    }
}

/// Reads the head of an archive.
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn number(&mut self) -> Option<usize> {
        let (first, behind) = self.0.split_first_chunk::<8>()?;
        self.0 = behind;
        usize::try_from(u64::from_le_bytes(*first)).ok()
    }

    fn hash(&mut self) -> Option<u128> {
        let (first, behind) = self.0.split_first_chunk::<16>()?;
        self.0 = behind;
        Some(u128::from_le_bytes(*first))
    }

    fn text(&mut self) -> Option<String> {
        let length = self.number()?;
        let (text, behind) = self.0.split_at_checked(length)?;
        self.0 = behind;
        String::from_utf8(text.to_vec()).ok()
    }
}

/// An image of an archive that is written: its program's key, its architecture, and its bytes.
type Image = (Key, i32, Vec<u8>);

/// Writes an archive.
fn written(nvrtc: (i32, i32), notebook: &str, mut images: Vec<Image>) -> Vec<u8> {
    images.sort_by_key(|(key, architecture, _)| (*key, *architecture));
    let mut head = Vec::new();
    let number = |head: &mut Vec<u8>, number: usize| head.extend_from_slice(&(number as u64).to_le_bytes());
    number(&mut head, nvrtc.0 as usize);
    number(&mut head, nvrtc.1 as usize);
    number(&mut head, notebook.len());
    head.extend_from_slice(notebook.as_bytes());
    number(&mut head, images.len());
    // A key, a hash and three numbers.
    let length = head.len() + images.len() * (2 * 16 + 3 * 8);
    let mut begin = BEFORE_HEAD + length;
    for (key, architecture, image) in &images {
        head.extend_from_slice(&key.0.to_le_bytes());
        number(&mut head, *architecture as usize);
        number(&mut head, begin);
        begin += image.len();
        number(&mut head, begin);
        head.extend_from_slice(&cache::hash(image).to_le_bytes());
    }
    let mut bytes = MAGIC.to_vec();
    bytes.extend_from_slice(&cache::hash(&head).to_le_bytes());
    number(&mut bytes, head.len());
    bytes.extend_from_slice(&head);
    images.iter().for_each(|(.., image)| bytes.extend_from_slice(image));
    bytes
}

/// The architectures of a list such as `sm_80,sm_90`, in ascending order; in words what is wrong with it.
pub fn architectures_of(list: &str) -> std::result::Result<Vec<i32>, String> {
    let one = |word: &str| {
        let number = word.strip_prefix("sm_").and_then(|digits| digits.parse::<i32>().ok());
        number.filter(|number| (50..1000).contains(number)).ok_or_else(|| {
            format!("`{word}` is no architecture of a GPU; write names such as sm_90 with commas between them: --embed sm_80,sm_90")
        })
    };
    let mut all = list.split(',').map(str::trim).map(one).collect::<std::result::Result<Vec<i32>, String>>()?;
    all.sort_unstable();
    all.dedup();
    Ok(all)
}

/// The compiler, and the architectures of a list, if it makes code for all of them; in words why not.
fn compiler_for(list: &str) -> std::result::Result<(&'static Nvrtc, Vec<i32>), String> {
    let architectures = architectures_of(list)?;
    let nvrtc = Nvrtc::get(compile::newest_driver()).map_err(|error| error.to_string())?;
    match architectures.iter().find(|wanted| !nvrtc.architectures.contains(wanted)) {
        None => Ok((nvrtc, architectures)),
        Some(unknown) => Err(format!(
            "NVRTC {}.{} makes no code for sm_{unknown}; choose among these: --embed {}",
            nvrtc.version.0,
            nvrtc.version.1,
            names_of(&nvrtc.architectures).join(",")
        )),
    }
}

/// Whether code can be made for all architectures of a list; in words why not.
pub fn check(list: &str) -> std::result::Result<(), String> {
    compiler_for(list).map(|_| ())
}

/// Compiles records to an archive for a list of architectures, with all processors; also gives the architectures. `notebook` is the file that
/// errors name.
pub fn compiled(records: &[Recorded], list: &str, notebook: &str) -> std::result::Result<(Vec<u8>, Vec<i32>), String> {
    let (nvrtc, architectures) = compiler_for(list)?;
    let work: Vec<(&Recorded, i32)> = records
        .iter()
        .flat_map(|record| architectures.iter().map(move |&architecture| (record, architecture)))
        .collect();
    let next = AtomicUsize::new(0);
    let worker = || {
        let mut images = Vec::new();
        while let Some(&(record, architecture)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (image, names) = compile::for_architecture(nvrtc, &record.request(), architecture)?;
            images.push((record.request().key(), architecture, compile::packed(&image, &names)));
        }
        Ok(images)
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(work.len().max(1));
    let images = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(worker)).collect();
        let results = workers.into_iter().map(|worker| worker.join().expect("compiling does not panic"));
        results.collect::<Result<Vec<Vec<Image>>>>()
    });
    let images = images.map_err(|error| error.to_string())?;
    Ok((written(nvrtc.version, notebook, images.concat()), architectures))
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTEBOOK: &str = "a notebook.ipynb";

    fn target(major: i32, minor: i32) -> Target {
        Target { capability: (major, minor), driver_major: 13 }
    }

    /// Two programs, the second for one architecture only, with images that say what they are.
    fn archive() -> Vec<u8> {
        let images = [(7, 90), (7, 80), (7, 86), (9, 80)];
        let image = |(key, architecture): (u128, i32)| {
            let names = [format!("f{key}")];
            (Key(key), architecture, compile::packed(format!("{key} for {architecture}").as_bytes(), &names))
        };
        written((13, 0), NOTEBOOK, images.map(image).to_vec())
    }

    #[test]
    fn a_device_takes_the_newest_code_that_it_runs() {
        let bytes = archive();
        let archive = Archive::read(&bytes).unwrap();
        assert_eq!((archive.programs(), archive.architectures()), (2, vec![80, 86, 90]));
        let found = |key, (major, minor)| {
            let (image, names) = archive.find(Key(key), target(major, minor))?;
            assert_eq!(names, [format!("f{key}")]);
            Some(String::from_utf8(image).unwrap())
        };
        for (capability, architecture) in [((8, 0), 80), ((8, 5), 80), ((8, 6), 86), ((8, 9), 86), ((9, 0), 90)] {
            assert_eq!(found(7, capability), Some(format!("7 for {architecture}")));
        }
        // Neither a newer major version nor an older minor one.
        for capability in [(7, 5), (10, 0), (12, 0)] {
            assert_eq!(found(7, capability), None, "{capability:?}");
        }
        assert_eq!(found(9, (8, 9)).as_deref(), Some("9 for 80"));
        assert_eq!((found(9, (9, 0)), found(8, (8, 0)), found(10, (8, 0))), (None, None, None));
    }

    #[test]
    fn a_driver_that_is_too_old_takes_nothing() {
        let bytes = archive();
        let archive = Archive::read(&bytes).unwrap();
        let old = Target { capability: (9, 0), driver_major: 12 };
        assert_eq!(archive.find(Key(7), old), None);
        let said = archive.unserved(old).unwrap();
        assert!(said.contains("for CUDA 13, but the driver supports CUDA 12"), "{said}");
        assert!(said.ends_with("warpcell export 'a notebook.ipynb' --to DIR --embed sm_80,sm_86,sm_90"), "{said}");
    }

    #[test]
    fn errors_end_with_the_corrected_command() {
        let bytes = archive();
        let archive = Archive::read(&bytes).unwrap();
        assert_eq!(archive.unserved(target(8, 9)), None);
        let said = archive.unserved(target(7, 5)).unwrap();
        assert!(said.contains("for sm_80, sm_86, sm_90, and the device has compute capability 7.5"), "{said}");
        assert!(said.ends_with("--to DIR --embed sm_75,sm_80,sm_86,sm_90"), "{said}");
        let request = Request { name: "fill.cu", source: "", options: &[], functions: None };
        let said = archive.not_recorded(&request);
        assert!(said.starts_with("`fill.cu` is not among the 2 programs"), "{said}");
        assert!(said.ends_with("--to DIR --embed sm_80,sm_86,sm_90 --programs records"), "{said}");
        // Other errors, and those of programs without an archive, stay as they are.
        let error = Error::LibraryMissing { library: "libnvrtc.so".to_owned(), reason: "no reason".to_owned() };
        assert_eq!(lacking(&request, target(9, 0), error.clone()), error);
    }

    #[test]
    fn what_is_damaged_is_not_used() {
        let bytes = archive();
        let head = BEFORE_HEAD + usize::try_from(u64::from_le_bytes(bytes[24..32].try_into().unwrap())).unwrap();
        // Each bit of the head counts.
        for place in 0..head {
            let mut damaged = bytes.clone();
            damaged[place] ^= 1;
            let error = Archive::read(&damaged).err();
            assert!(error.is_some_and(|error| error.contains("damaged")), "byte {place}");
        }
        for length in 0..head {
            assert!(Archive::read(&bytes[..length]).is_err(), "{length} bytes");
        }
        // A damaged image is not found; the others are.
        let last = bytes.len() - 1;
        let mut damaged = bytes.clone();
        damaged[last] ^= 1;
        for (bytes, why) in [(&damaged[..], "a flipped bit"), (&bytes[..last], "a byte is missing")] {
            let archive = Archive::read(bytes).unwrap();
            assert_eq!(archive.find(Key(9), target(8, 0)), None, "{why}");
            assert!(archive.find(Key(7), target(9, 0)).is_some(), "{why}");
        }
    }

    #[test]
    fn lists_of_architectures_are_read() {
        assert_eq!(architectures_of("sm_90, sm_80,sm_90"), Ok(vec![80, 90]));
        assert_eq!(architectures_of("sm_120"), Ok(vec![120]));
        for wrong in ["", "sm_80,", "80", "sm_90a", "compute_90", "sm_-9", "sm_9"] {
            let error = architectures_of(wrong).unwrap_err();
            assert!(error.ends_with("--embed sm_80,sm_90"), "{wrong}: {error}");
        }
    }

    #[test]
    #[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
    fn nvrtc_compiles_records_for_each_architecture() {
        let own = "extern \"C\" __global__ void fill(float* out) { out[threadIdx.x] = WARPCELL_VALUE; }";
        let named = "namespace rust { template <typename T> __global__ void fill(T* out) { *out = 1; } }";
        let records = [
            Recorded {
                name: "ours.cu".to_owned(),
                source: own.to_owned(),
                options: vec!["-DWARPCELL_VALUE=2".to_owned()],
                functions: None,
            },
            Recorded {
                name: "named.cu".to_owned(),
                source: named.to_owned(),
                options: Vec::new(),
                functions: Some(vec!["rust::fill<float>".to_owned()]),
            },
        ];
        let (bytes, architectures) = compiled(&records, "sm_90,sm_80", NOTEBOOK).unwrap();
        assert_eq!(architectures, [80, 90]);
        let archive = Archive::read(&bytes).unwrap();
        assert_eq!((archive.programs(), archive.architectures()), (2, vec![80, 90]));
        let images = [target(8, 9), target(9, 0)].map(|target| {
            records.each_ref().map(|record| {
                let (image, names) = archive.find(record.request().key(), target).unwrap();
                assert!(image.starts_with(b"\x7fELF"));
                assert_eq!(names.len(), usize::from(record.functions.is_some()));
                assert!(names.iter().all(|name| name.contains("fill") && name.starts_with("_Z")));
                image
            })
        });
        assert_ne!(images[0], images[1]);
        assert!(archive.find(records[0].request().key(), target(7, 5)).is_none());

        let unknown = check("sm_80,sm_99").unwrap_err();
        assert!(unknown.contains("makes no code for sm_99") && unknown.contains("--embed sm_"), "{unknown}");
        let wrong = Recorded { source: "not CUDA C".to_owned(), ..records[0].clone() };
        let failed = compiled(&[wrong], "sm_80", NOTEBOOK).unwrap_err();
        assert!(failed.contains("ours.cu"), "{failed}");
    }
}
