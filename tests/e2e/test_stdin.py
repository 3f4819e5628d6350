"""Input that a cell asks the user for, and what it finds on standard input."""

from __future__ import annotations

import json
import time

import pytest


def ask(session, code: str, answer, password: bool = False):
    """Runs a cell that asks once; `answer()` is called when the question is there. Gives the result."""
    request = session.send(code, allow_stdin=True)
    question = session.client.get_stdin_msg(timeout=240)
    assert question["msg_type"] == "input_request"
    assert question["parent_header"]["msg_id"] == request
    assert question["content"] == {"prompt": "Your name: ", "password": password}
    answer()
    return session.collect(request)


def test_text(kernel):
    result = ask(kernel, 'let name = gpu::input("Your name: "); println!("Hello, {name}");', lambda: kernel.client.input("Zoë"))
    assert result.ok and result.stdout == "Hello, Zoë\n", result.summary()
    assert kernel.check("name").value == '"Zoë"'


def test_a_password(kernel):
    code = 'gpu::password("Your name: ").len()'
    result = ask(kernel, code, lambda: kernel.client.input("secret"), password=True)
    assert result.value == "6"


def test_questions_in_a_row(kernel):
    request = kernel.send('let all: Vec<String> = (0..3).map(|i| gpu::input(&format!("{i}"))).collect(); all', allow_stdin=True)
    for number in range(3):
        assert kernel.client.get_stdin_msg(timeout=240)["content"]["prompt"] == str(number)
        kernel.client.input(f"answer {number}")
    assert kernel.collect(request).value == '["answer 0", "answer 1", "answer 2"]'


def test_an_interrupt_ends_the_waiting_and_loses_nothing(kernel):
    kernel.check("let kept = vec![1, 2, 3];")
    result = ask(kernel, 'let never = gpu::input("Your name: ");', kernel.manager.interrupt_kernel)
    assert result.error["ename"] == "Interrupted", result.error_text
    assert kernel.check("kept").value == "[1, 2, 3]"


@pytest.mark.parametrize("code", ['gpu::input("Your name: ")', 'gpu::password("Your name: ")'])
def test_a_client_that_takes_no_input(kernel, code):
    result = kernel.run(code, allow_stdin=False)
    error = result.error_text
    assert "allow_stdin" in error and "write the value into the code" in error, error
    assert kernel.check('gpu::try_input("x").is_err()', allow_stdin=False).value == "true"


def test_a_thread_that_outlived_its_cell_is_refused(kernel):
    kernel.check("""
        let (send, receive) = std::sync::mpsc::channel::<()>();
        let asking = std::thread::spawn(move || { receive.recv().ok(); gpu::try_input("x").map_err(|e| e.to_string()) });
    """)
    # The cell that lets it go takes no input, and has ended or not when the question comes.
    kernel.check("drop(send);")
    result = kernel.check("asking.join().unwrap().unwrap_err()")
    assert "write the value into the code" in result.value


def test_a_question_that_its_cell_leaves_open_is_refused(kernel, tmp_path):
    end = tmp_path / "end"
    request = kernel.send(
        f"""
        let asking = std::thread::spawn(|| gpu::try_input("Your name: ").map_err(|e| e.to_string()));
        while !std::path::Path::new({json.dumps(str(end))}).exists() {{ std::thread::yield_now(); }}
        """,
        allow_stdin=True,
    )
    kernel.client.get_stdin_msg(timeout=240)
    end.touch()
    assert kernel.collect(request).ok
    result = kernel.check("asking.join().unwrap().unwrap_err()")
    assert "the cell ended before the user answered" in result.value
    result = ask(kernel, 'gpu::input("Your name: ")', lambda: kernel.client.input("Zoë"))
    assert result.value == '"Zoë"', "the next question is free"


def test_standard_input_is_empty(kernel):
    start = time.monotonic()
    code = 'let mut line = String::new(); let read = std::io::stdin().read_line(&mut line).unwrap(); (read, line)'
    assert kernel.check(code).value == '(0, "")'
    assert kernel.check("!cat").ok, "a shell command does not wait for input either"
    assert time.monotonic() - start < 60


def test_a_question_where_the_temporary_folder_has_a_long_path(fresh_kernel, tmp_path):
    """Longer than the address of a socket, as on clusters that make a folder for each job."""
    folder = tmp_path / " ".join(["a job's folder"] * 10)
    folder.mkdir()
    session = fresh_kernel(env={"TMPDIR": str(folder)})
    result = ask(session, 'let name = gpu::input("Your name: "); println!("Hello, {name}");', lambda: session.client.input("Zoë"))
    assert result.ok and result.stdout == "Hello, Zoë\n", result.summary()
    assert any(path.name.startswith("warpcell-") for path in folder.iterdir()), "the session is there"
