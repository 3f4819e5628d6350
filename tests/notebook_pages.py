"""Pages and tables of times of executed notebooks: what `run_notebook.py --html` and `--convert` write.

A page is one HTML file with its pictures in it, and needs no network: formulas are written as MathML where latex2mathml is
installed; where it is not, they stay TeX, which a script from the network sets if there is one. What is told of a run is in
the notebook's metadata, under `warpcell`: the device, the date, the seconds of all and of each cell, and which cell failed.
"""

from __future__ import annotations

import html
import importlib.util
import json
import re
from pathlib import Path

import nbformat

SLOWEST = 3  # cells of a lesson in the table

INDEX = """<!DOCTYPE html>
<html lang="en">
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Lessons, executed</title>
<style>
  body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 60em; margin: 2em auto; padding: 0 1em; }}
  table {{ border-collapse: collapse; }} th, td {{ text-align: left; vertical-align: top; padding: .3em .8em .3em 0; border-bottom: 1px solid #ccc; }}
</style>
<h1>Lessons, executed</h1>
<table>
<tr><th>lesson</th><th>device</th><th>date</th><th>seconds</th><th>slowest cells</th></tr>
{rows}
</table>
</html>
"""

# JupyterLab's look without what its pages load from the network.
TEMPLATE = """{%- extends 'index.html.j2' -%}
{%- block html_head_js -%}{%- endblock html_head_js -%}
{%- block html_head_js_mermaidjs -%}{%- endblock html_head_js_mermaidjs -%}
"""
WITHOUT_MATHJAX = "{%- block html_head_js_mathjax -%}{%- endblock html_head_js_mathjax -%}\n"


def possible() -> bool:
    """Whether pages can be made here."""
    return importlib.util.find_spec("nbconvert") is not None


def title(notebook: nbformat.NotebookNode, otherwise: str) -> str:
    """The first heading of a notebook."""
    for cell in notebook.cells:
        if cell.cell_type == "markdown" and (found := re.search(r"^# (.*)", cell.source, re.MULTILINE)):
            return found[1]
    return otherwise


def times(folder: Path) -> list[dict]:
    """What the executed notebooks of a folder tell of their runs."""
    found = []
    for path in sorted(folder.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        record = notebook.metadata.get("warpcell")
        if record:
            found.append({"lesson": path.stem, "title": title(notebook, path.stem), **record})
    return found


def slowest(run: dict) -> list[tuple[str, float]]:
    """The cells that took longest, and their seconds."""
    cells = sorted(run["cells"], key=lambda cell: -cell["seconds"])[:SLOWEST]
    return [(cell["id"], cell["seconds"]) for cell in cells]


def result(run: dict) -> str:
    """The seconds of a run, or where it ended."""
    return f"failed at {run['failed']}" if run.get("failed") else f"{run['seconds']:.1f}"


def markdown(runs: list[dict]) -> str:
    """The table of times for people."""
    rows = ["| lesson | device | date | seconds | slowest cells |", "|---|---|---|---|---|"]
    for run in runs:
        cells = ", ".join(f"`{cell}` {seconds:.1f}" for cell, seconds in slowest(run))
        rows.append(f"| {run['title']} | {run['device'] or 'unknown'} | {run['executed']} | {result(run)} | {cells} |")
    return "\n".join(rows) + "\n"


def index(runs: list[dict]) -> str:
    """The page from which the others are reached."""
    rows = []
    for run in runs:
        link = f'<a href="{html.escape(run["lesson"])}.html">{html.escape(run["title"])}</a>'
        cells = "<br>".join(f"<code>{html.escape(cell)}</code> {seconds:.1f}" for cell, seconds in slowest(run))
        row = [link, html.escape(run["device"] or "unknown"), run["executed"], html.escape(result(run)), cells]
        rows.append("<tr>" + "".join(f"<td>{part}</td>" for part in row) + "</tr>")
    return INDEX.format(rows="\n".join(rows))


def page(notebook: nbformat.NotebookNode, folder: Path) -> str:
    """An executed notebook as HTML; `folder` is where pictures and notebooks that its text names are looked for."""
    from nbconvert import HTMLExporter
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    formulas = importlib.util.find_spec("latex2mathml") is not None

    class Renderer(IPythonRenderer):
        """Text with formulas that browsers set themselves."""

        def block_math(self, body: str) -> str:
            return mathml(body, "block") if formulas else super().block_math(body)

        def inline_math(self, body: str) -> str:
            return mathml(body, "inline") if formulas else super().inline_math(body)

    def text_to_html(source: str) -> str:
        return MarkdownWithMath(renderer=Renderer(escape=False, embed_images=True, path=str(folder))).render(source)

    exporter = HTMLExporter(raw_template=TEMPLATE + (WITHOUT_MATHJAX if formulas else ""))
    exporter.register_filter("markdown2html", text_to_html)
    name = title(notebook, "Notebook")
    text, _ = exporter.from_notebook_node(notebook, resources={"metadata": {"name": name, "path": str(folder)}})
    # nbconvert gives pictures of cells a description that says nothing.
    described = iter(
        f"Picture of the cell {cell.get('id', '')}"
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    )
    text = re.sub('alt="No description[^"]*"', lambda found: f'alt="{next(described, found[0][5:-1])}"', text)
    # What a text names is a page, too, if it is among the lessons.
    named = lambda found: f'href="{found[1]}.html"' if (folder / f"{found[1]}.ipynb").is_file() else found[0]  # noqa: E731
    return re.sub(r'href="([\w-]+)\.ipynb"', named, text)


def mathml(formula: str, display: str) -> str:
    """A formula in TeX as MathML."""
    from latex2mathml.converter import convert

    return convert(html.unescape(formula), display=display)


def write(folder: Path) -> list[Path]:
    """Writes the tables of times and, where that is possible, the pages of a folder's notebooks; gives the files."""
    runs = times(folder)
    files = {"times.json": json.dumps({"lessons": runs}, indent=1, ensure_ascii=False) + "\n", "times.md": markdown(runs)}
    if possible():
        for path in sorted(folder.glob("*.ipynb")):
            files[f"{path.stem}.html"] = page(nbformat.read(path, as_version=4), folder)
        files["index.html"] = index(runs)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in files]
