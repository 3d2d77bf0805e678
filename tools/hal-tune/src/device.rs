//! The device that is tuned for, where it is not the CPU.
use crate::candidate::Candidate;
use halyard_diag::{Error, Result, WireError};
use halyard_exec::{How, ItemOutcome, Limits, Slots, isolated};
use halyard_ir::form::ScheduleSetting;
use halyard_runtime::{DeviceLimits, DeviceName, LoneDevice, device_info};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::{num::NonZeroUsize, time::Duration};

/// How long a driver may take to say what there is.
const LIMIT: Duration = Duration::from_secs(60);

/// A device, as far as candidates depend on it.
#[derive(Debug, Clone)]
pub(crate) struct TuningDevice {
    pub(crate) name: DeviceName,
    facts: DeviceFacts,
}

/// What a worker process says of a device.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct DeviceFacts {
    title: String,
    identity: String,
    limits: DeviceLimits,
}

impl TuningDevice {
    /// Looks at a device, in a worker process: drivers start threads, which forks of this process would lack, and some crash. Errors: there is
    /// none, or its driver does not work.
    pub(crate) fn look_at(name: DeviceName) -> Result<Self> {
        let limits = Limits {
            slots: Slots::new(NonZeroUsize::new(1)),
            time: Some(LIMIT),
            memory: None,
            keep_going: true,
            retry_killed: true,
        };
        let look = |_| facts(name).map_err(|error| WireError::new(error, &[]));
        match isolated(1, &limits, look).pop() {
            Some(ItemOutcome::Done { value, .. }) => {
                let facts = value.map_err(|wire| wire.into_error(&[]))?;
                Ok(Self { name, facts })
            }
            Some(ItemOutcome::Lost(loss)) => Err(match &loss.how {
                How::NotStarted(why) => {
                    Error::environment(format!("no worker process could be started: {why}")).code("no-worker")
                }
                how => Error::environment(format!("device `{name}` cannot be used: its driver {}", how.words()))
                    .code("no-device"),
            }),
            Some(ItemOutcome::Skipped) | None => Err(Error::environment(format!("device `{name}` was not looked at"))),
        }
    }

    /// As databases and trials name it.
    pub(crate) fn machine(&self) -> &str {
        &self.facts.identity
    }

    /// As generators and clients are told.
    pub(crate) fn json(&self) -> Value {
        let DeviceFacts { title, identity, limits } = &self.facts;
        json!({
            "name": self.name.to_string(),
            "kind": self.name.kind.name(),
            "title": title,
            "identity": identity,
            "limits": limits,
        })
    }

    /// Why no kernel of a schedule can run, as far as its changes say so themselves; the rest of it chooses the compiler. Elements of operands
    /// have at least so many bytes.
    pub(crate) fn refuses(&self, candidate: &Candidate, element: i64) -> Option<String> {
        let limits = &self.facts.limits;
        candidate.nests().find_map(|nest| {
            let number = |key: &str| match candidate.get(nest, key)? {
                ScheduleSetting::Number(n) => Some(*n),
                _ => None,
            };
            let pair = |key: &str| match candidate.get(nest, key)? {
                ScheduleSetting::Numbers(list) => <[i64; 2]>::try_from(list.as_slice()).ok(),
                _ => None,
            };
            let rows = number("rows").zip(number("lanes")).map(|(rows, lanes)| rows.saturating_mul(lanes));
            let tiles = pair("tile").zip(pair("thread_tile")).filter(|(_, [r, c])| *r > 0 && *c > 0);
            let tiles = tiles.map(|([rows, columns], [r, c])| (rows / r).saturating_mul(columns / c));
            let threads = number("threads").or(rows).or(tiles);
            let shared = pair("tile").zip(number("k_block")).map(|([rows, columns], depth)| {
                rows.saturating_add(columns).saturating_mul(depth).saturating_mul(element)
            });
            let over = |what: Option<i64>, most: u32, words: &str| {
                let n = what.filter(|n| most > 0 && *n > i64::from(most))?;
                Some(format!("a workgroup would have {n} {words}, and the device has {most}"))
            };
            over(threads, limits.workgroup_threads, "threads")
                .or_else(|| over(shared, limits.shared_bytes, "bytes of shared memory or more"))
        })
    }
}

fn facts(name: DeviceName) -> Result<DeviceFacts> {
    let device = LoneDevice::open(name)?;
    Ok(DeviceFacts { title: device.title(), identity: device_info(name)?.identity, limits: device.limits() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_runtime::DeviceKind;

    fn device() -> TuningDevice {
        let limits = DeviceLimits { workgroup_threads: 128, shared_bytes: 16384, ..DeviceLimits::default() };
        let facts = DeviceFacts { title: "t".into(), identity: "i".into(), limits };
        TuningDevice { name: DeviceName { kind: DeviceKind::Vulkan, index: None }, facts }
    }

    fn candidate(keys: &[(&str, ScheduleSetting)]) -> Candidate {
        keys.iter().fold(Candidate::default(), |c, (key, value)| c.with(1, key, value.clone()))
    }

    #[test]
    fn what_a_device_cannot_run_is_not_built() {
        use ScheduleSetting::{Number, Numbers};
        let refused = |keys: &[(&str, ScheduleSetting)]| device().refuses(&candidate(keys), 4);
        assert_eq!(refused(&[("threads", Number(128))]), None);
        let threads = "a workgroup would have 256 threads, and the device has 128";
        assert_eq!(refused(&[("threads", Number(256))]).unwrap(), threads);
        assert_eq!(refused(&[("rows", Number(8)), ("lanes", Number(32))]).unwrap(), threads);
        let tile = ("tile", Numbers(vec![64, 64]));
        assert_eq!(refused(&[tile.clone(), ("thread_tile", Numbers(vec![4, 4]))]).unwrap(), threads);
        assert_eq!(refused(&[tile.clone(), ("thread_tile", Numbers(vec![8, 4]))]), None);
        // The compiler chooses what is not said.
        assert_eq!(refused(std::slice::from_ref(&tile)), None);
        assert_eq!(
            refused(&[tile, ("k_block", Number(64))]).unwrap(),
            "a workgroup would have 32768 bytes of shared memory or more, and the device has 16384"
        );
        assert_eq!(refused(&[]), None);
    }
}
