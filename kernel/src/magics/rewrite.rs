//! Edits of a text, and the way back from a place in the result to the place in the original.

use std::ops::Range;

/// Replaces a range of a text; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Edit {
    /// The range that is replaced, in bytes of the text before all edits.
    pub range: Range<usize>,
    /// The new text.
    pub text: String,
}

impl Edit {
    /// Replaces `range`.
    pub fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
        Edit { range, text: text.into() }
    }

    /// Inserts at `offset`.
    pub fn insert(offset: usize, text: impl Into<String>) -> Edit {
        Edit::replace(offset..offset, text)
    }

    /// The edit moved by `offset` bytes.
    pub fn shifted(self, offset: usize) -> Edit {
        Edit { range: self.range.start + offset..self.range.end + offset, text: self.text }
    }
}

/// Edits that have been applied: in order, not overlapping.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Rewrite {
    edits: Vec<Edit>,
}

impl Rewrite {
    /// Applies `edits` to `text`; those at one place keep their order.
    pub fn apply(text: &str, mut edits: Vec<Edit>) -> (String, Rewrite) {
        edits.sort_by_key(|edit| edit.range.start);
        let mut result = String::with_capacity(text.len() + 64 * edits.len());
        let mut done = 0;
        for edit in &edits {
            result.push_str(&text[done..edit.range.start]);
            result.push_str(&edit.text);
            done = edit.range.end;
        }
        result.push_str(&text[done..]);
        (result, Rewrite { edits })
    }

    /// The offset in the result of an offset in the original, before text that is inserted there. `None` in replaced
    /// text.
    pub fn result_offset(&self, offset: usize) -> Option<usize> {
        let (mut original, mut result) = (0, 0);
        for edit in self.edits.iter().take_while(|edit| edit.range.start < offset) {
            if offset < edit.range.end {
                return None;
            }
            result += edit.range.start - original + edit.text.len();
            original = edit.range.end;
        }
        Some(result + offset - original)
    }

    /// The offset in the original of a byte of the result. For inserted text it is the position of the edit.
    pub fn original_offset(&self, offset: usize) -> usize {
        let (mut original, mut result) = (0, 0);
        for edit in &self.edits {
            let kept = edit.range.start - original;
            if offset < result + kept {
                break;
            }
            result += kept;
            if offset < result + edit.text.len() {
                return edit.range.start;
            }
            result += edit.text.len();
            original = edit.range.end;
        }
        original + (offset - result)
    }
}
