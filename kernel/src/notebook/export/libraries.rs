//! The libraries of CUDA that a program loads on a GPU. They are told by the names in its code: one too many may be named, none is missing.

use super::tokens::tokens;
use ra_ap_parser::SyntaxKind;
use std::collections::BTreeSet;
use std::fmt::Write;

/// A library of CUDA.
pub struct Library {
    pub name: &'static str,
    /// The package of PyPI that brings it.
    package: &'static str,
    task: &'static str,
    /// The modules and functions of the prelude that call it; where there are none, all programs do.
    names: &'static [&'static str],
    /// What is otherwise where it is not installed; for those that programs can do without.
    without: Option<&'static str>,
}

/// Those that the prelude calls.
const LIBRARIES: [Library; 6] = [
    Library {
        name: "NVRTC",
        package: "nvidia-cuda-nvrtc",
        task: "compiles kernels when they run first",
        names: &[],
        without: None,
    },
    Library {
        name: "cuBLAS",
        package: "nvidia-cublas",
        task: "products of matrices",
        names: &[
            "matmul",
            "inner",
            "tensordot",
            "einsum",
            "cov",
            "corrcoef",
            "poly",
            "polyfit",
            "polyfit_cov",
            "polyfit_full",
            "multivariate_normal",
            "norm",
            "linalg",
            "sparse",
            "interpolate",
            "stats",
            "spatial",
            "optimize",
            "distributed",
        ],
        without: None,
    },
    Library {
        name: "cuSOLVER",
        package: "nvidia-cusolver",
        task: "factorisations of matrices",
        names: &[
            "linalg",
            "poly",
            "polyfit",
            "polyfit_cov",
            "polyfit_full",
            "roots",
            "multivariate_normal",
            "norm",
            "sparse",
            "interpolate",
            "stats",
        ],
        without: None,
    },
    Library {
        name: "cuFFT",
        package: "nvidia-cufft",
        task: "Fourier transforms, and filters by them",
        names: &[
            "dft",
            "fft",
            "fftconvolve",
            "convolve",
            "convolve2d",
            "correlate",
            "correlate2d",
            "signal",
            "ndimage",
        ],
        without: None,
    },
    Library {
        name: "NCCL",
        package: "nvidia-nccl-cu13",
        task: "moves elements between the GPUs of ranks",
        names: &["distributed"],
        without: Some("they go by way of the host"),
    },
    Library {
        name: "CUPTI",
        package: "nvidia-cuda-cupti",
        task: "observes the device for `profile`",
        names: &["profile"],
        without: Some("kernels of libraries are not listed"),
    },
];

/// A library that a program needs, and the names in it that say so.
pub struct Needed {
    pub library: &'static Library,
    pub names: Vec<String>,
}

/// What a program needs; `embeds` says whether it brings its kernels along.
pub fn needed(text: &str, embeds: bool) -> Vec<Needed> {
    let tokens = tokens(text);
    let names = tokens.iter().filter(|(kind, _)| *kind == SyntaxKind::IDENT);
    let names: BTreeSet<&str> = names.map(|(_, name)| name.strip_prefix("try_").unwrap_or(name)).collect();
    let of = |library: &'static Library| {
        let found: Vec<String> =
            library.names.iter().filter(|name| names.contains(**name)).map(|name| (*name).to_owned()).collect();
        // What all programs use is the compiler.
        (if library.names.is_empty() { !embeds } else { !found.is_empty() }).then_some(Needed { library, names: found })
    };
    LIBRARIES.iter().filter_map(of).collect()
}

/// One line about them.
pub fn line(needed: &[Needed]) -> String {
    let listed = |is_needed: bool| {
        let of_kind = needed.iter().filter(|needed| needed.library.without.is_none() == is_needed);
        let names: Vec<&str> = of_kind.map(|needed| needed.library.name).collect();
        match names.as_slice() {
            [first @ .., last] if !first.is_empty() => format!("{} and {last}", first.join(", ")),
            all => all.join(""),
        }
    };
    let needs = match listed(true) {
        none if none.is_empty() => "the driver only".to_owned(),
        names => format!("{names} beside the driver"),
    };
    let uses = match listed(false) {
        none if none.is_empty() => none,
        names => format!(" It uses {names} where installed."),
    };
    format!("On a GPU it needs {needs}.{uses} On the CPU it needs nothing of CUDA.")
}

/// A table of them, in Markdown.
pub fn table(needed: &[Needed]) -> String {
    let mut text = "| library | task | used by | with pip |\n|---|---|---|---|\n".to_owned();
    for Needed { library, names } in needed {
        let without = library.without.map(|without| format!("; without it {without}")).unwrap_or_default();
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let used = if names.is_empty() { "all kernels".to_owned() } else { names.join(", ") };
        let _ = writeln!(text, "| {} | {}{without} | {used} | `{}` |", library.name, library.task, library.package);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn libraries_are_told_by_names() {
        let names =
            |text: &str| needed(text, false).iter().map(|needed| needed.library.name).collect::<Vec<_>>().join(" ");
        for (text, libraries) in [
            ("let a = gpu::arange(3); // matmul", "NVRTC"),
            ("a.matmul(&b)", "NVRTC cuBLAS"),
            ("gpu::try_matmul(&a, &b)?", "NVRTC cuBLAS"),
            ("use gpu::linalg::inv;", "NVRTC cuBLAS cuSOLVER"),
            ("gpu::fft::rfft(&a)", "NVRTC cuFFT"),
            ("gpu::convolve!(&a, &b, mode = \"same\")", "NVRTC cuFFT"),
        ] {
            assert_eq!(names(text), libraries, "{text}");
        }
    }

    #[test]
    fn none_is_missing_that_a_gpu_has_loaded() {
        let rows: Vec<(&str, &str)> =
            include_str!("libraries.txt").lines().filter_map(|line| line.split_once('\t')).collect();
        assert!(rows.len() > 200, "{}", rows.len());
        let missing: Vec<String> = rows
            .iter()
            .flat_map(|(loaded, row)| loaded.split(' ').map(move |library| (library, row)))
            .filter(|(library, row)| !needed(row, true).iter().any(|needed| needed.library.name == *library))
            .map(|(library, row)| format!("{library}: {row}"))
            .collect();
        assert!(missing.is_empty(), "{}", missing.join("\n"));
    }

    #[test]
    fn they_are_listed() {
        let found = needed("gpu::fft::fft(&a); a.matmul(&b)", false);
        assert_eq!(
            line(&found),
            "On a GPU it needs NVRTC, cuBLAS and cuFFT beside the driver. On the CPU it needs nothing of CUDA."
        );
        assert!(line(&needed("", false)).starts_with("On a GPU it needs NVRTC beside"));
        let embedded = needed("gpu::fft::fft(&a); a.matmul(&b)", true);
        assert!(line(&embedded).starts_with("On a GPU it needs cuBLAS and cuFFT beside the driver."));
        assert!(line(&needed("", true)).starts_with("On a GPU it needs the driver only. On the CPU"));
        assert!(!table(&embedded).contains("NVRTC"));
        let optional = needed("gpu::timing::profile(|| gpu::distributed::run(2, f));", false);
        assert_eq!(
            line(&optional),
            "On a GPU it needs NVRTC and cuBLAS beside the driver. It uses NCCL and CUPTI where installed. On the CPU it needs \
             nothing of CUDA."
        );
        assert!(
            table(&optional).contains("for `profile`; without it kernels of libraries are not listed | `profile` |")
        );
        assert!(
            table(&found).ends_with("| cuFFT | Fourier transforms, and filters by them | `fft` | `nvidia-cufft` |\n")
        );
    }
}
