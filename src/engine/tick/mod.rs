//! One step of the engine: everything that is due, in a fixed order (specification 6.1).
//!
//! `tick`, `run`, `daemon` and the runner all call [`tick`]; none has logic of its own. A job's status is no step: it
//! follows its actions' in the transaction that changes them (`engine::transition::coordinator`).

pub(crate) mod check_inputs;
pub(crate) mod clock;
pub(crate) mod context;
pub(crate) mod kick_off;
pub(crate) mod materialize;
pub(crate) mod pause;
pub(crate) mod recheck;
pub(crate) mod report;
pub(crate) mod sla;
pub(crate) mod start;

use crate::engine::tick::check_inputs::check_inputs;
use crate::engine::tick::context::Tick;
use crate::engine::tick::kick_off::bundles;
use crate::engine::tick::materialize::materialize;
use crate::engine::tick::pause::pause;
use crate::engine::tick::report::Report;
use crate::engine::tick::start::start;
use crate::engine::{Engine, copy_check};
use crate::error::Result;
use crate::host::presence::PresenceCache;
use crate::model::time::Timestamp;

pub(crate) use crate::engine::tick::clock::Clock;

/// Runs every step once, and again as long as one step made work for another. With a clock far behind it does nothing,
/// and its report says so.
///
/// # Errors
/// H0131 when the clock leapt forward, H0133 when this may be a copy of the database, or any failure of the database;
/// what was committed before stays.
pub(crate) fn tick(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<Report> {
    copy_check::check(engine)?;
    if let Some(behind) = clock::check(engine, now, clock)? {
        return Ok(Report { faults: vec![behind], ..Report::default() });
    }
    let mounts = engine.mounts.clone();
    let presence = PresenceCache::new(&mounts);
    let mut tick = Tick::new(engine, now);
    bundles(&mut tick)?;
    pause(&mut tick)?;
    loop {
        let created = materialize(&mut tick)?;
        let moved = check_inputs(&mut tick, &presence)?;
        let started = start(&mut tick, &presence)?;
        if !created && !moved && !started {
            break;
        }
    }
    sla::record(&mut tick)?;
    Ok(tick.report)
}
