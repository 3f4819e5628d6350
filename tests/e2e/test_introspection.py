"""Completion, documentation and completeness of what is being typed."""

import re

import pytest


def test_completion_of_methods_and_names(kernel):
    kernel.check("let some_vector = vec![1, 2, 3];")
    reply = kernel.complete("some_vec")
    assert "some_vector" in reply["matches"] and (reply["cursor_start"], reply["cursor_end"]) == (0, 8)
    assert any(match.startswith("is_empty") for match in kernel.complete("some_vector.is_em")["matches"])


def test_completion_of_the_prelude(kernel):
    assert any(match.startswith("convolve2d") for match in kernel.complete("gpu::conv")["matches"])


def test_completion_of_magics(kernel):
    reply = kernel.complete("%time")
    assert {"%time", "%timeit"} <= set(reply["matches"])
    assert "%%gpusync" in kernel.complete("%%gp")["matches"]


def test_completions_carry_their_types(kernel):
    reply = kernel.complete("%time")
    types = reply["metadata"]["_jupyter_types_experimental"]
    assert len(types) == len(reply["matches"]) and all({"text", "type", "start", "end"} <= set(t) for t in types)


def signatures(reply) -> dict[str, str]:
    return {entry["text"]: entry.get("signature") for entry in reply["metadata"]["_jupyter_types_experimental"]}


def test_completions_carry_signatures(kernel):
    kernel.check("let signed_vector = vec![1, 2, 3];\nfn signed_sum(first: i32, second: &[i32]) -> i64 { 0 }")
    found = signatures(kernel.complete("gpu::convolve2d"))
    assert found["convolve2d"] == "(image: &A, kernel: &K, mode: Mode) -> DeviceArray<T>", found
    assert signatures(kernel.complete("signed_su"))["signed_sum"] == "(first: i32, second: &[i32]) -> i64"
    assert signatures(kernel.complete("signed_vector.swap_re"))["swap_remove"] == "(&mut self, index: usize) -> T"
    reply = kernel.complete("signed_vector.trunc")
    assert reply["matches"] == ["truncate"], "a function without a value comes without its semicolon too"
    assert signatures(kernel.complete("signed_vec"))["signed_vector"] is None
    own = kernel.complete("let signed_vector = 3.5f64;\nfor i in 0..3 { signed_vector.clam")
    assert signatures(own)["clamp"] == "(self, min: f64, max: f64) -> f64", "of what the cell itself defines"


def test_completions_are_what_a_cell_can_name(kernel):
    """rust-analyzer takes all crates for the user's own, and would offer their private fields and hidden macros."""
    kernel.check(
        "struct OwnFields { field: i32 }\nlet own_fields = OwnFields { field: 1 };\nlet offered_pair = (1, 2.0);\nlet offered_vector = vec![1];\n"
        'let offered_text = String::from("a");\nlet offered_array = gpu::ones::<f64>(3);\nlet offered_host = ndarray::arr1(&[1.0]);\n'
        "let offered_plot = gpu::plot(&offered_array);\nlet offered_table = gpu::table(&offered_array);"
    )
    for name, method, private in [
        ("vector", "push", {"buf"}),
        ("text", "push_str", {"vec"}),
        ("array", "sum", {"raw", "element"}),
        ("host", "sum", {"data", "parts", "_ptr", "_dim", "_strides", "0"}),
        ("plot", "title", {"shown"}),
        ("table", "clone", {"names", "rows"}),
    ]:
        found = set(kernel.completed(f"offered_{name}."))
        assert any(match.startswith(method) for match in found), (name, sorted(found)[:40])
        assert not found & private, (name, found & private)
    assert "field" in kernel.completed("own_fields.") and "0" in kernel.completed("offered_pair.")
    assert not [match for match in kernel.completed("gpu::") if match.startswith("__")]
    assert any(match.startswith("__fft_dct") for match in kernel.completed("gpu::__fft_d"))


def test_positions_count_code_points(kernel):
    code = 'let text = "πß𝄞"; some_vec'
    reply = kernel.complete(code)
    assert reply["cursor_end"] == len(code) and reply["cursor_start"] == len(code) - len("some_vec")


def test_inspection_shows_documentation(kernel):
    reply = kernel.inspect("gpu::convolve2d")
    assert reply["found"] and "convolve2d" in reply["data"]["text/plain"]
    assert kernel.inspect("nosuchname")["found"] is False


def test_what_macros_of_the_standard_library_define(kernel):
    kernel.check("let counted = std::sync::atomic::AtomicU16::new(5);")
    assert kernel.complete("7u16.leading_ze")["matches"] == ["leading_zeros"]
    assert kernel.complete("7i64.checked_pow(2).unwrap_or_de")["matches"] == ["unwrap_or_default"]
    assert kernel.complete("counted.fetch_nan")["matches"] == ["fetch_nand"]
    assert not {"std::", "core::"} & set(kernel.complete("gpu::")["matches"] + kernel.complete("std::")["matches"])
    assert "Raises self to the power of" in kernel.inspect("i32::pow")["data"]["text/plain"]
    assert "Bitwise" in kernel.inspect("std::sync::atomic::AtomicU16::fetch_nand")["data"]["text/plain"]


def test_completion_in_a_timed_statement(kernel):
    kernel.check("let timed_vector = vec![1, 2, 3];")
    code = "let a = 1;\n%timeit -n 2 timed_vector.is_em"
    reply = kernel.complete(code)
    assert any(match.startswith("is_empty") for match in reply["matches"])
    assert (reply["cursor_start"], reply["cursor_end"]) == (len(code) - len("is_em"), len(code))
    assert "timed_vector" in kernel.complete("%%time\nlet b = timed_vec")["matches"]


def test_names_are_offered_where_nothing_is_written(kernel):
    kernel.check("let offered = vec![1];\nfn offered_too(x: i32) -> i32 { x }\nstruct Offered;")
    kernel.completed("offere")
    for code in ("", "let a = 1;\n", "let x = ", "offered_too(", "if offered.is_empty() {\n    ", "%time ", "%%time\n", "%%capture\nlet y = "):
        reply = kernel.complete(code)
        assert {"offered", "offered_too", "Offered", "gpu"} <= {name.rstrip(":") for name in reply["matches"]}, code
        assert reply["cursor_start"] == reply["cursor_end"] == len(code)
    assert kernel.complete("let mine = 3;\n")["matches"][0] == "mine", "of the cell itself"
    for code in ("let ", "// ", "\"", "fn ", "3"):
        assert "offered" not in kernel.complete(code)["matches"], code


def test_completion_below_cell_magics(kernel, tmp_path):
    kernel.check("let below_vector = vec![1, 2, 3];")
    for magic in ("%%capture", "%%capture out", "%check", "%%time", "%%timeit -n 2", "%%prun -l 3", "%%trace", "%rustfmt", "%%check\n%%capture"):
        code = f"{magic}\nlet a = 1;\nbelow_vector.is_em"
        reply = kernel.complete(code)
        assert reply["matches"] == ["is_empty"], magic
        assert (reply["cursor_start"], reply["cursor_end"]) == (len(code) - len("is_em"), len(code)), magic
        assert "below_vector: Vec<i32>" in str(kernel.inspect(f"{magic}\nbelow_vector")["data"]), magic
    assert kernel.complete("%%timeit let set_up = vec![1];\nset_up.is_em")["matches"] == ["is_empty"]
    assert kernel.complete("%%capture\n%timei")["matches"] == ["%timeit"]
    for magic in ("%%bash", "%%html", "%%markdown", "%%writefile a.rs", "%%sh"):
        assert kernel.complete(f"{magic}\nbelow_vec")["matches"] == [], magic
    (tmp_path / "data.txt").touch()
    assert kernel.complete(f"%%bash\ncat {tmp_path}/da")["matches"] == [f"{tmp_path}/data.txt"]


def test_options_of_magics_are_completed(kernel):
    assert {"-n", "-r", "-o"} <= set(kernel.complete("%timeit -")["matches"])
    assert kernel.complete("%gpusync o")["matches"] == ["on", "off"]
    reply = kernel.complete("%%timeit -n 3 -")
    assert (reply["cursor_start"], reply["cursor_end"]) == (14, 15)


def test_paths_are_completed(kernel, tmp_path):
    (tmp_path / "data set").mkdir()
    (tmp_path / "data set" / "one.rs").touch()
    (tmp_path / "data.txt").touch()
    start = f"%load {tmp_path}/da"
    assert kernel.complete(start)["matches"] == [f"{tmp_path}/data set/", f"{tmp_path}/data.txt"]
    assert kernel.complete(f"%cd {tmp_path}/da")["matches"] == [f"{tmp_path}/data set/"]
    assert kernel.complete(f"%%writefile -a {tmp_path}/data set/o")["matches"] == [f"{tmp_path}/data set/one.rs"]
    before = kernel.check("!pwd").stdout.strip()
    kernel.check(f"%cd -q {tmp_path}")
    reply = kernel.complete("let π = 1;\n%load -r 1-2 da")
    assert reply["matches"] == ["data set/", "data.txt"] and reply["cursor_start"] == len("let π = 1;\n%load -r 1-2 ")
    assert kernel.complete("!cat data\\ set/o")["matches"] == ["data\\ set/one.rs"]
    kernel.check(f"%cd -q {before}")


def pages(result) -> str:
    """What the pager shows, in plain text."""
    return "\n".join(part["data"]["text/plain"] for part in result.reply["payload"] if part["source"] == "page")


def test_a_question_opens_the_documentation(kernel):
    kernel.check("/// Doubles a number.\nfn double(x: i32) -> i32 { 2 * x }")
    kernel.check("let some_number = 3;")
    for question, expected in [
        ("gpu::convolve2d?", "fn convolve2d"),
        ("?double", "fn double(x: i32) -> i32"),
        ("some_number?", "some_number: i32"),
        ("some_number.pow?", "fn pow"),
        ("Vec?", "struct Vec"),
        ("Array2?", "two-dimensional array"),
        ("gpu?", "warpcell"),
    ]:
        result = kernel.check(question)
        assert expected in pages(result), f"{question}: {pages(result)}"
        assert result.stdout == ""
    result = kernel.check("let asked_below = 2.5f32;\nasked_below?")
    assert "asked_below: f32" in pages(result), "the question comes after the cell"


def test_names_of_numpy_are_looked_up(kernel):
    result = kernel.check('gpu::lookup("np.percentile")')
    assert re.search(r"np\.percentile\(a, 25\) +gpu::percentile\(&a, 25\.0\)", result.value), result.value
    assert 'gpu::percentile!(a, q, axis = …, method = "linear", keepdims = …, weights = …)' in result.value, "the optional arguments"
    (shown,) = result.of("execute_result")
    assert "<code>gpu::percentile(&amp;a, 25.0)</code>" in shown["data"]["text/html"]
    assert "gpu::sliding_window_view(&b, 2)" in kernel.check('gpu::lookup("sliding window")').value
    assert "`np.percentile`" in kernel.check('gpu::lookup("np.percentle")').value, "the nearest name"


@pytest.mark.parametrize(
    ("question", "theirs", "ours", "documentation"),
    [
        ("np.percentile?", "np.percentile(a, 25)", "gpu::percentile(&a, 25.0)", "fn percentile"),
        ("?cp.linalg.svd", "np.linalg.svd(a)[1]", "gpu::linalg::svd(&a).1", "fn svd"),
        ("numpy.log?", "np.log(abs(a))", "a.abs().log()", "fn log"),
        ("gpu::percentile?", "np.percentile(a, 25)", "gpu::percentile(&a, 25.0)", "fn percentile"),
    ],
)
def test_a_question_about_a_name_of_numpy(kernel, question, theirs, ours, documentation):
    text = pages(kernel.check(question))
    assert theirs in text and ours in text and documentation in text, text


def test_a_question_about_an_unknown_name_of_numpy(kernel):
    result = kernel.check("np.percentle?")
    assert "`np.percentle` is in no table" in result.stdout and "`np.percentile`" in result.stdout
    assert result.reply["payload"] == []


def test_inspection_of_a_name_of_numpy(kernel):
    found = kernel.inspect("np.percentile")
    assert found["found"] and "gpu::percentile(&a, 25.0)" in found["data"]["text/plain"]


def test_two_marks_show_the_source(kernel):
    kernel.check("/// Triples a number.\nfn triple(x: i32) -> i32 {\n    3 * x\n}\nlet unrelated = 1;")
    text = pages(kernel.check("triple??"))
    assert "Triples a number." in text and "fn triple(x: i32) -> i32 {\n    3 * x\n}" in text
    assert "unrelated" not in text


def test_a_macro_of_the_notebook_is_shown_by_its_source(kernel):
    kernel.check("macro_rules! seven { () => { 7 } }")
    assert "macro_rules! seven { () => { 7 } }" in pages(kernel.check("seven!?"))


def test_a_question_about_nothing(kernel):
    result = kernel.check("nosuchname?")
    assert "`nosuchname`" in result.stdout and result.reply["payload"] == []


def test_a_question_mark_in_rust_is_rust(kernel):
    assert kernel.check("let some_text = Some(3);\nlet parsed: i32 = \"4\".parse()?;\nparsed").value == "4"


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("1 + 1", "complete"),
        ("let x = 5;", "complete"),
        ("fn f() {", "incomplete"),
        ("let x = vec![1,", "incomplete"),
        ('"not closed', "incomplete"),
        ("/* not closed", "incomplete"),
        ("%timeit 1 + 1", "complete"),
        ("fn f() }", "invalid"),
        ("let y = 1;\n!echo it's (", "complete"),
        ("y?", "complete"),
    ],
)
def test_completeness(kernel, code, status):
    assert kernel.is_complete(code) == status
