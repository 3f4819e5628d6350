//! What `warpcell test` says of notebooks: a line for each, a summary, and a report in JUnit's XML.

use super::{Finding, code_cells, headline, name_of};
use nbformat::v4::Notebook;
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::time::Duration;

/// A notebook that was tested.
pub struct Tested {
    pub path: PathBuf,
    pub notebook: Notebook,
    /// What is wrong; empty if all is well.
    pub findings: Vec<Finding>,
    /// The cells that ran, and their seconds.
    pub cells: Vec<(usize, f64)>,
    pub seconds: f64,
}

impl Tested {
    /// A line, and what is wrong.
    pub fn text(&self) -> String {
        let word = if self.findings.is_empty() { "ok    " } else { "FAILED" };
        let mut text = format!("{word}  {}  {} cells, {:.1} s", self.path.display(), self.cells.len(), self.seconds);
        for Finding { cell, text: said } in &self.findings {
            let first = self.notebook.cells.get(*cell).map(headline).unwrap_or_default();
            let indented = said.replace('\n', "\n    ");
            text += &format!("\n  {}: {first}\n    {indented}", name_of(&self.notebook, *cell));
        }
        text
    }

    fn suite(&self) -> TestSuite {
        let mut suite = TestSuite::new(self.path.display().to_string());
        suite.set_time(Duration::from_secs_f64(self.seconds));
        let seconds: HashMap<usize, f64> = self.cells.iter().copied().collect();
        for (number, cell) in code_cells(&self.notebook) {
            let mut found =
                self.findings.iter().filter(|finding| finding.cell == number).map(|finding| finding.text.as_str());
            let status = match (found.next(), seconds.get(&number)) {
                (Some(first), _) => {
                    let all: Vec<&str> = std::iter::once(first).chain(found).collect();
                    let mut failed = TestCaseStatus::non_success(NonSuccessKind::Failure);
                    failed.set_message(first.lines().next().unwrap_or_default()).set_description(all.join("\n"));
                    failed
                }
                (None, Some(_)) => TestCaseStatus::success(),
                (None, None) => TestCaseStatus::skipped(),
            };
            let mut case = TestCase::new(format!("{}: {}", name_of(&self.notebook, number), headline(cell)), status);
            case.set_classname(self.path.display().to_string());
            case.set_time(Duration::from_secs_f64(seconds.get(&number).copied().unwrap_or_default()));
            suite.add_test_case(case);
        }
        // What is wrong with the notebook, or with a cell that has no code.
        let shown: HashSet<usize> = code_cells(&self.notebook).map(|(number, _)| number).collect();
        for Finding { cell, text } in self.findings.iter().filter(|finding| !shown.contains(&finding.cell)) {
            let mut failed = TestCaseStatus::non_success(NonSuccessKind::Error);
            failed.set_message(text.lines().next().unwrap_or_default()).set_description(text);
            let mut case = TestCase::new(name_of(&self.notebook, *cell), failed);
            case.set_classname(self.path.display().to_string());
            suite.add_test_case(case);
        }
        suite
    }
}

/// The last line.
pub fn summary(tested: &[Tested], seconds: f64) -> String {
    let failed = tested.iter().filter(|one| !one.findings.is_empty()).count();
    let (count, passed) = (tested.len(), tested.len() - failed);
    let noun = if count == 1 { "notebook" } else { "notebooks" };
    format!("{count} {noun}: {passed} passed, {failed} failed, in {seconds:.1} s")
}

/// JUnit's XML: a suite for each notebook, a case for each cell.
pub fn junit(tested: &[Tested]) -> anyhow::Result<String> {
    let mut report = Report::new("warpcell test");
    report.add_test_suites(tested.iter().map(Tested::suite));
    Ok(report.to_string()?)
}
