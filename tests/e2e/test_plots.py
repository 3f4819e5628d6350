"""Heatmaps and plots: a PNG with text beside it, for data of either side."""

import base64
import re
import struct

import pytest


def png_size(data: str) -> tuple[int, int]:
    raw = base64.b64decode(data)
    assert raw.startswith(b"\x89PNG\r\n\x1a\n"), "not a PNG"
    return struct.unpack(">II", raw[16:24])


@pytest.fixture(scope="module", autouse=True)
def arrays(kernel):
    kernel.check("let host = Array2::from_shape_fn((4, 8), |(_, column)| column as f64); let device = gpu::asarray(&host);")


@pytest.mark.parametrize("array", ["&host", "&device", "&host.slice(s![0..2, 0..3])", "&device.slice(s![0..2, 0..3])"])
def test_a_heatmap_is_a_png_with_text(kernel, array):
    result = kernel.check(f"gpu::imshow({array});")
    (data,) = result.displays
    width, height = png_size(data["image/png"])
    assert width > 200 and height > 100
    assert re.search(r"\d+ ?[×x,] ?\d+", data["text/plain"]), data["text/plain"]
    assert result.stdout == ""


def test_values_that_have_no_colour(kernel):
    kernel.check("let odd = array![[f64::NAN, 1.0], [f64::INFINITY, 2.0]];")
    assert png_size(kernel.check("gpu::imshow(&odd);").displays[0]["image/png"])
    assert png_size(kernel.check("gpu::imshow(&gpu::ones::<f32>((3, 3)));").displays[0]["image/png"])


def test_what_cannot_be_drawn_says_why(kernel):
    for code in ("gpu::imshow(&gpu::zeros::<f64>([0, 4]));", "gpu::imshow(&gpu::zeros::<f64>([5]));"):
        result = kernel.run(code)
        assert result.error["ename"] == "Panic" and "imshow" in result.error_text and not result.displays


def test_an_array_shows_values_shape_type_and_device(kernel):
    text = kernel.check("&device").value
    assert "(4, 8)" in text and "f64" in text and ("cpu" in text.lower() or "cuda" in text.lower()), text
    large = kernel.check("gpu::zeros::<f32>((1000, 1000))").value
    assert len(large) < 3000 and ("…" in large or "..." in large)


def test_a_heatmap_with_options(kernel):
    code = 'gpu::heatmap(&(&host + 1.0)).norm("log").cmap("magma").vmin(0.5).title("t").xlabel("x").ylabel("y").colorbar_label("c")'
    result = kernel.check(code)
    (value,) = result.of("execute_result")
    assert png_size(value["data"]["image/png"]) and value["data"]["text/plain"].startswith("Figure: image 4×8 f64")


PLOTS = [
    ("gpu::plot(&{}).marker(\"o\").yscale(\"log\")", "Plot: line of 3 points"),
    ("gpu::plot((&{0}, &{0})).label(\"l\").title(\"T\").xlabel(\"x\")", 'Plot "T": line of 3 points'),
    ("gpu::scatter(&{0}, &{0}).color(\"tab:red\")", "Plot: 3 points"),
    ("gpu::bar(&[\"a\", \"b\", \"c\"], &{})", "Plot: 3 bars"),
    ("gpu::hist(&{}).bins(4)", "Plot: histogram of 3 values in 4 bins"),
]


@pytest.mark.parametrize("data", ["values", "gpu::asarray(&values)", "Array1::from(values.clone())", "values[..]"])
def test_plots_of_either_side(kernel, data):
    kernel.check("let values = vec![1.0f32, 2.0, 4.0];")
    shown = "; ".join(f"{code.format(data)}.show()" for code, _ in PLOTS)
    displays = kernel.check(f"{shown};").displays
    assert [display["text/plain"] for display in displays] == [text for _, text in PLOTS]
    assert all(png_size(display["image/png"]) == (640, 420) for display in displays)


def test_a_plot_shows_itself_once_wherever_it_stands(kernel):
    assert len(kernel.check("gpu::plot(&[1, 2]); gpu::plot(&[2, 3]).show(); 5").displays) == 2
    result = kernel.check("gpu::plot(&[1, 2]).title(\"value\")")
    assert not result.displays and result.of("execute_result")[0]["data"]["text/plain"].startswith('Plot "value"')
    kept = kernel.check("let kept = gpu::plot(&[1, 2]);")
    assert not kept.displays
    assert len(kernel.check("kept.show();").displays) == 1


def test_a_plot_is_updated_live(kernel):
    code = "let h = gpu::display(&gpu::plot(&[1, 2])); h.update(&gpu::plot(&[1, 2, 3]));"
    result = kernel.check(code)
    assert len(result.displays) == 1, "the update is no display of its own"
    (update,) = result.of("update_display_data")
    assert update["data"]["text/plain"] == "Plot: line of 3 points" and png_size(update["data"]["image/png"])


def test_what_cannot_be_plotted_says_why(kernel):
    for code, part in [
        ("gpu::plot((&[1, 2, 3], &[1, 2]));", "plot: x has 3 values and y has 2"),
        ("gpu::bar(&[\"a\"], &[1, 2]);", "bar: x has 1 value and heights has 2"),
        ("gpu::hist(&Vec::<f32>::new());", "hist: the shape [0] has no values"),
        ("gpu::plot(&gpu::zeros::<f32>((2, 2)));", "plot: the shape [2, 2] has two axes"),
        ("gpu::plot(&[1]).color(\"reddish\");", 'no colour "reddish"'),
        ("gpu::plot(&\"text\");", "cannot be plotted"),
    ]:
        result = kernel.run(code)
        assert part in result.error_text and not result.displays, (code, result.error_text)
