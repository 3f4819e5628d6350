//! The translator's differential tests on a GPU: what the host's compiler made of each function, bit for bit.
//!
//! `WARPCELL_DIFFERENTIAL` names the folder that `cargo test -p warpcell-translate` has filled under the same variable; the head
//! of `prelude/translate/tests/differential.rs` says what its files hold.

use crate::backend::Backend;
use crate::backend::cuda::driver::failures::{Names, Slot};
use crate::backend::cuda::driver::launch::{arguments, launch};
use crate::backend::cuda::driver::module::Module;
use crate::backend::cuda::driver::recorded::Request;
use crate::backend::cuda::{CudaBackend, memory_of, probe};
use crate::backend::tests::check::Check;
use crate::error::{Error, Result};
use std::ffi::CString;
use std::path::Path;
use std::sync::Arc;

#[test]
#[ignore = "needs a CUDA device, and the files of the translator's tests"]
fn gpu_differential() {
    probe().unwrap_or_else(|reason| panic!("no CUDA device: {reason}"));
    let folder = std::env::var_os("WARPCELL_DIFFERENTIAL").expect("WARPCELL_DIFFERENTIAL names a folder");
    let gpu = Arc::new(CudaBackend::new(0).unwrap());
    let mut check = Check::of(gpu.clone());
    let mut programs = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "cu") {
            run(&mut check, &gpu, &path);
            programs += 1;
        }
    }
    assert!(programs > 0, "the folder holds no programs");
    check.finish();
}

/// What is known of a function.
struct Listed<'a> {
    number: usize,
    name: &'a str,
    /// Whether it calls functions that are rounded otherwise on devices.
    is_library: bool,
    parameters: usize,
    results: Vec<&'a str>,
    /// The words of the arguments, and what comes of them.
    calls: Vec<(Vec<u64>, &'a str)>,
}

fn words(text: &str) -> Vec<u64> {
    text.split_whitespace().map(|word| u64::from_str_radix(word, 16).unwrap()).collect()
}

fn listed(text: &str) -> Vec<Listed<'_>> {
    let mut functions: Vec<Listed<'_>> = Vec::new();
    for line in text.lines() {
        if let Some((arguments, outcome)) = line.split_once(" = ") {
            let last = functions.last_mut().expect("a function comes before its calls");
            last.calls.push((words(arguments), outcome));
            continue;
        }
        let (head, results) = line.split_once(" -> ").expect("a function with its results");
        let mut head = head.split_whitespace();
        let (kind, number, name) = (head.next().unwrap(), head.next().unwrap(), head.next().unwrap());
        functions.push(Listed {
            number: number.parse().unwrap(),
            name,
            is_library: kind == "library",
            parameters: head.count(),
            results: results.split_whitespace().collect(),
            calls: Vec::new(),
        });
    }
    functions
}

fn run(check: &mut Check, gpu: &Arc<CudaBackend>, path: &Path) {
    let source = std::fs::read_to_string(path).unwrap();
    let text = std::fs::read_to_string(path.with_extension("txt")).unwrap();
    let name = path.file_stem().unwrap().to_string_lossy().into_owned();
    let options = ["--fmad=false".to_owned()];
    let request = Request { name: &name, source: &source, options: &options, functions: None };
    let module = Module::compile(&gpu.device, &request, String::new()).unwrap_or_else(|error| panic!("{error}"));
    let record = Slot::new(&gpu.device, Names::default()).unwrap();
    record.tell(&module).unwrap();
    let (mut calls, mut others, mut library) = (0, 0, 0);
    for function in listed(&text) {
        let outputs = outputs(gpu, &module, &function).unwrap_or_else(|error| panic!("{}: {error}", function.name));
        for (given, (arguments, expected)) in outputs.iter().zip(&function.calls) {
            calls += 1;
            let (has_failed, found) = (given[0] == 0, &given[1..]);
            let agrees = match *expected {
                "any" => true,
                "fails" => has_failed,
                expected => !has_failed && found == words(expected),
            };
            if function.is_library {
                library += 1;
                others += usize::from(!agrees);
                continue;
            }
            check.note(agrees, &|| {
                format!(
                    "{name}, {}({arguments:x?}) -> {:?}: {found:x?}, failed: {has_failed}; expected {expected}",
                    function.name, function.results
                )
            });
        }
    }
    println!("{name}: {calls} calls; of {library} that use functions of the C library {others} differ in some bits");
    // The module goes before its record.
    drop(module);
    drop(record);
}

/// For each call a word that tells whether it came to its end, and the words of its results.
fn outputs(gpu: &Arc<CudaBackend>, module: &Module, listed: &Listed<'_>) -> Result<Vec<Vec<u64>>> {
    let function = module.function(&CString::new(format!("call_{}", listed.number)).unwrap())?;
    let (count, each) = (listed.calls.len(), 1 + listed.results.len());
    let inputs: Vec<u8> =
        listed.calls.iter().flat_map(|(words, _)| words).flat_map(|word| word.to_le_bytes()).collect();
    assert_eq!(inputs.len(), 8 * count * listed.parameters, "{}", listed.name);
    let (from, to) = (gpu.allocate(inputs.len())?, gpu.allocate(8 * count * each)?);
    gpu.upload(&inputs, &from)?;
    gpu.upload(&vec![0; 8 * count * each], &to)?;
    let (source, target, calls) = (memory_of(&from)?.address(), memory_of(&to)?.address(), count as u32);
    let mut arguments = arguments![source, target, calls];
    // SAFETY: the module is alive, the arguments are those of its kernels; both blocks have a place for each call, and live until
    // the download below has waited.
    unsafe { launch(&gpu.device, function, (count.div_ceil(128) as u32, 1), 128, &mut arguments)? };
    let mut bytes = vec![0; 8 * count * each];
    match gpu.download(&to, 0, &mut bytes) {
        // Some calls are to fail.
        Ok(()) | Err(Error::FunctionFailed { .. }) => {}
        Err(error) => return Err(error),
    }
    let words = bytes.chunks_exact(8).map(|bytes| u64::from_le_bytes(bytes.try_into().unwrap())).collect::<Vec<_>>();
    Ok(words.chunks_exact(each).map(<[u64]>::to_vec).collect())
}
