//! Whether the clock can be believed (what a wrong one would do: create years of actions, or time everything out).
//!
//! A tick notes when it runs; what is kept is the greatest time that was believed. A tick that finds itself further
//! ahead of it than the bound stops before it changes anything, and a person must look. One that finds itself far
//! behind does nothing: a machine without a battery begins in 1970 until somebody tells it the time, and then goes on
//! by itself. A small step back is taken, because nothing that exists is taken back.

use crate::engine::Engine;
use crate::engine::format::{in_words, time};
use crate::error::{Error, ErrorCode, Result};
use crate::model::time::{DAY, HOUR, Timestamp};

/// How far the clock may be from the noted tick before a tick notes itself, in seconds: an idle tick writes nothing.
const NOTED_EVERY: i64 = HOUR;
/// How far behind the greatest time that was believed a tick may be and still do its work, in seconds.
const STEP_BACK: i64 = DAY;

/// What a tick does when the clock seems to have leapt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clock {
    /// Ahead: stop, with a message. Behind: do nothing.
    Checked,
    /// Ahead: go on, a person is there to see it. Behind: do nothing.
    Seen,
    /// The user said that the clock is right, whatever was believed before.
    Accepted,
}

/// Why a tick does not believe its clock, and does nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Disbelief {
    /// It is far behind (H0132).
    Behind(Error),
    /// It is further ahead of what was believed (or, before the first tick, of the last change) than the setting
    /// `howdah.clock.leap.days` allows (H0131).
    Leapt(Error),
}

impl Disbelief {
    /// What is said of it.
    pub(crate) fn into_error(self) -> Error {
        match self {
            Self::Behind(error) | Self::Leapt(error) => error,
        }
    }
}

/// Notes a tick at `now`; answers why it must do nothing, when its clock cannot be believed.
///
/// # Errors
/// A failure of the database.
pub(crate) fn check(engine: &mut Engine, now: Timestamp, clock: Clock) -> Result<Option<Disbelief>> {
    let (noted, changed) = engine.store.read(|snapshot| Ok((snapshot.last_tick_at()?, snapshot.last_event_at()?)))?;
    if clock != Clock::Accepted
        && let Some(believed) = noted
        && believed - now > STEP_BACK
    {
        return Ok(Some(behind(believed, now)));
    }
    if let (Clock::Checked, Some(last)) = (clock, noted.or(changed))
        && let Some(leap) = leap(last, now, engine.settings.longest_leap_days)
    {
        return Ok(Some(leap));
    }
    if is_to_note(noted, now, clock) {
        engine.store.transact(|transaction| transaction.set_last_tick_at(now))?;
    }
    Ok(None)
}

/// Whether the time of a tick becomes what is believed: it is ahead, or the user said so.
fn is_to_note(noted: Option<Timestamp>, now: Timestamp, clock: Clock) -> bool {
    noted.is_none_or(|noted| {
        let ahead = now - noted;
        ahead >= NOTED_EVERY || (clock == Clock::Accepted && ahead <= -NOTED_EVERY)
    })
}

/// What is said of a tick in the past.
fn behind(believed: Timestamp, now: Timestamp) -> Disbelief {
    Disbelief::Behind(Error::with(ErrorCode::H0132, &[&time(now), &in_words(believed - now), &time(believed)]))
}

/// What is said of a tick that is further ahead than it may be.
fn leap(last: Timestamp, now: Timestamp, longest_days: u32) -> Option<Disbelief> {
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
    Some(Disbelief::Leapt(Error::new(ErrorCode::H0131, in_words(leap)).help(help)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(hours: i64) -> Timestamp {
        Timestamp::from_seconds(hours * HOUR)
    }

    fn check(last: i64, now: i64, refused: bool) {
        let found = leap(at(last * 24), at(now * 24), 10);
        assert_eq!(matches!(found, Some(Disbelief::Leapt(_))), refused, "{found:?}");
    }

    #[test]
    fn only_a_leap_forward_beyond_the_bound_is_refused() {
        check(100, 110, false);
        check(100, 111, true);
        check(100, 100, false);
        check(100, 5, false);
    }

    #[test]
    fn what_is_believed_goes_back_only_when_the_user_says_so() {
        for (now, clock, expect) in [
            (101, Clock::Checked, true),
            (100, Clock::Accepted, false),
            (99, Clock::Checked, false),
            (99, Clock::Seen, false),
            (99, Clock::Accepted, true),
        ] {
            assert_eq!(is_to_note(Some(at(100)), at(now), clock), expect, "{now} {clock:?}");
        }
        assert!(is_to_note(None, at(1), Clock::Checked));
    }
}
