//! The CUDA C of launches, for tests of kernels: of the prelude's own, as they would be compiled for a GPU.

use crate::backend::cuda;
use crate::backend::launch::{Argument, Launch};
use crate::backend::loops;
use crate::error::Result;
use std::cell::RefCell;
use std::collections::BTreeMap;

thread_local! {
    static RECORDED: RefCell<Option<BTreeMap<String, String>>> = const { RefCell::new(None) };
}

/// Does something without the CPU's loops, so that its kernels run.
pub fn by_kernels<R>(work: impl FnOnce() -> R) -> R {
    loops::by_kernels(work)
}

/// The same, and gives the CUDA C of all launches: the names of the kernels, by their texts. Of a kernel that is compiled for some values
/// there is also the text for all values.
pub fn sources_of(work: impl FnOnce()) -> BTreeMap<String, String> {
    RECORDED.set(Some(BTreeMap::new()));
    by_kernels(work);
    RECORDED.take().unwrap_or_default()
}

/// Keeps the text of a launch, if that is asked for.
pub(super) fn record(launch: &Launch, arguments: &[Argument<'_>]) -> Result<()> {
    if !loops::only_kernels() {
        return Ok(());
    }
    RECORDED.with_borrow_mut(|recorded| {
        if let Some(recorded) = recorded {
            for fixed in [launch.fixed, 0] {
                let source = cuda::launch::launched_source(&Launch { fixed, ..*launch }, arguments)?;
                recorded.insert(source, launch.kernel.short_name().to_owned());
            }
        }
        Ok(())
    })
}
