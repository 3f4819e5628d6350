"""`gpu::progress`: a bar that is updated in place in a notebook, and a line in a terminal."""

import re

import pytest


def bars(result) -> list[dict]:
    """The states of the bars, in order, with their identities."""
    return [
        {**message.content["data"], "id": message.content["transient"]["display_id"], "kind": message.kind}
        for message in result.messages
        if message.kind in ("display_data", "update_display_data")
    ]


def test_a_bar_in_a_notebook_moves_in_place(kernel):
    code = "for _ in gpu::progress(0..50).label(\"a < b\") { std::thread::sleep(std::time::Duration::from_millis(10)); }"
    states = bars(kernel.check(code))
    assert [states[0]["kind"], *{state["kind"] for state in states[1:]}] == ["display_data", "update_display_data"]
    assert len({state["id"] for state in states}) == 1
    assert 4 <= len(states) <= 9, f"half a second of ten updates a second, but {len(states)}"
    assert states[0]["text/plain"].startswith("a < b:   0%|") and " 0/50 [00:00]" in states[0]["text/plain"]
    counts = [int(re.search(r"(\d+)/50", state["text/plain"])[1]) for state in states]
    assert counts == sorted(counts) and counts[-1] == 50
    assert re.search(r"100%.* 50/50 \[00:0[01], [\d.]+/s\]", states[-1]["text/plain"])
    for state in states:
        assert "<progress" in state["text/html"] and "a &lt; b" in state["text/html"]
    values = [float(re.search(r"value=([\d.]+)", state["text/html"])[1]) for state in states]
    assert values[0] == 0 and values[-1] == 1


def test_a_bar_in_a_terminal_is_a_line(kernel):
    code = "for _ in gpu::progress(0..3) { std::thread::sleep(std::time::Duration::from_millis(110)); }"
    result = kernel.run(code, allow_stdin=True)
    assert result.ok and not bars(result)
    lines = result.stderr.split("\r")
    assert lines[0] == "" and " 0/3 [" in lines[1] and re.search(r"100%.* 3/3 \[.*\] *\n$", lines[-1]), lines
    assert len(lines) >= 4


@pytest.mark.parametrize("end", ["break", 'panic!("x")', 'return Err("x".into())'])
def test_a_loop_that_ends_early_leaves_its_bar_where_it_was(kernel, end):
    code = f"fn f() -> Result<(), Box<dyn std::error::Error>> {{ for i in gpu::progress(0..10) {{ if i == 3 {{ {end}; }} }} Ok(()) }}"
    last = bars(kernel.run(f"{code} let _ = f();"))[-1]
    assert " 3/10 [" in last["text/plain"] and "#e53935" in last["text/html"]


def test_an_iterator_of_unknown_length_has_no_percentage(kernel):
    last = bars(kernel.check("for _ in gpu::progress((0..7).filter(|i| i % 2 == 0)) {}"))[-1]
    assert re.fullmatch(r"4 \[00:00, .*/s\]", last["text/plain"])
