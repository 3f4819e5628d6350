//! What a rank does that is a process: this test program starts itself, or a launcher does.

use std::io::Write;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;
use warpcell as gpu;
use warpcell::distributed::{Communicator, Reduction};
use warpcell::prelude::*;

/// The variable with the name of the program.
pub const PROGRAM: &str = "WARPCELL_TEST_PROGRAM";

/// The arguments with which this program is a rank.
pub const ARGUMENTS: [&str; 4] = ["programs::is_a_rank", "--exact", "--ignored", "--nocapture"];

/// Says something to who has started the rank: a line that begins with `rank`.
fn say(text: &str) {
    // libtest has begun a line.
    println!("\nrank says {text}");
    std::io::stdout().flush().unwrap();
}

#[test]
#[ignore = "a program of other tests"]
fn is_a_rank() {
    let Ok(program) = std::env::var(PROGRAM) else { return };
    let ranks = match Communicator::try_from_env() {
        Ok(ranks) => ranks,
        Err(error) => return say(&format!("error {error}")),
    };
    let done = match program.as_str() {
        "calls" => calls(&ranks),
        "forever" => forever(&ranks),
        "orders" => orders(&ranks),
        "leave" => leave(&ranks),
        "abandoned" => abandoned(&ranks),
        "interrupt" => interrupt(&ranks),
        other => panic!("there is no program {other}"),
    };
    match done {
        Ok(text) => say(&format!("ok {} of {}: {text}", ranks.rank(), ranks.size())),
        Err(error) => say(&format!("error {error}")),
    }
}

/// Every call, with results that are known.
fn calls(ranks: &Communicator) -> gpu::Result<String> {
    let (rank, size) = (ranks.rank(), ranks.size());
    // Larger than what the system keeps of a connection.
    let length = 300_000 * size;
    let x = gpu::arange(length as i64) + rank as i64;
    let all: i64 = (0..size as i64).sum();
    let sum = gpu::arange(length as i64) * size as i64 + all;
    assert!(gpu::array_equal(&ranks.try_all_reduce(&x, Reduction::Sum)?, &sum));
    let own = s![rank * length / size..(rank + 1) * length / size];
    assert!(gpu::array_equal(&ranks.try_reduce_scatter(&x, Reduction::Sum)?, &sum.slice(own)));
    let reduced = ranks.try_reduce(&x, Reduction::Max, size - 1)?;
    assert_eq!(reduced.map(|reduced| reduced.get(&[0])), (rank == size - 1).then_some(size as i64 - 1));
    assert_eq!(ranks.try_broadcast(&x, size - 1)?.get(&[0]), size as i64 - 1);
    assert_eq!(
        ranks.try_all_gather(&gpu::full(1, rank as f32))?.tolist(),
        (0..size).map(|rank| rank as f32).collect::<Vec<_>>()
    );
    let exchanged = ranks.try_all_to_all(&x)?;
    assert_eq!(exchanged.get(&[0]), (rank * length / size) as i64);
    assert_eq!(exchanged.get(&[length - 1]), ((rank + 1) * length / size) as i64 - 1 + size as i64 - 1);
    if size > 1 {
        let (next, before) = ((rank + 1) % size, (rank + size - 1) % size);
        assert_eq!(ranks.try_send_receive(&x, next, before, length)?.get(&[0]), before as i64);
        // Of each two, the even rank sends.
        let other = rank ^ 1;
        match rank % 2 {
            _ if other >= size => (),
            0 => ranks.try_send(&x, other)?,
            _ => assert_eq!(ranks.try_receive::<i64>(other, length)?.get(&[0]), other as i64),
        }
    }
    let half = ranks.try_split(Some(rank as u32 % 2), 0)?.unwrap();
    let in_half = half.try_all_reduce(&gpu::full(1, 1i32), Reduction::Sum)?.item();
    assert_eq!(in_half as usize, half.size());
    ranks.try_barrier()?;
    Ok(format!("{:?}, {}", ranks, ranks.place(0)))
}

/// Calls until somebody fails.
fn forever(ranks: &Communicator) -> gpu::Result<String> {
    let x = gpu::ones::<f32>(200_000);
    ranks.try_barrier()?;
    say("started");
    loop {
        ranks.try_all_reduce(&x, Reduction::Sum)?;
        ranks.try_all_gather(&x)?;
    }
}

/// One rank calls something else.
fn orders(ranks: &Communicator) -> gpu::Result<String> {
    ranks.try_barrier()?;
    let x = gpu::zeros::<f32>((4, if ranks.rank() + 2 == ranks.size() { 6 } else { 5 }));
    ranks.try_all_reduce(&x, Reduction::Sum)?;
    Ok("nothing was noticed".to_owned())
}

/// Rank 1 dies while rank 0 waits for it: in a call, or for the result of one that has returned.
fn abandoned(ranks: &Communicator) -> gpu::Result<String> {
    let x = gpu::ones::<f32>(1000);
    assert_eq!(ranks.try_all_reduce(&x, Reduction::Sum)?.sum(), 2000.0);
    ranks.try_barrier()?;
    if ranks.rank() == 1 {
        std::thread::sleep(Duration::from_millis(300));
        // Without a core file, which can take long to write.
        let _ = std::process::Command::new("kill").args(["-KILL", &std::process::id().to_string()]).status();
    }
    let twice = ranks.try_all_reduce(&x, Reduction::Sum).map(|sum| sum * 2.0);
    let error = match &twice {
        Ok(twice) => twice.try_to_host().unwrap_err(),
        Err(error) => error.clone(),
    };
    // It stays so, and other arrays can be used.
    assert!(twice.and_then(|twice| twice.try_to_host()).is_err());
    assert_eq!((&x + 1.0).sum(), 2000.0);
    Ok(error.to_string())
}

/// Ranks that are done one after another.
fn leave(ranks: &Communicator) -> gpu::Result<String> {
    ranks.try_barrier()?;
    std::thread::sleep(Duration::from_millis(100 * ranks.rank() as u64));
    if ranks.rank() >= 2 {
        let pair = 5 - ranks.rank();
        ranks.try_send_receive(&gpu::ones::<f32>(10), pair, pair, 10)?;
    }
    Ok("done".to_owned())
}

/// Rank 0 is a notebook whose cell is interrupted while it waits. The others wait for it.
fn interrupt(ranks: &Communicator) -> gpu::Result<String> {
    static ASKED: AtomicU32 = AtomicU32::new(0);
    ranks.try_barrier()?;
    if ranks.rank() == 0 {
        // SAFETY: it is static.
        unsafe { warpcell_base::interrupt::watch(&raw const ASKED) };
        warpcell_base::interrupt::enter_cell();
        std::thread::spawn(|| {
            std::thread::sleep(Duration::from_millis(200));
            ASKED.store(1, Ordering::Relaxed);
        });
        ranks.try_receive::<f32>(1, 1)?;
    }
    ranks.try_barrier()?;
    Ok("nothing was noticed".to_owned())
}
