"""`imshow`: a PNG with text beside it, for arrays of either side."""

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
