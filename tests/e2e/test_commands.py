"""evcxr's `:commands`, and the prelude's one set of statics."""

import re

import pytest


def test_vars_lists_variables(kernel):
    kernel.check("let shown = 5i32;")
    result = kernel.check(":vars")
    text = result.stdout + (result.value or "")
    assert "shown" in text and "i32" in text


def test_version_names_the_product_and_the_compiler(kernel):
    result = kernel.check(":version")
    text = (result.stdout + (result.value or "")).lower()
    assert "0." in text


def test_help(kernel):
    result = kernel.check(":help")
    assert ":dep" in result.stdout + (result.value or "")


def test_commands_stand_above_code(kernel):
    result = kernel.run("let a = 1;\n:dep itoa = \"1\"\na")
    assert result.error["ename"] == "UsageError"
    assert "line 2: `:dep` must stand above all code" in result.error_text
    assert result.error_text.endswith(":dep itoa = \"1\"\nlet a = 1;\na")
    listed = kernel.check(":help")
    names = re.findall(r"^:\w+", listed.stdout + (listed.value or ""), re.MULTILINE)
    assert len(names) > 20, names
    for name in names:
        assert f"line 2: `{name}` must stand above all code" in kernel.run(f"let a = 1;\n{name}").error_text


def test_opt(kernel):
    kernel.check(":opt 1")
    assert kernel.check("2 + 2").value == "4"
    kernel.check(":opt 2")


@pytest.mark.parametrize(
    ("command", "correct"),
    [
        (":opt 99", ":opt 2"),
        (":opt fast", ":opt 2"),
        (":opt s", ":opt 2"),
        (":time_passes", "%celltime"),
        (":env =", ":env NAME=value"),
        (":env A", ":env NAME=value"),
        (":env WARPCELL_SESSION=/nowhere", "%env WARPCELL_SESSION=/nowhere"),
        (":build_env EVCXR_TMPDIR=/", "%env EVCXR_TMPDIR=/"),
    ],
)
def test_a_setting_that_would_break_every_cell_is_refused(kernel, command, correct):
    result = kernel.run(command)
    assert result.error["ename"] == "UsageError" and f"`{correct}`" in result.error_text, result.error_text
    assert kernel.check("1 + 1").value == "2"


@pytest.mark.parametrize("command", [":linker mold", ":toolchain nightly", ":codegen_backend cranelift"])
def test_what_the_installation_has_chosen_is_told(kernel, command):
    result = kernel.check(f"// from a notebook of evcxr_jupyter\n{command}\n3 + 4")
    assert "has no effect" in result.stdout and result.value == "7"
    result = kernel.check(":linker lld\n3")
    assert result.value == "3" and "linker: lld" in result.stdout


def test_formats_and_types_of_values(kernel):
    kernel.check(":fmt {:#?}")
    assert kernel.check("vec![1]").value == "[\n    1,\n]"
    kernel.check(":fmt {:x}")
    assert kernel.check("255").value == "ff"
    kernel.check(":fmt {:?}\n:types")
    assert kernel.check("vec![1]").value == ": Vec<i32> = [1]"
    kernel.check(":types")
    assert kernel.check("vec![1]").value == "[1]"


@pytest.mark.parametrize("item", ["mod evcxr_internal_runtime {}", "let evcxr_variable_store = 1;", "fn run_user_code_1() {}"])
def test_the_kernels_own_names_are_refused(kernel, item):
    kernel.check("let beside = 5;")
    result = kernel.run(item)
    assert "one of the kernel's own" in result.error_text
    assert kernel.check("beside").value == "5"


def test_restart_keeps_items_and_says_what_has_become_of_variables(fresh_kernel):
    session = fresh_kernel()
    session.check("let before = 5; fn twice(x: i32) -> i32 { 2 * x }")
    assert not session.check(":restart").stderr
    result = session.check("twice(4)")
    assert result.value == "8" and not result.stderr, result.summary()
    assert "when the process that runs the cells ended" in session.run("before").error_text


def test_an_unknown_command(kernel):
    result = kernel.run(":nosuchcommand")
    assert not result.ok and ":nosuchcommand" in result.error_text
    assert kernel.check("1 + 1").value == "2"


def test_clear_forgets_variables_and_keeps_the_prelude(fresh_kernel):
    session = fresh_kernel()
    session.check("let gone = 1;")
    session.check(":clear")
    assert not session.run("gone").ok
    assert session.check("gpu::zeros::<f64>([3]).size()").value == "3"


@pytest.fixture(scope="module")
def path_crate(tmp_path_factory):
    """A crate on disk that a notebook can depend on; it reads its own directory as real crates do."""
    crate = tmp_path_factory.mktemp("a crate with spaces") / "greeting"
    (crate / "src").mkdir(parents=True)
    (crate / "Cargo.toml").write_text('[package]\nname = "greeting"\nversion = "0.1.0"\nedition = "2021"\n')
    (crate / "data.txt").write_text("hello from a file")
    (crate / "src/lib.rs").write_text(
        'pub const TEXT: &str = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/data.txt"));\n'
        "pub fn greet(name: &str) -> String { format!(\"hello, {name}\") }\n"
    )
    return crate


def test_dep_of_a_path_keeps_variables(kernel, path_crate):
    kernel.check("let before = 3;")
    kernel.check(f':dep greeting = {{ path = "{path_crate}" }}', seconds=1200)
    assert kernel.check('greeting::greet("you")').value == '"hello, you"'
    assert kernel.check("greeting::TEXT").value == '"hello from a file"'
    assert kernel.check("before").value == "3"
    assert kernel.check("gpu::ones::<f64>([4]).sum()").value.startswith("4")


def test_dep_of_a_registry_crate(kernel):
    kernel.check(':dep itoa = "1"', seconds=1200)
    assert kernel.check("itoa::Buffer::new().format(1234).to_string()").value == '"1234"'


def test_a_dep_that_does_not_exist(kernel):
    result = kernel.run(':dep greeting2 = { path = "/nonexistent/greeting2" }', seconds=1200)
    assert not result.ok and "greeting2" in result.error_text
    assert kernel.check("1 + 1").value == "2"


def test_cells_share_the_preludes_statics(kernel):
    kernel.check("let one = gpu::ones::<f64>([2]);")
    assert kernel.check("let two = gpu::ones::<f64>([2]); (&one + &two).sum()").value.startswith("4")
    maps = kernel.check(
        'std::fs::read_to_string("/proc/self/maps").unwrap().lines()'
        '.filter_map(|l| Some(l[l.find("/")?..].to_owned())).filter(|p| p.ends_with("libwarpcell.so"))'
        ".collect::<std::collections::BTreeSet<_>>().len()"
    )
    assert maps.value == "1", "the prelude is loaded once"


def test_quit_ends_the_kernel_with_an_answer(fresh_kernel):
    session = fresh_kernel()
    result = session.run(':version\n:quit\nprintln!("never");')
    assert result.ok and result.stdout == "" and not result.of("error"), result.summary()
    assert result.reply["payload"] == [{"source": "ask_exit", "keepkernel": False}]
    assert result.of("shutdown_reply") == [{"status": "ok", "restart": False}]
    assert session.manager.provisioner.process.wait(timeout=60) == 0
