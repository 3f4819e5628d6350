"""How nbgrader makes the students' notebooks of the instructors' ones: put it into the course's folder."""

c = get_config()  # noqa: F821 (nbgrader defines it)

# The marks are Rust's comments, and so is what stands in place of a solution.
c.ClearSolutions.begin_solution_delimeter = "BEGIN SOLUTION"
c.ClearSolutions.end_solution_delimeter = "END SOLUTION"
c.ClearSolutions.code_stub = {"rust": "// YOUR CODE HERE\ntodo!()"}
# Not every notebook has a graded cell.
c.ClearSolutions.enforce_metadata = False
