//! What is said of a kernel that was checked, in words.

use super::case::{Case, Description};
use super::cell_table::value;
use super::drawing::{block_name, short_name};
use super::examine::{Examined, Problem, counts, writers};
use warpcell_threads::{AccessKind, Memory};

/// More wrong elements than these are not listed.
const MOST_LISTED: usize = 6;

/// The paragraphs about a kernel that does not solve the puzzle.
pub(super) fn failure(description: &Description, examined: &Examined, problem: &Problem) -> Vec<String> {
    let mut said = vec![format!("{}: not solved yet. {}", description.name, description.task)];
    said.push(format!("With {} and {}:", examined.case.launch(), arrays(&examined.case)));
    match problem {
        Problem::Failed { message, .. } => said.push(message.clone()),
        Problem::Wrong { elements } => said.push(wrong(examined, elements)),
        Problem::Limit { reads, count, most, block, thread } => {
            said.push(limit(examined, *reads, (*count, *most), (*block, *thread)));
        }
    }
    let topic = problem.topic(&examined.accesses, examined.case.out.name);
    let hint = description.hints.iter().find(|(topics, _)| topic.is_some_and(|topic| topics.contains(&topic)));
    said.extend(hint.map(|(_, hint)| format!("Hint: {hint}")));
    said
}

/// The paragraph about a kernel that solves the puzzle.
pub(super) fn success(description: &Description, all: &[Examined]) -> Vec<String> {
    let mut most = [0, 0];
    for count in all.iter().flat_map(|examined| counts(&examined.accesses).into_values()) {
        most = [most[0].max(count[0]), most[1].max(count[1])];
    }
    let launches = if all.len() == 1 { "one launch".to_owned() } else { format!("{} launches", all.len()) };
    vec![format!(
        "{}: solved. The result of {launches} is right. A thread reads arrays {} and writes to them {}, shared ones not counted.",
        description.name,
        times(most[0]),
        times(most[1])
    )]
}

fn times(number: usize) -> String {
    match number {
        0 => "never".to_owned(),
        1 => "at most once".to_owned(),
        2 => "at most twice".to_owned(),
        _ => format!("at most {number} times"),
    }
}

/// The arrays of a launch with their sizes.
fn arrays(case: &Case) -> String {
    let of: Vec<String> = case
        .arrays()
        .map(|array| {
            let lengths: Vec<String> = array.shape.iter().map(usize::to_string).collect();
            let unit = if array.values.len() == 1 { "element" } else { "elements" };
            format!("`{}` of {} {unit}", array.name, lengths.join(" × "))
        })
        .collect();
    match of.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

fn wrong(examined: &Examined, elements: &[usize]) -> String {
    let out = &examined.case.out;
    let all = out.values.len();
    let mut text = match (elements.len(), all) {
        (1, 1) => format!("The element of `{}` is wrong:", out.name),
        (wrong, _) if wrong == all => format!("All {all} elements of `{}` are wrong:", out.name),
        (1, _) => format!("1 of {all} elements of `{}` is wrong:", out.name),
        (wrong, _) => format!("{wrong} of {all} elements of `{}` are wrong:", out.name),
    };
    for &element in elements.iter().take(MOST_LISTED) {
        let name = out.element(element);
        let expected = value(out.values[element]);
        let by = match writers(&examined.accesses, out.name, element).last() {
            None => "was never written".to_owned(),
            Some(writer) => format!(
                "is {}, written by thread {} of {} in line {}",
                value(examined.found[element]),
                short_name(examined.case.block, writer.thread),
                block_name(examined.case.grid, writer.block),
                writer.line
            ),
        };
        text.push_str(&format!("\n  {name} should be {expected}, and {by}"));
    }
    if elements.len() > MOST_LISTED {
        text.push_str(&format!("\n  … and {} more", elements.len() - MOST_LISTED));
    }
    text
}

fn limit(
    examined: &Examined,
    reads: bool,
    (count, most): (usize, usize),
    (block, thread): ([usize; 3], [usize; 3]),
) -> String {
    let verb = if reads { "reads" } else { "writes to" };
    let mut lines: Vec<u32> = examined
        .accesses
        .iter()
        .filter(|access| (access.block, access.thread) == (block, thread))
        .filter(|access| matches!(access.memory, Memory::Array { .. }) && (access.kind == AccessKind::Read) == reads)
        .map(|access| access.line)
        .collect();
    lines.sort_unstable();
    lines.dedup();
    let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
    format!(
        "The result is right, but thread {} of {} {verb} arrays {count} times, in line {}, shared ones not counted; {most} {} \
         allowed.",
        short_name(examined.case.block, thread),
        block_name(examined.case.grid, block),
        lines.join(", "),
        if most == 1 { "is" } else { "are" }
    )
}
