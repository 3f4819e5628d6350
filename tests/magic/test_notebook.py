"""`%%rust` in a Python notebook, through a real ipykernel: what a user types, and what the notebook's client gets."""

from __future__ import annotations

import pytest

from e2e.session import plain

IMAGE = "let image = gpu::host::linspace(0.0, 1.0, 64).into_shape_with_order((8, 8)).unwrap();\ngpu::imshow(&image);"


def test_a_value_and_variables(notebook):
    notebook.check_rust("let x = 21;")
    assert notebook.check_rust("x * 2").value == "42"
    # The value is the Python cell's, too.
    assert notebook.check("str(_) + '!'").value == "'42!'"
    assert notebook.check("double = %rust x * 2\ndouble").value == "42"
    assert notebook.check("%rust let unused = 1;").value is None


def test_braces_and_dollars_are_rusts(notebook):
    notebook.check("x = 'of Python'")
    result = notebook.check('%rust let y = 1; println!("{y} $x {{}}");')
    assert result.stdout == "1 $x {}\n"


def test_output_comes_while_the_cell_runs(notebook):
    go_on = notebook.folder / "go-on"
    code = """print!("first\\r"); eprintln!("to stderr");
        while !std::path::Path::new("go-on").exists() { std::hint::spin_loop(); }
        println!("last");"""
    seen = []

    def act(message):
        if message.kind == "stream":
            seen.append(message.content["name"])
            if {"stdout", "stderr"} <= set(seen):
                go_on.touch()

    result = notebook.rust(code, on_message=act)
    assert result.ok, result.summary()
    assert result.stdout == "first\rlast\n" and result.stderr == "to stderr\n", result.summary()


def test_text_and_displays_keep_their_order(notebook):
    result = notebook.check_rust('print!("a"); gpu::display(&gpu::Html("<b>b</b>")); print!("c");\nprintln!("d"); 5')
    kinds = [kind for kind in (message.kind for message in result.messages) if kind in ("stream", "display_data", "execute_result")]
    assert kinds == ["stream", "display_data", "stream", "execute_result"], result.summary()
    assert result.displays[0]["text/html"] == "<b>b</b>"


def test_an_image(notebook):
    result = notebook.check_rust(IMAGE)
    assert len(result.displays) == 1 and result.displays[0]["image/png"].startswith("iVBOR"), result.summary()


def test_a_plot_is_the_value(notebook):
    result = notebook.check_rust("gpu::plot(&[1.0, 4.0, 2.0])")
    [value] = result.of("execute_result")
    assert value["data"]["image/png"].startswith("iVBOR") and value["data"]["text/plain"]


def test_a_display_is_updated_from_a_later_cell(notebook):
    first = notebook.check_rust('let shown = gpu::display(&gpu::Markdown("**begun**"));')
    [display] = first.of("display_data")
    second = notebook.check_rust('shown.update(&gpu::Markdown("**done**"));')
    [update] = second.of("update_display_data")
    assert update["data"]["text/markdown"] == "**done**"
    assert update["transient"]["display_id"] == display["transient"]["display_id"]


def test_clear_output(notebook):
    result = notebook.check_rust('println!("gone"); gpu::clear_output(true); println!("there");')
    assert [content["wait"] for content in result.of("clear_output")] == [True], result.summary()


@pytest.mark.parametrize("allow_stdin", [False, True])
def test_a_progress_bar_is_one_display(notebook, allow_stdin):
    # Notebooks take input, and programs that run notebooks do not; neither is a terminal, where a bar is a line.
    code = "let mut sum = 0; for i in gpu::progress(0..20) { sum += i; } sum"
    result = notebook.check_rust(code, allow_stdin=allow_stdin)
    assert result.value == "190"
    displays = result.of("display_data", "update_display_data")
    assert len({content["transient"]["display_id"] for content in displays}) == 1
    assert [content for content in displays if "<progress" in content["data"].get("text/html", "")] and not result.stderr


def test_a_compile_error_is_the_cells_error(notebook):
    result = notebook.rust('let wrong: i32 = "text";')
    error = result.error
    assert error["ename"] == "CompileError" and "mismatched types" in error["evalue"]
    text = "\n".join(error["traceback"])
    assert "\x1b[" in text, "colours"
    text = plain(text)
    assert text.count("mismatched types") == 1 and 'let wrong: i32 = "text";' in text
    # Nothing of the machinery between the cell and Rust, and nothing twice.
    assert "Traceback" not in text and ".py" not in text and not result.stderr, result.summary()
    assert notebook.check_rust("1").value == "1"


def test_a_panic(notebook):
    notebook.check_rust("let kept = vec![1];")
    result = notebook.rust('println!("before"); panic!("no {}", "way");')
    assert result.error["ename"] == "Panic" and "no way" in result.error_text
    assert result.stdout == "before\n"
    assert notebook.check_rust("kept").value == "[1]"


def test_errors_can_be_caught(notebook):
    notebook.check("import warpcell")
    code = """
        try:
            warpcell.session().run("let x: i32 = ();")
        except warpcell.RustError as error:
            caught = (type(error).__name__, error.ename, "mismatched" in str(error))
        caught"""
    assert notebook.check(code).value == "('CompileError', 'CompileError', True)"


def test_an_interrupt_keeps_variables(notebook):
    notebook.check_rust("let kept = 7;")
    result = notebook.rust('println!("begun"); loop {}', on_message=notebook.interrupt_when("begun"))
    assert result.error["ename"] == "RustInterrupted", result.summary()
    assert "Interrupted" in result.error_text and ".py" not in result.error_text
    pid = notebook.rust_pid()
    assert notebook.check_rust("kept").value == "7"
    assert notebook.rust_pid() == pid
    assert notebook.check("'Python is alive'").ok


def test_input(notebook):
    request = notebook.send('%%rust\nlet name = gpu::input("Your name: "); println!("Hello, {name}");', allow_stdin=True)
    question = notebook.client.get_stdin_msg(timeout=240)
    assert question["content"] == {"prompt": "Your name: ", "password": False}
    notebook.client.input("Zoë")
    result = notebook.collect(request)
    assert result.ok and result.stdout.endswith("Hello, Zoë\n"), result.summary()


def test_a_password(notebook):
    request = notebook.send('%%rust\ngpu::password("Key: ").len()', allow_stdin=True)
    assert notebook.client.get_stdin_msg(timeout=240)["content"] == {"prompt": "Key: ", "password": True}
    notebook.client.input("secret")
    assert notebook.collect(request).value == "6"


def test_an_interrupt_instead_of_an_answer(notebook):
    request = notebook.send('%%rust\nlet never = gpu::input("Your name: ");', allow_stdin=True)
    notebook.client.get_stdin_msg(timeout=240)
    notebook.manager.interrupt_kernel()
    result = notebook.collect(request)
    assert result.error["ename"] == "RustInterrupted", result.summary()


def test_a_client_that_takes_no_input(notebook):
    result = notebook.rust('gpu::input("Your name: ")', allow_stdin=False)
    assert "allow_stdin" in result.error_text


def test_magics_of_rust_work_within(notebook):
    result = notebook.check_rust("let v = vec![1.0_f64; 100];\n%timeit -n 10 -r 2 v.iter().sum::<f64>()")
    assert "per loop" in result.stdout, result.summary()


@pytest.mark.parametrize("code, says", [
    ("%rust --no-such-thing", "%rust has no option --no-such-thing"),
    ("%%rust let x = 1;\nx", "let is no option; the code begins on the next line"),
    ("%%rust -i\n1", "-i needs a name"),
    ("%%rust -i no_such_variable\n1", "no such variable in Python"),
    ("%%rust -i get_ipython\n1", "arrays of object have no counterpart in Rust"),
])  # fmt: skip
def test_mistakes_in_the_magics_are_named(notebook, code, says):
    result = notebook.run(code)
    # IPython prints errors of usage as a line.
    assert says in result.stderr, result.summary()


def test_help(notebook):
    for code in ("%rust --help", "%%rust --help\n1"):
        result = notebook.check(code)
        assert "-o NAME  makes a NumPy array" in result.stdout, result.summary()
    reply = notebook.inspect("%rust")
    assert "Runs Rust in the session of this notebook" in reply["data"].get("text/plain", ""), reply


def test_arrays_go_both_ways(notebook):
    notebook.check("import numpy as np\na = np.arange(6.0).reshape(2, 3)\nn, name, flag, some = 3, 'Zoë \"#', True, [1, 2, 3]")
    result = notebook.check_rust(
        "let on_device = gpu::asarray(&a) * (n as f64);\nlet flags = a.mapv(|x| x > 2.0);\n"
        'println!("{name} {flag} {:?}", some.shape());\nlet whole: i64 = some.sum(); whole',
        "-i a,n -i name -i flag -i some -o on_device -o flags",
    )
    assert result.stdout == 'Zoë "# true [3]\n' and result.value == "6"
    assert notebook.check("on_device.tolist(), on_device.dtype.name").value == "([[0.0, 3.0, 6.0], [9.0, 12.0, 15.0]], 'float64')"
    assert notebook.check("flags.sum(), flags.dtype.name").value in ("(3, 'bool')", "(np.int64(3), 'bool')")


def test_a_name_that_rust_lacks(notebook):
    result = notebook.rust("1", "-o missing_in_rust")
    assert "missing_in_rust" in result.error_text
    [folder] = notebook.leftovers()
    assert not list(folder.glob("*.npy")), "files on their way are removed"


def test_a_notebook_of_rust(notebook):
    cells = [
        ("markdown", "# A title", []),
        ("code", "let from_notebook = 1;\nfrom_notebook + 1", []),
        ("code", "let wrong: i32 = ();", ["raises-exception"]),
        ("code", "let exercise: i32 = todo!();", []),
        ("code", 'println!("after");', []),
        ("code", 'println!("{}", gpu::loadtxt!("beside.csv").sum());', []),
        ("code", 'panic!("not meant")', []),
        ("code", 'println!("never");', []),
    ]
    source = ", ".join(f"dict(cell_type={kind!r}, source={text!r}, metadata=dict(tags={tags}))" for kind, text, tags in cells)
    (notebook.folder / "a course").mkdir()
    (notebook.folder / "a course/beside.csv").write_text("1 2\n3 4\n")
    notebook.check(f"import json, warpcell\nwith open('a course/rust.ipynb', 'w') as file: json.dump(dict(cells=[{source}]), file)")
    before = notebook.check_rust("std::env::current_dir().unwrap()").value
    result = notebook.run("warpcell.run_notebook('a course/rust.ipynb')")
    assert result.error["ename"] == "Panic" and "not meant" in result.error_text
    shown = [display.get("text/markdown") or display["text/plain"] for display in result.displays]
    assert shown[:3] == ["# A title", "```rust\nlet from_notebook = 1;\nfrom_notebook + 1\n```", "2"], shown
    assert "This exercise is still open." in result.stderr
    assert "mismatched types" in plain(result.stderr) and result.stdout == "after\n10\n"
    assert notebook.check_rust("from_notebook").value == "1"
    assert notebook.check_rust("std::env::current_dir().unwrap()").value == before
