//! `.npy`, `.npz` and pictures: files that NumPy wrote, files that are wrong, and what is written and read again.

use crate::fixtures::{Sample, assert_same, cases, host, message, with_dtype};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use warpcell as gpu;
use warpcell::interop::image::{ColorType, DynamicImage};
use warpcell::ndarray::{Array2, Array3, ArrayD, array};
use warpcell::prelude::*;
use warpcell::{Complex, Element, Error, ReadText, WriteText, bf16, f16};

/// A folder of a test's own, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("warpcell files {name} {}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        fs::remove_dir_all(&self.0).unwrap();
    }
}

/// What is said of a failure.
#[track_caller]
fn said<T>(result: gpu::Result<T>) -> String {
    match result {
        Ok(_) => panic!("this should fail"),
        Err(error) => error.to_string(),
    }
}

fn written(folder: &Folder, case: &Value, extension: &str) -> PathBuf {
    let path = folder.file(&format!("{}.{extension}", case["name"].as_str().unwrap()));
    fs::write(&path, STANDARD.decode(case["bytes"].as_str().unwrap()).unwrap()).unwrap();
    path
}

fn read_npy<T: Sample>(path: &Path, case: &Value) {
    let expected = host::<T>(case, "array");
    let a = gpu::load::<T>(path);
    assert_same(&a.to_host(), &expected, 0.0, case);
    let on_host = gpu::host::load::<T>(path);
    assert_same(&on_host, &expected, 0.0, case);
    assert_eq!(gpu::host::describe(path), (expected.shape().to_vec(), T::DTYPE));
    let is_fortran = case["fortran"] == true;
    assert_eq!(on_host.is_standard_layout(), !is_fortran, "{case}");
    assert_eq!(a.t().strides().last() == Some(&1) && a.ndim() > 1, is_fortran, "{case}");
}

#[test]
fn npy_files_of_numpy_are_read() {
    let folder = Folder::new("npy");
    let mut read = 0;
    for case in cases("files").iter().filter(|case| case.get("array").is_some()) {
        let path = written(&folder, case, "npy");
        with_dtype!(case["array"]["dtype"], [bool u8 i8 u16 i16 i32 u32 i64 u64 f16 f32 f64], read_npy(&path, case));
        read += 1;
    }
    assert!(read > 35, "{read}");
}

#[test]
fn npy_files_that_hold_no_numbers_are_refused() {
    let folder = Folder::new("refused");
    for case in cases("files").iter().filter(|case| case.get("refused").is_some()) {
        let path = written(&folder, case, "npy");
        let said = said(gpu::try_load::<f64>(&path));
        assert!(said.contains(case["refused"].as_str().unwrap()), "{said}");
        assert!(matches!(gpu::host::try_load::<f64>(&path), Err(Error::File { operation: "host::load", .. })));
    }
}

fn read_npz<T: Sample>(archive: &gpu::Npz, name: &str, case: &Value) {
    let expected = host::<T>(&case["arrays"], name);
    assert_eq!((archive.dtype(name), archive.shape(name)), (T::DTYPE, expected.shape()));
    assert_same(&archive.get::<T>(name).to_host(), &expected, 0.0, case);
    assert_same(&archive.get_host::<T>(name), &expected, 0.0, case);
}

#[test]
fn npz_files_of_numpy_are_read() {
    let folder = Folder::new("npz");
    for case in cases("files").iter().filter(|case| case.get("arrays").is_some()) {
        let archive = gpu::load_npz(written(&folder, case, "npz"));
        let arrays = case["arrays"].as_object().unwrap();
        assert_eq!((archive.len(), archive.is_empty()), (arrays.len(), arrays.is_empty()));
        for (name, array) in arrays {
            assert!(archive.contains(name) && archive.names().contains(&name.as_str()));
            with_dtype!(array["dtype"], [bool i8 i64 f32 f64], read_npz(&archive, name, case));
        }
        let shown = archive.to_string();
        assert_eq!(shown.lines().count(), 1 + arrays.len(), "{shown}");
    }
}

#[test]
fn npz_files_say_what_they_have() {
    let folder = Folder::new("mixed");
    let (a, b) = (gpu::arange(6.0f32).reshape((2, 3)), array![[1u8, 2]]);
    gpu::savez(folder.file("run"), [("weights", &a), ("on the host", &b), ("list", &vec![true, false])]);
    gpu::host::savez_compressed(folder.file("small.npz"), [("weights", &a.t())]);
    assert_eq!(folder.names(), ["run.npz", "small.npz"]);
    let run = gpu::host::load_npz(folder.file("run.npz"));
    assert_eq!(run.names(), ["weights", "on the host", "list"]);
    let shown = format!("{run:?}");
    assert!(shown.contains("run.npz: 3 arrays") && shown.contains("on the host  u8   [1, 2]"), "{shown}");
    assert_eq!(run.get::<f32>("weights").to_host(), a.to_host());
    assert_eq!(run.get_host::<u8>("on the host"), b.into_dyn());
    assert_eq!(run.get::<bool>("list").to_host(), array![true, false].into_dyn());
    assert_eq!(gpu::load_npz(folder.file("small.npz")).get::<f32>("weights").to_host(), a.t().to_host());
    let wrong = said(run.try_get::<f64>("weights"));
    assert!(wrong.contains("weights holds elements of f32, not f64; use `get::<f32>"), "{wrong}");
    let missing = said(run.try_get::<f64>("weight"));
    assert!(missing.contains("has no array `weight`; there are `weights`, `on the host`, `list`"), "{missing}");
    let twice = said(gpu::try_savez(folder.file("twice"), [("x", &a), ("x", &a)]));
    assert!(twice.contains("\"x\" is used twice"), "{twice}");
    assert!(said(gpu::try_savez(folder.file("unnamed"), [("", &a)])).contains("is empty"));
    let half = gpu::zeros::<bf16>(2);
    assert!(said(gpu::try_savez(folder.file("half"), [("x", &half)])).contains("arrays of bf16"));
    assert_eq!(folder.names(), ["run.npz", "small.npz"]);
}

#[test]
fn damaged_archives_are_errors() {
    let folder = Folder::new("damaged archives");
    let path = folder.file("a.npz");
    gpu::savez_compressed(&path, [("x", &gpu::arange(1000)), ("y", &gpu::ones::<f64>(500))]);
    let whole = fs::read(&path).unwrap();
    for end in [0, 3, 30, whole.len() / 2, whole.len() - 5] {
        fs::write(&path, &whole[..end]).unwrap();
        assert!(matches!(gpu::try_load_npz(&path), Err(Error::File { operation: "load_npz", .. })), "{end}");
    }
    // Any byte may be wrong: that is an error, or is of no importance, but nothing else.
    let mut noticed = 0;
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, bytes).unwrap();
        let Ok(archive) = gpu::try_load_npz(&path) else {
            noticed += 1;
            continue;
        };
        for name in archive.names() {
            noticed += usize::from(archive.try_get::<i32>(name).is_err() && archive.try_get::<f64>(name).is_err());
        }
    }
    assert!(noticed > 50, "{noticed}");
    gpu::save(folder.file("x.npy"), &gpu::arange(3));
    assert!(said(gpu::try_load_npz(folder.file("x.npy"))).contains("read it with `load`"));
    fs::write(&path, "no archive at all").unwrap();
    assert!(said(gpu::try_load_npz(&path)).contains("is not a .npz file"));
}

/// A `.npy` file with this text as its header, and some bytes behind it.
fn npy_of(header: &str, elements: usize) -> Vec<u8> {
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend((header.len() as u16).to_le_bytes());
    bytes.extend(header.as_bytes());
    bytes.resize(bytes.len() + elements, 0);
    bytes
}

#[test]
fn damaged_files_are_errors() {
    let folder = Folder::new("damaged");
    let path = folder.file("a.npy");
    gpu::save(&path, &gpu::arange(100.0f64));
    let whole = fs::read(&path).unwrap();
    let read = |bytes: &[u8]| {
        fs::write(&path, bytes).unwrap();
        said(gpu::try_load::<f64>(&path))
    };
    assert!(
        read(&whole[..whole.len() - 1])
            .contains("is truncated: the shape [100] of f64 takes 800 bytes, but there are only 799")
    );
    assert!(read(&whole[..60]).contains("it ends within its header"));
    assert!(read(&whole[..5]).contains("is not a .npy file"));
    assert!(read(b"").contains("is not a .npy file"));
    assert!(read(b"\x93NUMBY\x01\x00and so on").contains("is not a .npy file"));
    let mut version = whole.clone();
    version[6] = 9;
    assert!(read(&version).contains("version 9.0"));
    let header =
        |descr: &str, shape: &str| format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n");
    let claims = |shape: &str| read(&npy_of(&header("'<f8'", shape), 80));
    assert!(claims("(1000000000000,)").contains("is truncated"));
    assert!(claims("(4294967296, 4294967296)").contains("more than memory can address"));
    assert!(claims("(0, 9223372036854775807, 9223372036854775807)").contains("more than memory can address"));
    assert!(claims("(99999999999999999999999,)").contains("cannot be read"));
    assert!(claims("(-1,)").contains("cannot be read"));
    assert!(claims("3").contains("cannot be read"));
    assert!(read(&npy_of(&header("'<q9'", "(1,)"), 8)).contains("cannot be read"));
    assert!(read(&npy_of("{'descr': '<f8'}", 8)).contains("cannot be read"));
    assert!(read(&npy_of("__import__('os').abort()", 8)).contains("cannot be read"));
    assert!(read(&npy_of(&"(".repeat(60000), 8)).contains("too many nested brackets"));
    let mut long = b"\x93NUMPY\x02\x00".to_vec();
    long.extend(u32::MAX.to_le_bytes());
    assert!(read(&long).contains("more than a megabyte"));
    // What follows the elements is of no importance, as in NumPy.
    fs::write(&path, [whole, vec![1, 2, 3]].concat()).unwrap();
    assert_eq!(gpu::load::<f64>(&path).sum(), 4950.0);
}

#[test]
fn a_wrong_type_or_place_is_said() {
    let folder = Folder::new("wrong");
    let path = folder.file("a.npy");
    gpu::save(&path, &gpu::arange(5.0f32));
    let wrong = gpu::try_load::<f64>(&path).map(|_| ()).unwrap_err();
    assert!(
        wrong.to_string().contains("a.npy holds elements of f32, not f64; use `load::<f32>(…)`")
            && wrong.to_string().contains("`.astype::<f64>()`"),
        "{wrong}"
    );
    assert!(matches!(wrong, Error::FileDType { found: gpu::DType::F32, wanted: gpu::DType::F64, .. }));
    assert!(said(gpu::host::try_load::<i32>(&path)).contains("use `host::load::<f32>(…)`"));
    assert!(said(gpu::try_load::<f32>(folder.file("a"))).contains("a.npy does"), "the ending was forgotten");
    assert!(said(gpu::try_load::<f32>(folder.file("b.npy"))).contains("cannot be opened"));
    assert!(said(gpu::try_load::<f32>(&folder.0)).contains("is a folder"));
    assert!(said(gpu::try_load::<f32>("no such file.npy")).contains("relative paths start at"));
    let a = gpu::arange(3);
    assert!(said(gpu::try_save(folder.file("none/a.npy"), &a)).contains("cannot be written"));
    fs::create_dir(folder.file("folder.npy")).unwrap();
    assert!(said(gpu::try_save(folder.file("folder"), &a)).contains("is a folder"));
    assert!(said(gpu::try_save(folder.file("x"), &gpu::zeros::<bf16>(2))).contains("a.astype::<f32>()"));
    assert!(said(gpu::try_save(folder.file("x"), &gpu::zeros::<f32>(vec![1; 65]))).contains("at most 64"));
    assert_eq!(folder.names(), ["a.npy", "folder.npy"]);
}

#[test]
fn files_are_replaced_whole() {
    let folder = Folder::new("replaced");
    let path = folder.file("a.npy");
    gpu::save(folder.file("a"), &gpu::arange(1000));
    let reader = fs::File::open(&path).unwrap();
    gpu::save(&path, &array![[1.5, 2.5]]);
    assert_eq!((folder.names(), reader.metadata().unwrap().len()), (vec!["a.npy".to_owned()], 128 + 4000));
    assert_eq!(gpu::load::<f64>(&path).to_host(), array![[1.5, 2.5]].into_dyn());
    // Through a link, the file behind it is replaced.
    std::os::unix::fs::symlink(&path, folder.file("link.npy")).unwrap();
    gpu::host::save(folder.file("link.npy"), &[7u8]);
    assert!(folder.file("link.npy").is_symlink());
    assert_eq!(gpu::host::load::<u8>(&path), array![7].into_dyn());
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    gpu::save(&path, &gpu::arange(2));
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

fn round_trip<T: Element>(folder: &Folder, written: &mut Vec<(String, ArrayD<T>)>) {
    let name = T::DTYPE.name();
    let a = gpu::arange(24).reshape((2, 3, 4)).astype::<T>();
    let arrays = [
        ("rows", a.clone()),
        ("columns", a.t().copy().t()),
        ("strided", a.slice(s![.., ..;-1, ..;2])),
        ("scalar", a.slice(s![1, 1, 1])),
        ("empty", a.slice(s![.., 0..0, ..])),
        ("offset", a.slice(s![1, .., ..])),
        ("repeated", a.slice(s![1, 2, ..]).broadcast_to((2, 4))),
    ];
    for (layout, array) in arrays {
        let (path, expected) = (folder.file(&format!("{name}-{layout}.npy")), array.to_host());
        gpu::save(&path, &array);
        let again = gpu::load::<T>(&path);
        assert_eq!(again.to_host(), expected, "{name} {layout}");
        assert_eq!(layout == "columns", !gpu::host::load::<T>(&path).is_standard_layout());
        let on_host = folder.file(&format!("{name}-{layout}-host.npy"));
        gpu::host::save(&on_host, &expected);
        assert_eq!(fs::read(&on_host).unwrap() == fs::read(&path).unwrap(), layout != "columns");
        gpu::host::save(&on_host, &expected.t());
        assert_eq!(gpu::host::load::<T>(&on_host), expected.t());
        gpu::host::save(&on_host, &expected);
        written.push((format!("{name}-{layout}"), expected));
    }
}

/// What is written is read again; with `WARPCELL_TEST_FILES` set, the files stay there for NumPy, which reads them in
/// tests/parity/read_files.py.
#[test]
fn what_is_saved_is_loaded() {
    let folder = Folder::new("saved");
    macro_rules! each {
        ($($type:ident)*) => {$(
            let mut written = Vec::new();
            round_trip::<$type>(&folder, &mut written);
            let arrays = [0, 1, 2, 3, 4, 5, 6].map(|index: usize| &written[index]);
            let named = arrays.map(|(name, array)| (name.as_str(), array as &dyn gpu::MixedArray));
            gpu::savez(folder.file(concat!(stringify!($type), "-stored.npz")), named);
            gpu::savez_compressed(folder.file(concat!(stringify!($type), "-compressed.npz")), named);
            for kind in ["stored", "compressed"] {
                let archive = gpu::load_npz(folder.file(&format!("{}-{kind}.npz", stringify!($type))));
                for (name, array) in &written {
                    assert_eq!(&archive.get_host::<$type>(name), array);
                }
            }
        )*};
    }
    each!(bool u8 i8 u16 i16 i32 u32 i64 u64 f16 f32 f64);
    // Larger than what is read and written at once, by more than one thread.
    let large = gpu::arange(3_000_001.0f64);
    gpu::save(folder.file("large"), &large);
    assert!(large.eq(&gpu::load::<f64>(folder.file("large.npy"))).all());
    gpu::savez_compressed(folder.file("large"), [("large", &large.slice(s![..;-1]))]);
    if gpu::device() == gpu::Device::Cpu {
        // In memory as operations make it, which they read faster; it can still be given away.
        let loaded = gpu::load::<f64>(folder.file("large.npy"));
        let address = loaded.data_ptr();
        assert_eq!(address % 64, 0);
        let given = loaded.into_host();
        assert_eq!(given.as_ptr().addr(), address);
        assert_eq!(given[[3_000_000]], 3e6);
    }
    let archive = gpu::load_npz(folder.file("large.npz"));
    assert!(large.slice(s![..;-1]).eq(&archive.get::<f64>("large")).all());
    if let Some(kept) = std::env::var_os("WARPCELL_TEST_FILES") {
        fs::create_dir_all(&kept).unwrap();
        for name in folder.names() {
            fs::copy(folder.file(&name), Path::new(&kept).join(&name)).unwrap();
        }
    }
}

#[test]
fn complex_numbers_are_pairs_of_parts() {
    let folder = Folder::new("complex");
    let a =
        array![[Complex::new(1.0f32, -2.0), Complex::new(0.5, 3.0)], [Complex::new(0.0, 1.0), Complex::new(4.0, 0.0)]];
    gpu::save(folder.file("a"), &gpu::asarray(&a).t());
    assert_eq!(gpu::load::<Complex<f32>>(folder.file("a.npy")).to_host(), a.t().into_dyn());
    let found = said(gpu::try_load::<Complex<f64>>(folder.file("a.npy")));
    assert!(found.contains("holds elements of Complex<f32>, not Complex<f64>"), "{found}");
    let mut bytes = npy_of("{'descr': '>c16', 'fortran_order': False, 'shape': (1,), }\n", 0);
    bytes.extend([1.5f64.to_be_bytes(), (-2.5f64).to_be_bytes()].concat());
    fs::write(folder.file("b.npy"), bytes).unwrap();
    assert_eq!(gpu::host::load::<Complex<f64>>(folder.file("b.npy")), array![Complex::new(1.5, -2.5)].into_dyn());
    gpu::savez_compressed(folder.file("c"), [("a", &a)]);
    assert_eq!(gpu::load_npz(folder.file("c.npz")).get_host::<Complex<f32>>("a"), a.into_dyn());
}

#[test]
fn pictures_are_written_and_read() {
    let folder = Folder::new("pictures");
    let path = folder.file("a.png");
    let values = Array3::from_shape_fn((5, 7, 4), |(row, column, channel)| (row * 40 + column * 5 + channel) as u8);
    let grey = values.slice(s![.., .., 0]).to_owned();
    gpu::imsave(&path, &grey);
    assert_eq!(gpu::imread(&path).to_host(), grey.clone().into_dyn());
    for channels in [3, 4] {
        let colour = gpu::asarray(&values).slice(s![.., .., ..channels]);
        gpu::imsave(&path, &colour);
        let again = gpu::imread(&path);
        assert_eq!((again.shape(), again.to_host()), (&[5, 7, channels][..], colour.to_host()));
        assert_eq!(gpu::host::imread(&path), colour.to_host());
        let turned = colour.swapaxes(0, 1);
        gpu::host::imsave(&path, &turned);
        assert_eq!(gpu::imread(&path).to_host(), turned.to_host());
    }
    gpu::imsave(&path, &grey.mapv(|value| u16::from(value) * 257));
    assert_eq!(gpu::imread(&path).to_host(), grey.clone().into_dyn());
    gpu::imsave(&path, &array![[-1.0, 0.0, 0.5], [1.0, 2.0, f64::NAN]]);
    assert_eq!(gpu::imread(&path).to_host(), array![[0, 0, 128], [255, 255, 0]].into_dyn());
    gpu::imsave(&path, &gpu::array(&[[true, false]]));
    assert_eq!(gpu::imread(&path).to_host(), array![[255, 0]].into_dyn());
    assert_eq!(folder.names(), ["a.png"]);
}

#[test]
fn pictures_of_the_image_crate_come_and_go() {
    let a = Array3::from_shape_fn((2, 3, 3), |(row, column, channel)| (row * 9 + column * 3 + channel) as u16 * 1000);
    let picture = gpu::interop::to_image(&a);
    assert_eq!((picture.color(), picture.height(), picture.width()), (ColorType::Rgb16, 2, 3));
    assert_eq!(gpu::interop::from_image::<u16>(&picture).to_host(), a.into_dyn());
    let floats = gpu::linspace(0.0f32, 1.0, 24).reshape((2, 3, 4));
    let picture = gpu::interop::to_image(&floats);
    assert_eq!(picture.color(), ColorType::Rgba32F);
    assert_eq!(gpu::interop::from_image::<f32>(&picture).to_host(), floats.to_host());
    let grey = gpu::interop::to_image(&Array2::from_elem((2, 2), 0.5f64));
    assert_eq!(gpu::interop::from_image::<u16>(&grey).to_host(), Array2::from_elem((2, 2), 32768).into_dyn());
    let with_transparency = DynamicImage::new_luma_a8(4, 1);
    assert_eq!(gpu::interop::from_image::<u8>(&with_transparency).shape(), [1, 4, 4]);
}

#[test]
fn no_pictures_are_said_to_be_none() {
    let folder = Folder::new("no pictures");
    let path = folder.file("a.png");
    for shape in [vec![3], vec![2, 3, 2], vec![2, 3, 5], vec![1, 2, 3, 4]] {
        let said = said(gpu::try_imsave(&path, &gpu::zeros::<u8>(shape)));
        assert!(said.contains("is not the shape of a picture; use (h, w)"), "{said}");
    }
    assert!(said(gpu::try_imsave(&path, &gpu::zeros::<u8>((0, 3)))).contains("has no elements"));
    assert!(said(gpu::interop::try_to_image(&gpu::zeros::<i64>((2, 3)))).contains("a.astype::<u8>()"));
    assert!(said(gpu::try_imsave(folder.file("a.jpg"), &gpu::zeros::<u8>((2, 3)))).contains("only PNG"));
    assert!(said(gpu::try_imread(&path)).contains("cannot be opened"));
    fs::write(&path, "text").unwrap();
    assert!(said(gpu::try_imread(&path)).contains("is not a PNG file"));
    gpu::imsave(&path, &gpu::full((20, 20), 7u8));
    let whole = fs::read(&path).unwrap();
    fs::write(&path, &whole[..whole.len() / 2]).unwrap();
    assert!(said(gpu::try_imread(&path)).contains("may be damaged"));
    assert_eq!(folder.names(), ["a.png"]);
}

/// Texts, how they are read, and the array: what NumPy's `loadtxt` gives for the same keywords (2.3.4).
#[test]
fn text_files_are_read_as_numpy_reads_them() {
    let folder = Folder::new("text");
    let path = folder.file("a.txt");
    let read = |text: &str, options: &ReadText| {
        fs::write(&path, text).unwrap();
        gpu::loadtxt_with::<f64>(&path, options)
    };
    let plain = ReadText::new();
    let commas = ReadText::new().delimiter(",");
    let cases: [(&str, &ReadText, &[usize], &[f64]); 17] = [
        ("1 2 3\n4 5 6\n", &plain, &[2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]),
        ("  1\t2  \n\n\r\n3 4", &plain, &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("1 2 3\n", &plain, &[3], &[1.0, 2.0, 3.0]),
        ("1\n2\n", &plain, &[2], &[1.0, 2.0]),
        ("7", &plain, &[], &[7.0]),
        ("# nothing\n", &plain, &[0], &[]),
        ("# x y\n1 2 # both\n3 4\n", &plain, &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("1e3 -inf\n+2.5E-1 inf\n", &plain, &[2, 2], &[1000.0, f64::NEG_INFINITY, 0.25, f64::INFINITY]),
        ("1, 2\n3,4\n", &commas, &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("\"1\",\"2\"\n3,4\n", &commas, &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("# a,b\n1,2 # note, with commas\n3,4\n", &commas, &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("a,b\n1,2\n", &ReadText::new().delimiter(",").skiprows(1), &[2], &[1.0, 2.0]),
        ("1;2\n3;4\n", &ReadText::new().delimiter(";").usecols(&[-1]), &[2], &[2.0, 4.0]),
        ("1\t2\n3\t4\n", &ReadText::new().delimiter("\t").usecols(&[1, 0]), &[2, 2], &[2.0, 1.0, 4.0, 3.0]),
        ("1 2\n3 4\n5 6\n", &ReadText::new().max_rows(2), &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("1 2\n3 4\nsum 6\n", &ReadText::new().skip_footer(1), &[2, 2], &[1.0, 2.0, 3.0, 4.0]),
        ("% x\n1 % one\n2\n", &ReadText::new().comments("%"), &[2], &[1.0, 2.0]),
    ];
    for (text, options, shape, values) in cases {
        let found = read(text, options);
        assert_eq!((found.shape(), &found.ravel().tolist()[..]), (shape, values), "{text:?}");
    }
    fs::write(&path, "1,,3\n4,n/a,6\n").unwrap();
    let found = gpu::genfromtxt_with::<f64>(&path, &commas);
    assert!(found.get(&[0, 1]).is_nan() && found.get(&[1, 1]).is_nan() && found.get(&[1, 2]) == 6.0);
    assert_eq!(gpu::genfromtxt_with::<i32>(&path, &commas).ravel().tolist(), [1, -1, 3, 4, -1, 6]);
    assert_eq!(gpu::genfromtxt_with::<u8>(&path, &commas).ravel().tolist(), [1, 0, 3, 4, 0, 6]);
    let filled = gpu::host::genfromtxt_with::<f32>(&path, &ReadText::new().delimiter(",").filling_values(0.5));
    assert_eq!(filled, array![[1.0f32, 0.5, 3.0], [4.0, 0.5, 6.0]].into_dyn());
    fs::write(&path, "(1.5-2j) (0+1j)\n").unwrap();
    let found = gpu::loadtxt::<Complex<f64>>(&path).tolist();
    assert_eq!(found, [Complex::new(1.5, -2.0), Complex::new(0.0, 1.0)]);
}

#[test]
fn what_is_no_table_of_numbers_is_named_with_its_place() {
    let folder = Folder::new("no table");
    let path = folder.file("a.csv");
    for (text, options, parts) in [
        ("1,2\n3,4\n", ReadText::new(), &["line 1, column 1", "\"1,2\"", "loadtxt!(", "delimiter = \",\")"][..]),
        ("x,y\n1,2\n", ReadText::new().delimiter(","), &["\"x\"", "delimiter = \",\", skiprows = 1)"]),
        ("1,2\n,4\n", ReadText::new().delimiter(","), &["line 2, column 1", "a value is missing", "genfromtxt!("]),
        ("1 2\n3 4 5\n", ReadText::new(), &["3 columns in line 2, but 2 in line 1"]),
        ("1 2\n", ReadText::new().usecols(&[2]), &["no column 2 in line 1, which has 2 columns"]),
        ("1 2\n", ReadText::new().delimiter("::"), &["no delimiter \"::\"", "one ASCII character"]),
    ] {
        fs::write(&path, text).unwrap();
        let found = said(gpu::try_loadtxt_with::<f64>(&path, &options));
        assert!(parts.iter().all(|part| found.contains(part)), "{text:?}: {found}");
    }
    let found = said(gpu::try_loadtxt::<f64>(folder.file("none.txt")));
    assert!(found.contains("none.txt") && found.contains("No such file"), "{found}");
    let found = said(gpu::try_savetxt(folder.file("b.txt"), &gpu::zeros::<f64>((2, 2, 2))));
    assert!(found.contains("[2, 2, 2]") && found.contains("gpu::save"), "{found}");
    let found = said(gpu::try_savetxt_with(folder.file("b.txt"), &gpu::zeros::<f64>(2), &WriteText::new().fmt("%y")));
    assert!(found.contains("%y") && found.contains("\"%.3f\""), "{found}");
    assert_eq!(folder.names(), ["a.csv"]);
}

/// With `WARPCELL_TEST_FILES` set, tests/parity/read_files.py compares the bytes with what NumPy writes.
#[test]
fn text_files_are_written_and_read_again() {
    let folder = Folder::new("written text");
    let table = gpu::arange(12.0f64).reshape((4, 3)) / 7.0 - 0.5;
    gpu::savetxt(folder.file("table.txt"), &table);
    assert_eq!(gpu::loadtxt::<f64>(folder.file("table.txt")).to_host(), table.to_host());
    gpu::savetxt(folder.file("columns.txt"), &table.t().to_host());
    assert_eq!(gpu::host::loadtxt::<f64>(folder.file("columns.txt")), table.t().to_host());
    gpu::savetxt(folder.file("integers.txt"), &gpu::array(&[[1i64 << 62, -3], [0, 7]]));
    let options = WriteText::new().delimiter(",").header("a,b\nc").footer("end");
    gpu::savetxt_with(folder.file("fixed.csv"), &table, &options.clone().fmt("%.3f"));
    gpu::savetxt_with(folder.file("wide.csv"), &table, &options.clone().fmt("%10.2e").comments(""));
    gpu::savetxt_with(folder.file("short.csv"), &table, &options.clone().fmt("%g"));
    gpu::savetxt_with(folder.file("whole.csv"), &gpu::array(&[[1u8, 200], [3, 4]]), &options.fmt("%d"));
    if let Some(kept) = std::env::var_os("WARPCELL_TEST_FILES") {
        fs::create_dir_all(&kept).unwrap();
        for name in folder.names() {
            fs::copy(folder.file(&name), Path::new(&kept).join(&name)).unwrap();
        }
    }
}

#[test]
fn elements_alone_are_written_and_read_again() {
    let folder = Folder::new("raw");
    let path = folder.file("a.bin");
    fn check<T: Sample + std::fmt::Debug>(path: &Path) {
        let a: DeviceArray<T> = gpu::array(&[[1, 0, 5], [3, 1, 0]]).astype();
        // In row-major order, whatever the order in memory is.
        for b in [a.clone(), a.t().copy().t(), gpu::flip(&gpu::flip(&a, 1).copy(), 1)] {
            b.tofile(path);
            assert_eq!(fs::metadata(path).unwrap().len() as usize, a.nbytes());
            assert_eq!(gpu::fromfile::<T>(path).tolist(), a.ravel().tolist());
        }
        let size = T::DTYPE.size();
        assert_eq!(gpu::fromfile!(path, dtype = T, count = 2, offset = size).tolist(), a.ravel().tolist()[1..3]);
        assert_eq!(gpu::fromfile!(path, dtype = T, count = 99).size(), 6);
        assert_eq!(gpu::fromfile!(path, dtype = T, offset = 6 * size).shape(), [0]);
        assert_eq!(gpu::fromfile!(path, dtype = T, count = 0).shape(), [0]);
    }
    check::<bool>(&path);
    check::<u8>(&path);
    check::<i32>(&path);
    check::<u64>(&path);
    check::<f16>(&path);
    check::<f32>(&path);
    check::<f64>(&path);
    gpu::array(&[Complex::new(1.0, -2.0)]).tofile(&path);
    assert_eq!(gpu::fromfile::<Complex<f64>>(&path).item(), Complex::new(1.0, -2.0));
    assert_eq!(gpu::fromfile::<f64>(&path).tolist(), [1.0, -2.0]);
    assert_eq!(folder.names(), ["a.bin"]);
    gpu::zeros::<f64>((0, 2)).tofile(&path);
    assert_eq!(gpu::fromfile::<f64>(&path).shape(), [0]);
    // What is behind the last whole element is left out; every byte but 0 is true.
    fs::write(&path, [0, 7, 255]).unwrap();
    assert_eq!(gpu::fromfile::<u16>(&path).tolist(), [u16::from_ne_bytes([0, 7])]);
    assert_eq!(gpu::fromfile::<bool>(&path).tolist(), [false, true, true]);
}

#[test]
fn numbers_in_a_text_are_read_as_elements() {
    let folder = Folder::new("raw text");
    let path = folder.file("a.txt");
    fs::write(&path, "1.5, 2,\n-3,").unwrap();
    assert_eq!(gpu::fromfile!(&path, sep = ",").tolist(), [1.5, 2.0, -3.0]);
    assert_eq!(gpu::fromfile!(&path, sep = ",", count = 2).tolist(), [1.5, 2.0]);
    assert_eq!(gpu::fromfile!(&path, sep = ",", count = 9).size(), 3);
    fs::write(&path, "4 5\n6").unwrap();
    assert_eq!(gpu::fromfile!(&path, dtype = i64, sep = " ").tolist(), [4, 5, 6]);
    let text = message(|| gpu::fromfile!(&path, dtype = i64, sep = ","));
    assert!(
        text.starts_with("fromfile: ") && text.contains("a.txt cannot be read as text: \"4 5\\n6\", number 1"),
        "{text}"
    );
}

#[test]
fn files_without_the_elements_are_refused() {
    let folder = Folder::new("raw errors");
    let path = folder.file("a.bin");
    gpu::arange(3).tofile(&path);
    let text = message(|| gpu::fromfile!(&path, dtype = i32, offset = 13));
    assert!(text.ends_with("a.bin has 12 bytes, none from byte 13 on; give a smaller offset"), "{text}");
    let text = message(|| gpu::fromfile!(&path, sep = ",", offset = 1));
    assert!(text.contains("the offset 1 counts bytes, but with a separator the file is read as text"), "{text}");
    assert!(said(gpu::try_fromfile::<f64>(folder.file("none.bin"))).contains("cannot be opened"));
    assert!(said(gpu::try_fromfile::<f64>(&folder.0)).contains("is a folder"));
    assert!(said(gpu::arange(3).try_tofile(&folder.0)).contains("is a folder; give the name of a file in it"));
    assert!(said(gpu::arange(3).try_tofile(folder.file("no/such/folder"))).contains("cannot be written"));
    // What failed leaves no file.
    assert_eq!(folder.names(), ["a.bin"]);
}
