"""How nbgrader makes the students' notebooks of the instructors' ones, and grades them: put it into the course's folder."""

import re

from nbgrader.preprocessors import NbGraderPreprocessor

c = get_config()  # noqa: F821 (nbgrader defines it)

# The marks are Rust's comments, and so is what stands in place of a solution.
c.ClearSolutions.begin_solution_delimeter = "BEGIN SOLUTION"
c.ClearSolutions.end_solution_delimeter = "END SOLUTION"
c.ClearSolutions.code_stub = {"rust": "// YOUR CODE HERE\ntodo!()"}
# Not every notebook has a graded cell.
c.ClearSolutions.enforce_metadata = False

# Lessons measure, and some of their cells take longer than the half minute that nbgrader would wait.
c.Execute.timeout = 600


class ClearDetails(NbGraderPreprocessor):
    """Takes away the solutions that are text, as `warpcell lessons export --student` does: `<details>`, but for
    hints and the answers of questions."""

    DETAILS = re.compile(r"\n*<details>(.*?)</details>", re.DOTALL)

    def preprocess(self, notebook, resources):
        kept = []
        for cell in notebook.cells:
            if cell.cell_type == "markdown":
                cell.source = self.DETAILS.sub(self.kept, cell.source)
            if cell.source.strip():
                kept.append(cell)
        notebook.cells = kept
        return notebook, resources

    @staticmethod
    def kept(found):
        summary = found[1].split("</summary>")[0].lower()
        return found[0] if "hint" in summary or "answer" in summary else ""


c.GenerateAssignment.preprocessors.append(ClearDetails)
