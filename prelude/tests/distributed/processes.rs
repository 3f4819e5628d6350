//! Ranks that are processes: started as launchers do, killed, stopped, and left out.

use crate::Random;
use crate::programs::{ARGUMENTS, PROGRAM};
use expect_test::expect;
use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

/// A process that is a rank, and what it says.
struct Rank {
    child: Child,
    said: Receiver<String>,
}

impl Rank {
    /// Starts one with these variables, and none of a launcher that has started the tests.
    fn start(program: &str, variables: &[(&str, String)]) -> Rank {
        let mut command = Command::new(std::env::current_exe().unwrap());
        for (name, _) in std::env::vars() {
            let is_launchers = ["OMPI_", "PMI", "MPI_", "SLURM_", "MASTER_", "WARPCELL_DISTRIBUTED"];
            if is_launchers.iter().any(|start| name.starts_with(start))
                || ["RANK", "WORLD_SIZE", "LOCAL_RANK"].contains(&name.as_str())
            {
                command.env_remove(name);
            }
        }
        command.args(ARGUMENTS).env(PROGRAM, program).envs(variables.iter().map(|(name, value)| (name, value)));
        Rank::of(command)
    }

    fn of(mut command: Command) -> Rank {
        let mut child = command.stdout(Stdio::piped()).stdin(Stdio::null()).spawn().unwrap();
        let (say, said) = channel();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                if let Some(text) = line.strip_prefix("rank says ") {
                    let _ = say.send(text.to_owned());
                }
            }
        });
        Rank { child, said }
    }

    /// What it says next.
    fn next(&self, deadline: Instant) -> String {
        let left = deadline.saturating_duration_since(Instant::now());
        self.said.recv_timeout(left).unwrap_or_else(|error| format!("nothing: {error}"))
    }
}

impl Drop for Rank {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn soon() -> Instant {
    Instant::now() + Duration::from_secs(30)
}

/// A port that nobody uses.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// What `torchrun` sets, for one rank.
fn variables(rank: usize, size: usize, port: u16) -> Vec<(&'static str, String)> {
    vec![
        ("RANK", rank.to_string()),
        ("WORLD_SIZE", size.to_string()),
        ("LOCAL_RANK", rank.to_string()),
        ("MASTER_ADDR", "127.0.0.1".to_owned()),
        ("MASTER_PORT", port.to_string()),
    ]
}

/// Starts ranks as `torchrun` does, with more variables.
fn start(program: &str, size: usize, more: &[(&'static str, &str)]) -> Vec<Rank> {
    start_some(program, size, &(0..size).collect::<Vec<_>>(), more)
}

/// Starts some of the ranks.
fn start_some(program: &str, size: usize, ranks: &[usize], more: &[(&'static str, &str)]) -> Vec<Rank> {
    let port = free_port();
    let start = |&rank| {
        let mut variables = variables(rank, size, port);
        variables.extend(more.iter().map(|(name, value)| (*name, (*value).to_owned())));
        Rank::start(program, &variables)
    };
    ranks.iter().map(start).collect()
}

#[test]
fn processes_make_all_calls() {
    for (size, checks) in [(2, "0"), (2, "1"), (4, "1")] {
        let ranks = start("calls", size, &[("WARPCELL_DISTRIBUTED_CHECK", checks)]);
        for (rank, process) in ranks.iter().enumerate() {
            let said = process.next(soon());
            assert!(said.starts_with(&format!("ok {rank} of {size}: rank {rank} of {size} on ")), "{said}");
            assert!(said.contains("by TCP") || said.contains("by NCCL"), "{said}");
        }
    }
}

#[test]
fn launchers_are_told_by_their_variables() {
    // Rank, size, rank on the host, and those on the host.
    let names = [
        ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"],
        ["PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID", "MPI_LOCALNRANKS"],
        ["SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"],
        ["JOB_COMPLETION_INDEX", "WORLD_SIZE", "HOSTNAME", "HOSTNAME"],
    ];
    for names in names {
        let port = free_port().to_string();
        let ranks: Vec<Rank> = (0..3)
            .map(|rank: usize| {
                let mut variables =
                    vec![(names[0], rank.to_string()), (names[1], "3".to_owned()), ("MASTER_PORT", port.clone())];
                if names[2] != "HOSTNAME" {
                    variables.extend([(names[2], rank.to_string()), (names[3], "3".to_owned())]);
                }
                // Where the launcher does not say that all are on one host.
                if names[0].starts_with("SLURM") || names[2] == "HOSTNAME" {
                    variables.push(("MASTER_ADDR", "localhost".to_owned()));
                }
                Rank::start("calls", &variables)
            })
            .collect();
        for (rank, process) in ranks.iter().enumerate() {
            let said = process.next(soon());
            assert!(said.starts_with(&format!("ok {rank} of 3")), "{}: {said}", names[0]);
        }
    }
}

#[test]
fn ranks_may_be_done_one_after_another() {
    let ranks = start("leave", 4, &[]);
    for process in &ranks {
        let said = process.next(soon());
        assert!(said.starts_with("ok "), "{said}");
    }
}

/// Kills a rank at a random moment, and looks at what the others say.
fn kill_one(random: &mut Random, size: usize) {
    let mut ranks = start("forever", size, &[]);
    ranks.iter().for_each(|rank| assert_eq!(rank.next(soon()), "started"));
    let victim = random.below(size);
    std::thread::sleep(Duration::from_micros(random.below(200_000) as u64));
    ranks[victim].child.kill().unwrap();
    let limit = Instant::now() + Duration::from_secs(15);
    for (rank, process) in ranks.iter().enumerate().filter(|(rank, _)| *rank != victim) {
        let said = process.next(limit);
        assert!(
            said.starts_with("error ") && said.contains(&format!("rank {victim} ")),
            "rank {rank} of victim {victim}: {said}"
        );
    }
    for (rank, process) in ranks.iter_mut().enumerate() {
        while process.child.try_wait().unwrap().is_none() {
            assert!(Instant::now() < limit, "rank {rank} does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

#[test]
fn a_rank_that_is_killed_is_named_to_all_others() {
    let mut random = Random::new("killed ranks");
    [2, 4, 2, 4].iter().for_each(|&size| kill_one(&mut random, size));
}

#[test]
#[ignore = "takes half a minute"]
fn ranks_that_are_killed_twenty_times_are_named() {
    let mut random = Random::new("ranks killed 20 times");
    (0..20).for_each(|turn| kill_one(&mut random, if turn % 2 == 0 { 2 } else { 4 }));
}

#[test]
fn a_rank_that_is_stopped_is_named_when_the_time_is_up() {
    for size in [2, 4] {
        let ranks = start("forever", size, &[("WARPCELL_DISTRIBUTED_TIMEOUT", "1.5")]);
        ranks.iter().for_each(|rank| assert_eq!(rank.next(soon()), "started"));
        let status = Command::new("kill").args(["-STOP", &ranks[1].child.id().to_string()]).status().unwrap();
        assert!(status.success());
        for (_, process) in ranks.iter().enumerate().filter(|(rank, _)| *rank != 1) {
            let said = process.next(soon());
            assert!(said.starts_with("error ") && said.contains("rank 1 does not answer"), "{said}");
        }
    }
}

#[test]
fn what_a_rank_that_dies_has_left_undone_cannot_be_used() {
    let ranks = start("abandoned", 2, &[]);
    let said = ranks[0].next(soon());
    assert!(said.starts_with("ok 0 of 2: all_reduce: rank 1 has ended without a word"), "{said}");
}

#[test]
fn a_rank_that_is_missing_is_named_to_all_others() {
    let more = [("WARPCELL_DISTRIBUTED_TIMEOUT", "1.5")];
    for (missing, others) in [(0, [1, 2]), (2, [0, 1])] {
        let ranks = start_some("calls", 3, &others, &more);
        for process in &ranks {
            let said = process.next(soon());
            assert!(said.starts_with(&format!("error Communicator::from_env: rank {missing} ")), "{said}");
            assert!(said.contains("within 1.5 s"), "{said}");
        }
    }
}

#[test]
fn a_rank_that_is_interrupted_does_not_wait_and_is_named_to_all_others() {
    for (rank, process) in start("interrupt", 3, &[]).iter().enumerate() {
        let said = process.next(soon());
        let expected =
            if rank == 0 { "error the operation was interrupted" } else { "error barrier: rank 0 was interrupted" };
        assert!(said.starts_with(expected), "{said}");
    }
}

#[test]
fn calls_that_differ_are_compared_if_that_is_asked_for() {
    let ranks = start("orders", 4, &[("WARPCELL_DISTRIBUTED_CHECK", "1")]);
    let said: Vec<String> = ranks.iter().map(|process| process.next(soon())).collect();
    expect!["error all_reduce: rank 0 calls `all_reduce` of [4, 5] f32 by Sum as call 2 of the communicator, but rank 2 calls `all_reduce` of [4, 6] f32 by Sum as call 2 of the communicator; let all ranks make the same calls in the same order, with the same shapes and types"].assert_eq(&said[3]);
    assert!(said.iter().all(|other| *other == said[3]), "{said:?}");
    for process in start("orders", 2, &[("WARPCELL_DISTRIBUTED_CHECK", "1")]) {
        let said = process.next(soon());
        assert!(said.contains("rank 0 calls `all_reduce` of [4, 6]") && said.contains("rank 1 calls"), "{said}");
    }
}

#[test]
fn an_environment_that_is_wrong_is_refused() {
    let port = free_port();
    let with = |name: &'static str, value: &str| {
        let mut variables = variables(0, 1, port);
        variables.retain(|(known, _)| *known != name);
        variables.push((name, value.to_owned()));
        Rank::start("calls", &variables).next(soon())
    };
    expect!["error Communicator::from_env: RANK is 3, but WORLD_SIZE is 1, so ranks go from 0 to 0; correct one of them: RANK=0"].assert_eq(&with("RANK", "3"));
    expect![[r#"error Communicator::from_env: WARPCELL_DISTRIBUTED_TIMEOUT is "soon", which is no number of seconds; set it to one: WARPCELL_DISTRIBUTED_TIMEOUT=300"#]].assert_eq(&with("WARPCELL_DISTRIBUTED_TIMEOUT", "soon"));
    expect![[r#"error Communicator::from_env: WARPCELL_DISTRIBUTED_CHECK is "yes", but must be 0 or 1; set it so: WARPCELL_DISTRIBUTED_CHECK=1"#]].assert_eq(&with("WARPCELL_DISTRIBUTED_CHECK", "yes"));
    expect!["error Communicator::from_env: no launcher has set the rank of this process (RANK, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX); start the program by one, such as `mpirun -n 4 program`, or use `Communicator::local(4)`, which needs none"].assert_eq(&Rank::start("calls", &[]).next(soon()));
}

#[test]
fn ranks_that_contradict_each_other_are_refused() {
    let port = free_port();
    let ranks = [(0, 2), (1, 3)].map(|(rank, size)| Rank::start("calls", &variables(rank, size, port)));
    for process in &ranks {
        let said = process.next(soon());
        assert!(said.contains("WORLD_SIZE is 3 for rank 1, but 2 for rank 0"), "{said}");
    }
    let port = free_port();
    let ranks = [0, 1, 1].map(|rank| Rank::start("calls", &variables(rank, 3, port)));
    for process in &ranks {
        let said = process.next(soon());
        assert!(said.contains("two processes have the rank 1 in RANK"), "{said}");
    }
}

#[test]
fn strangers_do_not_disturb_the_meeting() {
    use std::io::Write;
    let port = free_port();
    let first = Rank::start("calls", &variables(0, 2, port));
    let deadline = soon();
    let mut strangers = Vec::new();
    while strangers.len() < 3 && Instant::now() < deadline {
        match std::net::TcpStream::connect(("127.0.0.1", port)) {
            Ok(mut stranger) => {
                stranger.write_all(b"GET / HTTP/1.1\r\n\r\n").unwrap();
                strangers.push(stranger);
            }
            Err(_) => std::thread::sleep(Duration::from_millis(10)),
        }
    }
    let second = Rank::start("calls", &variables(1, 2, port));
    for process in [&first, &second] {
        let said = process.next(soon());
        assert!(said.starts_with("ok "), "{said}");
    }
}

#[test]
fn mpirun_starts_ranks() {
    let version = Command::new("mpirun").arg("--version").output();
    if !version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("Open MPI")) {
        println!("skipped: there is no mpirun of Open MPI (Debian's package openmpi-bin)");
        return;
    }
    let mut command = Command::new("mpirun");
    command.args(["--allow-run-as-root", "--oversubscribe", "-n", "4", "-x", PROGRAM]);
    command.arg(std::env::current_exe().unwrap()).args(ARGUMENTS).env(PROGRAM, "calls");
    let job = Rank::of(command);
    let deadline = soon();
    let mut said: Vec<String> = (0..4).map(|_| job.next(deadline)).collect();
    said.sort();
    for (rank, said) in said.iter().enumerate() {
        assert!(said.starts_with(&format!("ok {rank} of 4")), "{said}");
    }
}
