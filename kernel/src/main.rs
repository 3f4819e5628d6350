//! The Warpcell kernel.
mod build_step;
mod cell_process;
mod environment;
mod evaluator;
mod frames;
mod installation;
mod magics;
mod output_contract;
mod roles;
mod setup;
mod supervisor;
mod completeness {
    pub fn is_complete(_: &str) -> crate::evaluator::Completeness {
        crate::evaluator::Completeness::Complete
    }
}

fn main() {
    if let Some(code) = roles::dispatch() {
        std::process::exit(code);
    }
    let args: Vec<String> = std::env::args().collect();
    if args[1] == "install" {
        let r = setup::install(&setup::Request {
            source: ".".as_ref(),
            prefix: args[2].as_ref(),
            standard_library: args.get(3).map(|x| x.as_ref()),
        });
        if let Err(e) = r {
            eprintln!("{e:#}");
            std::process::exit(1);
        }
        return;
    }
    use evaluator::Evaluator;
    let t = std::time::Instant::now();
    let session = evaluator::rust::Session::prepare().unwrap();
    let mut e = evaluator::rust::RustEvaluator::start(session).unwrap();
    eprintln!("start {:?}", t.elapsed());
    let sink: evaluator::OutputSink = std::sync::Arc::new(|o| println!("  out {o:?}"));
    for cell in std::fs::read_to_string(&args[1]).unwrap().split("\n---\n") {
        let t = std::time::Instant::now();
        println!(">>> {cell}");
        match e.execute(cell, &sink) {
            Ok(o) => println!("  ok {o:?}"),
            Err(x) => println!("  ERR {} {}\n{}", x.name, x.value, x.traceback.join("\n")),
        }
        println!("  {:?}", t.elapsed());
    }
}
