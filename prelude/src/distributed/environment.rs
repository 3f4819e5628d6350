//! Which rank this process is, and where the others are: what launchers say in environment variables.

use crate::error::{Error, Result};
use std::hash::{DefaultHasher, Hash, Hasher};

/// The variables of a launcher.
pub(super) struct Launcher {
    /// Its name.
    pub name: &'static str,
    rank: &'static str,
    size: &'static str,
    /// The rank among those of the same host.
    local_rank: Option<&'static str>,
    /// How many ranks the host has.
    local_size: Option<&'static str>,
    /// What tells jobs apart. Together they make the port, if none is given.
    job: &'static [&'static str],
    /// The hosts of the job, of which the first one has rank 0.
    hosts: &'static [&'static str],
}

/// Of several launchers the first one counts: inside of a job of SLURM, `mpirun` and `torchrun` have started the process.
#[rustfmt::skip]
pub(super) const LAUNCHERS: &[Launcher] = &[
    Launcher { name: "torchrun", rank: "RANK", size: "WORLD_SIZE", local_rank: Some("LOCAL_RANK"), local_size: Some("LOCAL_WORLD_SIZE"),
        job: &["TORCHELASTIC_RUN_ID"], hosts: &[] },
    Launcher { name: "Open MPI", rank: "OMPI_COMM_WORLD_RANK", size: "OMPI_COMM_WORLD_SIZE", local_rank: Some("OMPI_COMM_WORLD_LOCAL_RANK"),
        local_size: Some("OMPI_COMM_WORLD_LOCAL_SIZE"), job: &["PMIX_NAMESPACE"], hosts: &["SLURM_JOB_NODELIST"] },
    Launcher { name: "MPICH", rank: "PMI_RANK", size: "PMI_SIZE", local_rank: Some("MPI_LOCALRANKID"), local_size: Some("MPI_LOCALNRANKS"),
        job: &["SLURM_JOB_ID", "SLURM_STEP_ID"], hosts: &["SLURM_JOB_NODELIST"] },
    Launcher { name: "SLURM", rank: "SLURM_PROCID", size: "SLURM_NTASKS", local_rank: Some("SLURM_LOCALID"), local_size: None,
        job: &["SLURM_JOB_ID", "SLURM_STEP_ID"], hosts: &["SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"] },
    Launcher { name: "an indexed Job of Kubernetes", rank: "JOB_COMPLETION_INDEX", size: "WORLD_SIZE", local_rank: None, local_size: None,
        job: &[], hosts: &[] },
];

/// What a process knows of itself at the start.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Place {
    pub rank: usize,
    pub size: usize,
    /// The rank among those of the same host, if the launcher says it.
    pub local_rank: Option<usize>,
    /// Where rank 0 listens.
    pub address: String,
    pub port: u16,
    /// What tells jobs apart.
    pub job: String,
    /// The variables that say rank and size, for messages.
    pub variables: [&'static str; 2],
}

const NAME: &str = "Communicator::from_env";
/// Where programs of PyTorch listen too.
const USUAL_PORT: u16 = 29500;

/// Reads the variables.
pub(super) fn read(variable: &dyn Fn(&str) -> Option<String>) -> Result<Place> {
    let is_set = |name: &str| variable(name).is_some();
    let Some(launcher) = LAUNCHERS.iter().find(|launcher| is_set(launcher.rank)) else {
        if is_set("WORLD_SIZE") {
            return Err(wrong("RANK is not set, but WORLD_SIZE is; give each process its number: RANK=0".to_owned()));
        }
        let known: Vec<&str> = LAUNCHERS.iter().map(|launcher| launcher.rank).collect();
        return Err(wrong(format!(
            "no launcher has set the rank of this process ({}); start the program by one, such as `mpirun -n 4 program`, or use \
             `Communicator::local(4)`, which needs none",
            known.join(", ")
        )));
    };
    // `first` is the smallest number that it can be, and the one to show is `example`.
    let number = |name: &str, first: usize, example: usize| -> Result<Option<usize>> {
        let Some(text) = variable(name) else { return Ok(None) };
        let number = text.trim().parse().ok().filter(|number| *number >= first);
        let reason = || format!("{name} is {text:?}, which is no number from {first} on; correct it: {name}={example}");
        number.map(Some).ok_or_else(|| wrong(reason()))
    };
    let ranks = |name: &str| number(name, 0, 0);
    let sizes = |name: &str| number(name, 1, 4);
    let rank = ranks(launcher.rank)?.expect("it is set");
    let size = sizes(launcher.size)?.ok_or_else(|| {
        let Launcher { name, rank, size, .. } = launcher;
        wrong(format!("{size} is not set, but {rank} is ({name}); set it to the number of processes: {size}=4"))
    })?;
    if rank >= size {
        let Launcher { rank: of_rank, size: of_size, .. } = launcher;
        let last = size - 1;
        return Err(wrong(format!(
            "{of_rank} is {rank}, but {of_size} is {size}, so ranks go from 0 to {last}; correct one of them: {of_rank}={last}"
        )));
    }
    let local_rank = launcher.local_rank.map(ranks).transpose()?.flatten();
    let local_size = launcher.local_size.map(sizes).transpose()?.flatten();
    let job: Vec<String> = launcher.job.iter().filter_map(|name| variable(name)).collect();
    let job = job.join(".");
    let on_first = || launcher.hosts.iter().find_map(|name| first_host(&variable(name)?));
    let address = match variable("MASTER_ADDR").filter(|address| !address.trim().is_empty()) {
        Some(address) => address.trim().to_owned(),
        None if size == 1 || local_size == Some(size) => "127.0.0.1".to_owned(),
        None => on_first().ok_or_else(|| {
            wrong(format!(
                "MASTER_ADDR is not set, and {} does not say where rank 0 runs; set it to that host on all ranks: \
                 MASTER_ADDR=node01 (on one host: MASTER_ADDR=127.0.0.1)",
                launcher.name
            ))
        })?,
    };
    let port = match variable("MASTER_PORT") {
        None if job.is_empty() => USUAL_PORT,
        None => port_of(&job),
        Some(text) => {
            let port = text.trim().parse().ok().filter(|port| *port > 0).ok_or_else(|| {
                wrong(format!(
                    "MASTER_PORT is {text:?}, which is no port from 1 to 65535; correct it: MASTER_PORT={USUAL_PORT}"
                ))
            })?;
            // There `torchrun` listens itself.
            let is_taken =
                variable("TORCHELASTIC_USE_AGENT_STORE").is_some_and(|text| text.eq_ignore_ascii_case("true"));
            if is_taken { port_of(&format!("{job}:{port}")) } else { port }
        }
    };
    Ok(Place { rank, size, local_rank, address, port, job, variables: [launcher.rank, launcher.size] })
}

/// A port for a job, below those that systems give away.
fn port_of(job: &str) -> u16 {
    let mut hasher = DefaultHasher::new();
    job.hash(&mut hasher);
    20000 + (hasher.finish() % 12000) as u16
}

/// The first host of a list of SLURM's, such as `gpu[07-09,12],login1`.
fn first_host(list: &str) -> Option<String> {
    let list = list.trim();
    let end = list.find([',', '[']).unwrap_or(list.len());
    let first = &list[..end];
    let Some(inside) = list[end..].strip_prefix('[') else {
        return Some(first.to_owned()).filter(|host| !host.is_empty());
    };
    let inside = &inside[..inside.find(']')?];
    let number = &inside[..inside.find([',', '-']).unwrap_or(inside.len())];
    Some(format!("{first}{number}"))
}

fn wrong(reason: String) -> Error {
    Error::argument(NAME, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn read_of(variables: &[(&str, &str)]) -> Result<Place> {
        read(&|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    fn summary(variables: &[(&str, &str)]) -> String {
        let place = read_of(variables).unwrap();
        let local = place.local_rank.map_or("?".to_owned(), |rank| rank.to_string());
        format!("{} of {}, local {local}, {}:{} {:?}", place.rank, place.size, place.address, place.port, place.job)
    }

    #[test]
    fn every_launcher_is_understood() {
        let meeting = [("MASTER_ADDR", "node7"), ("MASTER_PORT", "1234")];
        for launcher in LAUNCHERS {
            let mut variables = vec![(launcher.rank, "2"), (launcher.size, "4")];
            variables.extend(launcher.local_rank.map(|name| (name, "1")));
            variables.extend(meeting);
            let local = if launcher.local_rank.is_some() { "1" } else { "?" };
            assert_eq!(summary(&variables), format!("2 of 4, local {local}, node7:1234 \"\""), "{}", launcher.name);
        }
    }

    #[test]
    fn what_launchers_leave_out_is_found() {
        let of_open_mpi = [
            ("OMPI_COMM_WORLD_RANK", "1"),
            ("OMPI_COMM_WORLD_SIZE", "4"),
            ("OMPI_COMM_WORLD_LOCAL_SIZE", "4"),
            ("PMIX_NAMESPACE", "77"),
            // `mpirun` in a job of SLURM.
            ("SLURM_PROCID", "0"),
        ];
        let place = read_of(&of_open_mpi).unwrap();
        assert_eq!((place.rank, place.address.as_str(), place.port), (1, "127.0.0.1", port_of("77")));
        assert!((20000..32000).contains(&place.port));
        let of_slurm = [
            ("SLURM_PROCID", "3"),
            ("SLURM_NTASKS", "8"),
            ("SLURM_LOCALID", "1"),
            ("SLURM_STEP_NODELIST", "gpu[07-09,12],login1"),
            ("SLURM_JOB_ID", "4711"),
            ("SLURM_STEP_ID", "0"),
        ];
        let place = read_of(&of_slurm).unwrap();
        assert_eq!((place.address.as_str(), place.port, place.job.as_str()), ("gpu07", port_of("4711.0"), "4711.0"));
        assert_eq!(summary(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]), "0 of 1, local ?, 127.0.0.1:29500 \"\"");
    }

    #[test]
    fn a_port_that_torchrun_uses_itself_is_left_alone() {
        let port = |uses_it: &str| {
            let place = [("RANK", "1"), ("WORLD_SIZE", "2"), ("MASTER_ADDR", "a"), ("MASTER_PORT", "1234")];
            let place =
                [&place[..], &[("TORCHELASTIC_RUN_ID", "7"), ("TORCHELASTIC_USE_AGENT_STORE", uses_it)]].concat();
            read_of(&place).unwrap().port
        };
        assert_eq!((port("False"), port("True")), (1234, port_of("7:1234")));
    }

    #[test]
    fn lists_of_hosts_begin_with_a_host() {
        for (list, first) in
            [("a", "a"), ("a,b", "a"), ("n[1-3]", "n1"), ("n[004,7]", "n004"), ("x-1,n[1-3]", "x-1"), (" n[9]", "n9")]
        {
            assert_eq!(first_host(list).as_deref(), Some(first), "{list}");
        }
        assert_eq!((first_host(""), first_host("n[1-")), (None, None));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |variables: &[(&str, &str)], expected: Expect| {
            expected.assert_eq(&read_of(variables).unwrap_err().to_string());
        };
        check(
            &[],
            expect![
                "Communicator::from_env: no launcher has set the rank of this process (RANK, OMPI_COMM_WORLD_RANK, PMI_RANK, SLURM_PROCID, JOB_COMPLETION_INDEX); start the program by one, such as `mpirun -n 4 program`, or use `Communicator::local(4)`, which needs none"
            ],
        );
        check(
            &[("WORLD_SIZE", "4")],
            expect!["Communicator::from_env: RANK is not set, but WORLD_SIZE is; give each process its number: RANK=0"],
        );
        check(
            &[("RANK", "0")],
            expect![
                "Communicator::from_env: WORLD_SIZE is not set, but RANK is (torchrun); set it to the number of processes: WORLD_SIZE=4"
            ],
        );
        check(
            &[("RANK", "two"), ("WORLD_SIZE", "4")],
            expect![[r#"Communicator::from_env: RANK is "two", which is no number from 0 on; correct it: RANK=0"#]],
        );
        check(
            &[("RANK", "4"), ("WORLD_SIZE", "4")],
            expect![
                "Communicator::from_env: RANK is 4, but WORLD_SIZE is 4, so ranks go from 0 to 3; correct one of them: RANK=3"
            ],
        );
        check(
            &[("RANK", "0"), ("WORLD_SIZE", "0")],
            expect![
                "Communicator::from_env: WORLD_SIZE is \"0\", which is no number from 1 on; correct it: WORLD_SIZE=4"
            ],
        );
        check(
            &[("RANK", "0"), ("WORLD_SIZE", "4"), ("LOCAL_RANK", "-1")],
            expect![[
                r#"Communicator::from_env: LOCAL_RANK is "-1", which is no number from 0 on; correct it: LOCAL_RANK=0"#
            ]],
        );
        check(
            &[("RANK", "0"), ("WORLD_SIZE", "4")],
            expect![
                "Communicator::from_env: MASTER_ADDR is not set, and torchrun does not say where rank 0 runs; set it to that host on all ranks: MASTER_ADDR=node01 (on one host: MASTER_ADDR=127.0.0.1)"
            ],
        );
        check(
            &[("RANK", "0"), ("WORLD_SIZE", "4"), ("MASTER_ADDR", "a"), ("MASTER_PORT", "70000")],
            expect![[
                r#"Communicator::from_env: MASTER_PORT is "70000", which is no port from 1 to 65535; correct it: MASTER_PORT=29500"#
            ]],
        );
    }
}
