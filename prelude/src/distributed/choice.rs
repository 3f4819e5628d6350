//! Which transport a communicator gets: what each rank says of its device, and what follows from that.

use crate::device::{self, Device};
use crate::error::{Error, Result};
use serde::{Deserialize, Serialize};

pub(super) const TRANSPORT_VARIABLE: &str = "WARPCELL_DISTRIBUTED_TRANSPORT";

/// What `WARPCELL_DISTRIBUTED_TRANSPORT` asks for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Wish {
    /// NCCL, where it can be used.
    Either,
    /// By way of the host.
    Host,
    /// NCCL, or an error.
    Nccl,
}

impl Wish {
    pub fn read(operation: &'static str, text: Option<&str>) -> Result<Wish> {
        match text {
            None | Some("") => Ok(Wish::Either),
            Some("host") => Ok(Wish::Host),
            Some("nccl") => Ok(Wish::Nccl),
            Some(text) => {
                let reason = format!(
                    "{TRANSPORT_VARIABLE} is {text:?}, but must be host or nccl; set it so, or not at all: {TRANSPORT_VARIABLE}=nccl"
                );
                Err(Error::argument(operation, reason))
            }
        }
    }
}

/// What a rank says of its device.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Capability {
    /// What tells the device from all others of all hosts, if that is known.
    device: Option<String>,
    /// The version of NCCL that the rank has, or why it has none.
    version: std::result::Result<i32, String>,
}

impl Capability {
    /// That of a rank on a device.
    pub fn of(device: Device, wish: Wish) -> Result<Capability> {
        let handle = device::open(device)?;
        let version = match handle.backend.links() {
            _ if wish == Wish::Host => Err(format!("has {TRANSPORT_VARIABLE}=host")),
            None => Err(format!("is on {device}, which NCCL does not work on")),
            Some(links) => links.version().map_err(|error| format!("cannot use NCCL: {error}")),
        };
        let uuid = version.is_ok().then(|| handle.backend.properties().uuid).flatten();
        Ok(Capability { device: uuid, version })
    }
}

/// Why ranks that say this of themselves cannot use NCCL; nothing if they can.
pub(super) fn obstacle<'a>(ranks: impl Iterator<Item = &'a Capability> + Clone) -> Option<String> {
    let mut first: Option<i32> = None;
    for (rank, Capability { device, version }) in ranks.clone().enumerate() {
        match (version, first) {
            (Err(reason), _) => return Some(format!("rank {rank} {reason}")),
            (Ok(version), Some(first)) if *version != first => {
                return Some(format!(
                    "rank {rank} has version {version} of NCCL, but rank 0 has {first}; install the same everywhere"
                ));
            }
            (Ok(version), _) => first = Some(*version),
        }
        if device.is_none() {
            return Some(format!("the driver does not tell which device rank {rank} is on"));
        }
        if let Some(other) = ranks.clone().take(rank).position(|other| other.device == *device) {
            return Some(format!(
                "ranks {other} and {rank} are on the same device; start as many as there are devices"
            ));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};

    fn capability(device: &str, version: std::result::Result<i32, &str>) -> Capability {
        let device = Some(device.to_owned()).filter(|device| !device.is_empty());
        Capability { device, version: version.map_err(str::to_owned) }
    }

    #[test]
    fn ranks_with_devices_of_their_own_use_the_library() {
        let ranks = [capability("GPU-1", Ok(22800)), capability("GPU-2", Ok(22800)), capability("GPU-3", Ok(22800))];
        assert_eq!(obstacle(ranks.iter()), None);
    }

    #[test]
    fn all_others_go_by_way_of_the_host() {
        let check = |second: Capability, expected: Expect| {
            let ranks = [capability("GPU-1", Ok(22800)), second, capability("GPU-3", Ok(22800))];
            expected.assert_eq(&obstacle(ranks.iter()).unwrap());
        };
        check(
            capability("GPU-1", Ok(22800)),
            expect!["ranks 0 and 1 are on the same device; start as many as there are devices"],
        );
        check(
            capability("GPU-2", Ok(22703)),
            expect!["rank 1 has version 22703 of NCCL, but rank 0 has 22800; install the same everywhere"],
        );
        check(capability("", Ok(22800)), expect!["the driver does not tell which device rank 1 is on"]);
        let missing = "cannot use NCCL: libnccl.so.2 was not found";
        check(capability("", Err(missing)), expect!["rank 1 cannot use NCCL: libnccl.so.2 was not found"]);
        let cpu = Capability::of(Device::Cpu, Wish::Either).unwrap();
        check(cpu, expect!["rank 1 is on cpu, which NCCL does not work on"]);
        let wish = Capability::of(Device::Cpu, Wish::Host).unwrap();
        check(wish, expect!["rank 1 has WARPCELL_DISTRIBUTED_TRANSPORT=host"]);
    }

    #[test]
    fn wishes_are_read() {
        let read = |text| Wish::read("Communicator::local", text);
        assert_eq!([read(None), read(Some("host"))], [Ok(Wish::Either), Ok(Wish::Host)]);
        assert_eq!(read(Some("nccl")), Ok(Wish::Nccl));
        expect![[r#"Communicator::local: WARPCELL_DISTRIBUTED_TRANSPORT is "tcp", but must be host or nccl; set it so, or not at all: WARPCELL_DISTRIBUTED_TRANSPORT=nccl"#]]
            .assert_eq(&read(Some("tcp")).unwrap_err().to_string());
    }
}
