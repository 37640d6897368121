//! Checks whether the clock is plausible: a wrong clock would create years of actions, or let everything time out.
//!
//! Each tick stores its time when it is later than the latest accepted time. A tick too far ahead of that time stops
//! before it changes anything, and an operator must check the clock. A tick far behind it does nothing: a machine
//! without a battery starts in 1970 until its clock is set, and then its ticks work again. A small step back is
//! accepted, because a tick never undoes anything.

use crate::Engine;
use crate::format::{in_words, time};
use howdah_words::error::{Error, ErrorCode, Result};
use howdah_words::model::time::{DAY, HOUR, Timestamp};

/// A tick stores its time only this many seconds after the stored one: an idle tick writes nothing.
const STORED_EVERY: i64 = HOUR;
/// How far behind the latest accepted time a tick may be and still work, in seconds.
const STEP_BACK: i64 = DAY;

/// What a tick does when the clock seems to have jumped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// Ahead: stop, with a message. Behind: do nothing.
    Checked,
    /// Ahead: continue, because a user started this command and sees its times. Behind: do nothing.
    Interactive,
    /// The user confirmed the clock: continue.
    Accepted,
}

/// Why a tick refuses its clock and does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClockProblem {
    /// It is far behind (H0132).
    Behind(Error),
    /// It is further ahead of the latest accepted time (before the first tick: of the last change) than the setting
    /// `howdah.clock.leap.days` allows (H0131).
    Ahead(Error),
}

impl ClockProblem {
    /// Returns its error.
    pub fn into_error(self) -> Error {
        match self {
            Self::Behind(error) | Self::Ahead(error) => error,
        }
    }
}

/// Stores the time of a tick; returns the problem when the tick must refuse its clock.
///
/// # Errors
/// A failure of the database.
pub fn check(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<Option<ClockProblem>> {
    let (stored, changed) = engine.store.read(|snapshot| Ok((snapshot.last_tick_at()?, snapshot.last_event_at()?)))?;
    if clock != Clock::Accepted
        && let Some(accepted) = stored
        && accepted - now > STEP_BACK
    {
        return Ok(Some(behind(accepted, now)));
    }
    if let (Clock::Checked, Some(last)) = (clock, stored.or(changed))
        && let Some(leap) = leap(last, now, engine.settings.longest_leap_days)
    {
        return Ok(Some(leap));
    }
    if must_store(stored, now, clock) {
        engine.store.transact(|transaction| transaction.set_last_tick_at(now))?;
    }
    Ok(None)
}

/// Checks whether to store the time of a tick: it is later, or the user confirmed it.
fn must_store(stored: Option<Timestamp>, now: Timestamp, clock: Clock) -> bool {
    stored.is_none_or(|stored| {
        let ahead = now - stored;
        ahead >= STORED_EVERY || (clock == Clock::Accepted && ahead <= -STORED_EVERY)
    })
}

/// Creates the problem of a clock far behind.
fn behind(accepted: Timestamp, now: Timestamp) -> ClockProblem {
    ClockProblem::Behind(Error::with(ErrorCode::H0132, &[&time(now), &in_words(accepted - now), &time(accepted)]))
}

/// Returns the problem of a clock that is too far ahead.
fn leap(last: Timestamp, now: Timestamp, longest_days: u32) -> Option<ClockProblem> {
    let leap = now - last;
    if leap <= i64::from(longest_days) * DAY {
        return None;
    }
    let help = format!(
        "the last tick was at {}, the clock says {}, and more than {longest_days} days (howdah.clock.leap.days) are \
         not believed; nothing was changed. If the clock is right, run `howdah tick --accept-clock` once; else set the \
         clock",
        time(last),
        time(now)
    );
    Some(ClockProblem::Ahead(Error::new(ErrorCode::H0131, in_words(leap)).help(help)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(hours: i64) -> Timestamp {
        Timestamp::from_seconds(hours * HOUR)
    }

    fn check(last: i64, now: i64, refused: bool) {
        let found = leap(at(last * 24), at(now * 24), 10);
        assert_eq!(matches!(found, Some(ClockProblem::Ahead(_))), refused, "{found:?}");
    }

    #[test]
    fn only_a_leap_forward_beyond_the_bound_is_refused() {
        check(100, 110, false);
        check(100, 111, true);
        check(100, 100, false);
        check(100, 5, false);
    }

    #[test]
    fn the_accepted_time_goes_back_only_when_the_user_confirms_the_clock() {
        for (now, clock, expect) in [
            (101, Clock::Checked, true),
            (100, Clock::Accepted, false),
            (99, Clock::Checked, false),
            (99, Clock::Interactive, false),
            (99, Clock::Accepted, true),
        ] {
            assert_eq!(must_store(Some(at(100)), at(now), clock), expect, "{now} {clock:?}");
        }
        assert!(must_store(None, at(1), Clock::Checked));
    }
}
