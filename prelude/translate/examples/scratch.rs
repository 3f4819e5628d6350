#[path = "../tests/program/mod.rs"]
mod program;
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let text = std::fs::read_to_string(&args[1]).unwrap();
    let t = program::program(&text, &[]).translate(&args[2]);
    match t {
        Ok(t) => {
            if args.len() > 3 {
                println!("{}", t.support);
            }
            println!("{}", t.source);
            eprintln!(
                "{} {:?} {:?} {} fail {} {:?}",
                t.name, t.parameters, t.results, t.result_type, t.may_fail, t.functions
            )
        }
        Err(e) => println!("ERROR {e}"),
    }
}
