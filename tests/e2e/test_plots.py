"""Heatmaps and plots: a PNG with text beside it, for data of either side."""

import base64
import re
import struct

import pytest

from e2e import test_cheat_sheet


def png_size(data: str) -> tuple[int, int]:
    raw = base64.b64decode(data)
    assert raw.startswith(b"\x89PNG\r\n\x1a\n"), "not a PNG"
    return struct.unpack(">II", raw[16:24])


@pytest.fixture(scope="module", autouse=True)
def arrays(kernel):
    kernel.check("let host = Array2::from_shape_fn((4, 8), |(_, column)| column as f64); let device = gpu::asarray(&host);")
    kernel.check(test_cheat_sheet.set_up())


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
    ("gpu::scatter(&{0}, &{0}).c(&{0}).cmap(\"magma\")", "Plot: 3 points"),
    ("gpu::errorbar(&{0}, &{0}).yerr(&{0}).capsize(3.0)", "Plot: 3 points with error bars"),
    ("gpu::fill_between(&{0}, &{0}, 0.0).axhline(2)", "Plot: area over 3 points, line at y = 2"),
    ("gpu::Plot::new().plot(&{}).axvline(1.5)", "Plot: line of 3 points, line at x = 1.5"),
]


@pytest.mark.parametrize("data", ["values", "gpu::asarray(&values)", "Array1::from(values.clone())", "values[..]"])
def test_plots_of_either_side(kernel, data):
    kernel.check("let values = vec![1.0f32, 2.0, 4.0];")
    shown = "; ".join(f"{code.format(data)}.show()" for code, _ in PLOTS)
    displays = kernel.check(f"{shown};").displays
    assert [display["text/plain"] for display in displays] == [text for _, text in PLOTS]
    assert all(png_size(display["image/png"]) == (640, 420) for display in displays)


@pytest.mark.parametrize("line", [row.ours for row in test_cheat_sheet.ROWS if row.section == "Plots"])
def test_lines_of_the_cheat_sheet_show_one_picture(kernel, line):
    (value,) = kernel.check(line).of("execute_result")
    assert png_size(value["data"]["image/png"]) >= (200, 150)
    assert value["data"]["text/plain"].startswith(("Plot", "Figure", "Subplots"))


@pytest.mark.parametrize("side", ["&colours", "&gpu::asarray(&colours)", "&colours.mapv(|x| f32::from(x) / 255.0)"])
def test_a_picture_has_its_own_colours(kernel, side):
    for channels, name in ((3, "RGB"), (4, "RGBA")):
        kernel.check(f"let colours = ndarray::Array3::from_elem((20, 30, {channels}), 200u8);")
        (data,) = kernel.check(f"gpu::imshow({side});").displays
        assert re.fullmatch(rf"Figure: image 20×30 (u8|f32), {name}", data["text/plain"]), data["text/plain"]
        assert png_size(data["image/png"])


def test_a_photo_from_a_file_is_shown(kernel, tmp_path):
    kernel.check(f'let photo = String::from("{tmp_path}/photo.png"); gpu::imsave(&photo, &ndarray::Array3::from_elem((5, 7, 3), 9u8));')
    (data,) = kernel.check("gpu::imshow(&gpu::imread(&photo));").displays
    assert data["text/plain"] == "Figure: image 5×7 u8, RGB" and png_size(data["image/png"])


def test_plots_in_a_grid_are_one_display(kernel):
    (data,) = kernel.check("gpu::subplots((1, 2), [gpu::plot(&[1, 2]), gpu::imshow(&host)]).suptitle(\"two\");").displays
    assert data["text/plain"].startswith('Subplots "two" 1×2: Plot: line of 2 points; Figure: image 4×8 f64')
    assert png_size(data["image/png"]) == (880, 330)


def test_frames_of_a_heatmap_keep_their_size(kernel):
    # Of updates that follow one another quickly only the last one is sent, so each one has its cell.
    frames = kernel.check("let frame = gpu::display(&gpu::imshow(&host));").displays
    for factor in ("1e-9", "12345.678"):
        updates = kernel.check(f"frame.update(&gpu::imshow(&(&host * {factor})));").of("update_display_data")
        frames += [update["data"] for update in updates]
    assert len(frames) == 3 and len({png_size(frame["image/png"]) for frame in frames}) == 1


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
        ("gpu::imshow(&gpu::zeros::<f32>((3, 8, 9)));", "`gpu::imshow(&x.permute_dims((1, 2, 0)))`"),
        ("gpu::imshow(&gpu::zeros::<f32>(9));", "`gpu::imshow(&x.slice(s![NewAxis, ..]))`"),
        ("gpu::contour(&[1, 2]);", "contour lines need a 2-D array"),
        ("gpu::errorbar(&[1], &[1]).yerr(&[1, 2]);", "x has 1 value and yerr has 2"),
        ("gpu::plot(&[1]).cmap(\"gray\");", "do not stand for numbers"),
        ("gpu::subplots((1, 1), [gpu::plot(&[1]), gpu::plot(&[2])]);", "`gpu::subplots((1, 2), …)`"),
    ]:
        result = kernel.run(code)
        assert part in result.error_text and not result.displays, (code, result.error_text)
