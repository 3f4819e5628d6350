//! The text of kernels around functions: that it compiles for all types and forms, and what the compiler makes of it. No GPU.

use super::functions::{cases, register_helpers};
use super::nvrtc;
use crate::backend::ReduceOperation;
use crate::backend::cuda::codegen::{Form, Place, Tiles};
use crate::backend::cuda::driver::nvrtc::{Form as Made, Nvrtc};
use crate::backend::cuda::map::program::{MapKernel, MapProgram};
use crate::backend::cuda::map::source;
use crate::dtype::DType;
use crate::operations::formulas::{self, Formula};
use expect_test::expect_file;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use warpcell_translate::{FunctionParameter, Scalar, Translation};

const TYPES: [(Scalar, &str); 11] = [
    (Scalar::Bool, "bool"),
    (Scalar::I8, "signed char"),
    (Scalar::U8, "unsigned char"),
    (Scalar::I16, "short"),
    (Scalar::U16, "unsigned short"),
    (Scalar::I32, "int"),
    (Scalar::U32, "unsigned int"),
    (Scalar::I64, "long long"),
    (Scalar::U64, "unsigned long long"),
    (Scalar::F32, "float"),
    (Scalar::F64, "double"),
];

fn translation(name: &str, source: String, parameters: &[Scalar], results: &[Scalar]) -> Translation {
    Translation {
        support: String::new(),
        source,
        name: name.into(),
        parameters: parameters.iter().copied().map(FunctionParameter::Scalar).collect(),
        results: results.to_vec(),
        result_type: String::new(),
        may_fail: false,
        functions: vec![name.into()],
    }
}

/// A function of two parameters of a type.
fn larger(scalar: Scalar, name: &str) -> Translation {
    let source = format!("__device__ __forceinline__ {name} larger({name} a, {name} b) {{ return a > b ? a : b; }}\n");
    translation("larger", source, &[scalar; 2], &[scalar])
}

/// One with several results, of several types, under names that kernels use, too.
fn several() -> Translation {
    let source = "struct Parts { bool _0; double _1; signed char _2; };\n\
                  __device__ Parts at(bool first, unsigned char size, double x0, long long y0) {\n    \
                  return Parts{first && size > 3, x0 * y0, (signed char)size};\n}\n";
    let parameters = [Scalar::Bool, Scalar::U8, Scalar::F64, Scalar::I64];
    translation("at", source.into(), &parameters, &[Scalar::Bool, Scalar::F64, Scalar::I8])
}

fn squared_difference() -> Translation {
    let source =
        "__device__ __forceinline__ float squared_difference(float x, float y) { return (x - y) * (x - y); }\n";
    translation("squared_difference", source.into(), &[Scalar::F32; 2], &[Scalar::F32])
}

/// One that takes a struct between elements.
fn shifted() -> Translation {
    let source = "namespace rust {\nstruct Shift { float by; bool is_up; };\n\
                  __device__ __forceinline__ float shifted(float x, Shift shift, bool on) {\n    \
                  return on && shift.is_up ? x + shift.by : x - shift.by;\n}\n}\n";
    let mut translation = translation("shifted", source.into(), &[Scalar::F32, Scalar::Bool], &[Scalar::F32]);
    translation.name = "rust::shifted".to_owned();
    let shift = FunctionParameter::Struct { item: "cell::Shift".to_owned(), c_name: "rust::Shift".to_owned() };
    translation.parameters.insert(1, shift);
    translation
}

fn text(translation: &Translation, form: Form, scalars: u32, reduction: Option<ReduceOperation>) -> MapProgram {
    MapKernel { translation, form, scalars, reduction, tiles: Tiles::default() }.program()
}

/// The mean of five parts of one array, beside one another.
fn five_points() -> Translation {
    let source = "__device__ __forceinline__ float five_points(float c, float n, float s, float w, float e) { return (c + n + s + w + e) * \
                  0.2f; }\n";
    translation("five_points", source.into(), &[Scalar::F32; 5], &[Scalar::F32])
}

/// Its program for threads with so many columns.
fn of_views(columns: usize) -> MapProgram {
    let mut tiles = Tiles { columns, ..Tiles::default() };
    for (place, (row, column)) in tiles.places.iter_mut().zip([(1, 1), (0, 1), (2, 1), (1, 0), (1, 2)]) {
        *place = Place::Of { group: 0, row, column };
    }
    tiles.places[5] = Place::Packs;
    MapKernel { translation: &five_points(), form: Form::Tiles, scalars: 0, reduction: None, tiles }.program()
}

/// The text of all forms of all functions.
fn texts() -> Vec<MapProgram> {
    use ReduceOperation::{All, Any, Max, Min, Product, Sum};
    let mut all = Vec::new();
    let functions = TYPES.map(|(scalar, name)| larger(scalar, name)).into_iter().chain([
        several(),
        squared_difference(),
        shifted(),
    ]);
    for function in functions {
        let everything = (1 << function.parameters.len()) - 1;
        for form in Form::ALL {
            all.extend([0, 1, everything].map(|scalars| text(&function, form, scalars, None)));
            let reductions: &[ReduceOperation] = match function.results[..] {
                [Scalar::Bool] => &[All, Any, Sum],
                [_] => &[Sum, Product, Max, Min],
                _ => &[],
            };
            all.extend(reductions.iter().map(|&reduction| text(&function, form, 0, Some(reduction))));
        }
    }
    all.extend([1, 2].map(of_views));
    all
}

fn ptx(nvrtc: &Nvrtc, text: &MapProgram) -> String {
    let options = ["--gpu-architecture=compute_90", "--std=c++17"].map(str::to_owned);
    let made = nvrtc.compile("map.cu", &text.source, &options, Made::Ptx);
    String::from_utf8(made.unwrap_or_else(|error| panic!("{error}\n{}", text.source))).unwrap()
}

/// Does the same on each processor, and waits.
fn in_threads(work: impl Fn() + Sync) {
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(1, usize::from) {
            scope.spawn(&work);
        }
    });
}

#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_kernels_around_functions() {
    let (nvrtc, texts) = (nvrtc(), texts());
    let (next, failures) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    in_threads(|| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(text) = texts.get(number) else { break };
            match super::compiled(&nvrtc, number, "map.cu", &text.source) {
                Ok(cubin) if cubin.starts_with(b"\x7fELF") => {}
                Ok(cubin) => failures.lock().unwrap().push(format!("{} bytes of {}", cubin.len(), text.source)),
                Err(error) => failures.lock().unwrap().push(format!("{error}\n{}", text.source)),
            }
        }
    });
    let failures = failures.into_inner().unwrap();
    println!("NVRTC {:?}: {} texts", nvrtc.version, texts.len());
    assert!(failures.is_empty(), "{} failed, the first:\n{}", failures.len(), failures[0]);
}

/// The functions that the checks on a GPU run, as they are translated.
#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_translated_functions() {
    let nvrtc = nvrtc();
    register_helpers();
    for (number, case) in cases().into_iter().enumerate() {
        let source = source(&case.function, None).unwrap_or_else(|error| panic!("{error}"));
        super::compiled(&nvrtc, number, "map.cu", &source).unwrap_or_else(|error| panic!("{error}\n{source}"));
    }
}

/// The most bytes of machine code of a function of the prelude: NVRTC copies functions into one another, which takes it long where they
/// are large and many. Then a part needs `#[inline(never)]`.
const LARGE: usize = 200_000;

/// All functions over arrays that the prelude is made of.
#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_compiles_functions_of_the_prelude() {
    let nvrtc = nvrtc();
    let mut functions = crate::registry::functions();
    functions.retain(|function| !function.name.contains("::tests::"));
    let (next, failures, sizes) = (AtomicUsize::new(0), Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    in_threads(|| {
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(function) = functions.get(number) else { break };
            let cubin = source(function, None).and_then(|source| super::compiled(&nvrtc, number, "map.cu", &source));
            match cubin {
                Ok(cubin) => sizes.lock().unwrap().push((cubin.len(), &function.name)),
                Err(error) => failures.lock().unwrap().push(format!("{}: {error}", function.name)),
            }
        }
    });
    let (failures, mut sizes) = (failures.into_inner().unwrap(), sizes.into_inner().unwrap());
    sizes.sort_unstable();
    let (size, name) = sizes.last().expect("the prelude has functions");
    println!("NVRTC {:?}: {} functions, the largest is {name}, {size} bytes", nvrtc.version, functions.len());
    assert!(failures.is_empty(), "{} failed, the first:\n{}", failures.len(), failures[0]);
    assert!(functions.len() > 250 && *size < LARGE);
}

/// ptxas takes the result of PTX's `abs` for positive, and leaves out what happens when that of the least number is negative.
#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_does_not_see_that_abs_is_one() {
    let nvrtc = nvrtc();
    register_helpers();
    let case = cases().into_iter().find(|case| case.function.name.contains("negative_abs")).unwrap();
    let text = MapProgram { source: source(&case.function, None).unwrap(), name: String::new(), each: 1, threads: 256 };
    let code = ptx(&nvrtc, &text);
    assert!(code.contains(".entry") && !code.contains("abs.s"), "{code}");
}

/// Single facts about generated code.
#[test]
#[ignore = "needs NVRTC: set WARPCELL_NVRTC"]
fn nvrtc_makes_fast_code_of_kernels_around_functions() {
    let (nvrtc, function) = (nvrtc(), squared_difference());
    let count = |code: &str, words: [&str; 2]| words.iter().map(|word| code.matches(word).count()).sum::<usize>();
    let packed = ptx(&nvrtc, &text(&function, Form::Packed, 0, None));
    assert_eq!(
        count(&packed, ["ld.global.v4.f32", "ld.global.v4.b32"]),
        2,
        "16 bytes of each array at once:\n{packed}"
    );
    assert_eq!(count(&packed, ["st.global.v4.f32", "st.global.v4.b32"]), 1, "{packed}");
    assert!(packed.contains(".entry packed_squared_difference("), "what profiles show");
    assert!(!packed.contains(".local") && !packed.contains(".f64"), "{packed}");
    let summed = ptx(&nvrtc, &text(&function, Form::Packed, 0, Some(ReduceOperation::Sum)));
    assert!(
        count(&summed, ["ld.global.v4.f32", "ld.global.v4.b32"]) >= 4,
        "two loads of each array at once:\n{summed}"
    );
    assert!(!summed.contains(".local") && summed.contains(".entry sum_packed_squared_difference("), "{summed}");
    let strided = ptx(&nvrtc, &text(&function, Form::Strided, 0, None));
    assert!(!strided.contains("div."), "no division by the lengths of axes:\n{strided}");
}

#[test]
fn a_loop_takes_one_element_a_thread_and_a_small_function_many() {
    let each = |translation: &Translation, form| text(translation, form, 0, None).each;
    assert_eq!(each(&squared_difference(), Form::Packed), 4);
    assert_eq!(each(&squared_difference(), Form::Single), 1);
    assert_eq!(each(&larger(Scalar::U8, "unsigned char"), Form::Packed), 16);
    assert_eq!(each(&larger(Scalar::F64, "double"), Form::Packed), 2);
    let mut looping = larger(Scalar::I32, "int");
    looping.source = "__device__ int larger(int a, int b) {\n    while (a < b) { a += 1; }\n    return a;\n}\n".into();
    assert_eq!(each(&looping, Form::Packed), 1);
    assert_eq!(text(&looping, Form::Packed, 0, None).name, "single_larger");
    assert_eq!(
        (text(&looping, Form::Strided, 0, None).threads, text(&squared_difference(), Form::Single, 0, None).threads),
        (128, 256)
    );
    // With less to read a thread takes more, so that memory is kept busy.
    let sum = |scalars| text(&squared_difference(), Form::Packed, scalars, Some(ReduceOperation::Sum)).each;
    assert_eq!((sum(0), sum(1)), (8, 16));
}

#[test]
fn names_of_kernels_are_their_own() {
    let mut function = squared_difference();
    function.source += "__device__ int packed_squared_difference() { return 0; }\n";
    assert_eq!(text(&function, Form::Packed, 0, None).name, "packed_squared_difference_");
}

#[test]
fn a_program_for_rows_is_as_in_the_file() {
    let program = text(&squared_difference(), Form::Rows, 0, None);
    assert_eq!((program.each, program.threads), (4, 256));
    expect_file!["snapshots/squared_difference_by_rows.cu"].assert_eq(&program.source);
}

#[test]
fn a_program_for_tiles_is_as_in_the_file() {
    let program = text(&squared_difference(), Form::Tiles, 0, None);
    assert_eq!((program.each, program.threads), (8, 256));
    expect_file!["snapshots/squared_difference_by_tiles.cu"].assert_eq(&program.source);
}

#[test]
fn programs_for_views_of_one_array_are_as_in_the_files() {
    let (pairs, single) = (of_views(2), of_views(1));
    assert_eq!([&pairs, &single].map(|program| (program.each, program.threads)), [(4, 256), (8, 256)]);
    expect_file!["snapshots/five_points_in_pairs.cu"].assert_eq(&pairs.source);
    expect_file!["snapshots/five_points.cu"].assert_eq(&single.source);
}

#[test]
fn programs_are_as_in_the_files() {
    register_helpers();
    for case in cases() {
        if ["squared_difference", "polar"].contains(&case.function.name) {
            expect_file![format!("snapshots/{}.cu", case.function.name)]
                .assert_eq(&source(&case.function, None).unwrap());
        }
    }
}

#[test]
fn formulas_of_operations_have_a_translation() {
    let floats: [Formula; 16] = [
        formulas::larger,
        formulas::smaller,
        formulas::sinc,
        formulas::step,
        formulas::log_of_sum,
        formulas::log2_of_sum,
        formulas::fraction_and_whole,
        formulas::next_towards,
        formulas::number_for,
        formulas::quotient_and_rest,
        formulas::turn,
        formulas::cosines,
        formulas::triangle,
        formulas::is_close,
        formulas::limited,
        formulas::power,
    ];
    let integers: [Formula; 5] =
        [formulas::limited, formulas::power, formulas::quotient, formulas::ones, formulas::quotient_and_rest];
    let of_floats = floats.iter().flat_map(|formula| [DType::F32, DType::F64].map(formula));
    let types = [DType::U8, DType::I32, DType::U32, DType::I64, DType::U64];
    let of_integers = integers.iter().flat_map(|formula| types.map(formula));
    for name in of_floats.chain(of_integers) {
        let function = crate::registry::find(name).expect("it is registered");
        let text = source(&function, None).expect("it can be translated");
        assert!(text.contains("__global__"), "{name}");
    }
}
