//! Positions in code: Jupyter counts Unicode code points, Rust bytes.

/// The byte offset of a position in code points. Positions behind the end mean the end.
pub fn to_bytes(code: &str, code_points: usize) -> usize {
    code.char_indices().nth(code_points).map_or(code.len(), |(offset, _)| offset)
}

/// The position in code points of a byte offset. An offset inside a character means the start of the character. An
/// offset behind the end means the end.
pub fn to_code_points(code: &str, bytes: usize) -> usize {
    code.char_indices().take_while(|(offset, c)| offset + c.len_utf8() <= bytes).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn emoji_and_combining_marks_are_counted_as_code_points() {
        // A family joined of three people is five code points, e with an accent two.
        for (code, code_points, bytes) in [
            ("", 0, 0),
            ("abc", 2, 2),
            ("é", 1, 2),
            ("e\u{301}x", 2, 3),
            ("🦀x", 1, 4),
            ("👨\u{200d}👩\u{200d}👧.", 5, 18),
        ] {
            assert_eq!(to_bytes(code, code_points), bytes, "{code}");
            assert_eq!(to_code_points(code, bytes), code_points, "{code}");
        }
    }

    #[test]
    fn positions_outside_are_moved_inside() {
        assert_eq!(to_bytes("🦀", 7), 4);
        assert_eq!(to_code_points("🦀", 2), 0);
        assert_eq!(to_code_points("🦀", 9), 1);
    }
}
