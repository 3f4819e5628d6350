//! How the time of a cell was spent: the output of `%celltime`. All parts are measured.

use crate::build_step::CompileTime;
use crate::evaluator::supervisor_link::Events;
use std::time::Duration;

/// The time of one cell and of its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellTime {
    /// From the cell's text to its reply.
    pub total: Duration,
    /// Until the compiler was started for the first time.
    pub analysis: Duration,
    /// All compilations, and how many they were.
    pub compiler: (Duration, usize),
    /// How often the compiler ran for them.
    pub runs: usize,
    /// Loading of the compiled cell into the cell process.
    pub load: Duration,
    /// The compiled code itself.
    pub run: Duration,
}

impl CellTime {
    /// Combines the measurements of a cell that began at `began` and took `total`.
    pub fn of(began: Duration, total: Duration, compilations: &[CompileTime], events: &Events) -> CellTime {
        let first = compilations.iter().map(|compilation| compilation.began).min();
        CellTime {
            total,
            analysis: first.map_or(Duration::ZERO, |first| first.saturating_sub(began)),
            compiler: (compilations.iter().map(|compilation| compilation.took).sum(), compilations.len()),
            runs: compilations.iter().map(|compilation| compilation.runs).sum(),
            load: events.loading,
            run: events.ran.saturating_sub(events.loading),
        }
    }
}

impl std::fmt::Display for CellTime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (compiler, times) = self.compiler;
        let rest = self.total.saturating_sub(self.analysis + compiler + self.load + self.run);
        writeln!(f, "The last cell took {}:", in_words(self.total))?;
        for (name, part) in [
            ("analysis", self.analysis),
            ("compiler", compiler),
            ("load", self.load),
            ("run", self.run),
            ("kernel", rest),
        ] {
            let percent = 100.0 * part.as_secs_f64() / self.total.as_secs_f64().max(1e-9);
            write!(f, "  {name:<9}{:>9}  {percent:>3.0} %", in_words(part))?;
            match times {
                1.. if name == "compiler" && self.runs == 0 => writeln!(f, "  not started")?,
                2.. if name == "compiler" => writeln!(f, "  in {times} compilations")?,
                _ => writeln!(f)?,
            }
        }
        Ok(())
    }
}

fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        10.0.. => format!("{seconds:.1} s"),
        1.0.. => format!("{seconds:.2} s"),
        0.01.. => format!("{:.0} ms", seconds * 1e3),
        _ => format!("{:.2} ms", seconds * 1e3),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::expect;

    #[test]
    fn parts_and_the_rest_add_up() {
        let millis = Duration::from_millis;
        let compilation = |began, took| CompileTime { began: millis(began), took: millis(took), runs: 1 };
        let events = Events { loading: millis(2), ran: millis(1502), ..Events::default() };
        let time = CellTime::of(millis(1000), millis(1700), &[compilation(1040, 80), compilation(1130, 20)], &events);
        expect![[r#"
            The last cell took 1.70 s:
              analysis     40 ms    2 %
              compiler    100 ms    6 %  in 2 compilations
              load       2.00 ms    0 %
              run         1.50 s   88 %
              kernel       58 ms    3 %
        "#]]
        .assert_eq(&time.to_string());
    }

    #[test]
    fn a_cell_without_a_compilation_has_no_parts() {
        let time = CellTime::of(Duration::ZERO, Duration::from_millis(5), &[], &Events::default());
        assert!(time.to_string().contains("kernel     5.00 ms  100 %"), "{time}");
    }
    #[test]
    fn a_cell_that_was_compiled_before_starts_no_compiler() {
        let millis = Duration::from_millis;
        let compilation = CompileTime { began: millis(10), took: millis(5), runs: 0 };
        let time = CellTime::of(Duration::ZERO, millis(20), &[compilation], &Events::default());
        assert!(time.to_string().contains("compiler   5.00 ms   25 %  not started\n"), "{time}");
    }
}
