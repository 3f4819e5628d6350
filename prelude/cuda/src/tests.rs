//! Compiles every program with NVRTC, without a GPU: `cargo test -p warpcell-cuda nvrtc -- --ignored`; `WARPCELL_NVRTC` names the
//! library.

use super::{
    Program, compress, convolve, elementwise, factorisations, histogram, index, matmul, naming, random, reduce, scan,
    search, sort, sparse, where_,
};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_driver::nvrtc::{Form, Nvrtc};

fn nvrtc() -> Nvrtc {
    let path = std::env::var_os("WARPCELL_NVRTC").expect("set WARPCELL_NVRTC to the path of libnvrtc.so.13 or .12");
    Nvrtc::open(&PathBuf::from(path)).unwrap()
}

/// All programs that the backend can ask for.
pub(super) fn all() -> Vec<Program> {
    [
        elementwise::programs(),
        reduce::programs(),
        convolve::programs(),
        scan::programs(),
        where_::programs(),
        compress::programs(),
        index::programs(),
        random::programs(),
        sort::programs(),
        search::programs(),
        sparse::programs(),
        histogram::programs(),
        factorisations::programs(),
        matmul::programs(),
    ]
    .concat()
}

fn compiled(nvrtc: &Nvrtc, program: &Program, architecture: &str, form: Form) -> Result<Vec<u8>, String> {
    let mut options = vec![format!("--gpu-architecture={architecture}"), "--std=c++17".to_string()];
    options.extend(nvrtc.minimal());
    options.extend_from_slice(&program.options);
    let failed = |error| format!("{} {:?} for {architecture}: {error}", program.name, program.options);
    let source = program.text(&naming::suffix(&program.options));
    nvrtc.compile(program.name, &source, &options, form).map_err(failed)
}

fn ptx(nvrtc: &Nvrtc, program: &Program) -> String {
    String::from_utf8(compiled(nvrtc, program, "compute_90", Form::Ptx).unwrap()).unwrap()
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_every_program() {
    let nvrtc = nvrtc();
    let architectures: Vec<i32> =
        [75, 80, 90, 100, 120].into_iter().filter(|wanted| nvrtc.architectures.contains(wanted)).collect();
    assert!(architectures.contains(&90), "NVRTC {:?} knows {:?}", nvrtc.version, nvrtc.architectures);
    // No source asks for its architecture, and what the oldest can do the later ones can. So each program becomes machine code for the
    // oldest that it is for, and PTX for one of the others in turn: what only a later architecture refuses, the compiler to PTX refuses.
    assert!(all().iter().all(|program| !program.source.contains("__CUDA_ARCH__")));
    let oldest_of = |program: &Program| -> i32 {
        let tensor = program.options.iter().find_map(|option| option.strip_prefix("-DWARPCELL_TENSOR="));
        tensor.map_or(architectures[0], |capability| capability.parse().unwrap())
    };
    let work: Vec<(Program, String, Form, &[u8])> = all()
        .into_iter()
        .enumerate()
        .flat_map(|(index, program)| {
            let oldest = oldest_of(&program);
            let later: Vec<i32> = architectures.iter().copied().filter(|&other| other > oldest).collect();
            [
                (program.clone(), format!("sm_{oldest}"), Form::Cubin, &b"\x7fELF"[..]),
                (program, format!("compute_{}", later[index % later.len()]), Form::Ptx, &b"//"[..]),
            ]
        })
        .collect();
    let (next, failures) = (AtomicUsize::new(0), std::sync::Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(|| {
                while let Some((program, architecture, form, begin)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    match compiled(&nvrtc, program, architecture, *form) {
                        Ok(code) if code.starts_with(begin) => {}
                        Ok(code) => failures.lock().unwrap().push(format!("{program:?}: {} bytes", code.len())),
                        Err(error) => failures.lock().unwrap().push(error),
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("NVRTC {:?}: {} programs, {architectures:?}", nvrtc.version, all().len());
    assert!(failures.is_empty(), "{} failed, the first:\n{}", failures.len(), failures[0]);
}

/// Single facts about generated code.
#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_makes_the_code_that_is_meant() {
    let nvrtc = nvrtc();
    let find = |name: &str, wanted: &[&str]| -> Program {
        let fits = |program: &Program| {
            program.name == name
                && wanted.iter().all(|option| program.options.iter().any(|have| have.ends_with(option)))
        };
        all().into_iter().find(fits).unwrap_or_else(|| panic!("no program {name} {wanted:?}"))
    };
    for (operation, arity) in
        [("=add", "=2"), ("=divide", "=2"), ("=power", "=2"), ("=exp_of", "=1"), ("=sin_of", "=1")]
    {
        let code = ptx(&nvrtc, &find("elementwise.cu", &["INPUT=float", operation, arity]));
        // The slow path of sin for large arguments multiplies by a 64-bit constant, as CUDA's own library does.
        if operation != "=sin_of" {
            assert!(!code.contains(".f64"), "f32 {operation} computes in f64");
        }
    }
    let add = ptx(&nvrtc, &find("elementwise.cu", &["INPUT=float", "=add"]));
    assert!(add.contains("ld.global.v4.f32") || add.contains("ld.global.v4.b32"), "16-byte loads");
    assert!(add.contains(".entry packed_add_float("), "kernels have the names that profiles show");
    assert!(add.contains("st.global.v4.f32") || add.contains("st.global.v4.b32"), "16-byte stores");
    for element in ["float", "double"] {
        let size = ["KERNEL_ROWS=15", "KERNEL_COLUMNS=15"];
        let element_option = format!("ELEMENT={element}");
        let code = ptx(&nvrtc, &find("convolve2d.cu", &[&element_option, size[0], size[1]]));
        assert!(!code.contains(".local"), "registers only: {element}");
        assert!(code.contains("ld.shared.v"), "16-byte loads of the tile: {element}");
        assert!(code.contains(if element == "float" { "fma.rn.f32" } else { "fma.rn.f64" }));
        if element == "float" {
            assert!(!code.contains(".f64"));
        }
    }
    let halves = ptx(&nvrtc, &find("elementwise.cu", &["INPUT=float", "OUTPUT=f16", "=convert"]));
    assert!(halves.contains("cvt.rn.f16.f32") && !halves.contains(".f64"), "one rounding, by the processor");
    for element in ["float", "double"] {
        for distribution in ["=uniform", "=normal", "=exponential"] {
            let code = ptx(&nvrtc, &find("random.cu", &[&format!("ELEMENT={element}"), distribution]));
            assert!(!code.contains("fma."), "{distribution} of {element} rounds each step, as on the host");
            let stores = if element == "float" {
                ["st.global.v4.f32", "st.global.v4.b32"]
            } else {
                ["st.global.v2.f64", "st.global.v2.b64"]
            };
            assert!(stores.iter().any(|store| code.contains(store)), "16-byte stores of {element}");
            assert!(!code.contains(".local") && (element == "double" || !code.contains(".f64")));
        }
    }
    let arange = ptx(&nvrtc, &find("elementwise.cu", &["INPUT=double", "OUTPUT=float"]));
    assert!(arange.contains("mul.rn.f64") && !arange.contains("fma.rn.f64"), "two roundings, as on the host");
}
