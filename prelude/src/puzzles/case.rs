//! What a puzzle is as data: the arrays that its kernel is launched with, and what must come out.

/// A puzzle, whatever the types of its kernel's parameters are.
pub(super) struct Description {
    /// The function that makes it.
    pub name: &'static str,
    /// What the kernel must do, as a sentence.
    pub task: &'static str,
    /// How the kernel begins.
    pub signature: &'static str,
    /// The launches by which a kernel is checked.
    pub cases: fn() -> Vec<Case>,
    /// What to say of a kernel with a problem of one of these kinds, besides what is always said of it.
    pub hints: &'static [(&'static [Topic], &'static str)],
}

/// What a hint is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Topic {
    Bounds,
    Race,
    Barrier,
    Uninitialised,
    /// Elements of the result are wrong.
    Wrong,
    /// Elements of the result were never written.
    Unwritten,
    /// Threads access global memory too often.
    Limit,
}

/// A launch with its arrays.
#[derive(Clone)]
pub(super) struct Case {
    pub grid: [usize; 3],
    pub block: [usize; 3],
    pub inputs: Vec<PuzzleArray>,
    /// The array that the kernel writes to, with the values that are expected. At the launch it holds zeros.
    pub out: PuzzleArray,
    pub limits: AccessLimits,
}

/// How often each thread may access arrays other than shared ones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct AccessLimits {
    pub reads: Option<usize>,
    pub writes: Option<usize>,
}

/// An array on paper.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PuzzleArray {
    pub name: &'static str,
    pub shape: Vec<usize>,
    /// In C order. All are small, so that all types of elements have them.
    pub values: Vec<f64>,
}

impl Case {
    /// A launch of so many blocks of so many threads.
    pub fn new(grid: [usize; 2], block: [usize; 2], inputs: Vec<PuzzleArray>, out: PuzzleArray) -> Case {
        let three = |[x, y]: [usize; 2]| [x, y, 1];
        Case { grid: three(grid), block: three(block), inputs, out, limits: AccessLimits::default() }
    }

    pub fn reads(mut self, most: usize) -> Case {
        self.limits.reads = Some(most);
        self
    }

    pub fn writes(mut self, most: usize) -> Case {
        self.limits.writes = Some(most);
        self
    }

    /// The arrays in the order of the parameters.
    pub fn arrays(&self) -> impl Iterator<Item = &PuzzleArray> {
        self.inputs.iter().chain([&self.out])
    }

    /// The launch in words.
    pub fn launch(&self) -> String {
        let number = |[x, y, _]: [usize; 3], one: &str, many: &str| match (x, y) {
            (1, 1) => format!("1 {one}"),
            (_, 1) => format!("{x} {many}"),
            _ => format!("{x} × {y} {many}"),
        };
        format!("{} of {}", number(self.grid, "block", "blocks"), number(self.block, "thread", "threads"))
    }
}

impl PuzzleArray {
    pub fn new(name: &'static str, values: Vec<f64>) -> PuzzleArray {
        PuzzleArray { name, shape: vec![values.len()], values }
    }

    pub fn rows(name: &'static str, columns: usize, values: Vec<f64>) -> PuzzleArray {
        PuzzleArray { name, shape: vec![values.len() / columns, columns], values }
    }

    /// How an element is written, by its number in C order.
    pub fn element(&self, flat: usize) -> String {
        indexed(self.name, &indices(flat, &self.shape))
    }
}

/// The index of an element for each axis.
pub(super) fn indices(flat: usize, shape: &[usize]) -> Vec<usize> {
    let mut rest = flat;
    let mut found: Vec<usize> = shape
        .iter()
        .rev()
        .map(|&length| {
            let index = rest % length.max(1);
            rest /= length.max(1);
            index
        })
        .collect();
    found.reverse();
    found
}

/// An element as Rust writes it: `a[3]`, `a[[1, 2]]`.
pub(super) fn indexed(name: &str, index: &[usize]) -> String {
    match index {
        // What went below zero has wrapped around.
        [index] => format!("{name}[{}]", *index as isize),
        _ => format!("{name}[{:?}]", index.iter().map(|&index| index as isize).collect::<Vec<_>>()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_by_their_numbers() {
        let array = PuzzleArray::rows("a", 3, vec![0.0; 6]);
        assert_eq!((array.element(4), indexed("a", &[usize::MAX])), ("a[[1, 1]]".to_owned(), "a[-1]".to_owned()));
        assert_eq!(PuzzleArray::new("b", vec![0.0; 6]).element(4), "b[4]");
        let case = Case::new([2, 1], [4, 3], vec![], array);
        assert_eq!(case.launch(), "2 blocks of 4 × 3 threads");
    }
}
