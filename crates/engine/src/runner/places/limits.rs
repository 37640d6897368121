//! The limits of how many commands run at once, and which of them concern a command. Must not depend on what waits.

use std::collections::BTreeMap;
use std::fmt;

use crate::runner::places::family::Family;
use crate::settings::Settings;
use howdah_host::thread_pool;
use howdah_words::model::row::{CLUSTER, CommandNeeds, RunningNode, WaitingNode};

/// The commands for each core and the smallest total, unless the site sets another number.
const FOR_EACH_CORE: usize = 4;
const AT_LEAST: usize = 8;

/// What has a number of places, the narrowest first: a command needs a place in each that concerns it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Limit {
    /// `howdah.pool.<name>`.
    Pool(String),
    /// `howdah.commands.<type>`.
    Type(String),
    /// `howdah.commands.slurm`.
    Cluster,
    /// `howdah.commands`: everything but what runs on a cluster.
    Machine,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pool(name) => write!(f, "of pool {name}"),
            Self::Type(kind) => write!(f, "for {kind} actions (howdah.commands.{kind})"),
            Self::Cluster => f.write_str("on the cluster (howdah.commands.slurm)"),
            Self::Machine => f.write_str("on this machine (howdah.commands)"),
        }
    }
}

impl Limit {
    /// Returns the name of the setting that says how many places there are.
    pub fn setting(&self) -> String {
        match self {
            Self::Pool(name) => format!("howdah.pool.{name}"),
            Self::Type(kind) => format!("howdah.commands.{kind}"),
            Self::Cluster => "howdah.commands.slurm".to_owned(),
            Self::Machine => "howdah.commands".to_owned(),
        }
    }
}

/// How many places of a limit there are, are taken, and are waited for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    pub limit: Limit,
    pub most: usize,
    pub taken: usize,
    pub waiting: usize,
}

/// How many places there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits(BTreeMap<Limit, usize>);

impl Limits {
    /// Returns the limits of a site: that of the machine, and those that it sets.
    pub fn of(settings: &Settings) -> Self {
        let machine = settings.commands.unwrap_or_else(|| AT_LEAST.max(FOR_EACH_CORE * thread_pool::count()));
        let of = |(name, most): (&String, &usize)| match name.as_str() {
            CLUSTER => (Limit::Cluster, *most),
            _ => (Limit::Type(name.clone()), *most),
        };
        let pools = settings.pools.iter().map(|(name, most)| (Limit::Pool(name.clone()), *most));
        Self(settings.commands_of.iter().map(of).chain(pools).chain([(Limit::Machine, machine)]).collect())
    }

    /// Checks whether the machine is the only limit.
    pub(crate) fn are_of_machine(&self) -> bool {
        self.0.len() == 1
    }

    /// Returns how many places a limit has.
    pub fn most(&self, limit: &Limit) -> usize {
        self.0.get(limit).copied().unwrap_or(usize::MAX)
    }

    /// Returns the limits that concern a command, the narrowest first. A pool that the site does not have is none:
    /// nothing of it starts.
    pub fn needs(&self, command: &CommandNeeds) -> Vec<Limit> {
        let is_here = command.place.as_deref() != Some(CLUSTER);
        let pool = command.pool.clone().map(Limit::Pool);
        let place = if is_here { Limit::Machine } else { Limit::Cluster };
        let mut needs: Vec<Limit> = pool.into_iter().chain([place]).collect();
        // Without a limit of the site no name of a type is needed.
        if !self.are_of_machine() {
            needs.push(Limit::Type(command.kind.to_string()));
        }
        needs.retain(|limit| self.0.contains_key(limit));
        needs.sort();
        needs
    }

    /// Returns the use of each limit.
    pub fn uses(&self, taken: &Taken, waiting: &[WaitingNode]) -> Vec<Use> {
        let mut waited: BTreeMap<Limit, usize> = BTreeMap::new();
        for limit in waiting.iter().flat_map(|node| self.needs(&node.needs)) {
            *waited.entry(limit).or_default() += 1;
        }
        let of = |(limit, most): (&Limit, &usize)| Use {
            limit: limit.clone(),
            most: *most,
            taken: taken.all(limit),
            waiting: waited.get(limit).copied().unwrap_or_default(),
        };
        self.0.iter().map(of).collect()
    }

    /// Returns the free places.
    pub(super) fn free(&self, taken: &Taken) -> BTreeMap<Limit, usize> {
        let free = |(limit, most): (&Limit, &usize)| (limit.clone(), most.saturating_sub(taken.all(limit)));
        self.0.iter().map(free).collect()
    }
}

/// The places that running commands take.
#[derive(Clone, Debug, Default)]
pub struct Taken {
    all: BTreeMap<Limit, usize>,
    of_families: BTreeMap<Limit, BTreeMap<Family, usize>>,
}

impl Taken {
    /// Returns that many places of the machine, for a caller that does not ask for families.
    pub fn of_machine(commands: usize) -> Self {
        Self { all: BTreeMap::from([(Limit::Machine, commands)]), of_families: BTreeMap::new() }
    }

    /// Counts the places of running commands.
    pub fn count<'n>(limits: &Limits, running: impl IntoIterator<Item = &'n RunningNode>) -> Self {
        let mut taken = Self::default();
        for node in running {
            let family = Family::of(node.job, node.coordinator);
            for limit in limits.needs(&node.needs) {
                *taken.all.entry(limit.clone()).or_default() += 1;
                *taken.of_families.entry(limit).or_default().entry(family).or_default() += 1;
            }
        }
        taken
    }

    /// Returns how many places of a limit are taken.
    pub fn all(&self, limit: &Limit) -> usize {
        self.all.get(limit).copied().unwrap_or_default()
    }

    /// Returns how many of them each family has.
    pub(crate) fn of_families(&self, limit: &Limit) -> BTreeMap<Family, usize> {
        self.of_families.get(limit).cloned().unwrap_or_default()
    }
}
