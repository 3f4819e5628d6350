"""jupyter_kernel_test, Jupyter's own conformance suite, with the samples of this kernel."""

import jupyter_kernel_test

from e2e.session import KERNEL


class TestConformance(jupyter_kernel_test.KernelTests):
    """Each `test_…` of the suite reads one of the samples below; none is left out, and none is skipped for want of one."""

    kernel_name = KERNEL
    language_name = "rust"
    file_extension = ".rs"

    code_hello_world = 'println!("hello, world");'
    code_stderr = 'eprintln!("test");'
    code_generate_error = "let x: i32 = ;"
    code_execute_result = [{"code": "6 * 7", "result": "42"}, {"code": '"a".repeat(3)', "result": '"aaa"'}]
    code_display_data = [{"code": "gpu::imshow(&gpu::host::zeros::<f64, _>((4, 4)));", "mime": "image/png"}]
    code_inspect_sample = "gpu::convolve2d"
    completion_samples = [
        {"text": "%timei", "matches": {"%timeit"}},
        {"text": "%%gpus", "matches": {"%%gpusync"}},
        {"text": "gpu::allclose_w", "matches": {"allclose_with"}},
    ]
    complete_code_samples = ["1 + 1", "fn f() {}", "let x = 1;", "%lsmagic"]
    incomplete_code_samples = ["fn f() {", "let x = (1,", '"open', "if true {\n    1\n"]
    invalid_code_samples = ["fn f() }", "let x = );"]

    code_page_something = "%timeit?"
    code_history_pattern = "6 ? 7"
    supported_history_operations = ("tail", "range", "search")
    code_clear_output = 'println!("gone"); gpu::clear_output(false);'

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        # The suite allows 15 s for a reply; the first compilation of a session may take longer on a slow machine.
        cls.kc.execute_interactive("gpu::ones::<f64>(2).sum()", timeout=480, output_hook=lambda _: None)
        cls.kc.complete("gpu::al")
        cls.kc.get_shell_msg(timeout=480)


class TestIopubWelcome(jupyter_kernel_test.IopubWelcomeTests):
    """A client that subscribes is told so."""

    kernel_name = KERNEL
    support_iopub_welcome = True
