"""`gpu::interact!`: controls of the notebook that call code in the cell process, by the messages of ipywidgets."""

from __future__ import annotations

import time

import nbformat
import pytest
from nbclient import NotebookClient
from nbconvert import HTMLExporter

from e2e.session import KERNEL, plain
from e2e.widgets import VIEW, Page


@pytest.fixture
def page(kernel):
    """A page without models. What a test shows is closed at its end."""
    page = Page(kernel)
    yield page
    for message in [entry for entry in page.log if entry["msg_type"] == "display_data"]:
        root = message["content"]["data"].get(VIEW, {}).get("model_id")
        if root in page.models:
            page.until_idle(page.send("comm_close", comm_id=root, data={}))
    page.forget()
    assert page.kernel.ask(page.send("comm_info_request"))["comms"] == {}


def displayed(messages: list[dict]) -> dict:
    """The data of the one display."""
    (display,) = [message for message in messages if message["msg_type"] == "display_data"]
    return display["content"]["data"]


def test_all_controls_are_those_of_ipywidgets(page):
    # `Page` gives each model to ipywidgets' classes.
    messages = page.run(
        """gpu::interact!(
            sigma: f64 = 1.0 in 0.5..5.0 step 0.1, [size: usize in 3..31, level: i64 in -4..=4 step 2],
            mode: &str in ["same", "full"], length: usize = 128 in [64, 128, 256], invert: bool = true,
            title: String = "wave", label: &str, again: Button = "Once more", frame: usize play 0..10 every 20 =>
            println!("{sigma} {size} {level} {mode} {length} {invert} {title} {label:?} {again} {frame}")
        )"""
    )
    names = [state["_model_name"] for state in page.models.values()]
    assert names.count("IntSliderModel") == 3 and names.count("HBoxModel") == 2 and names.count("LinkModel") == 1
    data = displayed(messages)
    assert data[VIEW] == page.widget(data[VIEW]["model_id"])._repr_mimebundle_()[VIEW]
    assert data["text/plain"] == '1 16 0 same 128 true wave "" false 0'
    assert not [message for message in messages if message["msg_type"] in ("stream", "execute_result")]
    assert page.text() == data["text/plain"] + "\n"

    def after(model: str, described: str | None = None, **state) -> list[str]:
        page.move(page.one(model, described), **state)
        return page.text().split()

    assert after("FloatSliderModel", value=2)[0] == "2"
    assert after("IntSliderModel", "size", value=30)[1] == "30"
    assert after("IntSliderModel", "level", value=-4)[2] == "-4"
    assert after("DropdownModel", "mode", index=1)[3] == "full"
    assert after("DropdownModel", "length", index=2)[4] == "256"
    assert after("CheckboxModel", value=False)[5] == "false"
    assert after("TextModel", "title", value="a ü")[6:8] == ["a", "ü"]
    assert after("TextModel", "title", value="wave")[6] == "wave"
    assert after("TextModel", "label", value='"')[7] == '"\\""'
    click = {"method": "custom", "content": {"event": "click"}}
    page.until_idle(page.send("comm_msg", comm_id=page.one("ButtonModel"), data=click))
    assert page.text().split()[8:] == ["true", "0"]
    # What plays moves its slider in the page, and the slider's value counts.
    (frame,) = [
        model["target"][0].removeprefix("IPY_MODEL_")
        for model in page.models.values()
        if model["_model_name"] == "LinkModel"
    ]
    page.move(frame, value=7)
    assert page.text().split() == ["2", "30", "-4", "full", "256", "false", "wave", '"\\""', "false", "7"]


def test_a_picture_changes_in_its_place(page):
    page.run("let image = gpu::random::default_rng(7).random((64, 64)); let before = image.sum();")
    messages = page.run(
        "gpu::interact!(sigma: f64 in 0.5..5.0 => gpu::imshow(&gpu::ndimage::gaussian_filter(&image, sigma)))"
    )
    data = displayed(messages)
    assert data["text/plain"].startswith("Figure:") and data["image/png"]
    picture = page.one("ImageModel")
    first = page.models[picture]["value"]
    assert first.startswith(b"\x89PNG")
    changed = page.move(page.one("FloatSliderModel"), value=4.5)
    assert page.models[picture]["value"].startswith(b"\x89PNG") and page.models[picture]["value"] != first
    kinds = [message["msg_type"] for message in changed if message["msg_type"] != "status"]
    assert kinds == ["comm_msg", "comm_msg"], "the echo and the picture, nothing else"
    # The variables are there, and unchanged.
    (result,) = [m for m in page.run("(image.sum() == before, image.shape().to_vec())") if m["msg_type"] == "execute_result"]
    assert result["content"]["data"]["text/plain"] == "(true, [64, 64])"


def test_text_pictures_and_values_keep_their_order(page):
    page.run(
        """gpu::interact!(n: usize = 1 in 1..=3 => {
            println!("before");
            gpu::plot(&gpu::arange(10));
            print!("between");
            for k in 1..n { gpu::display(&gpu::Markdown(format!("**{k}**"))); }
            n * n
        })"""
    )

    def kinds() -> list:
        return [output.get("text") or output.get("data", {}).get("text/plain") or output["output_type"] for output in page.outputs()]

    assert kinds() == ["before\n", "picture", "between", "1"]
    page.move(page.one("IntSliderModel"), value=3)
    assert kinds() == ["before\n", "picture", "between", "**1**", "**2**", "9"]
    page.move(page.one("IntSliderModel"), value=1)
    assert kinds() == ["before\n", "picture", "between", "1"]


def test_only_the_latest_of_many_values(page):
    page.run(
        """static CALLS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
        gpu::interact!(n: usize in 0..=100 => {
            std::thread::sleep(std::time::Duration::from_millis(50));
            println!("{n} {}", CALLS.fetch_add(1, std::sync::atomic::Ordering::Relaxed) + 1)
        })"""
    )
    slider = page.one("IntSliderModel")
    requests = [page.set(slider, value=value) for value in range(100, 0, -1)]
    # The last one is answered twice, unless it found the evaluator idle: when it arrives, and when it was called.
    page.hear(lambda _message: page.text().startswith("1 ") and not page.text().startswith("100 "))
    value, calls = map(int, page.text().split())
    assert value == 1 and calls <= 20, f"{calls} calls for {len(requests)} values"
    page.move(slider, value=5)
    assert page.text() == f"5 {calls + 1}\n"


def test_while_a_cell_runs_values_wait(page, tmp_path):
    page.run("gpu::interact!(n: usize in 0..=9 => println!(\"{n}\"))")
    slider = page.one("IntSliderModel")
    end = tmp_path / "end"
    cell = page.send_cell(f'while !std::path::Path::new("{end}").exists() {{ std::thread::sleep(std::time::Duration::from_millis(5)); }}')
    page.hear(lambda message: message["msg_type"] == "execute_input")
    for value in (1, 2, 3):
        page.until_idle(page.set(slider, value=value))
    states = page.states()
    assert states[slider]["state"]["value"] == 3 and states.keys() == page.models.keys()
    assert page.text() == "4\n", "not called yet"
    end.touch()
    page.finish(cell)
    page.hear(lambda _message: page.text() == "3\n")
    # Between the two it was never called.
    shown = [
        entry["content"]["data"]["state"]["outputs"][0]["text"]
        for entry in page.log
        if entry["msg_type"] == "comm_msg" and "outputs" in entry["content"]["data"].get("state", {})
    ]
    assert shown == ["3\n"]


def test_errors_are_shown_below_the_controls(page):
    page.run("let kept = vec![1, 2, 3];")
    page.run("let limit = 5;\ngpu::interact!(n: usize = 1 in 0..=9 => {\n    assert!(n < limit, \"{n} is too much\");\n    kept[n % 3]\n})")
    slider = page.one("IntSliderModel")
    page.run("let later = 1;")
    page.move(slider, value=7)
    (error,) = page.outputs()
    assert error["output_type"] == "error" and error["ename"] == "Panic" and error["evalue"] == "7 is too much"
    assert "line 3" in plain("\n".join(error["traceback"])), error["traceback"]
    assert "assert!(n < limit" in plain("\n".join(error["traceback"]))
    page.move(slider, value=2)
    assert [output["data"]["text/plain"] for output in page.outputs()] == ["3"]
    (result,) = [m for m in page.run("(kept, later)") if m["msg_type"] == "execute_result"]
    assert result["content"]["data"]["text/plain"] == "([1, 2, 3], 1)"


def test_an_error_of_the_first_call_is_one_of_the_cell(kernel):
    result = kernel.run("gpu::interact!(n: usize in 0..=9 => { println!(\"begun\"); assert!(n > 8); })")
    assert result.error["ename"] == "Panic" and result.stdout == "begun\n"
    assert not result.of("comm_open", "display_data")
    assert kernel.check("1 + 1").value == "2"


def test_an_interrupt_stops_the_call(page, tmp_path):
    begun = tmp_path / "begun"
    page.run(
        f"""let kept = 1;
        gpu::interact!(n: usize = 1 in 0..=9 => {{
            if n == 9 {{ std::fs::write("{begun}", "").unwrap(); }}
            while n == 9 {{}}
            n
        }})"""
    )
    slider = page.one("IntSliderModel")
    request = page.set(slider, value=9)
    deadline = time.monotonic() + 240
    while not begun.exists():
        assert time.monotonic() < deadline, "the call does not begin"
        time.sleep(0.01)
    page.kernel.interrupt()
    page.until_idle(request, 20)
    (error,) = page.outputs()
    assert error["ename"] == "Interrupted"
    page.move(slider, value=3)
    assert [output["data"]["text/plain"] for output in page.outputs()] == ["3"]
    assert page.kernel.check("kept").value == "1"


def test_a_call_that_ends_the_process(page):
    page.run("let lost = 1; gpu::interact!(n: usize = 1 in 0..=9 => { if n == 9 { std::process::exit(3) } n })")
    slider = page.one("IntSliderModel")
    page.move(slider, value=9)
    (error,) = page.outputs()
    assert error["ename"] == "CellProcessDied" and "exit status 3" in error["evalue"]
    assert page.models[slider]["disabled"] is True
    page.move(slider, value=2)
    assert page.outputs() == [error], "nothing can be called any more"
    assert page.kernel.check("1 + 1").value == "2"
    assert "lost" in page.kernel.run("lost").error["traceback"][0]


def test_a_cell_that_runs_again_closes_what_it_has_shown(page):
    code = "gpu::interact!(n: usize in 0..=9 => n)"
    page.run(code, cell_id="one")
    first = set(page.models)
    page.run(code, cell_id="one")
    assert set(page.closed) == first and not first & page.models.keys()
    page.run("1 + 1", cell_id="two")
    assert set(page.closed) == first
    page.move(page.one("IntSliderModel"), value=3)
    assert page.outputs()[0]["data"]["text/plain"] == "3"


@pytest.mark.parametrize("code", ["shown.close();", ":restart"])
def test_what_is_closed(page, code):
    page.run("let shown = gpu::interact!(n: usize in 0..=9 => n);")
    models = set(page.models)
    assert page.kernel.ask(page.send("comm_info_request", target_name="jupyter.widget"))["comms"].keys() == models
    page.run(code)
    assert set(page.closed) == models and not page.models


def test_variables_cannot_be_changed(page):
    page.run("let a = gpu::zeros::<f64>(3); let list = vec![1, 2];")
    page.run("gpu::interact!(n: f64 in 0.0..=9.0 => { a.slice(s![..]).fill(n); (a.sum(), list.len()) })")
    page.move(page.one("FloatSliderModel"), value=2)
    assert page.outputs()[0]["data"]["text/plain"] == "(6.0, 2)"
    assert page.kernel.check("(a.sum(), list)").value == "(0.0, [1, 2])"
    error = page.kernel.run("gpu::interact!(on: bool => list.push(3))").error
    assert error["ename"] == "CompileError" and "list" in error["evalue"] + "".join(error["traceback"])
    error = page.kernel.run("struct Once; let once = Once; gpu::interact!(on: bool => { let _ = &once; })").error
    assert "`interact!` keeps a copy of each variable" in plain("".join(error["traceback"])), error


def test_what_is_called_is_copied(page):
    """Variables that hold closures were moved away."""
    code = (
        "let sum = {\n    let all = vec![1.0, 2.0];\n    let shifted = move |x: f64| x + all[0];\n"
        "    gpu::interact!(x: f64 = 0.5 in 0.0..=1.0 => shifted(x)).close();\n    shifted(2.0)\n};"
    )
    page.run(code)
    assert page.kernel.check("sum").value == "3.0"
    page.run("let shared: std::rc::Rc<dyn Fn(f64) -> f64> = std::rc::Rc::new(|x| x * 2.0);")
    page.run('gpu::interact!(x: f64 = 1.0 in 0.0..=9.0 => println!("{}", shared(x)));')
    page.move(page.one("FloatSliderModel"), value=2)
    assert page.outputs()[0]["text"] == "4\n"
    assert page.kernel.check("shared(3.0)").value == "6.0"
    page.run("let boxed: Box<dyn Fn(f64) -> f64> = Box::new(|x| x * 2.0);")
    error = page.kernel.run("gpu::interact!(x: f64 in 0.0..1.0 => boxed(x))").error
    assert "`let f: std::rc::Rc<dyn Fn(f64) -> f64> = std::rc::Rc::new(|x| …);`" in plain("".join(error["traceback"])), error
    assert page.kernel.check("boxed(3.0)").value == "6.0"


@pytest.mark.parametrize(
    "code, expected",
    [
        ("gpu::interact!(sigma: f64 => sigma)", "`sigma: f64 in 0.0..1.0` is a slider"),
        ("gpu::interact!(sigma in 0.0..1.0 => sigma)", "`sigma: f64 in 0.5..5.0`"),
        ("gpu::interact!(n: usize in 5..5 => n)", "the range 5..5 has no values"),
        ("gpu::interact!(a: bool => { gpu::interact!(b: bool => a && b); })", "another `interact!`"),
    ],
)
def test_what_is_wrong_is_said(kernel, code, expected):
    error = kernel.run(code).error
    assert expected in plain(error["evalue"] + "\n".join(error["traceback"]))


@pytest.mark.parametrize(
    "body",
    ["gpu::zeros(3)", "gpu::zeros(3) + 1", "{ let w = 2.0; w.sqrt() }", "{ let y = gpu::linspace(0.0, 1.0, 5); (2.0 * &y).sqrt() }"],
)
def test_numbers_get_their_types_beside_controls_of_which_nothing_is_used(kernel, body):
    for controls in ("n: usize in 0..=9", "x: f64 = 0.5 in [0.5, 1.5], mode: &str in [\"a\", \"b\"]", "k: Button, s: f32 in 0.0..1.0 step 0.1"):
        kernel.check(f"gpu::interact!({controls} => {body}).close();")


def test_what_is_captured_has_no_controls(kernel):
    result = kernel.check("%%capture kept\ngpu::interact!(n: usize in 0..=8 => println!(\"{n}\"));")
    assert not result.of("comm_open", "display_data")
    assert kernel.check("kept.stdout").value == '"4\\n"'


def test_without_widgets_the_first_state_is_a_picture(tmp_path):
    code = "let image = gpu::ones::<f64>((8, 8));\ngpu::interact!(n: f64 in 0.0..=9.0 => gpu::imshow(&(&image * n)))"
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(code)])
    notebook.metadata["kernelspec"] = {"name": KERNEL, "display_name": "Rust GPU", "language": "rust"}
    NotebookClient(notebook, timeout=480).execute()
    (output,) = notebook.cells[0].outputs
    assert output.output_type == "display_data" and output.data["text/plain"].startswith("Figure:")
    page, _ = HTMLExporter().from_notebook_node(nbformat.from_dict({**notebook, "metadata": {}}))
    assert f'src="data:image/png;base64,{output.data["image/png"].strip()}"' in page.replace("\n", "")


def test_a_client_that_sends_nonsense(page):
    page.run("gpu::interact!(n: usize in 0..=9 => n)")
    slider = page.one("IntSliderModel")
    for data in (None, 3, {}, {"method": "update"}, {"method": "update", "state": 3}, {"method": "custom"}, {"method": []}):
        page.until_idle(page.send("comm_msg", comm_id=slider, data=data))
    for value in ("x", None, -1, 10, 2.5, [1], {"a": 1}):
        page.move(slider, value=value)
    for comm in ("", "unknown"):
        page.until_idle(page.send("comm_msg", comm_id=comm, data={}))
    page.until_idle(page.send("comm_open", comm_id="theirs", target_name="somebody's", data={}))
    assert page.closed == ["theirs"], "a comm for a target that is not known is closed"
    assert page.models[slider]["value"] == 4 and page.outputs()[0]["data"]["text/plain"] == "4"
