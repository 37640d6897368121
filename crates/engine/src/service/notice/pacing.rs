//! How often events lead to a look. Must not depend on what is looked at.

use std::time::Duration;

/// The distance between two looks, at first and at most: looks that find nothing double it.
const SHORTEST: Duration = Duration::from_millis(200);
const LONGEST: Duration = Duration::from_millis(800);
/// Without an event for this long, the next one is the first.
const QUIET: Duration = Duration::from_secs(1);

/// Decides when to look. All times are those since the start of the machine.
#[derive(Debug)]
pub(super) struct Pacing {
    distance: Duration,
    /// No look before this time.
    next: Duration,
    last_event: Option<Duration>,
}

impl Default for Pacing {
    fn default() -> Self {
        Self { distance: SHORTEST, next: Duration::ZERO, last_event: None }
    }
}

impl Pacing {
    /// Notes that there was an event.
    pub(super) fn event(&mut self, at: Duration) {
        if self.last_event.is_none_or(|last| at.saturating_sub(last) > QUIET) {
            self.distance = SHORTEST;
        }
        self.last_event = Some(at);
    }

    /// Checks whether a look is due, if there is a reason for one.
    pub(super) fn is_due(&self, at: Duration) -> bool {
        at >= self.next
    }

    /// Returns how long there is no look.
    pub(super) fn left(&self, at: Duration) -> Option<Duration> {
        self.next.checked_sub(at).filter(|left| !left.is_zero())
    }

    /// Notes a look, and whether it found anything.
    pub(super) fn looked(&mut self, at: Duration, found: bool) {
        self.next = at + self.distance;
        self.distance = if found { SHORTEST } else { LONGEST.min(self.distance * 2) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns when it looks, in milliseconds: events arrive in `range` at this distance, and the looks of `found` find
    /// something.
    fn looks(every: u64, range: std::ops::Range<u64>, found: &[usize]) -> Vec<u64> {
        let mut pacing = Pacing::default();
        let mut looks = Vec::new();
        for time in range.step_by(usize::try_from(every).unwrap()) {
            let at = Duration::from_millis(time);
            pacing.event(at);
            if pacing.is_due(at) {
                looks.push(time);
                pacing.looked(at, found.contains(&looks.len()));
            }
        }
        looks
    }

    #[test]
    fn the_first_event_counts_at_once_and_a_stream_of_them_seldom() {
        assert_eq!(looks(10, 5000..9000, &[]), [5000, 5200, 5600, 6400, 7200, 8000, 8800]);
        assert_eq!(looks(1, 0..60_000, &[]).len(), 77);
        assert_eq!(looks(10, 0..1000, &[1, 2, 3]), [0, 200, 400, 600, 800]);
        // Single events do not wait.
        assert_eq!(looks(1100, 0..4400, &[]), [0, 1100, 2200, 3300]);
    }

    #[test]
    fn it_says_how_long_it_does_not_look() {
        let mut pacing = Pacing::default();
        let at = Duration::from_secs(9);
        assert_eq!(pacing.left(at), None);
        pacing.looked(at, true);
        assert_eq!(pacing.left(at + SHORTEST / 2), Some(SHORTEST / 2));
        assert_eq!(pacing.left(at + SHORTEST), None);
        assert!(pacing.is_due(at + SHORTEST) && !pacing.is_due(at));
    }
}
