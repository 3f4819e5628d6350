//! Remembers messages. Somebody who can read a connection could send them again, with their signatures.

use bytes::Bytes;
use std::collections::{HashSet, VecDeque};

/// How many signatures are remembered; as many as Jupyter's own library does.
const MOST: usize = 1 << 16;

/// The signatures of the last messages.
#[derive(Default)]
pub struct Seen {
    signatures: HashSet<Bytes>,
    order: VecDeque<Bytes>,
}

impl Seen {
    /// Whether this signature is new. Without a key there are no signatures to compare.
    pub fn is_new(&mut self, signature: &Bytes) -> bool {
        if signature.is_empty() {
            return true;
        }
        // A copy, so that the rest of the message's memory is not kept.
        let signature = Bytes::copy_from_slice(signature);
        if !self.signatures.insert(signature.clone()) {
            return false;
        }
        self.order.push_back(signature);
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
        {
            self.signatures.remove(&oldest);
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_is_new_once() {
        let mut seen = Seen::default();
        let signature = Bytes::from_static(b"0123");
        assert!(seen.is_new(&signature));
        assert!(!seen.is_new(&signature));
        assert!(seen.is_new(&Bytes::new()) && seen.is_new(&Bytes::new()), "connections without a key");
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let mut seen = Seen::default();
        let signature = |number: usize| Bytes::from(number.to_string());
        assert!((0..=MOST).all(|number| seen.is_new(&signature(number))));
        assert!(seen.is_new(&signature(0)) && !seen.is_new(&signature(MOST)));
        assert_eq!((seen.signatures.len(), seen.order.len()), (MOST, MOST));
    }
}
