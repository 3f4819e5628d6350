"""Python notebooks for tests: a kernel of Python, of this environment or of one like Colab's, in which the package is found."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from e2e.session import Result, Session

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "kernel/python"
PREFIX = Path(os.environ["WARPCELL_TEST_PREFIX"])
COLAB = os.environ.get("WARPCELL_TEST_COLAB", "")
#: By the name in a test's id: this environment has the newest packages, Colab's has old ones.
PYTHONS = {"newest": sys.executable, **({"colab": COLAB} if COLAB else {})}


class Notebook(Session):
    """A Python notebook with the magics."""

    def __init__(self, python: str, folder: Path, **options):
        self.folder = folder
        temporary = folder / "tmp"
        temporary.mkdir(exist_ok=True)
        env = {
            "PYTHONPATH": str(PACKAGE),
            "JUPYTER_PATH": str(PREFIX / "share/jupyter"),
            "TMPDIR": str(temporary),
            **options.pop("env", {}),
        }
        command = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        super().__init__(command=command, env=env, cwd=folder, **options)
        self.check("%load_ext warpcell")

    def send(self, code: str, **options) -> str:
        """Sends a cell. Colab's ipykernel would abort a cell that arrives just after one that failed, as if it had been queued."""
        return super().send(code, **{"stop_on_error": False, **options})

    def rust(self, code: str, options: str = "", **keywords) -> Result:
        """Runs a cell of Rust that may fail."""
        return self.run(f"%%rust {options}\n{code}", **keywords)

    def check_rust(self, code: str, options: str = "", **keywords) -> Result:
        """Runs a cell of Rust that must succeed."""
        return self.check(f"%%rust {options}\n{code}", **keywords)

    def rust_pid(self) -> int:
        """The process of the Rust kernel."""
        return int(self.check("import warpcell; warpcell.session().pid").value)

    def leftovers(self) -> list[Path]:
        """Folders of Rust sessions."""
        return list((self.folder / "tmp").glob("warpcell-python-*"))
