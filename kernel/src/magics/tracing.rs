//! The expansion of `%%trace`, which calls functions in `warpcell::session`.

use super::magic::CellCall;
use super::rewrite::Edit;
use super::timing::around_cell;

/// `%%trace`.
pub(super) fn trace_cell(call: &CellCall<'_>) -> Result<Vec<Edit>, String> {
    let calls = ["session::trace_begin", "session::trace_value", "session::trace_end"];
    around_cell(
        call,
        calls,
        "there is nothing to trace; write a launch below, such as `gpu::launch(f, 1, 32, (&a, &mut out));`",
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::check;
    use expect_test::expect;

    #[test]
    fn launches_of_a_cell() {
        check(
            "%%trace\ngpu::launch(f, 1, 32, &mut a);",
            expect![[r#"
            [plain]
            warpcell::session::trace_begin();
            gpu::launch(f, 1, 32, &mut a); warpcell::session::trace_end();"#]],
        );
        check(
            "%%trace\nlet mut out = gpu::zeros::<f32>(8);\ngpu::launch(f, 1, 8, &mut out);\nout.sum()",
            expect![[r#"
                [plain]
                warpcell::session::trace_begin();
                let mut out = gpu::zeros::<f32>(8);
                gpu::launch(f, 1, 8, &mut out);
                warpcell::session::trace_value(out.sum())"#]],
        );
        check(
            "%%trace\n",
            expect![[r#"
            UsageError
            line 1: `%%trace`: there is nothing to trace; write a launch below, such as `gpu::launch(f, 1, 32, (&a, &mut out));`
            Usage: %%trace
            `%trace?` shows more."#]],
        );
        check(
            "%%trace gpu::launch(f, 1, 32, &mut a);",
            expect![[r#"
            UsageError
            line 1: `%%trace`: nothing may follow it on its line, but got `gpu::launch(f, 1, 32, &mut a);`; write the statements below
            Usage: %%trace
            `%trace?` shows more."#]],
        );
        check(
            "%trace gpu::launch(f, 1, 32, &mut a);",
            expect![[r#"
            UsageError
            line 1: there is no `%trace`; write `%%trace`"#]],
        );
    }
}
