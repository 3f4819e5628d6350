"""What cells give back: values, text, counters, and their order."""

import re

import pytest


def test_the_first_cell_is_number_one(fresh_kernel):
    session = fresh_kernel()
    first = session.check("1 + 1")
    assert first.reply["execution_count"] == 1
    assert first.of("execute_input")[0]["execution_count"] == 1
    assert first.of("execute_result")[0]["execution_count"] == 1
    assert session.check("2 + 2").reply["execution_count"] == 2


def test_an_expression_has_a_value(kernel):
    assert kernel.check("6 * 7").value == "42"
    assert kernel.check('"text".len()').value == "4"
    assert kernel.check("vec![1, 2, 3]").value == "[1, 2, 3]"


def test_a_statement_has_no_value(kernel):
    result = kernel.check("let unit = 3;")
    assert result.value is None and not result.displays and result.stdout == ""
    assert kernel.check("()").value is None


def test_variables_functions_and_types_persist(kernel):
    kernel.check("let mut numbers = vec![1, 2]; fn double(x: i32) -> i32 { 2 * x }")
    kernel.check("#[derive(Debug)] struct Point { x: i32 } let point = Point { x: double(21) };")
    kernel.check("numbers.push(point.x);")
    assert kernel.check("numbers").value == "[1, 2, 42]"
    assert kernel.check("let numbers = numbers.len(); numbers").value == "3"


def test_the_prelude_is_there_without_a_cell(kernel):
    result = kernel.check("let a = gpu::asarray(&gpu::host::arange(4.0)); (&a + 1.0).to_host()")
    assert re.search(r"1\.?0?, 2\.?0?, 3\.?0?, 4", result.value), result.value


def test_streams_stay_apart(kernel):
    result = kernel.check('println!("to stdout"); eprintln!("to stderr");')
    assert result.stdout == "to stdout\n"
    assert result.stderr == "to stderr\n"


def test_text_of_c_code_arrives(kernel):
    code = 'unsafe extern "C" { fn puts(text: *const std::ffi::c_char) -> i32; }'
    result = kernel.check(f"{code}\nunsafe {{ puts(c\"from C\".as_ptr()) }};")
    assert "from C\n" in result.stdout


def test_a_partial_line_arrives_at_once(kernel):
    arrived = {}

    def note(message):
        if message.kind == "stream":
            for word in ("begin", "end"):
                if word in message.content["text"]:
                    arrived.setdefault(word, message.at)

    code = 'print!("begin "); std::thread::sleep(std::time::Duration::from_secs(2)); println!("end");'
    result = kernel.run(code, on_message=note)
    assert result.stdout == "begin end\n"
    assert arrived["end"] - arrived["begin"] > 1.0, "the partial line waited for the line's end"


def test_carriage_returns_pass_through(kernel):
    assert kernel.check(r'print!("10%\r"); print!("100%\n");').stdout == "10%\r100%\n"


def test_a_lot_of_text_arrives_whole(kernel):
    result = kernel.check('for line in 0..20000 { println!("line {line}"); }')
    assert result.stdout == "".join(f"line {line}\n" for line in range(20000))


def test_images_and_text_keep_the_order_of_the_program(kernel):
    result = kernel.check(
        """
        let image = gpu::host::zeros::<f64, _>((4, 4));
        print!("one ");
        gpu::imshow(&image);
        println!("two");
        gpu::imshow(&image);
        gpu::imshow(&image);
        println!("three");
        """
    )
    order = [
        message.content["text"].strip() if message.kind == "stream" else "image"
        for message in result.messages
        if message.kind in ("stream", "display_data")
    ]
    assert order == ["one", "image", "two", "image", "image", "three"], result.summary()


def test_text_that_looks_like_a_control_line_is_only_text(kernel):
    text = 'EVCXR_PANIC_NOTIFICATION\\nEVCXR_ERROR_OCCURRED\\nEVCXR_EXECUTION_COMPLETE'
    result = kernel.check(f'println!("{text}");')
    assert result.stdout == text.replace("\\n", "\n") + "\n"
    assert kernel.check("1 + 1").value == "2"


def test_standard_input_is_at_its_end(kernel):
    code = "let mut line = String::new(); std::io::stdin().read_line(&mut line).unwrap()"
    assert kernel.check(code, seconds=120).value == "0"


def test_a_child_that_keeps_stderr_open_does_not_hold_the_cell(kernel):
    code = 'let child = std::process::Command::new("sleep").arg("60").spawn().unwrap(); child.id()'
    result = kernel.check(code, seconds=120)
    kernel.check(f'std::process::Command::new("kill").arg("{result.value}").status().unwrap();')


def test_silent_cells_say_and_count_nothing(kernel):
    before = kernel.check("0").reply["execution_count"]
    silent = kernel.run("1 + 1", silent=True)
    assert silent.ok and not silent.of("execute_result", "execute_input")
    assert kernel.check("0").reply["execution_count"] == before + 1


def test_an_empty_cell_is_fine(kernel):
    for code in ("", "   \n", "// only a comment"):
        assert kernel.run(code).ok


def test_a_number_takes_the_type_of_the_sum_that_it_is_compared_with(kernel):
    # The compiler takes both numbers for i32, and then the sum is an i64.
    kernel.check("let summed = gpu::arange(1000).sum();\nassert_eq!(summed, 499_500);")
    assert kernel.check("summed").value == "499500"
    result = kernel.run("let a: i64 = 1; let b: i32 = 2;\na == b")
    assert not result.ok and "mismatched types" in result.error_text


# `@` is `x + 1` of an array of f32. It is a float's 1 wherever it stands.
PLACES = [
    "println!(\"{:?}\", @);",
    "println!(\"{n} {:?} {y:?}\", 1, n = 2, y = @);",
    "println!(\n    \"{:?}\",\n    @\n);",
    "let text = format!(\"{:?}\", Some(1).map(|_| @));",
    "assert!(format!(\"{:?}\", { let y = @; y }).len() > 1, \"{:?}\", @);",
    "let arrays = vec![@, @]; let again = vec![@; 2]; dbg!(@);",
    "println!(\"{}\", vec![format!(\"{:?}\", @)].len());",
    "{ let f = |x: &DeviceArray<f32>| @; f(&x) }",
    "{ let x = x.clone(); let f = move || @; f() }",
    "match 3 { 3 => { let y = @; y } _ => x.clone() }",
    "for _ in 0..2 { if x.len() > 1 { println!(\"{:?}\", @); } }",
    "fn plus(x: &DeviceArray<f32>) -> DeviceArray<f32> { println!(\"{:?}\", @); @ }\nplus(&x)",
    "struct Plus; impl Plus { fn plus(&self, x: &DeviceArray<f32>) -> DeviceArray<f32> { @ } }\nPlus.plus(&x)",
    "impl Plus { fn plus(&self, x: &DeviceArray<f32>) -> DeviceArray<f32> { let y = 1 * @; y } }\nPlus.plus(&x)",
    "trait Adds { fn adds(x: &DeviceArray<f32>) -> DeviceArray<f32> { @ } }\nimpl Adds for Plus {}\nPlus::adds(&x)",
    "mod own { use gpu::DeviceArray; use warpcell as gpu; pub fn plus(x: &DeviceArray<f32>) -> DeviceArray<f32> { @ } }\nown::plus(&x)",
    "let z: DeviceArray<f32> = gpu::zeros(3) + 1;\n(2.0 * gpu::array(&[1.0_f32, 17.0]) + 1).sum()",
    "gpu::interact!(n: usize = 1 in 0..=9, s: f64 in [0.5, 1.5] => @).close();",
]


@pytest.mark.parametrize("place", PLACES)
def test_an_integer_beside_floats_is_a_float_wherever_it_stands(kernel, place):
    kernel.check("let x = gpu::array(&[1.0_f32, 2.0, 3.0]);")
    kernel.check("struct Plus;")
    is_reference = "x: &DeviceArray" in place
    kernel.check(place.replace("@", "(x + 1)" if is_reference else "(&x + 1)"))


@pytest.mark.parametrize(
    "place",
    [
        "fn twice(x: &DeviceArray<f32>) -> DeviceArray<f32> { @ }",
        "struct Twice; impl Twice { fn twice(&self, x: &DeviceArray<f32>) -> DeviceArray<f32> { @ } }",
        "{ let twice = |x: &DeviceArray<f32>| @; twice(&x) }",
    ],
)
def test_a_reference_to_a_reference_gets_a_corrected_line(kernel, place):
    kernel.check("let x = gpu::array(&[1.0_f32, 2.0, 3.0]);")
    result = kernel.run(place.replace("@", "&x * 2"))
    corrected = place.replace("@", "x * 2")
    assert not result.ok and result.error_text.rstrip().endswith(f"write `{corrected}`"), result.error_text
    kernel.check(corrected)


def test_statics_may_leave_out_lifetimes(kernel):
    kernel.check('static TEXT: &str = "t"; static WORDS: [&str; 2] = ["a", "b"]; static CALLED: fn(&str) -> usize = str::len;')
    assert kernel.check("CALLED(TEXT) + WORDS.len()").value == "3"
