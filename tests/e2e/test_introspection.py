"""Completion, documentation and completeness of what is being typed."""

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


def test_positions_count_code_points(kernel):
    code = 'let text = "πß𝄞"; some_vec'
    reply = kernel.complete(code)
    assert reply["cursor_end"] == len(code) and reply["cursor_start"] == len(code) - len("some_vec")


def test_inspection_shows_documentation(kernel):
    reply = kernel.inspect("gpu::convolve2d")
    assert reply["found"] and "convolve2d" in reply["data"]["text/plain"]
    assert kernel.inspect("nosuchname")["found"] is False


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
    ],
)
def test_completeness(kernel, code, status):
    assert kernel.is_complete(code) == status
