//! `status`: the state of the whole database on one screen, or in one line for a monitoring program.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::output::screen::Layout;
use crate::output::text::{add_fitted, add_line, block_within};
use crate::output::theme;
use crate::output::visible::visible;
use howdah_answers::query::site::{DatabaseView, PlacesView, PurgeView, SiteView, StoreView, TickView};
use howdah_engine::format::{in_words, time};
use howdah_engine::tick_record::every;

/// The answer of a monitoring plug-in: its word, and its exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Ok,
    Warning,
    Critical,
}

impl Verdict {
    /// Returns the answer for a state.
    pub(crate) fn of(view: &SiteView) -> Self {
        match (view.problems.is_empty(), view.problems.iter().any(|problem| problem.critical)) {
            (true, _) => Self::Ok,
            (false, false) => Self::Warning,
            (false, true) => Self::Critical,
        }
    }

    /// Returns its word.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "OK",
            Self::Warning => "WARNING",
            Self::Critical => "CRITICAL",
        }
    }
}

/// Returns the state as a screen.
pub(crate) fn screen(view: &SiteView, layout: Layout) -> String {
    let mut text = String::new();
    let problems: Vec<String> = view.problems.iter().map(|problem| problem.text.clone()).collect();
    let word = if problems.is_empty() { "OK" } else { "ATTENTION" };
    let problems = if problems.is_empty() { "all is well".to_owned() } else { problems.join("; ") };
    // Colour takes no column, so it comes after the lines are fitted.
    add_fitted(&mut text, &format!("{word}  {}", visible(&problems)), word.len() + 2, layout.width);
    text = text.replacen(word, &theme::status(word, layout.colour), 1);
    text.push('\n');
    let lines = [
        ("Last tick", Some(tick(view.tick.as_ref()))),
        ("Runner", Some(runner(view))),
        ("PATH", view.runner.as_ref().map(|runner| visible(&runner.path)).filter(|path| !path.is_empty())),
        ("Stores", stores(&view.stores)),
        ("Coordinators", counts(&view.coordinator_jobs)),
        ("Bundles", counts(&view.bundle_jobs)),
        ("Workflow jobs", counts(&view.workflow_jobs)),
        ("Places", places(&view.places)),
        ("Actions", counts(&view.actions)),
        ("Failed", Some(failed(view))),
        ("Deliveries", deliveries(view)),
        ("Purge", purge(&view.purge)),
        ("Database", Some(database(&view.database))),
    ];
    text.push_str(&block_within(&lines, layout.width));
    if !view.late.is_empty() {
        let more = view.late_jobs as usize - view.late.len();
        let others = if more > 0 { format!(" (and {more} more)") } else { String::new() };
        add_line(&mut text, format!("\nLate jobs{others}, with their oldest action; `howdah explain` says why:"));
        for late in &view.late {
            let (name, words) = (visible(&late.name), in_words(late.late_seconds));
            add_line(&mut text, format!("  {name}  {}, {words} ago", time(late.nominal_time)));
        }
    }
    if !view.next.is_empty() {
        text.push_str("\nNext:\n");
        for next in &view.next {
            add_line(&mut text, format!("  {}  {}", time(next.nominal_time), visible(&next.coord_job_name)));
        }
    }
    text
}

/// Returns the state as one line of a monitoring plug-in, with performance data.
pub(crate) fn check(view: &SiteView) -> String {
    let problems: Vec<String> = view.problems.iter().map(|problem| visible(&problem.text)).collect();
    let what = if problems.is_empty() { tick(view.tick.as_ref()) } else { problems.join("; ") };
    let of = |status: &str| view.actions.get(status).copied().unwrap_or_default();
    let mut line = format!("HOWDAH {} - {what} |", Verdict::of(view).as_str());
    if let Some(tick) = &view.tick {
        // Writing to a String cannot fail.
        let _ = write!(line, " last_tick={}s", tick.seconds_ago);
    }
    let numbers = [
        ("failed", view.failed_last_day.saturating_add(view.failed_jobs_last_day)),
        ("late", view.late_jobs),
        ("waiting", of("WAITING")),
        ("ready", of("READY")),
        ("running", of("RUNNING")),
        ("deliveries", view.deliveries_pending),
    ];
    for (name, number) in numbers {
        let _ = write!(line, " {name}={number}");
    }
    if let Some(free) = view.database.free_bytes {
        let _ = write!(line, " disk_free={free}B");
    }
    line + "\n"
}

fn tick(tick: Option<&TickView>) -> String {
    let Some(tick) = tick else {
        return "none has run; `howdah tick` belongs into cron, or start `howdah daemon`".to_owned();
    };
    let mut text = format!("{} ago", in_words(tick.seconds_ago));
    match tick.took_milliseconds {
        Some(milliseconds) => {
            let _ = write!(text, ", took {}.{:01} s", milliseconds / 1000, milliseconds % 1000 / 100);
        }
        None => text.push_str(", has not ended"),
    }
    if let Some(interval) = tick.interval_seconds {
        let _ = write!(text, ", {}", every(interval));
    }
    if tick.faults > 0 {
        let _ = write!(text, ", {} fault{}", tick.faults, if tick.faults == 1 { "" } else { "s" });
    }
    if tick.is_silent {
        text.push_str(": the next ones are missing; look at cron, or at the daemon");
    }
    text
}

fn runner(view: &SiteView) -> String {
    let Some(runner) = &view.runner else {
        return if view.runner_missing { "none is running".to_owned() } else { "not needed now".to_owned() };
    };
    let site = runner.site.as_deref().map_or_else(|| "no site file".to_owned(), |site| format!("site file {site}"));
    let mounts = if runner.mounts.is_empty() { "no mounts".to_owned() } else { runner.mounts.join(", ") };
    format!("process {}, {}, {}", runner.pid, visible(&site), visible(&mounts))
}

fn counts(counts: &BTreeMap<String, u32>) -> Option<String> {
    let words: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}

fn failed(view: &SiteView) -> String {
    let actions = ("action", view.failed_last_day, "howdah actions --status failed --since 24h");
    let jobs = ("job", view.failed_jobs_last_day, "howdah jobs --jobtype wf --filter 'status=KILLED;status=FAILED'");
    let parts: Vec<String> = [actions, jobs]
        .into_iter()
        .filter(|(_, number, _)| *number > 0)
        .map(|(noun, number, verb)| format!("{number} {noun}{} in 24 h: {verb}", if number == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "none in the last 24 h".to_owned() } else { parts.join("; ") }
}

/// Returns the places of each limit; `None` where no command needs one.
fn places(places: &[PlacesView]) -> Option<String> {
    let one = |view: &PlacesView| {
        let wait = if view.waiting > 0 { format!(", {} wait", view.waiting) } else { String::new() };
        format!("{} of {} taken {}{wait}", view.taken, view.places, visible(&view.of))
    };
    (!places.is_empty()).then(|| places.iter().map(one).collect::<Vec<_>>().join("; "))
}

/// Returns the stores that give no answer; `None` where all do.
fn stores(stores: &[StoreView]) -> Option<String> {
    let one = |store: &StoreView| {
        let (since, next) = (time(store.since_time), time(store.next_time));
        let (server, reason) = (visible(&store.server), visible(&store.reason));
        format!("{server} gives no answer since {since}, and is asked again at {next}: {reason}")
    };
    (!stores.is_empty()).then(|| stores.iter().map(one).collect::<Vec<_>>().join("; "))
}

fn deliveries(view: &SiteView) -> Option<String> {
    let (pending, given_up) = (view.deliveries_pending, view.deliveries_given_up);
    (pending + given_up > 0).then(|| format!("{pending} wait, {given_up} given up in the last 24 h"))
}

/// Returns what the last purge deleted, and when the next one is due; `None` before the first tick.
fn purge(purge: &PurgeView) -> Option<String> {
    let last = purge.start_time.map(|at| {
        let deleted: Vec<String> = [
            (purge.bundle_jobs, "bundles"),
            (purge.coordinator_jobs, "coordinators"),
            (purge.workflow_jobs, "workflow jobs"),
        ]
        .into_iter()
        .filter(|(number, _)| *number > 0)
        .map(|(number, noun)| format!("{number} {noun}"))
        .collect();
        let deleted = if deleted.is_empty() { "nothing deleted".to_owned() } else { deleted.join(", ") };
        format!("{}: {}", time(at), if purge.is_running { "running now".to_owned() } else { deleted })
    });
    let next = purge.next_time.map(|at| format!("next after {}", time(at)));
    let off = (!purge.is_on).then(|| "turned off (howdah.purge)".to_owned());
    let parts: Vec<String> = last.into_iter().chain(next).chain(off).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn database(database: &DatabaseView) -> String {
    let mut text = format!("{} ({}", visible(&database.path.display().to_string()), size(database.bytes));
    if let Some(created) = database.created_time {
        let _ = write!(text, ", created {}", time(created));
    }
    if let (Some(free), Some(percent)) = (database.free_bytes, database.free_percent) {
        let _ = write!(text, ", disk {} free, {percent} %", size(free));
    }
    text + ")"
}

/// Returns a size in the largest unit that leaves a whole number.
fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (bytes, 0);
    while value >= 10 * 1024 && unit + 1 < UNITS.len() {
        (value, unit) = (value / 1024, unit + 1);
    }
    format!("{value} {}", UNITS[unit])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_whole_numbers() {
        for (bytes, expect) in [
            (0, "0 B"),
            (10_239, "10239 B"),
            (10_240, "10 KiB"),
            (70 * 1024 * 1024, "70 MiB"),
            (u64::MAX, "16777215 TiB"),
        ] {
            assert_eq!(size(bytes), expect);
        }
    }
}
