//! Whether the clock can be believed (what a wrong one would do: create years of actions, or time everything out).
//!
//! A tick notes when it runs. One that finds itself further ahead than the bound stops before it changes anything; one
//! that finds itself behind goes on, because nothing that exists is taken back.

use crate::engine::Engine;
use crate::engine::words::{in_words, time};
use crate::error::{Error, ErrorCode, Result};
use crate::model::time::{DAY, HOUR, Timestamp};

/// How far the clock may be from the noted tick before a tick notes itself, in seconds: an idle tick writes nothing.
const NOTED_EVERY: i64 = HOUR;

/// What a tick does when the clock seems to have leapt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Stop, with a message.
    Checked,
    /// The user said that the clock is right, or is there to see it.
    Accepted,
}

/// Notes a tick at `now`.
///
/// # Errors
/// H0131 when the clock is further ahead of the last tick (or, before the first one, of the last change) than the
/// setting `howdah.clock.leap.days` allows.
pub(crate) fn check(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<()> {
    let (noted, changed) = engine.store.read(|snapshot| Ok((snapshot.last_tick_at()?, snapshot.last_event_at()?)))?;
    if let (Clock::Checked, Some(last)) = (clock, noted.or(changed)) {
        check_leap(last, now, engine.settings.longest_leap_days)?;
    }
    if noted.is_none_or(|noted| (now - noted).abs() >= NOTED_EVERY) {
        engine.store.transact(|transaction| transaction.set_last_tick_at(now))?;
    }
    Ok(())
}

fn check_leap(last: Timestamp, now: Timestamp, longest_days: u32) -> Result<()> {
    let leap = now - last;
    if leap <= i64::from(longest_days) * DAY {
        return Ok(());
    }
    let help = format!(
        "the last tick was at {}, the clock says {}, and more than {longest_days} days (howdah.clock.leap.days) are not \
         believed; nothing was changed. If the clock is right, run `howdah tick --accept-clock` once; else set the clock",
        time(last),
        time(now)
    );
    Err(Error::new(ErrorCode::H0131, in_words(leap)).help(help))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(last: i64, now: i64, refused: bool) {
        let at = |days: i64| Timestamp::from_seconds(days * DAY);
        let outcome = check_leap(at(last), at(now), 10);
        assert_eq!(outcome.map_err(|error| error.code()), if refused { Err(ErrorCode::H0131) } else { Ok(()) });
    }

    #[test]
    fn only_a_leap_forward_beyond_the_bound_is_refused() {
        check(100, 110, false);
        check(100, 111, true);
        check(100, 100, false);
        check(100, 5, false);
    }
}
