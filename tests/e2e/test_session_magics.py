"""The magics that show or change what a session runs in, shell lines, and files, as a user types them."""

import os
import re

import nbformat
import pytest


@pytest.fixture
def folder(kernel, tmp_path):
    """A folder that the cells are in; afterwards they are back where they were."""
    before = kernel.check("std::env::current_dir().unwrap().display().to_string()").value.strip('"')
    folder = tmp_path / "a folder"
    folder.mkdir()
    assert kernel.check(f"%cd {folder}").stdout == f"{folder}\n"
    yield folder
    kernel.check(f"%cd -q {before}")


def test_cd_moves_cells_shell_lines_and_files(kernel, folder):
    (folder / "inner").mkdir()
    assert kernel.check("std::env::current_dir().unwrap().display().to_string()").value == f'"{folder}"'
    assert kernel.check("!pwd").stdout == f"{folder}\n"
    assert kernel.check("%cd inner\n!pwd\n%cd -q -\n!pwd").stdout == f"{folder}/inner\n" * 2 + f"{folder}\n"
    assert kernel.check("!pwd\n:version").stdout == f"{folder}\n", "above a command too"
    assert kernel.check("%cd\n%cd -q -").stdout == f"{os.path.expanduser('~')}\n"


def test_a_directory_that_does_not_exist(kernel, folder):
    result = kernel.run("let kept = 1;\n%cd nowhere")
    assert "nowhere" in result.error_text and str(folder) in result.error_text and "line 2" in result.error_text
    assert kernel.check("!pwd").stdout == f"{folder}\n"


def test_env_sets_what_cells_and_shells_see(kernel):
    assert kernel.check("%env WARPCELL_TEST=a value").stdout == "env: WARPCELL_TEST=a value\n"
    assert kernel.check('std::env::var("WARPCELL_TEST").unwrap()').value == '"a value"'
    assert kernel.check("!echo $WARPCELL_TEST").stdout == "a value\n"
    assert kernel.check("%env WARPCELL_TEST").stdout == "a value\n"
    kernel.check("%env WARPCELL_TEST_TOKEN=hush")
    listed = kernel.check("%env").stdout.splitlines()
    assert "WARPCELL_TEST=a value" in listed and "WARPCELL_TEST_TOKEN=<hidden>" in listed
    kernel.check("%env -u WARPCELL_TEST")
    result = kernel.run("%env WARPCELL_TEST")
    assert "`WARPCELL_TEST` is not set" in result.error_text
    assert "no option `-x`" in kernel.run("%env -x A").error_text


def test_programs_do_not_get_the_settings_of_the_driver(fresh_kernel):
    """A context of the driver is made sooner with one queue for copies; that is for cells only, and users may change it."""
    kernel = fresh_kernel()
    name = "CUDA_DEVICE_MAX_COPY_CONNECTIONS"
    ours = kernel.check(f'std::env::var("{name}").unwrap()').value
    theirs = os.environ.get(name)
    assert ours == (f'"{theirs}"' if theirs else '"1"')
    assert kernel.check(f"!echo [${name}]").stdout == f"[{theirs or ''}]\n"
    kernel.check(f"%env {name}=4")
    assert kernel.check(f"!echo [${name}]").stdout == "[4]\n"


def test_a_new_process_has_the_directory_and_the_environment(fresh_kernel, tmp_path):
    kernel = fresh_kernel()
    start = kernel.check("!pwd").stdout
    kernel.check(f"%cd -q {tmp_path}\n%env WARPCELL_TEST=a value\n%env -u HOME")
    asked = "!pwd\n!echo $WARPCELL_TEST ${HOME-none}"
    expected = f"{tmp_path}\na value none\n"
    assert kernel.check(asked).stdout == expected
    assert kernel.run("std::process::abort()").error["ename"] == "CellProcessDied"
    assert kernel.check(asked).stdout == expected
    kernel.check(":restart")
    assert kernel.check(asked).stdout == expected
    assert kernel.check("%cd -").stdout == start
    (tmp_path / "gone").mkdir()
    kernel.check(f"%cd -q {tmp_path}/gone")
    result = kernel.run("std::fs::remove_dir(\".\").or_else(|_| std::fs::remove_dir(std::env::current_dir().unwrap())).unwrap();"
                        " std::process::abort()")
    assert result.error["ename"] == "CellProcessDied"
    said = result.stderr + kernel.check("!pwd").stderr
    assert f"{tmp_path}/gone, can no longer be entered" in said, said


def test_shell_lines_run_in_their_turn_and_stream(kernel):
    result = kernel.check('let n = 3;\nprintln!("before {n}");\n!echo between; echo error >&2\nprintln!("after");')
    assert result.stdout == "before 3\nbetween\nafter\n" and result.stderr == "error\n"
    assert kernel.check("// first\n!echo one\n!echo two\n1 + 1").value == "2"
    assert kernel.check("n").value == "3"


def test_a_failing_shell_line_is_an_error_and_keeps_variables(kernel):
    kernel.check("let survivor = 7;")
    result = kernel.run("!exit 3")
    assert "`!exit 3` failed: exit status 3" in result.error_text and "line 1" in result.error_text
    assert "not found" in kernel.run("!no-such-command").error_text
    assert kernel.check("survivor").value == "7"


def test_shell_lines_above_commands_are_like_others(kernel):
    result = kernel.check("!echo one; echo error >&2\n:dep rayon\n!echo two\nlet below = 5;\nbelow")
    assert result.stdout == "one\ntwo\n" and result.stderr == "error\n" and result.value == "5"
    result = kernel.run("// nothing\n!exit 3\n:dep no_such_crate_at_all")
    assert "`!exit 3` failed: exit status 3" in result.error_text and "line 2" in result.error_text
    assert "no_such_crate" not in result.error_text.replace(":dep no_such_crate_at_all", "")
    result = kernel.check('!yes "a line" | head -c 5000000\n:version')
    assert 2_000_000 <= len(result.stdout) < 2_010_000 and "dropped" in result.stdout + result.stderr
    result = kernel.run("!echo running; sleep 600\n:version", on_message=kernel.interrupt_when("running"), seconds=240)
    assert result.error["ename"] == "Interrupted"
    assert kernel.check("!true\n%%time\nbelow").value == "5"


def test_negations_stay_rust(kernel):
    assert kernel.check("let is_done = true;\n!is_done").value == "false"
    assert kernel.check("let other = 1;\n!is_done").value == "false"


def test_shell_lines_have_the_values_of_variables(kernel, folder):
    kernel.check('let name = "one"; let n = 3; let place = std::path::PathBuf::from("/tmp"); let list = vec![1, 2];')
    assert kernel.check("!echo {name} $name {n + 1} {n:03} {place} {list:?} {list.len()}").stdout == "one one 4 003 /tmp [1, 2] 2\n"
    # IPython's names of the same cell count too, and a path has the text that it is shown with.
    assert kernel.check('let here = std::path::Path::new("a b");\n!echo \'{here}\' {name}').stdout == "a b one\n"
    assert kernel.check("!echo {name}\n:version").stdout == "one\n", "above a command too"
    home = os.environ["HOME"]
    asked = "!echo $HOME ${HOME} ${name:-none} {a,b} {none}; echo x y | awk '{print $2}'; for n in 1 2; do echo $n; done"
    assert kernel.check(asked).stdout == f"{home} {home} none {{a,b}} {{none}}\ny\n1\n2\n"
    result = kernel.run("let kept = 1;\n!echo {list}")
    assert "`list` has no text" in result.error_text and "`{list:?}`" in result.error_text and "line 2" in result.error_text
    assert kernel.check("(kept, list.len())").value == "(1, 2)"


def test_lines_of_a_command_are_kept(kernel):
    assert kernel.check("let lines = !printf 'a\\nb\\n'; echo seen >&2\nlines.join(\"+\")").value == '"a+b"'
    assert kernel.check("let mut lines: Vec<String> = !echo c d;\nlines").value == '["c d"]'
    kernel.check("lines = !echo e")
    assert kernel.check("lines").value == '["e"]'
    result = kernel.run("let none = !exit 3")
    assert "`!exit 3` failed" in result.error_text and "line 1" in result.error_text
    assert "write `let files = !ls`" in kernel.run("files = !ls").error_text
    kernel.check("let is_so = true;")
    assert kernel.check("let is_not = !is_so;\nlet mask = !0u8;\n(is_not, mask, lines.len())").value == "(false, 255, 1)"
    result = kernel.run("let late = !echo running >&2; sleep 600", on_message=kernel.interrupt_when("running"), seconds=240)
    assert result.error["ename"] == "Interrupted"


def test_variables_of_the_environment_are_made_of_others(kernel, folder):
    home = os.environ["HOME"]
    assert kernel.check("%env WARPCELL_A=$HOME/x:${HOME}").stdout == f"env: WARPCELL_A={home}/x:{home}\n"
    assert kernel.check("let part = 5;\n%env WARPCELL_B={part}-$part").stdout == "env: WARPCELL_B=5-5\n"
    assert kernel.check("%env WARPCELL_C='$HOME {part}'").stdout == "env: WARPCELL_C=$HOME {part}\n"
    result = kernel.run("%env WARPCELL_D=$WARPCELL_NONE/x")
    assert "`WARPCELL_NONE` is not set" in result.error_text and "line 1" in result.error_text
    assert kernel.check("%cd $HOME").stdout == f"{home}\n"
    kernel.check(f"%cd -q {folder}")


def test_a_script_of_bash(kernel):
    result = kernel.check('%%bash\nfor word in one "two three" \'%time x?\'; do\n  echo "$word"  # it\'s\ndone')
    assert result.stdout == "one\ntwo three\n%time x?\n"


def test_a_failing_script(kernel):
    result = kernel.run("%%bash\necho out\nnosuchcommand")
    assert "exit status 127" in result.error_text and result.stdout == "out\n"
    assert "line 3" in result.stderr, "bash counts lines as the cell does"
    assert kernel.check("%%bash --no-raise-error\nexit 4").ok


def test_writefile_and_load(kernel, folder):
    assert kernel.check('%%writefile code.rs\nfn one() -> i32 { 1 }\n\nfn two() -> i32 {\n    2 % 3 // "\n}').stdout == (
        "Writing code.rs\n"
    )
    assert (folder / "code.rs").read_text() == 'fn one() -> i32 { 1 }\n\nfn two() -> i32 {\n    2 % 3 // "\n}\n'
    assert kernel.check("%%writefile -a code.rs\n// end").stdout == "Appending to code.rs\n"
    payload = kernel.check("%load code.rs").reply["payload"]
    assert payload == [
        {
            "source": "set_next_input",
            "text": '// %load code.rs\nfn one() -> i32 { 1 }\n\nfn two() -> i32 {\n    2 % 3 // "\n}\n// end',
            "replace": True,
        }
    ]
    part = kernel.check("%load -s one code.rs").reply["payload"][0]["text"]
    assert part == "// %load code.rs\nfn one() -> i32 { 1 }"
    assert kernel.check(part + "\none()").value == "1", "what was loaded runs"
    assert kernel.check("%load -r 3-4 code.rs").reply["payload"][0]["text"].endswith("fn two() -> i32 {\n    2 % 3 // \"")
    assert kernel.check("%%writefile code.rs\n").stdout == "Overwriting code.rs\n"


def test_files_that_cannot_be_had(kernel, folder):
    result = kernel.run("%load missing.rs")
    assert result.error["ename"] == "FileError" and str(folder / "missing.rs") in result.error_text
    assert "no folder" in kernel.run("%%writefile no folder/x\ny").error_text
    (folder / "code.rs").write_text("fn f() {}\n")
    assert "no item `g`" in kernel.run("%load -s g code.rs").error_text


def test_who_and_whos(fresh_kernel):
    session = fresh_kernel()
    assert session.check("%who").stdout == "There are no variables yet.\n"
    assert session.check("%whos").stdout == "There are no variables yet.\n"
    session.check(
        "struct Opaque(u8);\nlet count = 3;\nlet text = \"some\".to_owned();\nlet opaque = Opaque(1);\n"
        "let on_device = gpu::zeros::<f32>((2, 3));\nlet on_host = Array2::<f64>::zeros((4, 5));"
    )
    assert session.check("%who").stdout == "count  on_device  on_host  opaque  text\n"
    assert session.check("%who i32").stdout == "count\n"
    table = session.check("%whos").stdout
    rows = {line.split()[0]: line for line in table.splitlines()[2:]}
    assert table.splitlines()[0].split() == ["Variable", "Type", "Data/Info"]
    assert re.search(r"i32 +3$", rows["count"]) and rows["text"].endswith('"some"')
    assert re.search(r"2x3: f32 on (cpu|cuda:\d), 24 bytes$", rows["on_device"])
    assert rows["on_host"].endswith("4x5: f64 on host, 160 bytes")
    assert rows["on_host"].split()[1] == "Array2<f64>", "types are written as users write them"
    assert session.check("%who Array2").stdout == "on_host\n"
    assert rows["opaque"].endswith("(no Debug) 1 bytes")
    assert set(session.check("%whos DeviceArray").stdout.splitlines()[2].split()) >= {"on_device"}
    assert session.check("on_device.sum() + on_host.sum() as f32 + f32::from(opaque.0)").value == "1.0", "none is moved"


def test_gpuinfo(kernel):
    rows = dict(line.split(":", 1) for line in kernel.check("%gpuinfo").stdout.splitlines())
    assert re.search(r"used of .* \(\d+ %\)", rows["Memory"]) and "in use" in rows["Arrays"]
    if rows["Device"].strip().startswith("cuda"):
        assert "CUDA" in rows["Driver"] and "Utilisation" in rows and "NVRTC" in rows["Compiler"]
    else:
        assert rows["Device"].strip().startswith("CPU") and int(rows["Threads"]) >= 1 and rows["No GPU"].strip()


def test_celltime_adds_up(kernel):
    kernel.check("std::thread::sleep(std::time::Duration::from_millis(300));")
    text = kernel.check("%celltime").stdout
    total = re.match(r"The last cell took (\S+) (ms|s):", text)
    seconds = float(total[1]) * (1e-3 if total[2] == "ms" else 1)
    rows = {name: float(value) * (1e-3 if unit == "ms" else 1) for name, value, unit in
            re.findall(r"^  (\w+) +([\d.]+) (ms|s) ", text, re.MULTILINE)}
    assert set(rows) == {"analysis", "compiler", "load", "run", "kernel"}
    # The kernel hears a little later than it happens that a cell runs.
    assert 0.2 <= rows["run"] < seconds and rows["compiler"] > 0 and rows["load"] < 0.3
    assert abs(sum(rows.values()) - seconds) < 0.05 * seconds
    assert kernel.check("%celltime").stdout == text, "it does not measure itself"
    kernel.run("let wrong: i32 = \"text\";")
    assert re.search(r"run +0\.00 ms", kernel.check("%celltime").stdout)


def test_the_result_of_timeit(kernel):
    kernel.check("%timeit -q -n 4 -r 2 -v measured std::hint::black_box(1) + 1")
    assert kernel.check(
        "measured.all_runs.len() == 2 && measured.timings()[0] * 4.0 == measured.all_runs[0] && measured.stdev >= 0.0"
    ).value == "true"
    seconds = float(kernel.check("measured.compile_time.unwrap()").value)
    assert 0.01 < seconds < 60
    assert "per loop (mean" in kernel.check("measured.to_string()").value


def test_a_cell_is_checked_and_not_run(kernel):
    result = kernel.check("%check\nlet unseen = 1;\nprintln!(\"{unseen}\");\nunseen + 1")
    assert result.stdout == "The cell compiles.\n" and result.value is None
    assert kernel.run("unseen").error["ename"] == "CompileError", "nothing was defined"
    kernel.check("let seen = vec![1, 2];")
    result = kernel.run("%%check\nlet a = 1;\nlet b: i32 = \"three\";\na + sene.len() as i32")
    assert result.error["ename"] == "CompileError"
    assert "line 3" in result.error_text and "mismatched types" in result.error_text
    assert "line 4" in result.error_text and "sene" in result.error_text
    assert kernel.check("seen.len()").value == "2", "variables are as before"
    # Corrected lines are those of a cell that runs.
    assert "gpu::zeros" in kernel.run("%check\nlet a = np.zeros((2, 3));").error_text
    assert kernel.run("%check\n%time nope(1);").error["ename"] == "CompileError"
    assert "can only be run" in kernel.run("%check\n:dep itoa").error_text
    assert kernel.check("%check\nfn later() -> i32 { 3 }\nlater()").ok
    # Variables that a cell moves away, its own and those of other cells.
    kernel.check("let moved = vec![String::new()];")
    for cell in ("let v = vec![1]; drop(v);", "drop(moved);", "for word in moved { println!(\"{word}\"); }", "let s = String::new(); let t = s;"):
        assert kernel.check(f"%check\n{cell}").ok, cell
    assert "moved" in kernel.run("%check\nlet w = vec![1]; drop(w); drop(w);").error_text
    assert "`it` holds a reference" in kernel.run("%check\nlet u = vec![1]; let it = u.iter();").error_text
    assert kernel.check("fn later() -> i32 { 4 }\nlater()").value == "4"


def test_a_check_shows_what_a_run_shows(fresh_kernel, tmp_path):
    """The same errors in the same order, one line further down; and nothing where a run compiles."""
    kernel = fresh_kernel()
    (tmp_path / "wrong.rs").write_text("let fine = 1;\nlet wrong: i32 = \"a\";\n")

    def text(result) -> str:
        """What is shown, without numbers of lines."""
        return re.sub(r"\d+", "N", result.stdout + result.error_text)

    refused = [
        "let add = |x: i32| x + 1;",
        "let add = |x: i32| x + 1;\nadd(1)",
        "let x = [1, 2][5];",
        "let y = 1 / 0;",
        "let n = i32::MAX + 1;",
        "let small: u8 = 256;",
        "const A: usize = [1][3];",
        "let text = &String::from(\"a\");",
        "let u = vec![1]; let it = u.iter();",
        "let w = vec![1]; drop(w); drop(w);",
        "let a: i32 = \"one\";\nlet b = nope;\nlet c: u8 = 2.0;",
        "fn f() -> i32 { \"a\" }\nlet w = unknown();",
        "let v = vec![1];\ndrop(v);\nv.len()",
        "let q = 3 // 2",
        "let a = np.zeros(3)\nb = 4",
        "%%capture\nlet z: i32 = \"a\";",
        "%%capture out\n%%time\nlet z = |x: i32| x;",
        "%time nope()",
        "%run nowhere.rs",
        f"%run {tmp_path / 'wrong.rs'}",
        "let a = 1;\n%who\nlet b =\n%who\n2;",
        "if true {\n    %who\n}",
    ]
    for cell in refused:
        checked = kernel.run(f"%check\n{cell}")
        assert text(checked) == text(kernel.run(cell)), cell
    # What only happens when it runs is not known, and nothing is left of the checks.
    assert kernel.check("%check\nlet i = 7;\n[1, 2, 3][i]").stdout == "The cell compiles.\n"
    assert kernel.check("%who").stdout == "There are no variables yet.\n"
    kernel.check("let counted = vec![1, 2];\nstatic COUNT: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(1);")
    for cell in ("%%capture out\nlet z = 1;", "let counted = 5u8;", "fn counted() -> u8 { 1 }\ncounted()", "drop(counted);"):
        assert kernel.check(f"%check\n{cell}").stdout == "The cell compiles.\n", cell
    kernel.check("%check\nstatic COUNT: u8 = 3;\nstruct Later(u8);\nCOUNT")
    assert kernel.check("COUNT.fetch_add(1, std::sync::atomic::Ordering::SeqCst)").value == "1"
    assert kernel.check("counted").value == "[1, 2]"
    assert kernel.check("%who").stdout == "counted\n"
    result = kernel.run(f"%check\nlet a = 1;\n%run {tmp_path / 'wrong.rs'}\nfine + a")
    assert "`%check` runs nothing" in result.error_text


def test_values_are_put_into_the_names_of_files(fresh_kernel, tmp_path):
    kernel = fresh_kernel()
    kernel.check(f"%cd -q {tmp_path}\nlet name = \"first\"; let n = 2; let list = vec![1];")
    kernel.check("%%writefile {name}-{n:02}.rs\nlet of_file = {name}.len();".replace("{name}.len()", "name.len()"))
    assert (tmp_path / "first-02.rs").read_text() == "let of_file = name.len();\n"
    assert kernel.check("%run {name}-{n:02}.rs\nof_file").value == "5"
    # A value of the lines above it.
    assert kernel.check('let path = std::path::PathBuf::from("first-02.rs");\n%run {path}\nof_file + 1').value == "6"
    assert kernel.check("%load {name}-{n:02}.rs").reply["payload"][0]["text"].startswith("// %load first-02.rs\n")
    kernel.check("%history -l 1 -f {name}.txt")
    assert (tmp_path / "first.txt").read_text() == "%load {name}-{n:02}.rs\n"
    result = kernel.run("%run {list}.rs")
    assert "the value of `list` has no text" in result.error_text, result.error_text
    # In single quotes nothing is replaced, and what is no variable stays.
    for line in ("%run '{name}.rs'", "%run {nothing}.rs"):
        assert "cannot be read" in kernel.run(line).error_text, line
    result = kernel.run("%check\n%run {name}-02.rs")
    assert "does not know the values" in result.error_text, result.error_text


def test_lines_work_in_their_order(fresh_kernel, tmp_path):
    kernel = fresh_kernel()
    file = tmp_path / "below.rs"
    file.write_text("println!(\"file: {above}\");\nlet of_file = above + 1;\n")
    result = kernel.check(f"let above = 10;\nprintln!(\"above\");\n%run {file}\nprintln!(\"below\");\n2 * of_file")
    assert result.stdout == "above\nfile: 10\nbelow\n" and result.value == "22"
    # A file that the cell itself writes.
    made = tmp_path / "made.rs"
    assert kernel.check(f"!echo 'let made = 5;' > {made}\n%run {made}\nmade").value == "5"
    assert kernel.check("let one = 1;\n%who i32\nlet two = 2;\n%who i32").stdout.split() == (
        "above made of_file one above made of_file one two".split()
    )
    assert "three" in kernel.check("let three = 3;\n%whos").stdout
    result = kernel.check("above\n%lsmagic")
    assert result.value == "10" and "Line magics" in result.stdout
    result = kernel.check(f"let last = 1;\n%load {made}\nprintln!(\"{{last}}\");")
    assert result.stdout == "1\n" and result.reply["payload"][0]["text"].endswith("let made = 5;")
    # An error below the file comes when the file has run, with the line of the cell. One above it keeps the file from running.
    result = kernel.run(f"%run {file}\nlet a = 1;\n%who\nlet wrong: i32 = \"a\";")
    assert "file: 10" in result.stdout and "line 4" in result.error_text
    result = kernel.run(f"let wrong: i32 = \"a\";\n%run {file}")
    assert result.stdout == "" and result.error["ename"] == "CompileError"
    # Wrong uses are seen before anything runs.
    for cell, said in [
        (f"println!(\"ran\");\n%run {file}\n%nothing", "line 3: there is no magic `%nothing`"),
        (f"for i in 0..2 {{\n    %run {file}\n}}", "line 2: `%run`: it cannot stand inside brackets"),
        (f"%%time\nprintln!(\"ran\");\n%run {file}", "line 3: `%run`: it cannot stand below code in a cell with `%%time`"),
        ("above\n%who\nabove", "line 2: `%who`: the statement before it is unfinished; end it with `;`"),
    ]:
        result = kernel.run(cell)
        assert said in result.error_text and result.stdout == "", cell


def test_files_and_notebooks_run_as_cells(kernel, folder):
    (folder / "helpers.rs").write_text("fn double(x: i32) -> i32 { 2 * x }\nlet from_file = double(4);\nprintln!(\"run\");\n")
    result = kernel.check("%run helpers.rs\ndouble(from_file)")
    assert result.stdout == "run\n" and result.value == "16"
    (folder / "wrong.rs").write_text("let fine = 1;\nlet wrong: i32 = \"a\";\n")
    result = kernel.run("%run wrong.rs")
    assert result.error["ename"] == "CompileError" and "line 2" in result.error_text and "in wrong.rs" in result.error_text
    (folder / "panics.rs").write_text("let zero = from_file - 8;\nfrom_file / zero")
    result = kernel.run("%run panics.rs")
    assert result.error["ename"] == "Panic" and "line 2" in result.error_text and "in panics.rs" in result.error_text
    assert kernel.check("from_file").value == "8"
    # An error of the cell's own code is not one of the file.
    result = kernel.run("%run helpers.rs\nlet wrong: i32 = \"a\";")
    assert "line 2" in result.error_text and "in helpers.rs" not in result.error_text
    (folder / "circle.rs").write_text("%run circle.rs\n")
    assert kernel.run("%run circle.rs").error["ename"] == "RecursionError"
    cells = [("code", "let from_notebook = 5;"), ("markdown", "# A title"), ("code", "from_notebook + 1")]
    notebook = nbformat.v4.new_notebook(
        cells=[getattr(nbformat.v4, f"new_{kind}_cell")(text) for kind, text in cells],
        metadata={"kernelspec": {"name": "warpcell", "display_name": "Rust GPU", "language": "rust"}},
    )
    nbformat.write(notebook, folder / "first.ipynb")
    result = kernel.check("%run first.ipynb\nfrom_notebook")
    assert result.value == "5" and [display["text/plain"] for display in result.displays] == ["6"]


def test_the_cells_before_are_shown(fresh_kernel):
    session = fresh_kernel()
    session.check("let first = 1;")
    session.run("let second: i32 = \"a\";")
    session.check("first", store_history=False)
    assert session.check("%history").stdout == "let first = 1;\nlet second: i32 = \"a\";\n"
    assert session.check("%history -n -l 1 -g second").stdout == "2: let second: i32 = \"a\";\n"
    assert session.check("%history -n 1 3").stdout == "1: let first = 1;\n3: %history\n"
    assert session.check('%history 1-2 -n -g"second: *i32"').stdout == '2: let second: i32 = "a";\n'
    result = session.run("%history -o")
    assert "there are `-n`, `-l COUNT`" in result.error_text


@pytest.mark.parametrize(
    ("name", "mime_type"),
    [("html", "text/html"), ("markdown", "text/markdown"), ("latex", "text/latex"), ("svg", "image/svg+xml"), ("javascript", "application/javascript")],
)
def test_texts_are_drawn_by_the_front_end(kernel, name, mime_type):
    (display,) = kernel.check(f"%%{name}\n<svg>it's $x$</svg>").displays
    assert display[mime_type] == "<svg>it's $x$</svg>"


def test_a_cell_is_formatted(kernel):
    payload = kernel.check("%rustfmt\nlet  a=vec![1,2];\n%time  a.len( )\nif a.len()>1{println!(\"two\");}").reply["payload"]
    assert payload == [
        {
            "source": "set_next_input",
            "text": "let a = vec![1, 2];\n%time  a.len( )\nif a.len() > 1 {\n    println!(\"two\");\n}",
            "replace": True,
        }
    ]
    result = kernel.run("%rustfmt\nlet a = ;")
    assert result.error["ename"] == "FormatError" and "line 2: expected expression" in result.error_text


def test_what_a_cell_shows_is_kept(kernel):
    result = kernel.check("%%capture output\nprintln!(\"a \\\"line\\\"\");\neprintln!(\"wrong\");\ngpu::array(&[1.0, 2.0])")
    assert result.stdout == "" and result.stderr == "" and result.value is None and result.displays == []
    assert kernel.check("output.stdout").value == r'"a \"line\"\n"'
    assert kernel.check("(output.stderr.as_str(), output.len())").value == r'("wrong\n", 1)'
    result = kernel.check("output.show();")
    assert result.stdout == "a \"line\"\n" and result.stderr == "wrong\n"
    (display,) = result.displays
    assert "1. 2." in display["text/plain"] and "text/html" in display
    result = kernel.check("%%capture --no-stdout\nlet inside = 3;\nprintln!(\"seen\");\ninside")
    assert result.stdout == "seen\n" and result.value is None
    assert kernel.check("inside").value == "3", "the cell has run"
    result = kernel.run("%%capture kept\nprintln!(\"before\");\nlet none: Option<i32> = None;\nnone.unwrap()")
    assert result.error["ename"] == "Panic" and "line 4" in result.error_text and result.stdout == "before\n"
    assert kernel.run("%%capture 1\n1").error["ename"] == "UsageError"
    assert "above `%%bash`" in kernel.run("%%bash\n%%capture out\nls").error_text


def test_what_could_not_be_kept_is_reported(fresh_kernel):
    session = fresh_kernel()
    cell = 'for _ in 0..300_000 { println!("a line of text"); }'
    result = session.check(f"%%capture kept\n{cell}")
    assert result.stdout == "" and result.value is None
    assert "%%capture: `kept` is not complete: 2.5 MB of text dropped: a cell shows 2 MB." in result.stderr
    assert f"%%capture kept\ngpu::set_output_limit(20000000);\n{cell}" in result.stderr
    corrected = result.stderr[result.stderr.index("%%capture kept") :]
    assert session.check(corrected).stderr == ""
    assert session.check("kept.stdout.lines().count()").value == "300000"
    assert session.check(f"%%capture\n{cell}").stderr == "", "nobody wants it"
