//! [`Action`]: what the kernel does for a magic, and [`KernelServices`]: what the kernel offers for it.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What the kernel offers to an action.
pub trait KernelServices {
    /// Prints a text on the cell's stdout. A line end is added if the text has none.
    fn print(&mut self, text: &str);
    /// Shows a text in the front end's pager.
    fn page(&mut self, text: &str);
    /// Shows the documentation of a path, such as `gpu::zeros` or `x`, in the pager. `source` adds the source if the
    /// notebook has it.
    fn describe(&mut self, name: &str, source: bool);
    /// Replaces the text of the cell.
    fn set_next_input(&mut self, text: &str);
    /// The file that a path means. Relative paths start at the current directory of the cells, `~` is the home
    /// directory.
    fn resolve(&self, path: &str) -> PathBuf;
    /// How the time of the last cell with code was spent. `None` if there was no such cell.
    fn last_cell_time(&self) -> Option<String>;
    /// Shows a text of a MIME type.
    fn display(&mut self, mime_type: &str, text: &str);
    /// The texts of the cells that ran before this one, with their numbers.
    fn inputs(&self) -> Vec<(usize, String)>;
    /// Compiles code as a cell, and does not run it.
    ///
    /// # Errors
    /// What the compiler finds.
    fn check(&mut self, code: &str) -> Result<(), ActionError>;
    /// Runs code as a cell. Errors name `file`. In a cell that is checked, the code is checked.
    ///
    /// # Errors
    /// What a cell with this code would fail with.
    fn run(&mut self, file: &str, code: &str) -> Result<(), ActionError>;
    /// The text that an expression of the cells gives, of type `&str`.
    ///
    /// # Errors
    /// What a cell with this expression would fail with. In a cell that is checked it is not known.
    fn text(&mut self, expression: &str) -> Result<String, ActionError>;
    /// Runs code as a cell and keeps what it shows, but what `shown` has. A `variable` gets it. In a cell that is checked,
    /// the code is checked.
    ///
    /// # Errors
    /// What a cell with this code would fail with. All that it has shown is shown then.
    fn capture(&mut self, code: &str, shown: Shown, variable: Option<&str>) -> Result<(), ActionError>;
    /// Code in the form that rustfmt gives it.
    ///
    /// # Errors
    /// There is no rustfmt, or the code cannot be parsed.
    fn formatted(&self, code: &str) -> Result<String, ActionError>;
}

/// Why an action failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionError {
    /// The name of the error, such as `FileError`.
    pub name: String,
    /// What happened.
    pub message: String,
    /// What the user sees of it, if that is more than the message.
    pub traceback: Vec<String>,
}

impl ActionError {
    /// An error with a message only.
    pub fn new(name: &str, message: String) -> ActionError {
        ActionError { name: name.to_owned(), message, traceback: Vec::new() }
    }
}

/// The outputs that `%%capture` does not keep, but show as usual.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// What is printed.
    pub stdout: bool,
    /// What is printed as an error.
    pub stderr: bool,
    /// Displays, and the value of the last expression.
    pub displays: bool,
}

type Act = dyn Fn(&mut dyn KernelServices) -> Result<(), ActionError> + Send + Sync;

/// Something that the kernel does itself, before or after the code of the cell runs.
#[derive(Clone)]
pub struct Action {
    act: Arc<Act>,
    in_program: Option<String>,
    /// The line of the cell that asks for it, without what is below.
    pub line: String,
    /// Whether it also acts when the cell is only checked.
    pub is_checked: bool,
    /// Whether the code that it runs may define what other code of the cell uses.
    pub defines: bool,
}

impl Action {
    /// An action that may fail.
    pub fn new(act: impl Fn(&mut dyn KernelServices) -> Result<(), ActionError> + Send + Sync + 'static) -> Action {
        Action { act: Arc::new(act), in_program: None, line: String::new(), is_checked: false, defines: false }
    }

    /// An action that always succeeds.
    pub fn simple(act: impl Fn(&mut dyn KernelServices) + Send + Sync + 'static) -> Action {
        Action::new(move |kernel| {
            act(kernel);
            Ok(())
        })
    }

    /// The action, with the Rust code that does the same in a program without a kernel.
    pub fn with_code(self, code: String) -> Action {
        Action { in_program: Some(code), ..self }
    }

    /// The action, with the line of the cell that asks for it.
    pub fn of_line(self, line: &str) -> Action {
        Action { line: line.to_owned(), ..self }
    }

    /// The action, which also acts when the cell is only checked. The kernel checks then what it would run.
    pub fn also_checked(self) -> Action {
        Action { is_checked: true, ..self }
    }

    /// The action, which runs code that may define what other code uses.
    pub fn defining(self) -> Action {
        Action { defines: true, ..self }
    }

    /// The Rust code that does the same in a program, if there is any.
    pub fn in_program(&self) -> Option<&str> {
        self.in_program.as_deref()
    }

    /// Prints a text.
    pub fn print(text: String) -> Action {
        Action::simple(move |kernel| kernel.print(&text))
    }

    /// Shows a text in the pager.
    pub fn page(text: String) -> Action {
        Action::simple(move |kernel| kernel.page(&text))
    }

    /// Runs the action.
    ///
    /// # Errors
    /// What happened, such as a file that cannot be read.
    pub fn run(&self, kernel: &mut dyn KernelServices) -> Result<(), ActionError> {
        (self.act)(kernel)
    }
}

impl fmt::Debug for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Action")
    }
}
