//! Compares one action of a shadow with the same action of Oozie. Reads no clock and no database.

use super::difference::{ActionDifference, Field, Side};
use super::here::HereAction;
use super::oozie_state::OozieAction;
use howdah_words::model::status::ActionStatus;
use howdah_words::model::time::Timestamp;

/// What is taken for equal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// How far apart two times of the same step may be, in seconds.
    pub(super) tolerance: i64,
    /// When the shadow began: what was before is not told apart.
    pub(super) began: Timestamp,
    /// What came later on one side may still come on the other.
    pub(super) horizon: Timestamp,
    /// Whether the shadow takes the ends of actions from Oozie.
    pub(super) follows: bool,
    /// The first action that Oozie had not created when the shadow began.
    pub(super) first_number: u32,
}

/// The result of comparing an action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Equal,
    /// One side is ahead by less than the tolerance.
    Recent,
    /// An operator has killed or ignored it before its turn.
    Stopped,
    Different(Vec<ActionDifference>),
}

/// How far an action has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Waiting,
    Ready,
    Started,
    TimedOut,
    Skipped,
    Stopped,
}

/// An action, as far as both sides have it in the same form.
struct Seen {
    progress: Progress,
    /// When it came to that.
    at: Timestamp,
    /// When it became READY, or the latest time at which it did.
    ready: Timestamp,
    side: Side,
}

/// Compares an action that at least one side has.
pub(super) fn compare_action(
    number: u32,
    here: Option<&HereAction>,
    there: Option<&OozieAction>,
    limits: Limits,
) -> Verdict {
    match (here, there) {
        (Some(here), Some(there)) => both(number, here, there, limits),
        (Some(here), None) => only_one(here.created, (Side::default(), seen_here(here, limits).side), limits),
        (None, Some(there)) => {
            let side = seen_there(there, limits).side;
            only_one(there.created.unwrap_or(limits.began), (side, Side::default()), limits)
        }
        (None, None) => Verdict::Equal,
    }
}

fn only_one(created: Timestamp, (oozie, here): (Side, Side), limits: Limits) -> Verdict {
    if created > limits.horizon {
        return Verdict::Recent;
    }
    let at = Some(created);
    let dated = |side: Side| if side.status.is_some() { Side { at, ..side } } else { side };
    Verdict::Different(vec![ActionDifference { field: Field::Created, oozie: dated(oozie), here: dated(here) }])
}

fn both(number: u32, here: &HereAction, there: &OozieAction, limits: Limits) -> Verdict {
    let mut differences = Vec::new();
    if let Some(nominal) = there.nominal.filter(|nominal| *nominal != here.nominal) {
        differences.push(times(Field::NominalTime, (nominal, here.nominal), (there, here)));
    }
    if let Some(created) = there.created.filter(|_| number >= limits.first_number)
        && limits.are_apart(created, here.created)
    {
        differences.push(times(Field::Created, (created, here.created), (there, here)));
    }
    let (one, other) = (seen_there(there, limits), seen_here(here, limits));
    if one.progress == Progress::Stopped || other.progress == Progress::Stopped {
        return if differences.is_empty() { Verdict::Stopped } else { Verdict::Different(differences) };
    }
    let found = progress(&one, &other, limits);
    let is_recent = matches!(found, Some(Judged::Recent));
    if let Some(Judged::Different(field)) = found {
        differences.push(ActionDifference { field, oozie: one.side, here: other.side });
    }
    match (differences.is_empty(), is_recent) {
        (false, _) => Verdict::Different(differences),
        (true, true) => Verdict::Recent,
        (true, false) => Verdict::Equal,
    }
}

fn times(
    field: Field,
    (oozie, own): (Timestamp, Timestamp),
    (there, here): (&OozieAction, &HereAction),
) -> ActionDifference {
    let side = |status: &str, at| Side { status: Some(status.to_owned()), at: Some(at), note: None };
    ActionDifference { field, oozie: side(&there.status, oozie), here: side(here.status.as_str(), own) }
}

/// What is concluded from a difference of progress.
enum Judged {
    Recent,
    Different(Field),
}

/// Compares how far both have come; `None` when it is the same.
fn progress(there: &Seen, here: &Seen, limits: Limits) -> Option<Judged> {
    use Progress as P;
    let later =
        |field, at: Timestamp| Some(if at > limits.horizon { Judged::Recent } else { Judged::Different(field) });
    match (there.progress, here.progress) {
        (P::Waiting, P::Waiting) | (P::Skipped, P::Skipped) => None,
        (P::TimedOut, P::TimedOut) => limits.are_apart(there.at, here.at).then_some(Judged::Different(Field::TimedOut)),
        (P::TimedOut, _) => later(Field::TimedOut, there.at),
        (_, P::TimedOut) => later(Field::TimedOut, here.at),
        (P::Skipped, _) => later(Field::Skipped, there.at),
        (_, P::Skipped) => later(Field::Skipped, here.at),
        (P::Waiting, _) => later(Field::Ready, here.ready),
        (_, P::Waiting) => later(Field::Ready, there.ready),
        // Oozie shows since when an action is READY, but of a started one only when it started: it was READY before.
        (P::Ready, _) if limits.are_apart(there.ready, here.ready) => Some(Judged::Different(Field::Ready)),
        (P::Started, _) if here.ready.seconds() > there.ready.seconds() + limits.tolerance => {
            Some(Judged::Different(Field::Ready))
        }
        // Where ends are not followed, an action starts here as soon as it is READY.
        (P::Ready, P::Started) if limits.follows => later(Field::Started, here.at),
        (P::Started, P::Ready) if limits.follows => later(Field::Started, there.at),
        _ => None,
    }
}

impl Limits {
    fn are_apart(&self, one: Timestamp, other: Timestamp) -> bool {
        let (one, other) = (one.max(self.began), other.max(self.began));
        (one.seconds() - other.seconds()).abs() > self.tolerance
    }
}

fn seen_here(here: &HereAction, limits: Limits) -> Seen {
    use ActionStatus as S;
    let ready = here.ready.unwrap_or(here.created).max(limits.began);
    let started = here.started.map_or(ready, |(at, _)| at);
    let ended = here.ended.unwrap_or(ready);
    let was_started = here.started.is_some();
    let (progress, at) = match here.status {
        S::Waiting => (Progress::Waiting, here.created),
        S::Ready => (Progress::Ready, ready),
        S::TimedOut => (Progress::TimedOut, ended),
        S::Skipped => (Progress::Skipped, ended),
        S::Ignored => (Progress::Stopped, ended),
        S::Killed | S::Failed if !was_started && here.ready.is_none() => (Progress::Stopped, ended),
        S::Submitted | S::Running | S::Suspended | S::Succeeded | S::Killed | S::Failed => (Progress::Started, started),
    };
    let note = here.waits_for.as_ref().filter(|_| progress == Progress::Waiting);
    let note = note.map(|path| format!("waits for {path}"));
    let word = if progress == Progress::Started { "would start" } else { here.status.as_str() };
    Seen { progress, at, ready, side: Side { status: Some(word.to_owned()), at: Some(at), note } }
}

fn seen_there(there: &OozieAction, limits: Limits) -> Seen {
    let modified = there.modified.or(there.created).unwrap_or(limits.began);
    // The creation of its workflow job, or a time after it.
    let started = there.started.unwrap_or(modified);
    let (progress, at) = match there.status.as_str() {
        "WAITING" => (Progress::Waiting, there.created.unwrap_or(modified)),
        "READY" => (Progress::Ready, modified),
        "TIMEDOUT" => (Progress::TimedOut, modified),
        "SKIPPED" => (Progress::Skipped, modified),
        "KILLED" | "IGNORED" if !there.is_started() => (Progress::Stopped, modified),
        _ => (Progress::Started, started),
    };
    let note = there.missing.first().filter(|_| progress == Progress::Waiting);
    let note = note.map(|path| format!("waits for {path}"));
    let ready = at.max(limits.began);
    Seen { progress, at, ready, side: Side { status: Some(there.status.clone()), at: Some(at), note } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(minutes: i64) -> Timestamp {
        Timestamp::from_seconds(minutes * 60)
    }

    /// 15 minutes, since minute 0, seen at minute 1000.
    fn limits(follows: bool) -> Limits {
        Limits { tolerance: 900, began: at(0), horizon: at(985), follows, first_number: 1 }
    }

    fn here(status: ActionStatus, ready: Option<i64>, other: Option<i64>) -> HereAction {
        let started = ready.and(other).map(|minute| (at(minute), 1));
        let ended = if ready.is_none() { other.map(at) } else { None };
        let (nominal, created) = (at(100), at(100));
        HereAction { status, nominal, created, ready: ready.map(at), started, ended, waits_for: Some("/x".to_owned()) }
    }

    fn there(status: &str, modified: i64, started: Option<i64>) -> OozieAction {
        OozieAction {
            status: status.to_owned(),
            nominal: Some(at(100)),
            created: Some(at(103)),
            modified: Some(at(modified)),
            workflow: started.map(|_| "1-W".to_owned()),
            started: started.map(at),
            missing: vec!["/y".to_owned()],
        }
    }

    fn check(here: &HereAction, there: &OozieAction, follows: bool, expect: &Result<Verdict, Field>) {
        let verdict = compare_action(1, Some(here), Some(there), limits(follows));
        let found = match verdict {
            Verdict::Different(differences) => Err(differences[0].field),
            other => Ok(other),
        };
        assert_eq!(&found, expect, "{here:?} {there:?}");
    }

    #[test]
    fn the_same_progress_is_equal_within_the_tolerance() {
        use ActionStatus as S;
        let equal = || Ok(Verdict::Equal);
        check(&here(S::Waiting, None, None), &there("WAITING", 900, None), true, &equal());
        check(&here(S::Ready, Some(200), None), &there("READY", 214, None), true, &equal());
        check(&here(S::Ready, Some(200), None), &there("READY", 216, None), true, &Err(Field::Ready));
        check(&here(S::TimedOut, None, Some(300)), &there("TIMEDOUT", 310, None), true, &equal());
        check(&here(S::TimedOut, None, Some(300)), &there("TIMEDOUT", 320, None), true, &Err(Field::TimedOut));
        check(&here(S::Skipped, None, Some(300)), &there("SKIPPED", 600, None), true, &equal());
        check(&here(S::Succeeded, Some(200), Some(200)), &there("SUCCEEDED", 500, Some(400)), true, &equal());
    }

    #[test]
    fn readiness_must_not_come_after_the_start_in_oozie() {
        use ActionStatus as S;
        let ended = there("SUCCEEDED", 500, Some(400));
        check(&here(S::Running, Some(414), Some(414)), &ended, true, &Ok(Verdict::Equal));
        check(&here(S::Running, Some(416), Some(416)), &ended, true, &Err(Field::Ready));
        check(&here(S::Waiting, None, None), &ended, true, &Err(Field::Ready));
        check(&here(S::Waiting, None, None), &there("READY", 990, None), true, &Ok(Verdict::Recent));
        check(&here(S::Ready, Some(300), None), &there("WAITING", 900, None), true, &Err(Field::Ready));
        check(&here(S::Ready, Some(990), None), &there("WAITING", 900, None), true, &Ok(Verdict::Recent));
    }

    #[test]
    fn a_place_counts_only_where_ends_are_followed() {
        use ActionStatus as S;
        let waits = there("READY", 200, None);
        check(&here(S::Succeeded, Some(200), Some(200)), &waits, false, &Ok(Verdict::Equal));
        check(&here(S::Running, Some(200), Some(200)), &waits, true, &Err(Field::Started));
        check(&here(S::Running, Some(200), Some(990)), &waits, true, &Ok(Verdict::Recent));
        check(&here(S::Ready, Some(200), None), &there("RUNNING", 300, Some(300)), true, &Err(Field::Started));
    }

    #[test]
    fn ends_before_the_start_are_told_apart() {
        use ActionStatus as S;
        check(&here(S::TimedOut, None, Some(300)), &there("WAITING", 300, None), true, &Err(Field::TimedOut));
        check(&here(S::TimedOut, None, Some(990)), &there("WAITING", 300, None), true, &Ok(Verdict::Recent));
        check(&here(S::Waiting, None, None), &there("SKIPPED", 300, None), true, &Err(Field::Skipped));
        check(&here(S::Waiting, None, None), &there("KILLED", 300, None), true, &Ok(Verdict::Stopped));
        check(&here(S::Running, Some(250), Some(250)), &there("KILLED", 400, Some(260)), true, &Ok(Verdict::Equal));
    }

    #[test]
    fn creation_is_compared_since_the_shadow_began() {
        let one = here(ActionStatus::Waiting, None, None);
        let mut other = there("WAITING", 120, None);
        other.created = Some(at(116));
        check(&one, &other, true, &Err(Field::Created));
        let earlier = Limits { first_number: 2, ..limits(true) };
        assert_eq!(compare_action(1, Some(&one), Some(&other), earlier), Verdict::Equal);
        let verdict =
            |here, there, horizon| compare_action(1, here, there, Limits { horizon: at(horizon), ..limits(true) });
        assert!(matches!(verdict(Some(&one), None, 985), Verdict::Different(_)));
        assert_eq!(verdict(Some(&one), None, 99), Verdict::Recent);
        assert!(matches!(verdict(None, Some(&other), 985), Verdict::Different(_)));
        other.nominal = Some(at(160));
        other.created = Some(at(100));
        check(&one, &other, true, &Err(Field::NominalTime));
    }
}
