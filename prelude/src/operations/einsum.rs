//! Sums of products by Einstein's notation, as products of matrices and sums over axes.

use super::products::{all_products, grouped, multiply};
use crate::array::{DeviceArray, OnDevice, RawArray, shape};
use crate::backend::{Layout, ReduceOperation};
use crate::dtype::{DType, Element};
use crate::error::{Error, Result};
use crate::fallible::fallible;
use crate::operations::reduce::reduce;

const NAME: &str = "einsum";

fallible! {
    /// Sums of products of arrays' elements by Einstein's notation; NumPy's `einsum`.
    ///
    /// Each array has a letter for each of its axes, separated by commas; axes of one letter are walked together,
    /// within an array too. Behind `->` are the letters of the result's axes; over the others is summed. Without `->`
    /// the result has the letters that occur once, in alphabetical order. `...` stands for any number of axes that
    /// broadcast, the result's first unless it says where they are. A length of 1 broadcasts.
    ///
    /// Arrays are multiplied two at a time, in the order that needs the fewest multiplications (of more than six arrays, the
    /// cheapest pair comes first); by [`matmul`](crate::matmul()) where it is summed: see there for accuracy and element types. If there is one array and nothing to sum, the result is a view of it, as that of
    /// [`transpose`](DeviceArray::transpose).
    ///
    /// **Panics** if the notation does not fit the arrays ([`Error::InvalidArgument`]), or if lengths of one letter
    /// differ ([`Error::AxisMismatch`]).
    ///
    /// ```
    /// use warpcell as gpu;
    /// let (a, b) = (gpu::array(&[[1, 2], [3, 4]]), gpu::array(&[[0, 1], [1, 0]]));
    /// assert_eq!(gpu::einsum("ij,jk->ik", [&a, &b]).to_host(), ndarray::array![[2, 1], [4, 3]].into_dyn());
    /// assert_eq!(gpu::einsum("ii", [&a]).item(), 5);
    /// assert_eq!(gpu::einsum("ij->j", [&a]).to_host(), ndarray::array![4, 6].into_dyn());
    /// ```
    pub fn einsum, try_einsum<'a, A: 'a + OnDevice<Elem = T>, T: Element>(
        notation: &str,
        arrays: impl IntoIterator<Item = &'a A>,
    ) -> Result<DeviceArray<T>> {
        let arrays: Vec<&RawArray> = arrays.into_iter().map(|array| array.raw()).collect();
        sum_of_products(notation, &arrays).map(DeviceArray::from_raw)
    }
}

/// What an axis is called: a letter, or a place among those of `...`, counted from the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Label {
    Rest(usize),
    Letter(char),
}

/// An array with the names of its axes, each of which it has once.
struct Term {
    raw: RawArray,
    labels: Vec<Label>,
}

fn invalid(notation: &str, reason: &str) -> Error {
    Error::argument(NAME, format!("`{notation}` {reason}"))
}

fn sum_of_products(notation: &str, arrays: &[&RawArray]) -> Result<RawArray> {
    let (inputs, output) = parse(notation, &arrays.iter().map(|array| array.shape().len()).collect::<Vec<_>>())?;
    let first = *arrays.first().expect("there are as many arrays as terms, of which there is one at least");
    for other in arrays {
        first.same_device(NAME, other)?;
    }
    agree(&inputs, arrays)?;
    let mut terms: Vec<Term> =
        inputs.into_iter().zip(arrays).map(|(labels, array)| without_repeats(array, &labels)).collect();
    while terms.len() > 1 {
        let [i, j] = next_pair(&terms, &output);
        let (b, a) = (terms.remove(j), terms.remove(i));
        let is_needed = |label: &Label| output.contains(label) || terms.iter().any(|term| term.labels.contains(label));
        let product = two(a, b, is_needed)?;
        terms.insert(i, product);
    }
    let product = terms.pop().expect("there is one at least");
    let product = summed(product, |label| output.contains(label))?;
    let axis = |label: &Label| product.labels.iter().position(|own| own == label).expect("parsing has seen it");
    let order: Vec<usize> = output.iter().map(axis).collect();
    let Layout { shape, strides, offset } = &product.raw.layout;
    Ok(product.raw.with_layout(Layout {
        shape: order.iter().map(|&axis| shape[axis]).collect(),
        strides: order.iter().map(|&axis| strides[axis]).collect(),
        offset: *offset,
    }))
}

/// Of so many arrays all orders are looked at; of more the pair that costs least by itself is taken first.
const MOST_SEARCHED: usize = 6;

/// Which two arrays are multiplied next, the left one first.
fn next_pair(terms: &[Term], output: &[Label]) -> [usize; 2] {
    if terms.len() == 2 {
        return [0, 1];
    }
    let length = |label: Label| {
        let own = |term: &Term| term.labels.iter().position(|own| *own == label).map(|axis| term.raw.shape()[axis]);
        terms.iter().filter_map(own).max().unwrap_or(1) as f64
    };
    let labels: Vec<Vec<Label>> = terms.iter().map(|term| term.labels.clone()).collect();
    cheapest(&labels, output, &length).1
}

/// How many multiplications arrays with these axes need at least, and which two are then multiplied first. If orders cost the same, those
/// more to the left.
fn cheapest(terms: &[Vec<Label>], output: &[Label], length: &dyn Fn(Label) -> f64) -> (f64, [usize; 2]) {
    let mut best = (f64::INFINITY, [0, 1]);
    for j in 1..terms.len() {
        for i in 0..j {
            let others =
                || terms.iter().enumerate().filter(|&(place, _)| place != i && place != j).map(|(_, term)| term);
            let is_needed = |label: &Label| output.contains(label) || others().any(|term| term.contains(label));
            // What only one of them has is summed before.
            let mut all: Vec<Label> =
                terms[i].iter().copied().filter(|label| is_needed(label) || terms[j].contains(label)).collect();
            all.extend(terms[j].iter().filter(|label| is_needed(label) && !terms[i].contains(label)));
            let mut cost: f64 = all.iter().map(|&label| length(label)).product();
            if (3..=MOST_SEARCHED).contains(&terms.len()) {
                all.retain(is_needed);
                let rest: Vec<Vec<Label>> = std::iter::once(all).chain(others().cloned()).collect();
                cost += cheapest(&rest, output, length).0;
            }
            if cost < best.0 {
                best = (cost, [i, j]);
            }
        }
    }
    best
}

/// The names of each array's axes, given their numbers, and those of the result.
fn parse(notation: &str, ranks: &[usize]) -> Result<(Vec<Vec<Label>>, Vec<Label>)> {
    let text: String = notation.chars().filter(|character| !character.is_whitespace()).collect();
    let (left, right) = match text.split_once("->") {
        Some((left, right)) => (left, Some(right)),
        None => (text.as_str(), None),
    };
    let terms: Vec<&str> = left.split(',').collect();
    if terms.len() != ranks.len() {
        let reason = format!(
            "names {} arrays, but {} are given; write one term for each array, with commas between them",
            terms.len(),
            ranks.len()
        );
        return Err(invalid(notation, &reason));
    }
    let inputs = terms
        .iter()
        .zip(ranks)
        .map(|(term, &rank)| {
            let letters = term.replace("...", "").chars().count();
            let labels = labels(notation, term, rank.saturating_sub(letters))?;
            if labels.len() != rank {
                let reason = format!(
                    "names {letters} axes, `{term}`, for an array with {rank} axes; write one letter for each axis"
                );
                return Err(invalid(notation, &reason));
            }
            Ok(labels)
        })
        .collect::<Result<Vec<_>>>()?;
    let all = inputs.concat();
    let rest = all.iter().filter_map(|label| if let Label::Rest(place) = label { Some(place + 1) } else { None }).max();
    let rest = rest.unwrap_or(0);
    let Some(right) = right else {
        let mut letters: Vec<Label> = all.iter().copied().filter(|label| matches!(label, Label::Letter(_))).collect();
        letters.sort_unstable();
        let once = letters.chunk_by(|a, b| a == b).filter(|equal| equal.len() == 1).map(|equal| equal[0]);
        return Ok((inputs, (0..rest).rev().map(Label::Rest).chain(once).collect()));
    };
    let output = labels(notation, right, rest)?;
    if rest > 0 && !right.contains("...") {
        return Err(invalid(
            notation,
            "does not say where the axes of `...` are in the result; write `...` after `->` too",
        ));
    }
    for (at, label) in output.iter().enumerate() {
        let Label::Letter(letter) = *label else { continue };
        if output[..at].contains(label) {
            return Err(invalid(notation, &format!("names `{letter}` twice in the result; name it once")));
        }
        if !all.contains(label) {
            let reason =
                format!("names `{letter}` in the result, but no array has this axis; name only axes of the arrays");
            return Err(invalid(notation, &reason));
        }
    }
    Ok((inputs, output))
}

/// The names in a term, in which `...` stands for `rest` axes.
fn labels(notation: &str, term: &str, rest: usize) -> Result<Vec<Label>> {
    let (before, after) = term.split_once("...").map_or((term, None), |(before, after)| (before, Some(after)));
    let letters = |text: &str| {
        text.chars()
            .map(|character| {
                let reason = format!("has `{character}` for an axis; use letters, commas, `...` and one `->`");
                if character.is_ascii_alphabetic() {
                    Ok(Label::Letter(character))
                } else {
                    Err(invalid(notation, &reason))
                }
            })
            .collect::<Result<Vec<Label>>>()
    };
    let mut labels = letters(before)?;
    if let Some(after) = after {
        labels.extend((0..rest).rev().map(Label::Rest));
        labels.extend(letters(after)?);
    }
    Ok(labels)
}

/// Finds that axes of one name have one length, or broadcast.
fn agree(inputs: &[Vec<Label>], arrays: &[&RawArray]) -> Result<()> {
    let all = || {
        inputs
            .iter()
            .zip(arrays)
            .flat_map(|(labels, array)| (0..labels.len()).map(move |axis| (labels[axis], *array, axis)))
    };
    for (label, array, axis) in all() {
        let differs = |&(name, other, at): &(Label, &RawArray, usize)| {
            name == label && other.shape()[at] != array.shape()[axis] && other.shape()[at] != 1
        };
        if array.shape()[axis] == 1 {
            continue;
        }
        if let Some((_, other, at)) = all().find(differs) {
            let (left, right, axes) = (array.shape().to_vec(), other.shape().to_vec(), (axis, at));
            let advice = "these axes have the same name, so they must have the same length, or one of them length 1; \
                          use another name, or slice or reshape one of the arrays";
            return Err(Error::AxisMismatch { operation: NAME, left, right, axes, advice });
        }
    }
    Ok(())
}

/// The array with axes of one name walked together: a view.
fn without_repeats(array: &RawArray, labels: &[Label]) -> Term {
    let mut layout = Layout { shape: Vec::new(), strides: Vec::new(), offset: array.layout.offset };
    let mut names: Vec<Label> = Vec::new();
    for (axis, label) in labels.iter().enumerate() {
        let (length, stride) = (array.shape()[axis], array.layout.strides[axis]);
        // Along an axis of length 1 nothing is walked.
        let stride = if length == 1 { 0 } else { stride };
        if let Some(known) = names.iter().position(|name| name == label) {
            layout.strides[known] += stride;
            if layout.shape[known] == 1 {
                layout.shape[known] = length;
            }
        } else {
            names.push(*label);
            layout.shape.push(length);
            layout.strides.push(stride);
        }
    }
    Term { raw: array.with_layout(layout), labels: names }
}

/// The sums over the axes that are not kept, of the array's own type; of bools, whether any is true.
fn summed(term: Term, is_kept: impl Fn(&Label) -> bool) -> Result<Term> {
    let axes: Vec<usize> = (0..term.labels.len()).filter(|&axis| !is_kept(&term.labels[axis])).collect();
    if axes.is_empty() {
        return Ok(term);
    }
    let dtype = term.raw.dtype;
    let operation = if dtype == DType::Bool { ReduceOperation::Any } else { ReduceOperation::Sum };
    let sums = reduce(NAME, operation, &term.raw, &axes)?;
    let raw = sums.in_type(NAME, dtype)?;
    Ok(Term { raw, labels: term.labels.into_iter().filter(is_kept).collect() })
}

/// The product of two arrays, summed over what is not needed any more.
fn two(a: Term, b: Term, is_needed: impl Fn(&Label) -> bool) -> Result<Term> {
    // What only one of them has is summed before.
    let (in_a, in_b) = (a.labels.clone(), b.labels.clone());
    let a = summed(a, |label| is_needed(label) || in_b.contains(label))?;
    let b = summed(b, |label| is_needed(label) || in_a.contains(label))?;
    let (a, b) = (stretched(a, &b), b);
    let b = stretched(b, &a);
    let pick = |from: &Term, wanted: &dyn Fn(&Label) -> bool| -> Vec<Label> {
        from.labels.iter().copied().filter(|label| wanted(label)).collect()
    };
    let pairs = pick(&a, &|label| b.labels.contains(label) && is_needed(label));
    let inner = pick(&a, &|label| b.labels.contains(label) && !is_needed(label));
    let rows = pick(&a, &|label| !b.labels.contains(label));
    let columns = pick(&b, &|label| !a.labels.contains(label));
    let labels = [&pairs[..], &rows, &columns].concat();
    let axes = |term: &Term, names: &[Label]| -> Vec<usize> {
        let axis = |name: &Label| term.labels.iter().position(|label| label == name).expect("was picked from it");
        names.iter().map(axis).collect()
    };
    if inner.is_empty() {
        // Each element by itself, with axes of length 1 for those of the other array.
        let spread = |term: &Term| {
            let mut layout = Layout { shape: Vec::new(), strides: Vec::new(), offset: term.raw.layout.offset };
            for label in &labels {
                let own = term.labels.iter().position(|name| name == label);
                layout.shape.push(own.map_or(1, |axis| term.raw.shape()[axis]));
                layout.strides.push(own.map_or(0, |axis| term.raw.layout.strides[axis]));
            }
            term.raw.with_layout(layout)
        };
        return Ok(Term { raw: all_products(NAME, &spread(&a), &spread(&b))?, labels });
    }
    let matrices = |term: &Term, first: &[Label], second: &[Label]| {
        let (pairs, first, second) = (axes(term, &pairs), axes(term, first), axes(term, second));
        let groups: Vec<&[usize]> = pairs.chunks(1).chain([&first[..], &second[..]]).collect();
        grouped(NAME, &term.raw, &groups)
    };
    let product = multiply(NAME, &matrices(&a, &rows, &inner)?, &matrices(&b, &inner, &columns)?)?;
    let lengths = |term: &Term, names: &[Label]| -> Vec<usize> {
        axes(term, names).into_iter().map(|axis| term.raw.shape()[axis]).collect()
    };
    let shape = [lengths(&a, &pairs), lengths(&a, &rows), lengths(&b, &columns)].concat();
    crate::array::byte_count(NAME, &shape, product.dtype)?;
    let raw = product.with_layout(Layout { offset: product.layout.offset, ..Layout::contiguous(&shape) });
    Ok(Term { raw, labels })
}

/// The array with its axes of length 1 repeated where the other one's are longer: a view.
fn stretched(term: Term, other: &Term) -> Term {
    let length = |axis: usize| {
        let own = term.raw.shape()[axis];
        let label = term.labels[axis];
        let others = other.labels.iter().position(|name| *name == label).map(|at| other.raw.shape()[at]);
        if own == 1 { others.unwrap_or(1) } else { own }
    };
    let shape: Vec<usize> = (0..term.labels.len()).map(length).collect();
    let raw = term.raw.with_layout(shape::broadcast_layout(&term.raw.layout, &shape));
    Term { raw, labels: term.labels }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(notation: &str, ranks: &[usize]) -> (Vec<String>, String) {
        let text = |labels: &Vec<Label>| -> String {
            let one = |label: &Label| match label {
                Label::Letter(letter) => *letter,
                Label::Rest(place) => char::from(b'0' + *place as u8),
            };
            labels.iter().map(one).collect()
        };
        let (inputs, output) = parse(notation, ranks).unwrap();
        (inputs.iter().map(text).collect(), text(&output))
    }

    #[test]
    fn cheap_orders() {
        let of = |notation: &str, lengths: [f64; 4]| {
            let (inputs, output) =
                parse(notation, &notation.split("->").next().unwrap().split(',').map(str::len).collect::<Vec<_>>())
                    .unwrap();
            let length = |label: Label| match label {
                Label::Letter(letter) => lengths[letter as usize - 'i' as usize],
                Label::Rest(_) => 1.0,
            };
            cheapest(&inputs, &output, &length)
        };
        assert_eq!(of("ij,jk,kl->il", [10.0; 4]), (2000.0, [0, 1]));
        assert_eq!(of("ij,jk,kl->il", [100.0, 100.0, 100.0, 1.0]), (20_000.0, [1, 2]));
        assert_eq!(of("ij,jk,kl->il", [1.0, 100.0, 100.0, 100.0]), (20_000.0, [0, 1]));
        assert_eq!(of("ij,jk,k->i", [100.0; 4]), (20_000.0, [1, 2]));
        assert_eq!(of("i,j,i->j", [10.0, 1000.0, 1.0, 1.0]), (1010.0, [0, 2]));
        // More than are searched: pair by pair.
        assert_eq!(of("ij,jk,kl,li,ij,jk,k->i", [9.0, 9.0, 9.0, 9.0]).1, [0, 4]);
    }

    #[test]
    fn orders_give_the_same() {
        let a = crate::arange(24i64).reshape((4, 6));
        let (b, c) = (crate::arange(30i64).reshape((6, 5)), crate::arange(5i64));
        let pairwise = crate::matmul(&crate::matmul(&a, &b), &c);
        assert_eq!(crate::einsum("ij,jk,k->i", [&a, &b, &c]).tolist(), pairwise.tolist());
        let found = crate::einsum("ij,k,jk,j->ki", [&a, &c, &b, &crate::arange(6i64)]);
        let (a, b, c) = (a.to_host(), b.to_host(), c.to_host());
        for k in 0..5 {
            for i in 0..4 {
                let sum: i64 = (0..6).map(|j| a[[i, j]] * c[[k]] * b[[j, k]] * j as i64).sum();
                assert_eq!(found.get(&[k, i]), sum);
            }
        }
    }

    #[test]
    fn notations() {
        let of = |inputs: &[&str], output: &str| -> (Vec<String>, String) {
            (inputs.iter().map(|&text| text.to_owned()).collect(), output.to_owned())
        };
        assert_eq!(parsed("ij, jk -> ik", &[2, 2]), of(&["ij", "jk"], "ik"));
        assert_eq!(parsed("ij,jk", &[2, 2]), of(&["ij", "jk"], "ik"));
        assert_eq!(parsed("ba", &[2]), of(&["ba"], "ab"));
        assert_eq!(parsed("...ij,jk->...ik", &[4, 2]), of(&["10ij", "jk"], "10ik"));
        assert_eq!(parsed("i...,...i", &[2, 3]), of(&["i0", "10i"], "10"));
        assert_eq!(parsed(",->", &[0, 0]), of(&["", ""], ""));
    }
}
