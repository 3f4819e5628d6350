"""Notebooks come into the repository without outputs: the check finds those that have some, and git's filter strips them."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

import notebooks
import tidy

SCRIPT = Path(notebooks.__file__)
LESSON = notebooks.course()[0]


def executed(text: str) -> str:
    """A notebook's text as JupyterLab saves it after a run: outputs, counts, times, and its own metadata."""
    notebook = json.loads(text)
    for count, cell in enumerate(notebook["cells"], 1):
        if cell["cell_type"] == "code":
            cell["execution_count"] = count
            cell["outputs"] = [{"output_type": "stream", "name": "stdout", "text": ["CPU\n"]}]
            cell["metadata"]["execution"] = {"iopub.status.busy": "2026-11-22T10:00:00Z"}
    notebook["metadata"]["language_info"]["version"] = "1.95"
    return json.dumps(notebook, indent=2)


def cleaned(text: str) -> str:
    return subprocess.run(["python3", SCRIPT, "--clean"], input=text, capture_output=True, text=True, check=True, encoding="utf-8").stdout


@pytest.fixture
def lessons(tmp_path, monkeypatch):
    """A folder with the lessons, which the check looks at."""
    shutil.copytree(notebooks.LESSONS, tmp_path / "lessons")
    monkeypatch.setattr(notebooks, "ROOT", tmp_path)
    monkeypatch.setattr(notebooks, "LESSONS", tmp_path / "lessons")
    monkeypatch.setattr(notebooks, "COLAB", Path(shutil.copy(notebooks.COLAB, tmp_path)))
    return tmp_path / "lessons"


def test_the_check_finds_outputs(lessons, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["notebooks.py"])
    assert notebooks.main() == 0
    lesson = lessons / LESSON.name
    lesson.write_text(executed(lesson.read_text()))
    assert notebooks.main() == 1
    assert f"lessons/{LESSON.name}: is not in canonical form" in capsys.readouterr().out
    monkeypatch.setattr("sys.argv", ["notebooks.py", "--fix"])
    assert notebooks.main() == 0 and lesson.read_text() == LESSON.read_text()


def test_tidy_finds_outputs_in_any_notebook(tmp_path, monkeypatch):
    monkeypatch.setattr(tidy, "ROOT", tmp_path)
    (tmp_path / "clean.ipynb").write_text(LESSON.read_text())
    assert list(tidy.outputs(["clean.ipynb"])) == []
    (tmp_path / "run.ipynb").write_text(executed(LESSON.read_text()))
    assert len(list(tidy.outputs(["clean.ipynb", "run.ipynb"]))) > 10


def test_the_filter_gives_the_canonical_form():
    text = LESSON.read_text(encoding="utf-8")
    assert cleaned(executed(text)) == text == cleaned(text)


def test_notebooks_of_other_kernels_keep_their_metadata():
    other = {"kernelspec": {"name": "python3", "display_name": "Python 3"}, "language_info": {"name": "python"}}
    notebook = json.loads(executed(LESSON.read_text())) | {"metadata": other}
    clean = json.loads(cleaned(json.dumps(notebook)))
    assert clean["metadata"] == other
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in clean["cells"])


def test_git_strips_outputs_when_it_is_told_of_the_filter(tmp_path):
    """As .gitattributes and CONTRIBUTING.md have it."""
    told = next(line for line in (SCRIPT.parents[1] / "CONTRIBUTING.md").read_text().splitlines() if "filter.notebook.clean" in line)

    def git(*arguments: str) -> str:
        done = subprocess.run(["git", *arguments], cwd=tmp_path, capture_output=True, text=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return done.stdout

    git("init", "-q")
    (tmp_path / "tests").mkdir()
    shutil.copy(SCRIPT, tmp_path / "tests")
    shutil.copy(SCRIPT.parents[1] / ".gitattributes", tmp_path)
    run = executed(LESSON.read_text(encoding="utf-8"))
    (tmp_path / "one.ipynb").write_text(run, encoding="utf-8")
    git("add", ".")
    assert '"CPU' in git("show", ":one.ipynb"), "without being told, git takes the file as it is"
    subprocess.run(["bash", "-c", told.removeprefix("$ ")], cwd=tmp_path, check=True)
    git("add", "--renormalize", ".")
    assert git("show", ":one.ipynb") == LESSON.read_text(encoding="utf-8")
    assert (tmp_path / "one.ipynb").read_text(encoding="utf-8") == run, "the file keeps its outputs"
