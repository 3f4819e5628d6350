"""`warpcell export --embed`: the kernels of a program, compiled when it is exported. There is no GPU, so the tests write the records of a
run themselves, and read what was made of them; both by the formats that `prelude/driver/src/recorded.rs` and `embedded.rs` describe."""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

import pytest

from e2e.test_export import BUILD_SECONDS, export, output_of, written  # noqa: F401

ARCHITECTURES = [80, 90]
LIST = ",".join(f"sm_{architecture}" for architecture in ARCHITECTURES)
CELLS = ["#[vectorize]\nfn f(x: f32) -> f32 {\n    x + 1.0\n}", "println!(\"{}\", gpu::map(f, &gpu::arange(4).astype::<f32>()).sum());"]
# Two programs: one of the array library's own, by its options, and one whose function is meant by its name in C++.
PROGRAMS = [
    {"name": "own.cu", "source": "extern \"C\" __global__ void f(float* x) { *x = WARPCELL_VALUE; }\n", "options": ["-DWARPCELL_VALUE=2"]},
    {"name": "named.cu", "source": "namespace rust {\n__global__ void g(float* x) { *x = 1; }\n}", "functions": ["rust::g"]},
]


@pytest.fixture(autouse=True)
def nvrtc(monkeypatch):
    """NVRTC, and a machine without a GPU."""
    found = [*Path(sys.prefix).glob("lib/python3*/site-packages/nvidia/*/lib/libnvrtc.so.1?")]
    if "WARPCELL_NVRTC" not in os.environ:
        assert found, "tests/requirements.txt has NVRTC"
        monkeypatch.setenv("WARPCELL_NVRTC", str(found[0]))
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    monkeypatch.delenv("WARPCELL_DEVICE", raising=False)


def fnv(data: bytes, start: int = 0x6C62272E07BB014262B821756295C58D) -> int:
    """FNV-1a of 128 bits."""
    for byte in data:
        start = (start ^ byte) * 0x0000000001000000000000000000013B % (1 << 128)
    return start


def key(program: dict) -> int:
    """The name of a program."""
    options, functions = program.get("options", []), program.get("functions")
    parts = [b"ours" if functions is None else b"named", program["source"].encode(), len(options).to_bytes(8, "little")]
    parts += [text.encode() for text in [*options, *(functions or [])]]
    return fnv(b"".join(len(part).to_bytes(8, "little") + part for part in parts))


def record(folder: Path, program: dict) -> Path:
    """Writes a record as a program does that runs on a GPU."""
    lines = ["// A program of Warpcell's, format 1.", f"// name: {program['name']}"]
    lines += [f"// option: {option}" for option in program.get("options", [])]
    if "functions" in program:
        lines += [f"// functions: {len(program['functions'])}", *(f"// function: {function}" for function in program["functions"])]
    folder.mkdir(exist_ok=True)
    path = folder / f"{key(program):032x}.cu"
    path.write_text("\n".join([*lines, "// end of the head", program["source"]]))
    return path


def read_archive(data: bytes) -> tuple[str, dict[tuple[int, int], bytes]]:
    """The notebook's name, and the images by key and architecture."""
    place = 0

    def take(count: int) -> bytes:
        nonlocal place
        place += count
        return data[place - count : place]

    def number() -> int:
        return int.from_bytes(take(8), "little")

    assert take(8) == b"warpkrn1"
    hash_of_head, length = int.from_bytes(take(16), "little"), number()
    assert fnv(data[place : place + length]) == hash_of_head
    assert number() in (12, 13)
    number()
    notebook = take(number()).decode()
    images = {}
    for _ in range(number()):
        program, architecture, begin, end = int.from_bytes(take(16), "little"), number(), number(), number()
        images[program, architecture] = data[begin:end]
        assert fnv(data[begin:end]) == int.from_bytes(take(16), "little")
    return notebook, images


def image(data: bytes) -> tuple[list[str], bytes]:
    """The names of an image's functions, and the machine code."""
    names, place = [], 8
    for _ in range(int.from_bytes(data[:8], "little")):
        length = int.from_bytes(data[place : place + 8], "little")
        names.append(data[place + 8 : place + 8 + length].decode())
        place += 8 + length
    return names, data[place:]


def embedded(export, folder: Path, *more: str):  # noqa: F811
    return export(CELLS, "--embed", LIST, "--programs", str(folder), *more)


def test_records_become_kernels_of_the_project(export, tmp_path):  # noqa: F811
    for program in PROGRAMS:
        record(tmp_path / "records", program)
    folder, ended = embedded(export, tmp_path / "records")
    written(ended)
    said = re.search(r"^Embedded 2 programs for sm_80 and sm_90, (\d+) bytes\.$", ended.stdout, re.M)
    archive = (folder / "src/kernels.bin").read_bytes()
    assert said and int(said[1]) == len(archive), ended.stdout
    notebook, images = read_archive(archive)
    assert notebook == "a notebook.ipynb"
    assert set(images) == {(key(program), architecture) for program in PROGRAMS for architecture in ARCHITECTURES}
    for (program, architecture), data in images.items():
        names, code = image(data)
        assert code.startswith(b"\x7fELF") and f"sm_{architecture}".encode() in code, code[:200]
        assert names == (["_ZN4rust1gEPf"] if program == key(PROGRAMS[1]) else [])

    assert "On a GPU it needs the driver only." in ended.stdout
    page = (folder / "README.md").read_text()
    assert f"`src/kernels.bin` has 2 programs for sm_80 and sm_90, {len(archive)} bytes" in page
    assert "| NVRTC |" not in page and "| library |" not in page
    text = (folder / "src/main.rs").read_text()
    assert text.count('    gpu::program::start_with_kernels("output", include_bytes!("kernels.bin"));\n') == 1
    # Kernels name lines: those of a run on another machine, without --embed, are the same.
    (tmp_path / "embedded").mkdir()
    folder.rename(tmp_path / "embedded/project")
    folder, ended = export(CELLS)
    written(ended)
    plain = (folder / "src/main.rs").read_text().splitlines()
    others = [index for index, (one, other) in enumerate(zip(plain, text.splitlines(), strict=True)) if one != other]
    assert [plain[index] for index in others] == ['    gpu::program::start("output");']
    assert not (folder / "src/kernels.bin").exists()


def test_without_a_gpu_the_commands_for_another_machine_are_named(export):  # noqa: F811
    folder, ended = export(CELLS, "--embed", LIST)
    assert ended.returncode == 1 and not folder.exists(), ended
    for line in (
        "no GPU can be used here",
        "  warpcell export 'a notebook.ipynb' --to DIR\n",
        "  cd DIR && WARPCELL_RECORD_PROGRAMS=records cargo run --release\n",
        f"  warpcell export 'a notebook.ipynb' --to DIR --embed {LIST} --programs records\n",
    ):
        assert line in ended.stderr, ended.stderr


@pytest.mark.parametrize("wrong", ["sm80", "sm_80,", "sm_90a", "sm_90,80"])
def test_a_list_that_names_no_architectures_is_corrected(export, wrong):  # noqa: F811
    folder, ended = export(CELLS, "--embed", wrong)
    assert ended.returncode == 1 and not folder.exists()
    assert "is no architecture of a GPU" in ended.stderr and ended.stderr.rstrip().endswith("--embed sm_80,sm_90"), ended.stderr


def test_an_architecture_that_nvrtc_does_not_know_is_named(export):  # noqa: F811
    folder, ended = export(CELLS, "--embed", "sm_80,sm_59")
    assert ended.returncode == 1 and not folder.exists()
    assert re.search(r"NVRTC \d+\.\d+ makes no code for sm_59; choose among these: --embed sm_\d+,", ended.stderr), ended.stderr


def test_records_that_cannot_be_used_are_named(export, tmp_path):  # noqa: F811
    records = tmp_path / "records"
    folder, ended = embedded(export, records)
    assert ended.returncode == 1 and f"{records} cannot be read" in ended.stderr and not folder.exists(), ended
    records.mkdir()
    folder, ended = embedded(export, records)
    assert ended.returncode == 1 and f"{records} has no record of a program" in ended.stderr, ended.stderr
    changed = record(records, PROGRAMS[0])
    changed.write_text(changed.read_text().replace("VALUE=2", "VALUE=3"))
    folder, ended = embedded(export, records)
    assert ended.returncode == 1 and f"{changed} is no record of a program, or was changed" in ended.stderr, ended.stderr
    changed.unlink()
    record(records, {**PROGRAMS[0], "source": "not CUDA C"})
    folder, ended = embedded(export, records)
    assert ended.returncode == 1 and "own.cu" in ended.stderr and not folder.exists(), ended.stderr


def test_a_library_without_nvrtc_is_an_error(export, tmp_path, monkeypatch):  # noqa: F811
    record(tmp_path / "records", PROGRAMS[0])
    monkeypatch.setenv("WARPCELL_NVRTC", "/nothing")
    folder, ended = embedded(export, tmp_path / "records")
    assert ended.returncode == 1 and "WARPCELL_NVRTC is set to /nothing" in ended.stderr and not folder.exists(), ended.stderr


@pytest.mark.named
@pytest.mark.timeout(BUILD_SECONDS + 300)
def test_the_project_is_built_without_nvrtc(export, tmp_path, monkeypatch):  # noqa: F811
    record(tmp_path / "records", PROGRAMS[0])
    folder, ended = embedded(export, tmp_path / "records")
    written(ended)
    monkeypatch.setenv("WARPCELL_NVRTC", "/nothing")
    assert output_of(folder).strip() == "10"
    # What is damaged is only missed on a GPU.
    (folder / "src/kernels.bin").write_bytes(b"damaged")
    assert output_of(folder).strip() == "10"
