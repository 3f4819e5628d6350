//! Work on several things at once, by a few threads.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};

/// Works on all items, on at most `jobs` of them at once. What comes of them is in the order of the items. After a result that ends the
/// work, no further item is begun.
pub fn each<T: Sync, R: Send>(
    items: &[T],
    jobs: usize,
    work: impl Fn(&T) -> R + Sync,
    ends: impl Fn(&R) -> bool + Sync,
) -> Vec<R> {
    let queue = Mutex::new(items.iter().enumerate());
    let results = Mutex::new(Vec::new());
    let is_over = AtomicBool::new(false);
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    std::thread::scope(|scope| {
        for _ in 0..jobs.min(items.len()) {
            scope.spawn(|| {
                while let Some((number, item)) = next().filter(|_| !is_over.load(Ordering::SeqCst)) {
                    let result = work(item);
                    is_over.fetch_or(ends(&result), Ordering::SeqCst);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((number, result));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(number, _)| *number);
    results.into_iter().map(|(_, result)| result).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<usize> = (0..50).collect();
        for jobs in [1, 3, 80] {
            assert_eq!(
                each(&items, jobs, |item| item * 2, |_| false),
                items.iter().map(|item| item * 2).collect::<Vec<_>>()
            );
        }
        assert!(each(&[0; 0], 2, |item| *item, |_| false).is_empty());
    }

    #[test]
    fn after_the_end_nothing_is_begun() {
        assert_eq!(each(&[1, 2, 3, 4], 1, |item| *item, |item| *item == 2), [1, 2]);
    }
}
