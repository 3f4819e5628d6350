//! Where the CUDA libraries are: the loader's own paths, a CUDA toolkit, or the `nvidia-*` wheels of the active Python.

use cudarc::cublas::sys as cublas;
use cudarc::cusolver::sys as cusolver;
use cudarc::driver::sys;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// Whether the driver library can be used; if not, why and what to do. Asked once per process.
pub fn driver() -> std::result::Result<(), String> {
    static ANSWER: OnceLock<std::result::Result<(), String>> = OnceLock::new();
    ANSWER
        .get_or_init(|| {
            // SAFETY: loads the library under its usual names, nothing else; NVIDIA's initialisers have no preconditions.
            if unsafe { sys::is_culib_present() } {
                return Ok(());
            }
            for folder in ["/usr/lib/wsl/lib", "/usr/lib64-nvidia", "/usr/local/nvidia/lib64"] {
                // cudarc asks the loader for `libcuda.so.1` among others, and the loader answers with a library of that
                // SONAME that is already loaded, whatever its folder.
                if load_for_good(&Path::new(folder).join("libcuda.so.1")) {
                    // SAFETY: as above.
                    if unsafe { sys::is_culib_present() } {
                        return Ok(());
                    }
                }
            }
            Err("the NVIDIA driver's library libcuda.so.1 was not found; install the NVIDIA driver, or use the CPU \
                 (WARPCELL_DEVICE=cpu)"
                .to_string())
        })
        .clone()
}

/// Whether cuBLAS can be used with a driver that supports CUDA `driver_major`; if not, why and what to do. Asked once per
/// process.
pub fn blas(driver_major: i32) -> std::result::Result<(), String> {
    static ANSWER: OnceLock<std::result::Result<(), String>> = OnceLock::new();
    ANSWER.get_or_init(|| find_blas(driver_major)).clone()
}

fn find_blas(driver_major: i32) -> std::result::Result<(), String> {
    let install = format!("`pip install nvidia-cublas{}`", if driver_major >= 13 { "" } else { "-cu12" });
    // Its versions are those of CUDA. cudarc asks the loader for these names, and is given what is loaded already.
    load_first(&(12..=driver_major.max(12)).rev().map(|version| format!("libcublas.so.{version}")).collect::<Vec<_>>());
    let mut version = 0;
    // SAFETY: the first call loads the library, nothing else, and the second is made if it is there; NVIDIA's initialisers have
    // no preconditions. `version` is an int to write to.
    let answers = unsafe {
        cublas::is_culib_present()
            && cublas::cublasGetProperty(cublas::libraryPropertyType::MAJOR_VERSION, &raw mut version)
                == cublas::cublasStatus_t::CUBLAS_STATUS_SUCCESS
    };
    if !answers {
        return Err(format!(
            "products of matrices on CUDA devices need it; install it with {install} or with the CUDA toolkit, or use \
             the CPU (WARPCELL_DEVICE=cpu)"
        ));
    }
    // What is older lacks the functions with sizes of 64 bits.
    if !(12..=driver_major).contains(&version) {
        return Err(format!(
            "the installed version is for CUDA {version}; it must be for CUDA 12 or later, but not later than CUDA \
             {driver_major}, which the driver supports; install it with {install}, or update the driver"
        ));
    }
    Ok(())
}

/// Whether cuSOLVER can be used with a driver that supports CUDA `driver_major`; if not, why and what to do. Asked once per
/// process.
pub fn solver(driver_major: i32) -> std::result::Result<(), String> {
    static ANSWER: OnceLock<std::result::Result<(), String>> = OnceLock::new();
    ANSWER.get_or_init(|| find_solver(driver_major)).clone()
}

fn find_solver(driver_major: i32) -> std::result::Result<(), String> {
    let install = format!("`pip install nvidia-cusolver{}`", if driver_major >= 13 { "" } else { "-cu12" });
    // cuSOLVER 11 is that of CUDA 12, and so on. cudarc asks the loader for these names, and is given what is loaded already.
    load_first(
        &(11..driver_major.max(12)).rev().map(|version| format!("libcusolver.so.{version}")).collect::<Vec<_>>(),
    );
    let mut version = 0;
    // SAFETY: the first call loads the library, nothing else, and the second is made if it is there; NVIDIA's initialisers have
    // no preconditions. `version` is an int to write to.
    let answers = unsafe {
        cusolver::is_culib_present()
            && cusolver::cusolverGetVersion(&raw mut version) == cusolver::cusolverStatus_t::CUSOLVER_STATUS_SUCCESS
    };
    if !answers {
        return Err(format!(
            "matrix factorisations on CUDA devices need it; install it with {install} or with the CUDA toolkit, or use \
             the CPU (WARPCELL_DEVICE=cpu)"
        ));
    }
    let needed = version / 1000 + 1;
    if needed > driver_major {
        return Err(format!(
            "the installed version is for CUDA {needed}, but the driver supports CUDA {driver_major}; install a \
             version for it with {install}, or update the driver"
        ));
    }
    Ok(())
}

/// Loads the first of these libraries that is found: each under the loader's own paths, then each in the other folders.
pub fn load_first(names: &[String]) {
    let by_loader = names.iter().map(PathBuf::from);
    let folders = folders();
    let in_folders = folders.iter().flat_map(|folder| names.iter().map(|name| folder.join(name)));
    let _ = by_loader.chain(in_folders).any(|path| load_for_good(&path));
}

/// Folders that may hold CUDA libraries apart from the loader's own, the likeliest first; only those that exist.
pub fn folders() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut add = |folder: PathBuf| {
        if folder.is_dir() && !found.contains(&folder) {
            found.push(folder);
        }
    };
    let toolkits = ["CUDA_HOME", "CUDA_PATH", "CUDA_ROOT"].iter().filter_map(std::env::var_os).map(PathBuf::from);
    for toolkit in toolkits.chain([PathBuf::from("/usr/local/cuda")]) {
        add(toolkit.join("lib64"));
        add(toolkit.join("targets/x86_64-linux/lib"));
        add(toolkit.join("lib"));
    }
    let (prefixes, home) = (python_prefixes(), std::env::var_os("HOME").map(PathBuf::from));
    for prefix in &prefixes {
        add(prefix.join("lib")); // where conda keeps them
    }
    let roots = prefixes.into_iter().flat_map(|prefix| [prefix.clone(), prefix.join("local")]);
    for root in roots.chain(home.map(|home| home.join(".local"))) {
        for packages in python_packages(&root.join("lib")) {
            for wheel in children(&packages.join("nvidia")) {
                add(wheel.join("lib"));
            }
        }
    }
    found
}

/// Folders that hold CUDA's headers, beside those of the libraries; only those that exist.
pub fn headers() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for folder in folders() {
        // Of a toolkit `targets/<machine>/lib` lies deeper.
        let include = folder.parent().map(|parent| parent.join("include")).filter(|include| include.is_dir());
        if let Some(include) = include
            && !found.contains(&include)
            && ["cuda_fp16.h", "cuda_runtime.h", "crt", "curand_kernel.h", "cccl"]
                .iter()
                .any(|name| include.join(name).exists())
        {
            found.push(include);
        }
    }
    found
}

/// `sys.prefix` of the active Python, without running it: the environment's variables, then `python3` on the `PATH`.
fn python_prefixes() -> Vec<PathBuf> {
    let mut prefixes: Vec<PathBuf> =
        ["VIRTUAL_ENV", "CONDA_PREFIX"].iter().filter_map(std::env::var_os).map(PathBuf::from).collect();
    let path = std::env::var_os("PATH").unwrap_or_default();
    for folder in std::env::split_paths(&path) {
        let has_python = folder.join("python3").exists() || folder.join("python").exists();
        prefixes.extend(folder.parent().filter(|_| has_python).map(Path::to_path_buf));
    }
    prefixes
}

/// `python3.12/site-packages` and the like (Debian: `dist-packages`) in a `lib` folder, the newest version first.
fn python_packages(lib: &Path) -> Vec<PathBuf> {
    let mut versions: Vec<PathBuf> = children(lib)
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("python3")))
        .collect();
    let minor = |path: &PathBuf| -> u32 {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        name.trim_start_matches("python3").trim_start_matches('.').parse().unwrap_or(0)
    };
    versions.sort_by_key(|path| std::cmp::Reverse(minor(path)));
    versions.iter().flat_map(|path| [path.join("site-packages"), path.join("dist-packages")]).collect()
}

/// A folder's entries in order of name; none if it cannot be read.
fn children(folder: &Path) -> Vec<PathBuf> {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).map(|all| all.flatten().map(|entry| entry.path()).collect()).unwrap_or_default();
    entries.sort();
    entries
}

/// Loads a library and never unloads it, so that a later request for its SONAME finds it. `false` if it cannot be.
fn load_for_good(path: &Path) -> bool {
    // SAFETY: runs the initialisers of an NVIDIA library in one of its known folders; they have no preconditions.
    match unsafe { libloading::Library::new(path) } {
        Ok(library) => {
            std::mem::forget(library);
            true
        }
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_found_newest_python_first() {
        let root = std::env::temp_dir().join(format!("warpcell-library-{}", std::process::id()));
        for version in ["python3.9", "python3.12"] {
            std::fs::create_dir_all(root.join("lib").join(version).join("site-packages/nvidia/cu13/lib")).unwrap();
        }
        let packages = python_packages(&root.join("lib"));
        std::fs::remove_dir_all(&root).unwrap();
        assert_eq!(packages[0], root.join("lib/python3.12/site-packages"));
        assert_eq!(packages[2], root.join("lib/python3.9/site-packages"));
    }
}
