//! Reads a launcher's output as it grows, once and in bounded memory, and finds its jobs.

use std::path::{Path, PathBuf};

use super::super::report::Report;
use super::{counters, ids};
use howdah_host::{attempt, files};

/// How much is read in one piece, in bytes.
const PIECE: usize = 64 * 1024;
/// Only the start of a longer line is read, in bytes.
const LONGEST_LINE: usize = 8 * 1024;
/// Most jobs that are known by their ids.
const MOST_JOBS: usize = 1000;

/// What is known of a launcher's jobs.
#[derive(Debug)]
pub(super) struct Watch {
    /// The ids and counters so far.
    pub(super) report: Report,
    /// The last driver of Spark with a reported state, and the state.
    pub(super) driver: Option<(String, String)>,
    outputs: [Output; 2],
}

/// One file of output.
#[derive(Debug)]
struct Output {
    path: PathBuf,
    offset: u64,
    /// The line without an end so far.
    partial_line: Vec<u8>,
    counters: counters::Reader,
}

impl Watch {
    /// Starts at the beginning of the output in an attempt's folder.
    pub(super) fn new(folder: &Path) -> Self {
        let output = |path| Output { path, offset: 0, partial_line: Vec::new(), counters: counters::Reader::default() };
        Self { report: Report::default(), driver: None, outputs: attempt::output_files(folder).map(output) }
    }

    /// Reads new output; returns whether there is a new job.
    pub(super) fn read_new(&mut self) -> bool {
        let known = self.report.jobs.len();
        let mut lines = Vec::new();
        for index in 0..self.outputs.len() {
            while self.outputs[index].read(&mut lines) {
                for line in lines.drain(..) {
                    self.note(index, &line);
                }
            }
        }
        self.report.jobs.len() > known
    }

    /// Reads the rest, including a last line without an end.
    pub(super) fn finish(&mut self) {
        self.read_new();
        for index in 0..self.outputs.len() {
            let rest = std::mem::take(&mut self.outputs[index].partial_line);
            self.note(index, &String::from_utf8_lossy(&rest));
        }
    }

    /// Replaces the counters so far with those of a report.
    pub(super) fn read_counters(&mut self, report: &str) {
        let mut counters = None;
        let mut reader = counters::Reader::default();
        report.lines().for_each(|line| reader.read(line, &mut counters));
        self.report.counters = counters.or(self.report.counters.take());
    }

    fn note(&mut self, output: usize, line: &str) {
        self.outputs[output].counters.read(line, &mut self.report.counters);
        if let Some((driver, state)) = ids::driver_state(line) {
            self.driver = Some((driver.to_owned(), state.to_owned()));
        }
        let Some(id) = ids::job(line) else { return };
        let is_known = |known: &String| {
            known == id || ids::application(known).is_some_and(|known| ids::application(id).as_ref() == Some(&known))
        };
        if self.report.jobs.len() < MOST_JOBS && !self.report.jobs.iter().any(is_known) {
            self.report.jobs.push(id.to_owned());
        }
    }
}

impl Output {
    /// Reads the next piece and adds its whole lines; `false` when there is nothing new. A file that cannot be read has
    /// nothing new.
    fn read(&mut self, lines: &mut Vec<String>) -> bool {
        let piece = files::read_from(&self.path, self.offset, PIECE).unwrap_or_default();
        self.offset += piece.len() as u64;
        for part in piece.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST_LINE.saturating_sub(self.partial_line.len());
            self.partial_line.extend(&part[..part.len().min(room)]);
            if part.ends_with(b"\n") {
                lines.push(String::from_utf8_lossy(&self.partial_line).trim_end_matches(['\n', '\r']).to_owned());
                self.partial_line.clear();
            }
        }
        !piece.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::Sandbox;
    use super::*;

    fn check(sandbox: &Sandbox, watch: &mut Watch, output: &str, expect: (bool, &[&str])) {
        sandbox.write("attempt/stderr", output);
        let new = watch.read_new();
        let jobs: Vec<&str> = watch.report.jobs.iter().map(String::as_str).collect();
        assert_eq!((new, jobs.as_slice()), expect, "{output}");
    }

    #[test]
    fn ids_are_known_while_the_output_grows() {
        let sandbox = Sandbox::new();
        let mut watch = Watch::new(&sandbox.attempt);
        check(&sandbox, &mut watch, "", (false, &[]));
        let mut text = "begin\nRunning job: job_1".to_owned();
        check(&sandbox, &mut watch, &text, (false, &[]));
        text += "_2\r\nSubmitted application application_1_2\n";
        check(&sandbox, &mut watch, &text, (true, &["job_1_2"]));
        text += &"x".repeat(3 * PIECE);
        text += "\nRunning job: job_1_3\nState of driver-1 is RUNNING\nCounters: 1\n\tg\n\t\tn=1";
        check(&sandbox, &mut watch, &text, (true, &["job_1_2", "job_1_3"]));
        assert_eq!(
            (watch.driver.clone(), watch.report.counters.is_none()),
            (Some(("driver-1".into(), "RUNNING".into())), true)
        );
        watch.finish();
        assert_eq!(watch.report.counters.unwrap()["g"]["n"], 1);
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let sandbox = Sandbox::new();
        sandbox.write(
            "attempt/stdout",
            &format!("{}Running job: job_1_2\nRunning job: job_1_3", "x".repeat(LONGEST_LINE)),
        );
        let mut watch = Watch::new(&sandbox.attempt);
        watch.finish();
        assert_eq!(watch.report.jobs, ["job_1_3"]);
    }
}
