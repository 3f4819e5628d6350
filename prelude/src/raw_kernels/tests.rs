//! Generated programs through NVRTC, without a GPU: that they compile, and to what; and errors with the user's lines.
//!
//! They are ignored unless asked for: `WARPCELL_NVRTC` names the library (see the tests of the CUDA backend).

use super::compiler_log;
use super::program_text::tests::{lists, types};
use super::program_text::{Expressions, ReductionAxes, elementwise, reduction, typed};
use crate::backend::cuda::codegen::Form;
use crate::backend::cuda::driver::nvrtc::{Form as Image, Nvrtc};
use crate::dtype::DType;
use crate::error::Error;
use expect_test::expect;

fn nvrtc() -> Nvrtc {
    let path = std::env::var_os("WARPCELL_NVRTC").expect("set WARPCELL_NVRTC to the path of libnvrtc.so.13 or .12");
    Nvrtc::open(std::path::Path::new(&path)).unwrap()
}

fn ptx(name: &str, source: &str, kernels: &[&str]) -> Result<(String, Vec<String>), Error> {
    let options = ["--gpu-architecture=compute_90".to_owned(), "--std=c++17".to_owned()];
    let kernels: Vec<String> = kernels.iter().map(ToString::to_string).collect();
    let (image, names) = nvrtc().compile_named(name, source, &options, Image::Ptx, &kernels)?;
    Ok((String::from_utf8_lossy(&image).into_owned(), names))
}

/// The log of a text that does not compile.
fn refused(name: &str, source: &str) -> String {
    match ptx(name, source, &[]) {
        Err(error @ Error::KernelCompilation { .. }) => compiler_log::advised(error).to_string(),
        other => panic!("{other:?}"),
    }
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_elementwise_kernels_of_all_types() {
    let lists = lists("T x, raw T y, T s", "T z, raw T w");
    let body =
        "if (i % 3 == 0) continue;\nif (i > 100) return;\nz = x * y[_ind.size() - 1 - i] + s; w[i] = y[y.size() - 1]";
    for dtype in DType::ALL {
        let parameters = typed(&lists, &types(&[dtype; 5], &[2]));
        for form in Form::ALL {
            let text = elementwise("norm", &parameters, body, "#define ONE 1", form);
            let kernel = format!("norm_{}", form.name());
            ptx("norm", &text, &[&kernel]).unwrap_or_else(|error| panic!("{dtype}, {form:?}: {error}\n{text}"));
        }
    }
}

/// The programs of a reduction for one axis of each kind, and for many.
const AXES: [ReductionAxes; 3] = [
    ReductionAxes { are_many: [false, false], is_wide: false },
    ReductionAxes { are_many: [false, true], is_wide: false },
    ReductionAxes { are_many: [true, true], is_wide: true },
];

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_reductions_of_all_types() {
    let lists = lists("T x, raw T y, T s", "T z, int32 n");
    for dtype in DType::ALL {
        let parameters = typed(&lists, &types(&[dtype, dtype, dtype, dtype, DType::I32], &[2]));
        for (identity, axes) in [(Some("0"), AXES[0]), (None, AXES[1]), (None, AXES[2])] {
            let (map, reduce, post_map) = ("x * y[_J]", "a + b", "z = a * s; n = y.size()");
            let expressions = Expressions { map, reduce, post_map, identity, kind: None };
            let text = reduction("norm", &parameters, &expressions, "", axes);
            ptx("norm", &text, &["norm_reduce", "norm_finish"])
                .unwrap_or_else(|error| panic!("{dtype}, {axes:?}: {error}\n{text}"));
        }
    }
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_reads_and_writes_16_bytes_and_no_more_than_it_must() {
    let lists = lists("float32 x, float32 y", "float32 z");
    let parameters = typed(&lists, &types(&[DType::F32; 3], &[]));
    let (text, _) =
        ptx("add", &elementwise("add", &parameters, "z = x + y", "", Form::Packed), &["add_packed"]).unwrap();
    assert_eq!(text.matches("ld.global.v4").count(), 2, "what the output held is not read");
    assert_eq!(text.matches("st.global.v4").count(), 1);
    assert!(!text.contains(".local") && !text.contains(".f64"));
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_errors_have_the_lines_of_the_text() {
    let lists = lists("float32 x", "float32 z");
    let parameters = typed(&lists, &types(&[DType::F32; 2], &[]));
    let body = "float y = x;\nz = y + w";
    let expressions =
        Expressions { map: "x", reduce: "a +\n c", post_map: "z = a", identity: Some("none"), kind: None };
    let all = [
        refused("k", &elementwise("k", &parameters, body, "", Form::Packed)),
        refused("k", &elementwise("k", &parameters, "z = x", "int one = \"a\";", Form::Packed)),
        refused("k", &elementwise("k", &parameters, "x = z", "", Form::Strided)),
        refused("k", &reduction("k", &parameters, &expressions, "", AXES[0])),
        refused("k", "\n__global__ void k(float* x) {\n    x[0] = unknown + 1;\n}"),
        refused("k", "#include \"not_there.h\"\n__global__ void k(uint32_t* x) {}"),
    ];
    expect![[r#"
        the CUDA kernel `k` does not compile; the compiler says:
        k(2): error: identifier "w" is undefined
          z = y + w
                  ^

        1 error detected in the compilation of "k".

        the CUDA kernel `k` does not compile; the compiler says:
        k, preamble(1): error: A namespace scope variable without memory space annotations (__device__/__constant__/__shared__/__managed__) is considered a host variable, and host variables are not allowed in JIT mode. Consider using -default-device flag to process unannotated namespace scope variables as __device__ variables in JIT mode
          int one = "a";
              ^

        k, preamble(1): error: a value of type "const char *" cannot be used to initialize an entity of type "int"
          int one = "a";
                    ^

        2 errors detected in the compilation of "k".

        the CUDA kernel `k` does not compile; the compiler says:
        k(1): error: expression must be a modifiable lvalue
          x = z
          ^

        1 error detected in the compilation of "k".

        the CUDA kernel `k` does not compile; the compiler says:
        k, reduce(2): error: identifier "c" is undefined
           c
           ^

        k, identity(1): error: identifier "none" is undefined
          none
          ^

        2 errors detected in the compilation of "k".

        the CUDA kernel `k` does not compile; the compiler says:
        k(3): error: identifier "unknown" is undefined
              x[0] = unknown + 1;
                     ^

        1 error detected in the compilation of "k".

        the CUDA kernel `k` does not compile; the compiler says:
        k(1): catastrophic error: cannot open source file "not_there.h"
          #include "not_there.h"
                                ^

        1 catastrophic error detected in the compilation of "k".
        Compilation terminated.

        Headers are searched for in the folders `include` of the CUDA toolkit (CUDA_HOME) and of Python's nvidia-* packages; `pip install nvidia-cuda-runtime` installs CUDA's own headers. Add other folders with `.options(["-I/path"])`. The functions of `math.h` need no header."#]]
    .assert_eq(&all.join("\n\n"));
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_knows_kernels_by_their_names() {
    let source = "extern \"C\" __global__ void plain(float* x) {}\n\
                  namespace a { template <typename T> __global__ void of(T* x) {} }\n\
                  #define KERNEL(name) __global__ void name(int x)\nKERNEL(hidden) {}\n\
                  __global__ void c() {} __global__ void c(int) {}";
    let (text, names) = ptx("k", source, &["plain", "a::of<float>", "hidden"]).unwrap();
    assert_eq!(names, ["plain", "_ZN1a2ofIfEEvPT_", "_Z6hiddeni"]);
    assert!(names.iter().all(|name| text.contains(&format!(".entry {name}("))));
    let missing = |kernel: &str| compiler_log::missing(&ptx("k", source, &["plain", kernel]).unwrap_err());
    assert_eq!(missing("absent"), Some(vec!["absent".to_owned()]));
    assert!(ptx("k", source, &["a::of< int >"]).is_ok(), "blanks do not matter");
    let Error::KernelCompilation { log, .. } = ptx("k", source, &["c"]).unwrap_err() else {
        panic!("it is not the expected error")
    };
    assert!(log.contains("overloaded function"), "{log}");
}
