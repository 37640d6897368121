//! Collects the results of a backtest and counts them.

use std::collections::BTreeMap;

use super::compared::{Compared, MOST_KEPT};
use super::difference::{Difference, Field, Ruling};
use super::starts::Starts;
use super::tables::Tables;
use crate::oozie_export::ZoneClues;
use howdah_words::error::{Error, Result};

/// The results so far.
#[derive(Default)]
pub(super) struct Collector {
    pub(super) problems: Vec<Error>,
    pub(super) clues: ZoneClues,
    pub(super) actions: u64,
    pub(super) starts: Starts,
    equal: u64,
    explained: u64,
    different: u64,
    not_compared: u64,
    differences: Vec<JobDifference>,
    left_out: u64,
    groups: BTreeMap<Group, (Vec<u32>, Example)>,
}

/// Explained differences of one kind in one job.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Group {
    ruling: Ruling,
    job: usize,
    field: Field,
    name: Option<String>,
}

/// A difference, with its action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobDifference {
    pub job: String,
    /// `None`: the job itself differs.
    pub number: Option<u32>,
    pub difference: Difference,
    index: usize,
}

/// One action of a group, with both texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub number: u32,
    pub recorded: String,
    pub computed: String,
}

/// Differences that a ruling explains: the same field of several actions of one job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    pub ruling: Ruling,
    pub job: String,
    /// The job's name, with the bundle it belongs to.
    pub job_name: String,
    pub field: Field,
    pub name: Option<String>,
    pub count: usize,
    /// The numbers of the actions, such as `1-4,7`.
    pub actions: String,
    pub example: Example,
}

/// The result of a backtest.
#[derive(Debug)]
pub struct Report {
    pub actions: u64,
    pub coordinators: usize,
    pub equal: u64,
    /// Actions whose differences are all explained by rulings.
    pub explained: u64,
    pub different: u64,
    /// Actions whose row or whose job cannot be used.
    pub not_compared: u64,
    /// The zone of the export's dates, in words.
    pub zone: Option<String>,
    /// What no ruling explains.
    pub differences: Vec<JobDifference>,
    /// How many more there are.
    pub left_out: u64,
    pub rulings: Vec<Explained>,
    pub problems: Vec<Error>,
}

impl Report {
    /// Returns whether every action was compared and found equal, or explained.
    pub fn is_good(&self) -> bool {
        self.differences.is_empty() && self.not_compared == 0 && self.problems.is_empty()
    }
}

impl Collector {
    /// Returns whether there are so many problems that reading ends.
    pub(super) fn is_full(&self) -> bool {
        self.problems.len() >= MOST_KEPT
    }

    /// Adds the result of one line.
    pub(super) fn take(&mut self, compared: Result<Compared>) {
        self.actions += 1;
        let mut compared = match compared {
            Ok(compared) => compared,
            Err(problem) => {
                self.not_compared += 1;
                return self.problems.push(problem);
            }
        };
        if let Some(local) = compared.clue {
            self.clues.add(local, compared.nominal);
        }
        let differences = compared.differences.take();
        self.starts.add(&compared);
        match differences {
            None => self.not_compared += 1,
            Some(differences) => {
                if differences.is_empty() {
                    self.equal += 1;
                } else if differences.iter().all(|difference| difference.ruling.is_some()) {
                    self.explained += 1;
                } else {
                    self.different += 1;
                }
                for difference in differences {
                    self.keep((compared.job, &compared.row.job), Some(compared.number), difference);
                }
            }
        }
    }

    /// Adds a difference that was found after the action had been counted as equal.
    pub(super) fn add_late(&mut self, job: (usize, &str), number: u32, difference: Difference) {
        let is_counted = |known: &JobDifference| known.index == job.0 && known.number == Some(number);
        let is_explained = |known: &(Vec<u32>, Example)| known.0.contains(&number);
        if !self.differences.iter().any(is_counted) {
            let is_in_group = self.groups.iter().any(|(group, known)| group.job == job.0 && is_explained(known));
            let count = if is_in_group { &mut self.explained } else { &mut self.equal };
            *count = count.saturating_sub(1);
            self.different += 1;
        }
        self.keep(job, Some(number), difference);
    }

    /// Adds a difference of a job itself.
    pub(super) fn add_of_job(&mut self, index: usize, job: &str, difference: Difference) {
        self.keep((index, job), None, difference);
    }

    fn keep(&mut self, (index, job): (usize, &str), number: Option<u32>, difference: Difference) {
        let Some((ruling, number)) = difference.ruling.zip(number) else {
            if self.differences.len() < MOST_KEPT {
                self.differences.push(JobDifference { job: job.to_owned(), number, difference, index });
            } else {
                self.left_out += 1;
            }
            return;
        };
        let Difference { field, name, recorded, computed, .. } = difference;
        let group = Group { ruling, job: index, field, name };
        let (numbers, example) = self.groups.entry(group).or_insert_with(|| {
            (Vec::new(), Example { number, recorded: recorded.clone(), computed: computed.clone() })
        });
        numbers.push(number);
        if number < example.number {
            *example = Example { number, recorded, computed };
        }
    }

    /// Returns the whole result.
    pub(super) fn report(mut self, tables: &Tables, zone: Option<String>) -> Report {
        self.differences.sort_by(|one, other| {
            let key = |known: &JobDifference| (known.index, known.number, known.difference.field);
            key(one).cmp(&key(other)).then_with(|| one.difference.name.cmp(&other.difference.name))
        });
        let explained = |(group, (mut numbers, example)): (Group, (Vec<u32>, Example))| {
            let row = &tables.jobs.at(group.job).row;
            let bundle = row.bundle.as_deref().and_then(|bundle| tables.bundle(bundle));
            numbers.sort_unstable();
            Explained {
                ruling: group.ruling,
                job: row.id.clone(),
                job_name: match bundle {
                    Some(bundle) => format!("{} of {bundle}", row.name),
                    None => row.name.clone(),
                },
                field: group.field,
                name: group.name,
                count: numbers.len(),
                actions: ranges(&numbers),
                example,
            }
        };
        Report {
            actions: self.actions,
            coordinators: tables.jobs.len(),
            equal: self.equal,
            explained: self.explained,
            different: self.different,
            not_compared: self.not_compared,
            zone,
            differences: self.differences,
            left_out: self.left_out,
            rulings: self.groups.into_iter().map(explained).collect(),
            problems: self.problems,
        }
    }
}

/// Writes ascending numbers as ranges: `1-4,7`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let texts: Vec<String> = runs
        .filter_map(|run| match run {
            [] => None,
            [one] => Some(one.to_string()),
            [first, .., last] => Some(format!("{first}-{last}")),
        })
        .collect();
    texts.join(",")
}
