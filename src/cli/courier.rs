//! `howdah courier` (hidden): delivers notifications and alerts until none is due.

use clap::Args;

use crate::cli::args::GlobalArgs;
use crate::cli::exit::{Failure, Status};
use crate::cli::session;
use crate::output::diagnostic;
use howdah_engine::fault::Fault;
use howdah_engine::outbox::deliver;
use howdah_host::{lock, processes};

/// Deliver notifications and alerts until none is due
#[derive(Args, Debug)]
pub(crate) struct CourierArgs {}

/// Delivers; exits at once when another courier is running.
pub(crate) fn courier(global: &GlobalArgs, _: &CourierArgs) -> Result<Status, Failure> {
    let clock = session::clock(global)?;
    let mut engine = session::service_engine(global)?;
    processes::leave_session();
    // A delivery that was added after the last query but before the lock was released would wait for the next tick.
    while deliver::is_wanted(&engine, &clock.both())? {
        let Some(_lock) = lock::try_lock(&engine.courier_lock())? else { break };
        let mut fault = |fault: &Fault| diagnostic::fault(&fault.subject, &fault.error);
        deliver::deliver(&mut engine, clock.as_ref(), &mut fault)?;
    }
    Ok(Status::Done)
}
