//! What the cell process does for `%prun`: it begins and ends the sampling when the cell's code asks for that, and makes a
//! [`Profile`] of the samples.

use super::sampler::{Sample, Sampler, Samples, this_thread};
use super::symbols;
use crate::evaluator::paths;
use crate::profile::{Frame, Profile, ProfileOptions, Stack};
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The profile that is being recorded.
static RECORDING: Mutex<Option<Recording>> = Mutex::new(None);

struct Recording {
    options: ProfileOptions,
    process: u32,
    /// The thread that runs cells.
    thread: libc::pid_t,
    /// How many more profiles have begun inside of this one. They are a part of it.
    inner: u32,
    began: Instant,
    processors_began: Duration,
    sampler: std::io::Result<Sampler>,
}

/// Begins a profile with options, as JSON, on the thread that runs cells.
pub fn begin(options: &[u8]) {
    let mut recording = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(recording) = &mut *recording {
        recording.inner += 1;
        return;
    }
    let options: ProfileOptions = serde_json::from_slice(options).unwrap_or_default();
    let ProfileOptions { text, picture, .. } = &options;
    let options = ProfileOptions { text: absolute(text.as_deref()), picture: absolute(picture.as_deref()), ..options };
    *recording = Some(Recording {
        options,
        process: std::process::id(),
        thread: this_thread(),
        inner: 0,
        began: Instant::now(),
        processors_began: processor_time(),
        sampler: Sampler::start(),
    });
}

/// Ends it. None if none has begun, or if it goes on: `all` ends it in any case, when the cell ends.
pub fn end(all: bool) -> Option<Profile> {
    let mut recording = RECORDING.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(Recording { inner, .. }) = recording.as_mut().filter(|recording| recording.inner > 0 && !all) {
        *inner -= 1;
        return None;
    }
    let Recording { options, process, thread, began, processors_began, sampler, .. } = recording.take()?;
    let (wall, processors) = (began.elapsed(), processor_time().saturating_sub(processors_began));
    let samples = sampler.map(Sampler::stop);
    if process != std::process::id() {
        // A child that the cell has forked.
        return None;
    }
    let (samples, problem) = match samples {
        Ok(samples) => (samples, None),
        Err(error) => (Samples { counts: HashMap::new(), dropped: 0 }, Some(error.to_string())),
    };
    let dropped = samples.dropped;
    let (frames, stacks) = resolved(samples.counts, thread);
    let (processor_seconds, wall_seconds) = (processors.as_secs_f64(), wall.as_secs_f64());
    Some(Profile { options, processor_seconds, wall_seconds, dropped, frames, stacks, problem })
}

/// A path of the user, from the directory of the cells.
fn absolute(path: Option<&Path>) -> Option<PathBuf> {
    Some(paths::resolve(path?.to_str()?, &std::env::current_dir().unwrap_or_default()))
}

/// How long processors have worked for this process.
fn processor_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: it exists during the call.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &raw mut time) };
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Samples with the names of functions.
fn resolved(counts: HashMap<Sample, u64>, cell_thread: libc::pid_t) -> (Vec<Frame>, Vec<Stack>) {
    // A call returns behind itself; that may be another function already.
    let places = |sample: &Sample| -> Vec<usize> {
        let mut addresses = sample.addresses.iter();
        let first = addresses.next().copied();
        first.into_iter().chain(addresses.map(|address| address.saturating_sub(1))).collect()
    };
    let mut all: Vec<usize> = counts.keys().flat_map(places).collect();
    all.sort_unstable();
    all.dedup();
    let functions = symbols::functions(all.into_iter());
    let mut threads: HashMap<libc::pid_t, Option<String>> = HashMap::from([(cell_thread, None)]);
    let (mut frames, mut numbers) = (Vec::new(), HashMap::new());
    let mut stacks: BTreeMap<(Option<String>, Vec<usize>), u64> = BTreeMap::new();
    for (sample, count) in counts {
        let thread = threads.entry(sample.thread).or_insert_with(|| Some(thread_name(sample.thread))).clone();
        let mut stack = Vec::new();
        for frame in places(&sample).iter().rev().flat_map(|place| functions.get(place).into_iter().flatten().rev()) {
            let number = *numbers.entry(frame.clone()).or_insert_with(|| {
                frames.push(frame.clone());
                frames.len() - 1
            });
            stack.push(number);
        }
        *stacks.entry((thread, stack)).or_default() += count;
    }
    let stacks = stacks.into_iter().map(|((thread, frames), samples)| Stack { thread, frames, samples }).collect();
    (frames, stacks)
}

/// The name of a thread without its number: threads that do the same are one. Empty if the thread has ended.
fn thread_name(thread: libc::pid_t) -> String {
    let name = std::fs::read_to_string(format!("/proc/self/task/{thread}/comm")).unwrap_or_default();
    name.trim().trim_end_matches(|end: char| end.is_ascii_digit() || end == '-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_those_of_the_cells() {
        let here = std::env::current_dir().unwrap();
        assert_eq!(absolute(Some(Path::new("a/b.txt"))), Some(here.join("a/b.txt")));
        assert_eq!(absolute(Some(Path::new("/a"))), Some("/a".into()));
        assert_eq!(absolute(Some(Path::new("~/x"))), std::env::home_dir().map(|home| home.join("x")));
        assert_eq!(absolute(None), None);
    }

    #[test]
    fn samples_get_names_and_threads() {
        let at = absolute as *const () as usize + 1;
        let own = this_thread();
        let counts = HashMap::from([
            (Sample { thread: own, addresses: vec![at, at + 2] }, 2),
            (Sample { thread: -5, addresses: vec![at] }, 1),
        ]);
        let (frames, stacks) = resolved(counts, own);
        assert!(frames.iter().any(|frame| frame.name.contains("absolute")), "{frames:?}");
        let mut summary: Vec<(Option<&str>, u64)> =
            stacks.iter().map(|stack| (stack.thread.as_deref(), stack.samples)).collect();
        summary.sort_unstable();
        assert_eq!(summary, [(None, 2), (Some(""), 1)]);
    }
}
