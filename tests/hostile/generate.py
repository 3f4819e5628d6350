"""Makes what a kernel must survive: cells, questions and messages that are wrong, too large, or harmful, each from one seed."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

from notebooks import course

KEPT = "let kept = vec![1, 2, 3]; let kept_text = String::from(\"text\");"


@dataclass
class Step:
    """One request."""

    # `execute`, `complete`, `inspect`, `is_complete`, a type of message, or `frames` for bytes as they are.
    kind: str
    text: str = ""
    cursor: int = 0
    content: object = None
    # After how many seconds the cell is interrupted, whatever it does.
    interrupt: float | None = None


@dataclass
class Case:
    """What is done to the kernel, and what may come of it."""

    seed: int
    kind: str
    steps: list[Step] = field(default_factory=list)
    # Whether the process that runs the cells may end.
    may_end_process: bool = False
    # Whether it takes a second interrupt.
    is_stubborn: bool = False
    # Whether later cells may fail until `:clear`, as after an item that is called like one of the standard library.
    may_need_clear: bool = False

    def __str__(self) -> str:
        steps = "\n".join(f"{step.kind}: {step.text[:2000] or str(step.content)[:2000]}" + (f" (interrupted after {step.interrupt:.2f} s)" if step.interrupt else "") for step in self.steps)  # fmt: skip
        return f"=== seed {self.seed}, {self.kind}\n{steps}"


def lesson_cells() -> list[str]:
    cells = [cell for path in course() for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


LESSONS = lesson_cells()
TOKEN = re.compile(r'\s+|//[^\n]*|"(?:\\.|[^"\\])*"?|[A-Za-z_]\w*|\d[\w.]*|::|->|=>|&&|\|\||[=!<>+*/-]=|.', re.DOTALL)
WORDS = """fn let mut if else match loop while for in return break continue struct enum impl trait mod use pub static const unsafe
 async await move ref dyn as where type self Self super crate extern macro_rules! vec! println! format! panic! todo! i32 f64 usize str String Vec
 Option Some None Ok Err Box gpu:: std:: x kept kept_text a b ( ) [ ] { } < > ; , : :: . .. ..= = == + - * / % & && | || ! ? # #[ $ @ ' '_ 'a ' '
 " \\" r#" b' 0 1 2.5 1e400 0x 0b 1_000 'x' "s" /* */ // /// //! #! => -> _ \n""".split(" ")
STRANGE = ["\u202e", "\u200b", "\ufeff", "\u0000", "\u0301", "\u2028", "\r", "\r\n", "\u00a0", "é", "日本", "🦀", "\u1f468\u200d", "\u0085", "\x0c", "\x1b[31m", "\x7f", "ﬁ", "ａ", "\U0010ffff"]  # fmt: skip


def mutated(source: random.Random, text: str) -> str:
    """A text with a few of its tokens removed, doubled, exchanged or replaced."""
    tokens = TOKEN.findall(text)
    for _ in range(source.randint(1, 5)):
        if not tokens:
            break
        at, other = source.randrange(len(tokens)), source.randrange(len(tokens))
        change = source.randrange(7)
        if change == 0:
            del tokens[at]
        elif change == 1:
            tokens.insert(at, tokens[other])
        elif change == 2:
            tokens[at], tokens[other] = tokens[other], tokens[at]
        elif change == 3:
            tokens[at] = source.choice(WORDS)
        elif change == 4:
            tokens.insert(at, source.choice(STRANGE))
        elif change == 5:
            tokens = tokens[:at]
        else:
            tokens[at] = tokens[at][: source.randint(0, len(tokens[at]))]
    return "".join(tokens)


def lesson(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    case.steps.append(Step("execute", mutated(source, source.choice(LESSONS))))


def tokens(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    case.steps.append(Step("execute", " ".join(source.choices(WORDS, k=source.randint(1, 60)))))


PAIRS = ["()", "[]", "{}", "<>", ("if true {", "}"), ("|| {", "}"), ("vec![", "]"), ("Some(", ")"), ("/*", "*/"), ("match 1 { _ => ", "}"), ("fn f() {", "}"), ("mod m {", "}"), ("Box<", ">"), ("&", ""), ("!", ""), ("-", ""), ("1 + ", ""), ("x.a()", ""), ("x?", ""), ("r#\"", "\"#"), ("format!(\"{}\", ", ")"), ("#[cfg(", ")]"), ("async { ", "}.await"), ("loop { ", "break; }")]  # fmt: skip


def nesting(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    depth = source.choice([30, 100, 300, 1000, 5000, 20000])
    opening, closing = source.choice(PAIRS)
    inner = source.choice(["", "1", "x", "\n"])
    text = opening * depth + inner + closing * source.choice([depth, depth, depth - 1, 0])
    if source.random() < 0.3:
        text = f"let x = {text};"
    kind = source.choice(["execute", "execute", "is_complete", "complete", "inspect"])
    case.steps.append(Step(kind, text, source.randint(0, len(text))))


def large(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    size = source.choice([10_000, 100_000, 1 << 20])
    text = source.choice([
        lambda: "// " + "x" * size,
        lambda: f'let long = "{"é" * (size // 2)}"; long.len()',
        lambda: "\n" * size + "1 + 1",
        lambda: "let x = 1;" * min(size // 10, 300),
        lambda: "1 +" * min(size // 3, 60) + " 1",
        lambda: f"[{'1,' * min(size // 2, 20_000)}].len()",
        lambda: f"static LARGE: [u8; {size}] = [1; {size}]; LARGE.len()",
        lambda: f"[0u8; {size * 16}].len()",
        lambda: "macro_rules! m { ($($x:tt)*) => { m!(a $($x)*) } } m!()",
        lambda: "macro_rules! n { ($x:expr) => { n!(($x + 1)) } } n!(1)",
        lambda: "const fn f(n: u64) -> u64 { if n == 0 { 0 } else { f(n - 1) } } const X: u64 = f(1_000_000);",
        lambda: "const L: usize = { let mut n = 0; loop { n += 1; } };",
        lambda: "trait T { type A; } struct S<X>(X); impl<X> T for S<X> where S<S<X>>: T { type A = <S<S<X>> as T>::A; } let x: <S<u8> as T>::A;",
    ])()  # fmt: skip
    case.steps.append(Step("execute", text))


COMMANDS = """:help :clear :vars :type kept :quit :dep :dep nothing-of-that-name-exists = "9" :dep kept :dep = :opt :opt 99 :opt s :opt -1 :opt 2 :fmt {:#?} :fmt {:?} :fmt {}{}
:fmt :sccache 1 :sccache 0 :linker nothing :linker system :version :explain :last_error_json :last_compile_dir :restart :env A=1 :allow_static_linking 0
:preserve_vars_on_panic 0 :preserve_vars_on_panic 1 :timing :time_passes :internal_debug :load_config :cache 100 :cache 0 :build_num_jobs 0 :build_num_jobs 1
:codegen_backend cranelift :toolchain nightly :toolchain stable :types :offline 1 :offline 0 :efmt {} :unstable_features -Zfoo :doc String :nothing :  ::
%timeit %timeit kept.len() %timeit -n 0 1 %timeit -r -1 -n x 1 %time %%timeit %%time %gpusync %gpusync maybe %who %whos u8 %env A=\x00 %env %cd /nowhere %cd %load /nowhere
%%writefile %%writefile /nowhere/x %%bash %%bash exit%203 %lsmagic %celltime %nothing %%nothing ! !exit%203 !kill%20-STOP%20$$%20&%20sleep%200 ? ?? kept? nothing?? !ls?"""


def commands(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    lines = []
    for _ in range(source.randint(1, 3)):
        words = source.choice(re.findall(r"(?:^|(?<=\s))(?=[:%!?]|kept\?|nothing\?)(?:(?!\s[:%!?]|\skept\?|\snothing\?).)+", COMMANDS.replace("\n", " ")))
        line = words.strip().replace("%20", " ")
        lines.append(mutated(source, line) if source.random() < 0.3 else line)
    if source.random() < 0.5:
        lines.insert(source.randint(0, len(lines)), source.choice(["kept.len()", "let y = 1;", "fails(", ""]))
    text = "\n".join(lines)
    # These may end the process, or forget all variables: that is what they are for.
    case.may_end_process = ":restart" in text or ":clear" in text or ":quit" in text or "preserve_vars" in text
    case.steps.append(Step("execute", text))


NAMES = ["String", "Vec", "Option", "Some", "None", "Ok", "Err", "Result", "Box", "std", "core", "alloc", "gpu", "warpcell", "evcxr_internal_runtime", "evcxr_variable_store", "println", "vec", "format", "main", "run_user_code_1", "i32", "f64", "u8", "usize", "bool", "str", "Debug", "Clone", "Drop", "Iterator", "kept", "x", "self_", "drop", "panic", "assert", "stringify", "Send", "Sized", "Array2", "ndarray", "evcxr_display", "vars_ok", "Fn", "Copy", "Default", "Into", "From"]  # fmt: skip
ITEMS = ["mod {0} {{}}", "struct {0};", "enum {0} {{ A }}", "fn {0}() {{}}", "type {0} = u8;", "static {0}: u8 = 1;", "const {0}: u8 = 1;", "trait {0} {{}}", "macro_rules! {0} {{ () => {{}} }}", "let {0} = 1;", "let {0} = kept;", "use std::fmt as {0};", "extern crate std as {0};", "union {0} {{ a: u8 }}", "#[derive(Debug)] struct {0}<T>(T);", "impl {0} {{}}", "fn f({0}: u8) -> u8 {{ {0} }}", "#[no_mangle] pub extern \"C\" fn {0}() {{}}"]  # fmt: skip


def names(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    # A C function of that name may take the place of one of the C library, and a variable may take `kept`.
    for _ in range(source.randint(1, 2)):
        case.steps.append(Step("execute", source.choice(ITEMS).format(source.choice(NAMES))))


OUTPUTS = [
    'println!("EVCXR_BEGIN_CONTENT text/html\\nnever ended");',
    'println!("EVCXR_END_CONTENT"); println!("EVCXR_EXECUTION_COMPLETE");',
    'print!("EVCXR_PANIC_NOTIFICATION\\nEVCXR_VARIABLE_CHANGED_TYPE:kept\\n");',
    'eprintln!("EVCXR_EXECUTION_COMPLETE"); kept.len()',
    'use std::io::Write; std::io::stdout().write_all(b"\\xf0\\x9f\\xa6").unwrap();',
    'use std::io::Write; std::io::stderr().write_all(&[0xe2, 0x82]).unwrap();',
    'for n in 0..200_000 {{ println!("{{n}}"); }}',
    'print!("{{}}", "x".repeat(5_000_000));',
    'std::thread::spawn(|| loop {{ println!("on and on"); std::thread::sleep(std::time::Duration::from_millis(20)); }});',
    'print!("{{}}", char::from(0)); print!("\\r\\x08\\x1b[2J");',
    'gpu::display(&gpu::Html("<script>".repeat(1000)));',
    'struct Bad; impl std::fmt::Debug for Bad {{ fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {{ Err(std::fmt::Error) }} }} Bad',
    'struct Worse; impl std::fmt::Debug for Worse {{ fn fmt(&self, _: &mut std::fmt::Formatter) -> std::fmt::Result {{ panic!("while shown") }} }} Worse',
    '"\\u{{202e}}".repeat({n})',
    'std::process::Command::new("sh").args(["-c", "echo to stdout; echo to stderr >&2; sleep 0.{n}; echo late"]).spawn().unwrap();',
]  # fmt: skip


def output(source: random.Random, case: Case) -> None:
    case.may_need_clear = True
    text = source.choice(OUTPUTS).replace("{n}", str(source.randint(1, 9))).replace("{{", "{").replace("}}", "}")
    case.steps.append(Step("execute", text))


LIBC = "unsafe extern \"C\" { fn close(fd: i32) -> i32; fn dup2(a: i32, b: i32) -> i32; fn raise(signal: i32) -> i32; fn fork() -> i32; fn _exit(status: i32) -> !; fn kill(pid: i32, signal: i32) -> i32; fn getppid() -> i32; fn fcntl(fd: i32, command: i32, value: i32) -> i32; fn waitpid(pid: i32, status: *mut i32, options: i32) -> i32; }\n"  # fmt: skip


def descriptors(source: random.Random, case: Case) -> None:
    case.may_end_process = True
    fd = source.choice([0, 0, 1, 1, 2, 2, *range(3, 24)])
    call = source.choice([f"close({fd})", f"dup2({fd}, {source.choice([0, 1, 2])})", f"dup2({source.choice([0, 1, 2])}, {fd})", f"fcntl({fd}, 4, 2048)", f"for fd in {fd}..64 {{ close(fd); }}"])  # fmt: skip
    case.steps.append(Step("execute", LIBC + f"unsafe {{ {call}; }}"))
    case.steps.append(Step("execute", 'println!("after");'))


def signals(source: random.Random, case: Case) -> None:
    case.may_end_process = True
    number = source.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30, 31])  # fmt: skip
    text = source.choice([f"raise({number});", f"raise({number}); println!(\"on\");", f"kill(std::process::id() as i32, {number});"])  # fmt: skip
    case.steps.append(Step("execute", LIBC + f"unsafe {{ {text} }}"))


PROCESSES = [
    "std::process::exit({n})",
    "std::process::abort()",
    "fn deep(n: u64) -> u64 {{ std::hint::black_box([n; 100])[0] + deep(n + 1) }} deep(0)",
    'struct Bad; impl Drop for Bad {{ fn drop(&mut self) {{ panic!("again") }} }} let _ = {{ let _bad = Bad; panic!("once") }};',
    'std::thread::spawn(|| panic!("in a thread")).join().is_err()',
    'std::thread::spawn(|| {{ std::thread::sleep(std::time::Duration::from_millis({n}00)); panic!("later") }});',
    "unsafe {{ if fork() == 0 {{ panic!(\"in the child\") }} }}",
    "unsafe {{ let child = fork(); if child == 0 {{ println!(\"child\"); _exit(0) }} waitpid(child, std::ptr::null_mut(), 0); }}",
    "unsafe {{ if fork() == 0 {{ std::process::exit({n}) }} }}",
    "unsafe {{ *(8 as *mut u8) = {n}; }}",
    "unsafe {{ std::arch::asm!(\"ud2\") }};",
    "let huge = Vec::<u8>::with_capacity(1 << 62); huge.len()",
    "let huge = gpu::zeros::<f64>((1 << 20, 1 << 24));",
    "let huge = gpu::host::linspace(0.0, 1.0, 1 << 44);",
    "std::panic::panic_any({n}u8)",
    "std::panic::set_hook(Box::new(|_| {{}})); panic!(\"unseen\")",
    "let locked = std::io::stdout().lock(); std::mem::forget(locked); println!(\"on\")",
    "loop {{}}",
    "loop {{ std::hint::black_box(kept.len()); }}",
    "std::thread::sleep(std::time::Duration::from_secs(1000));",
    "std::thread::park();",
    "std::io::stdin().read_line(&mut String::new())",
    "for _ in 0..200 {{ std::thread::spawn(|| std::thread::sleep(std::time::Duration::from_secs(1))); }}",
    "kept[{n}]",
    "\"x\".parse::<i32>()?;",
    "return;",
    "let taken = kept; panic!(\"with it\");",
]  # fmt: skip


# What only ends when its process is ended, by the second interrupt.
STUBBORN = [
    "let guard = std::sync::Mutex::new({n}); let _one = guard.lock(); let _two = guard.lock();",
    "let (_sender, receiver) = std::sync::mpsc::channel::<u8>(); let _ = receiver.recv();",
]


def processes(source: random.Random, case: Case) -> None:
    case.may_end_process = True
    case.may_need_clear = True
    case.is_stubborn = source.random() < 0.05
    text = source.choice(STUBBORN if case.is_stubborn else PROCESSES).replace("{n}", str(source.randint(3, 9))).replace("{{", "{").replace("}}", "}")
    case.steps.append(Step("execute", (LIBC if "fork" in text else "") + text))


ENVIRONMENT = [
    'std::env::set_current_dir("/")',
    'std::fs::create_dir_all("/tmp/hostile/a").unwrap(); std::env::set_current_dir("/tmp/hostile/a").unwrap(); std::fs::remove_dir_all("/tmp/hostile").unwrap();',
    'for (name, _) in std::env::vars_os() {{ unsafe {{ std::env::remove_var(name) }} }}',
    'unsafe {{ std::env::set_var("{name}", "{value}") }}',
    'std::env::vars().count()',
    "%env {name}={value}",
    "%cd /tmp",
]  # fmt: skip


def environment(source: random.Random, case: Case) -> None:
    name = source.choice(["PATH", "HOME", "TMPDIR", "RUSTC", "CARGO", "LD_PRELOAD", "LD_LIBRARY_PATH", "RUSTFLAGS", "RUST_BACKTRACE", "WARPCELL_SESSION", "WARPCELL_DEVICE", "EVCXR_TMPDIR", "LANG", "A", "RAYON_NUM_THREADS"])  # fmt: skip
    value = source.choice(["", "/nowhere", "0", "nonsense", "ü" * 50])
    text = source.choice(ENVIRONMENT).replace("{name}", name).replace("{value}", value).replace("{{", "{").replace("}}", "}")
    case.steps.append(Step("execute", text))
    case.steps.append(Step("execute", source.choice(["1 + 1", "!echo on", 'println!("on");', "%cd /"])))


TYPES = ["execute_request", "complete_request", "inspect_request", "is_complete_request", "history_request", "kernel_info_request", "comm_info_request", "comm_open", "comm_msg", "input_reply", "interrupt_request", "debug_request", "create_subshell_request", "nothing_request", ""]  # fmt: skip


def value(source: random.Random, depth: int = 0) -> object:
    """Any JSON."""
    kind = source.randrange(9 if depth < 3 else 7)
    if kind == 7:
        return [value(source, depth + 1) for _ in range(source.randint(0, 4))]
    if kind == 8:
        return {source.choice(["code", "cursor_pos", "silent", "a", "", "é"]): value(source, depth + 1) for _ in range(source.randint(0, 4))}
    return source.choice([None, True, False, 0, -1, 1 << 70, 1.5, float("inf"), "", "kept", "x" * 1000, "\ud83e", "é🦀"])


def messages(source: random.Random, case: Case) -> None:
    for _ in range(source.randint(1, 3)):
        if source.random() < 0.3:
            frames = [bytes(source.choices(range(256), k=source.randint(0, 40))) for _ in range(source.randint(1, 8))]
            if source.random() < 0.5:
                frames.insert(source.randint(0, len(frames)), b"<IDS|MSG>")
            case.steps.append(Step("frames", content=frames))
            continue
        kind = source.choice(TYPES)
        content: object = {"code": "kept.len()", "cursor_pos": 3, "detail_level": 0, "silent": False, "store_history": True, "user_expressions": {}, "allow_stdin": False}  # fmt: skip
        if source.random() < 0.8:
            field_name = source.choice([*content, "more", "hist_access_type", "n", "data", "comm_id", "value"])
            if source.random() < 0.5:
                content.pop(field_name, None)
            else:
                content[field_name] = value(source)
        else:
            content = value(source)
        case.steps.append(Step(kind, content=content))


def questions(source: random.Random, case: Case) -> None:
    text = source.choice([
        lambda: mutated(source, source.choice(LESSONS)),
        lambda: " ".join(source.choices(WORDS, k=source.randint(0, 40))),
        lambda: source.choice("([{<\"'|#&") * source.choice([10, 1600, 20_000]),
        lambda: "x." * source.choice([10, 300, 3000]),
        lambda: "kept" + source.choice(STRANGE) + ".",
        lambda: source.choice(["%", "%%", ":", "!", "?", ":dep ", "%cd /", "%time kept.", "use std::", "gpu::"]),
    ])()  # fmt: skip
    cursor = source.choice([0, len(text), source.randint(0, max(len(text), 1)), len(text) + 10, 1 << 40])
    case.steps.append(Step(source.choice(["complete", "inspect", "is_complete"]), text, cursor))


KINDS: dict[Callable[[random.Random, Case], None], int] = {
    lesson: 22, tokens: 8, nesting: 8, large: 4, commands: 10, names: 9, output: 7, descriptors: 4, signals: 4, processes: 8, environment: 4, messages: 6, questions: 6,
}  # fmt: skip


def case_of(seed: int) -> Case:
    """The case of a seed."""
    source = random.Random(seed)
    make = source.choices(list(KINDS), list(KINDS.values()))[0]
    case = Case(seed, make.__name__)
    make(source, case)
    for step in case.steps:
        if step.kind == "execute" and source.random() < 0.2:
            step.interrupt = source.uniform(0, 0.6)
    # What a cell takes away is no fault of the kernel's.
    text = " ".join(step.text for step in case.steps)
    case.may_need_clear |= bool(re.search(r"\bkept(_text)?\b", text))
    # Lessons have these commands, too.
    case.may_end_process |= ":clear" in text or ":restart" in text
    return case
