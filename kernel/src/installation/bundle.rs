//! Makes bundles and installs from them. A bundle is one file with everything that a machine without a network needs.
//!
//! ```text
//! FILE, a plain tar archive, which every machine can unpack:
//!   warpcell/install.sh       compares the sums and installs
//!   warpcell/SHA256SUMS       of the two files below
//!   warpcell/warpcell         the program, which unpacks the rest
//!   warpcell/contents.tar.zst
//!     package/                as in `package.rs`, with the compiled cells of the lessons
//!     standard-library/       the sources for rust-analyzer
//!     crates/                 for `:dep` (`crates.rs`)
//!     toolchain/              rustc, cargo and the compiled standard library, if requested
//! ```
//! The result is a usual installation, with the crates in its directory. The toolchain is beside it in
//! `PREFIX/lib/warpcell-rust-RELEASE`.

mod archive;
pub mod crates;
pub mod toolchain;

use crate::choices;
use crate::files;
use crate::hashing::hex;
use crate::installation::package::{self, Package};
use crate::installation::setup::{self, SetupPlan, binary_in};
use crate::installation::toolchain::Toolchain;
use crate::installation::toolchain::search::{Problem, Surroundings};
use crate::installation::{CELLS, Installation, home_in, package_in};
use crate::lessons::precompile;
use crate::printing::{errln, outln};
use anyhow::{Context, Result, bail};
use archive::{append, append_script, append_text};
use crates::CRATES;
use sha2::{Digest, Sha256};
use std::fs::File;
use std::io::{BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use toolchain::TOOLCHAIN;

const FOLDER: &str = "warpcell";
const CONTENTS: &str = "contents.tar.zst";
const PROGRAM: &str = "warpcell";
const SUMS: &str = "SHA256SUMS";
const PACKAGE: &str = "package";
const STANDARD_LIBRARY: &str = "standard-library";
const INSTALLER: &str = include_str!("../../../assets/bundle-install.sh");
/// What takes seconds to pack and is not much larger than what takes minutes.
const LEVEL: i32 = 12;

/// The contents of a bundle.
pub struct BundleRequest<'a> {
    /// The bundle.
    pub file: &'a Path,
    /// Whether the toolchain belongs to it.
    pub toolchain: bool,
    /// Crates for `:dep`, as `NAME=VERSION,FEATURE`.
    pub crates: &'a [String],
    /// Whether those are all.
    pub only: bool,
    /// Whether the compiled cells of the lessons belong to it.
    pub lessons: bool,
}

/// Makes a bundle of the installation that this program belongs to. The file appears when it is complete.
pub fn make(request: &BundleRequest<'_>) -> Result<()> {
    let installation = choices::installation()?;
    if let Some(problem) = installation.problem() {
        bail!(problem);
    }
    let file = std::path::absolute(request.file)?;
    let place = file.parent().context("a bundle needs a name")?;
    let work = tempfile::Builder::new()
        .prefix(".warpcell-bundle-")
        .tempdir_in(place)
        .with_context(|| format!("nothing can be written to {}", place.display()))?;
    errln!("Fetching crates for `:dep`");
    let wanted = crates::wanted(&installation, request.crates, request.only)?;
    let names = crates::vendor(&installation, &wanted, &work.path().join(CRATES))?;
    let cells = cells(&installation, request, &work.path().join(CELLS))?;
    errln!("Packing");
    let contents = work.path().join(CONTENTS);
    pack_contents(&installation, request, &work.path().join(CRATES), cells.as_deref(), &contents)?;
    let draft = work.path().join("bundle.tar");
    pack(&contents, &draft)?;
    std::fs::rename(&draft, &file).with_context(|| format!("{} cannot be written", file.display()))?;
    let size = std::fs::metadata(&file)?.len() / 1_000_000;
    outln!("{}: {size} MB, {}", file.display(), installation.record.prelude.compiler);
    outln!("Crates for `:dep`: {}", names.join(", "));
    if !request.toolchain {
        outln!(
            "Without a toolchain: the other machine needs {} (--toolchain packs it too).",
            installation.record.prelude.compiler
        );
    }
    outln!("There: tar -xf FILE && warpcell/install.sh, or ./install.sh --bundle FILE in a checkout.");
    Ok(())
}

/// The folder with the compiled cells of the lessons, if they are wanted: that of the installation, or a new one.
fn cells(installation: &Installation, request: &BundleRequest<'_>, new: &Path) -> Result<Option<PathBuf>> {
    let own = installation.home.join(CELLS);
    if !request.lessons || own.is_dir() {
        return Ok(Some(own).filter(|_| request.lessons));
    }
    errln!("Compiling the cells of the lessons");
    precompile::lessons_into(installation, new, &|line| errln!("{line}"))?;
    Ok(Some(new.to_owned()))
}

fn pack_contents(
    installation: &Installation,
    request: &BundleRequest<'_>,
    crates: &Path,
    cells: Option<&Path>,
    contents: &Path,
) -> Result<()> {
    let failed = || format!("{} cannot be written", contents.display());
    let mut encoder = zstd::Encoder::new(File::create(contents).with_context(failed)?, LEVEL)?;
    encoder.include_checksum(true)?;
    // The metadata of crates repeat each other over long distances.
    encoder.long_distance_matching(true)?;
    encoder.window_log(27)?;
    encoder.multithread(std::thread::available_parallelism().map_or(1, |number| number.get() as u32))?;
    let mut archive = archive(encoder);
    let own = std::env::current_exe()?.parent().and_then(Path::parent).map(package_in);
    let own = own.and_then(|directory| Package::open(&directory).ok());
    // The package that came with this program also works for other compilers.
    match own.filter(|package| package.manifest.prelude.identity == installation.record.prelude.identity) {
        Some(package) => {
            let cells = package.directory.join(CELLS);
            append(&mut archive, &package.directory, PACKAGE, &|path| path == cells)?;
        }
        None => {
            let manifest = Package::manifest_of(installation)?;
            for part in package::PARTS {
                // The standard library is the toolchain's.
                let is_linked = |path: &Path| file_name(path).starts_with("libstd-");
                append(&mut archive, &installation.home.join(part), &format!("{PACKAGE}/{part}"), &is_linked)?;
            }
            append_text(&mut archive, &format!("{PACKAGE}/{}", package::MANIFEST), &manifest)?;
        }
    }
    if let Some(cells) = cells {
        append(&mut archive, cells, &format!("{PACKAGE}/{CELLS}"), &|_| false)?;
    }
    let library = installation.sysroot().join("lib/rustlib/src/rust/library");
    if library.is_dir() {
        append(&mut archive, &library, STANDARD_LIBRARY, &|_| false)?;
    }
    append(&mut archive, crates, CRATES, &|_| false)?;
    if request.toolchain {
        toolchain::append(&mut archive, installation)?;
    }
    archive.into_inner().with_context(failed)?.finish().with_context(failed)?;
    Ok(())
}

fn pack(contents: &Path, bundle: &Path) -> Result<()> {
    let failed = || format!("{} cannot be written", bundle.display());
    let program = std::env::current_exe()?;
    let sums = format!("{}  {PROGRAM}\n{}  {CONTENTS}\n", sum(&program)?, sum(contents)?);
    let mut archive = archive(BufWriter::new(File::create(bundle).with_context(failed)?));
    append_script(&mut archive, &format!("{FOLDER}/install.sh"), INSTALLER)?;
    append_text(&mut archive, &format!("{FOLDER}/{SUMS}"), &sums)?;
    archive.append_path_with_name(&program, format!("{FOLDER}/{PROGRAM}")).with_context(failed)?;
    archive.append_path_with_name(contents, format!("{FOLDER}/{CONTENTS}")).with_context(failed)?;
    archive.into_inner().with_context(failed)?.flush().with_context(failed)?;
    Ok(())
}

/// Installs from a bundle's directory: all of it or nothing.
pub fn install(from: &Path, prefix: &Path, entry: &Path) -> Result<()> {
    setup::from_package(prefix, |directory, lock| {
        unpack(&from.join(CONTENTS), directory)?;
        set_up(directory, prefix, entry, lock)
    })
}

fn unpack(contents: &Path, directory: &Path) -> Result<()> {
    let file = File::open(contents).with_context(|| format!("{} cannot be read", contents.display()))?;
    files::create_folder(directory)?;
    let mut archive = tar::Archive::new(zstd::Decoder::new(BufReader::new(file))?);
    archive
        .unpack(directory)
        // The archive ends before the checksum of all that is in it.
        .and_then(|()| std::io::copy(&mut archive.into_inner(), &mut std::io::sink()))
        .map(drop)
        .map_err(plain)
        .with_context(|| format!("{} cannot be unpacked to {}", contents.display(), directory.display()))
}

/// The system's error, without the archive's words around it. So its kind is known.
fn plain(error: std::io::Error) -> std::io::Error {
    let mut cause: Option<&(dyn std::error::Error + 'static)> = error.get_ref().map(|inner| inner as _);
    while let Some(inner) = cause {
        if let Some(code) = inner.downcast_ref::<std::io::Error>().and_then(std::io::Error::raw_os_error) {
            return std::io::Error::from_raw_os_error(code);
        }
        cause = inner.source();
    }
    error
}

fn set_up(directory: &Path, prefix: &Path, entry: &Path, lock: &File) -> Result<()> {
    let package = Package::open(&directory.join(PACKAGE))?;
    let bundled = toolchain::put(&directory.join(TOOLCHAIN), prefix)?;
    let toolchain = match &bundled {
        Some(bundled) => Toolchain::at(&bundled.root)?,
        None => Surroundings::here(None).find()?,
    };
    if !package.fits(&toolchain) {
        bail!(Problem {
            what: format!(
                "this bundle is for {}, and the compiler here is {}",
                package.manifest.prelude.compiler, toolchain.compiler
            ),
            remedy: "warpcell bundle --toolchain FILE, where the bundle was made: it brings the compiler along"
                .to_owned(),
        });
    }
    let library = directory.join(STANDARD_LIBRARY);
    setup::install_package(
        &SetupPlan {
            package: &package,
            keep_package: false,
            toolchain: &toolchain,
            standard_library: library.is_dir().then_some(library.as_path()),
            crates: Some(&directory.join(CRATES)),
            home: &home_in(prefix),
            program: &binary_in(prefix),
        },
        prefix,
        entry,
        lock,
    )?;
    if let Some(bundled) = bundled {
        bundled.keep()?;
    }
    // Nobody uses toolchains of earlier bundles now.
    toolchain::remove(prefix, Some(&toolchain.root))
}

/// An archive that depends only on contents and names.
fn archive<W: Write>(writer: W) -> tar::Builder<W> {
    let mut archive = tar::Builder::new(writer);
    archive.mode(tar::HeaderMode::Deterministic);
    archive
}

/// The SHA-256 checksum of a file.
fn sum(path: &Path) -> Result<String> {
    let mut file = File::open(path).with_context(|| format!("{} cannot be read", path.display()))?;
    let mut hasher = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hex(&hasher.finalize())),
            length => hasher.update(&buffer[..length]),
        }
    }
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_sha256sum() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), "abc").unwrap();
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum(file.path()).unwrap(), abc);
    }

    #[test]
    fn what_is_packed_is_unpacked() {
        let root = tempfile::tempdir().unwrap();
        let from = root.path().join("from here é");
        std::fs::create_dir_all(from.join("inner")).unwrap();
        std::fs::write(from.join("inner/file"), "contents").unwrap();
        std::fs::write(from.join("libstd-0.so"), "").unwrap();
        std::os::unix::fs::symlink("inner/file", from.join("link")).unwrap();
        let contents = root.path().join(CONTENTS);
        let mut archive = archive(zstd::Encoder::new(File::create(&contents).unwrap(), LEVEL).unwrap());
        append(&mut archive, &from, "a", &|path| file_name(path).starts_with("libstd-")).unwrap();
        append_script(&mut archive, "b/run", "#!/bin/sh\n").unwrap();
        archive.into_inner().unwrap().finish().unwrap();
        let to = root.path().join("to");
        unpack(&contents, &to).unwrap();
        assert_eq!(std::fs::read_to_string(to.join("a/inner/file")).unwrap(), "contents");
        assert_eq!(std::fs::read_to_string(to.join("a/link")).unwrap(), "contents");
        assert!(to.join("b/run").exists() && !to.join("a/libstd-0.so").exists());
        let bytes = std::fs::read(&contents).unwrap();
        std::fs::write(&contents, &bytes[..bytes.len() / 2]).unwrap();
        assert!(unpack(&contents, &root.path().join("half")).is_err());
    }
}
