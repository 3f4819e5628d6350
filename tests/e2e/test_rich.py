"""Rich output anywhere in a cell: displays of all types, their updates, and clearing."""

import pytest


def outputs(result) -> list[tuple[str, object]]:
    """What a front end has to do, in order: text, or a display with its plain text."""
    found = []
    for message in result.messages:
        if message.kind == "stream":
            found.append(("text", message.content["text"]))
        elif message.kind == "clear_output":
            found.append(("clear", message.content["wait"]))
        elif message.kind in ("display_data", "update_display_data", "execute_result"):
            found.append((message.kind, message.content["data"]["text/plain"]))
    return found


WRAPPERS = [
    ('gpu::Html("<b>x</b>")', "text/html", "<b>x</b>", "<b>x</b>"),
    ('gpu::Markdown(format!("**{}**", 1))', "text/markdown", "**1**", "**1**"),
    ('gpu::Latex(r"$x^2$")', "text/latex", "$x^2$", "$x^2$"),
    ('gpu::Svg("<svg/>")', "image/svg+xml", "<svg/>", "SVG image, 6 bytes"),
    ("gpu::Json(vec![1, 2])", "application/json", [1, 2], "[\n  1,\n  2\n]"),
]


@pytest.mark.parametrize("code, mime_type, content, text", WRAPPERS)
def test_wrappers_as_a_value_and_anywhere_else(kernel, code, mime_type, content, text):
    expected = {mime_type: content, "text/plain": text}
    result = kernel.check(f"let shown = {code}; print!(\"before \"); gpu::display(&shown); println!(\"after\"); shown")
    assert result.displays == [expected]
    assert [value["data"] for value in result.of("execute_result")] == [expected]
    assert [kind for kind, _ in outputs(result)] == ["text", "display_data", "text", "execute_result"]


def test_a_picture_from_its_bytes(kernel):
    code = "let figure = gpu::imshow(&array![[1, 2]]).size(300, 200); let png = gpu::Png(figure.png().to_vec());"
    kernel.check(f"{code} let image = gpu::Image::new(figure.png());")
    for name in ("png", "image"):
        (shown,) = kernel.check(name).of("execute_result")
        assert shown["data"]["text/plain"] == "PNG image, 300×200 pixels"
        assert shown["data"]["image/png"].startswith("iVBOR")
    assert "cannot be read as a PNG, JPEG, GIF or WebP file" in kernel.run('gpu::Image::new("text");').error_text
    assert "nowhere.png cannot be read" in kernel.run('gpu::Image::open("nowhere.png");').error_text


def test_whatever_has_debug_can_be_displayed(kernel):
    kernel.check("#[derive(Debug)] struct Point { x: i32 } let host = array![1.0, 2.0];")
    code = 'gpu::display(&Point { x: 1 }); gpu::display(&host); gpu::display(&gpu::asarray(&host)); gpu::display("text")'
    result = kernel.check(code)
    texts = [display["text/plain"] for display in result.displays]
    assert texts[0] == "Point { x: 1 }" and texts[1].startswith("[1.0, 2.0]") and texts[3] == '"text"'
    assert "shape (2,), dtype f64, on " in texts[2]
    assert result.value is None, "a handle shows nothing"


def test_arrays_are_tables_beside_their_text(kernel):
    kernel.check("let table = gpu::array(&[[1.0, 2.5], [3.0, 4.0]]);")
    result = kernel.check("gpu::display(&table); table.clone()")
    (shown,) = result.displays
    assert shown == result.of("execute_result")[0]["data"]
    assert shown["text/plain"].startswith("[[1.  2.5]\n [3.  4. ]]\nshape (2, 2), dtype f64, on ")
    assert "<td>2.5<tr><td>3." in shown["text/html"] and "shape (2, 2), dtype f64, on " in shown["text/html"]
    assert "text/html" not in kernel.check("gpu::zeros::<f32>((2, 2, 2))").of("execute_result")[0]["data"]


def test_print_options_hold_for_later_cells(kernel):
    kernel.check("let before = gpu::get_printoptions(); gpu::set_printoptions(gpu::PrintOptions::new().precision(2));")
    result = kernel.check("gpu::array(&[2.0 / 3.0])")
    assert result.value.startswith("[0.67]\n") and "<td>0.67<" in result.of("execute_result")[0]["data"]["text/html"]
    kernel.check("gpu::set_printoptions(before);")
    assert kernel.check("gpu::array(&[2.0 / 3.0])").value.startswith("[0.66666667]\n")


def test_a_figure_is_displayed_once(kernel):
    result = kernel.check("let f = gpu::imshow(&array![[1, 2]]); gpu::display(&f); let f = f.title(\"again\");")
    assert len(result.displays) == 1 and "image/png" in result.displays[0]


def test_a_display_is_updated_in_place_also_from_a_later_cell(kernel):
    result = kernel.check('let handle = gpu::display(&"one"); handle.update(&gpu::Html("<i>two</i>")); println!("end");')
    assert outputs(result) == [("display_data", '"one"'), ("update_display_data", "<i>two</i>"), ("text", "end\n")]
    ids = [content["transient"]["display_id"] for content in result.of("display_data", "update_display_data")]
    assert ids[0] == ids[1] and len(ids[0]) > 8
    later = kernel.check("handle.update(&3); gpu::update_display(handle.id(), &4);")
    updates = later.of("update_display_data")
    # Of updates that follow each other at once, the last one is enough.
    assert {update["transient"]["display_id"] for update in updates} == {ids[0]}
    assert outputs(later)[-1] == ("update_display_data", "4")
    (other,) = kernel.check('gpu::display_with_id("mine", &1);').of("display_data")
    assert other["transient"] == {"display_id": "mine"}


def test_clearing_keeps_the_order(kernel):
    # What is removed at once need not have been shown.
    result = kernel.check('print!("a"); gpu::clear_output(false); gpu::display(&1);')
    assert outputs(result)[-2:] == [("clear", False), ("display_data", "1")]
    result = kernel.check('print!("a"); gpu::clear_output(true); print!("b");')
    assert outputs(result)[-2:] == [("clear", True), ("text", "b")]


def test_types_of_users_show_what_they_like(kernel):
    kernel.check(
        """
        struct Molecule { name: String, atoms: usize }
        #[gpu::rich]
        impl gpu::Rich for Molecule {
            fn mime_bundle(&self) -> gpu::MimeBundle {
                gpu::MimeBundle::new().text(&self.name).html(format!("{}: {} atoms", self.name, self.atoms))
            }
        }
        let water = Molecule { name: "water".to_owned(), atoms: 3 };
        """
    )
    expected = {"text/plain": "water", "text/html": "water: 3 atoms"}
    result = kernel.check("gpu::display(&water); std::rc::Rc::new(&water)")
    assert result.displays == [expected] and result.of("execute_result")[0]["data"] == expected
    assert kernel.check('println!("{water:?}");').stdout == "water\n"


def test_evcxrs_own_way_of_displaying_works(kernel):
    kernel.check(
        r"""
        struct Old;
        impl Old {
            fn evcxr_display(&self) {
                println!("EVCXR_BEGIN_CONTENT text/html\n<b>old</b>\nEVCXR_END_CONTENT");
            }
        }
        """
    )
    assert kernel.check("Old").displays == [{"text/html": "<b>old</b>"}]
