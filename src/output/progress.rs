//! Progress of a foreground run, on standard error: a bar per job on a terminal, else a line now and then.
#![expect(clippy::disallowed_methods, reason = "how often a screen is drawn depends on the time")]

use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output::screen::is_watched;
use crate::output::visible::visible;
use crate::output::{cells, diagnostic, text};
use howdah_answers::query::summary::{self, ProgressView};
use howdah_engine::Engine;
use howdah_engine::service::loops::Ended;
use howdah_engine::service::watcher::Watcher;
use howdah_words::error::{Error, Result};
use howdah_words::model::id::JobId;

/// Shortest time between two queries of the database.
const BETWEEN_QUERIES: Duration = Duration::from_millis(100);
/// Time between two lines where no bar can be drawn.
const BETWEEN_LINES: Duration = Duration::from_secs(5);
/// Columns that a job's name takes beside its bar; a longer one is cut.
const NAME_WIDTH: usize = 18;

/// How progress is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Manner {
    /// Bars that are redrawn.
    Bars,
    /// A plain line per job, at most every few seconds.
    Lines,
    /// Nothing but faults.
    Silent,
}

impl Manner {
    /// Bars on a terminal, lines elsewhere and beside a JSON document.
    pub(crate) fn of(json: bool, quiet: bool) -> Self {
        match (quiet, json || !is_watched()) {
            (true, _) => Self::Silent,
            (false, true) => Self::Lines,
            (false, false) => Self::Bars,
        }
    }
}

/// A job and how many actions it will have, where that is known.
struct Watched {
    id: JobId,
    total: Option<u64>,
    bar: ProgressBar,
    /// The input that blocks it, since when, and whether that was reported.
    blocked: Option<(String, Instant, bool)>,
}

/// The progress of some jobs.
pub(crate) struct Progress {
    manner: Manner,
    jobs: Vec<Watched>,
    bars: MultiProgress,
    queried_at: Option<Instant>,
    /// When the last lines were printed, and what they reported.
    reported: (Instant, String),
}

impl Progress {
    /// Nothing shown yet.
    pub(crate) fn new(jobs: &[JobId], totals: &[Option<u64>], manner: Manner) -> Self {
        let bars = MultiProgress::with_draw_target(match manner {
            Manner::Bars => ProgressDrawTarget::stderr(),
            Manner::Lines | Manner::Silent => ProgressDrawTarget::hidden(),
        });
        let watched = |(id, total): (&JobId, &Option<u64>)| {
            let bar = bars.add(ProgressBar::new(total.unwrap_or(0)));
            bar.set_style(style(total.is_some()));
            Watched { id: id.clone(), total: *total, bar, blocked: None }
        };
        let jobs = jobs.iter().zip(totals).map(watched).collect();
        Self { manner, jobs, bars, queried_at: None, reported: (Instant::now(), String::new()) }
    }

    /// Ends the bars: removes them, because the last table shows the same; after an interruption they stay.
    ///
    /// The `^C` that the terminal wrote into them has moved the cursor, so they cannot be removed completely.
    pub(crate) fn finish(&self, ended: Option<Ended>) {
        if ended == Some(Ended::Interrupted) && self.manner == Manner::Bars {
            text::aside("");
        } else {
            // A closed terminal needs no cleaning.
            let _ = self.bars.clear();
        }
        // Nothing is drawn again when the bars are dropped.
        self.bars.set_draw_target(ProgressDrawTarget::hidden());
    }

    fn refresh(&mut self, engine: &Engine) -> Result<()> {
        let mut lines = Vec::new();
        for job in &mut self.jobs {
            let progress = summary::progress(engine, &job.id)?;
            if let Some(reported) = job.blocked_line(&progress) {
                self.bars.suspend(|| text::aside(&reported));
            }
            job.bar.set_position(progress.over());
            job.bar.set_prefix(short(&progress.name));
            job.bar.set_message(message(&progress));
            lines.push(line(&progress, job.total));
        }
        let lines = lines.join("\n");
        if self.manner == Manner::Lines && self.reported.0.elapsed() >= BETWEEN_LINES && self.reported.1 != lines {
            text::aside(&lines);
            self.reported = (Instant::now(), lines);
        }
        Ok(())
    }
}

impl Watched {
    /// Returns what to say, once, about a job that has been held up by the same input for a while.
    fn blocked_line(&mut self, progress: &ProgressView) -> Option<String> {
        let Some((action, missing)) = &progress.blocked else {
            self.blocked = None;
            return None;
        };
        match &mut self.blocked {
            Some((since, at, reported)) if since == action => {
                let due = !*reported && at.elapsed() >= BETWEEN_LINES;
                *reported |= due;
                due.then(|| format!("{action} waits for {missing}"))
            }
            _ => {
                self.blocked = Some((action.clone(), Instant::now(), false));
                None
            }
        }
    }
}

impl Watcher for Progress {
    fn changed(&mut self, engine: &Engine) -> Result<()> {
        if self.manner == Manner::Silent
            || self.queried_at.is_some_and(|queried_at| queried_at.elapsed() < BETWEEN_QUERIES)
        {
            return Ok(());
        }
        self.queried_at = Some(Instant::now());
        self.refresh(engine)
    }

    fn fault(&mut self, subject: &str, error: &Error) {
        self.bars.suspend(|| diagnostic::fault(subject, error));
    }
}

fn style(counted: bool) -> ProgressStyle {
    let template = if counted {
        "{prefix:18} {bar:20.green/dim} {pos}/{len}  {msg}"
    } else {
        "{prefix:18} {spinner} {pos} over  {msg}"
    };
    let style = ProgressStyle::with_template(template).expect("a template of this file");
    style.progress_chars("━━╌")
}

fn short(name: &str) -> String {
    cells::cut(&visible(name), NAME_WIDTH)
}

/// Returns what stands beside a bar.
fn message(progress: &ProgressView) -> String {
    let failed = if progress.failed > 0 { format!(", {} failed", progress.failed) } else { String::new() };
    format!("{} running, {} waiting{failed}", progress.running, progress.waiting)
}

/// Returns what stands in for a bar.
fn line(progress: &ProgressView, total: Option<u64>) -> String {
    let total = total.map(|total| format!("/{total}")).unwrap_or_default();
    let ProgressView { name, status, succeeded, .. } = progress;
    let name = visible(name);
    format!("{name}: {status}, {succeeded}{total} succeeded, {}", message(progress))
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::model::job_status::JobStatus;

    #[test]
    fn a_line_has_the_values_of_the_bar() {
        let progress = ProgressView {
            name: "daily".to_owned(),
            status: JobStatus::RUNNING.into(),
            succeeded: 3,
            running: 1,
            waiting: 12,
            failed: 2,
            skipped: 1,
            blocked: None,
        };
        for (total, expect) in [
            (Some(31), "daily: RUNNING, 3/31 succeeded, 1 running, 12 waiting, 2 failed"),
            (None, "daily: RUNNING, 3 succeeded, 1 running, 12 waiting, 2 failed"),
        ] {
            assert_eq!(line(&progress, total), expect);
        }
        assert_eq!(progress.over(), 6);
        assert_eq!(short("a-very-long-name-of-a-coordinator"), "a-very-long-name-…");
        assert_eq!(
            short("\u{1b}[31m\u{65e5}\u{672c}\u{8a9e}\u{65e5}\u{672c}\u{8a9e}"),
            "\\x1b[31m\u{65e5}\u{672c}\u{8a9e}\u{65e5}…"
        );
    }
}
