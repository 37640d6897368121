//! Compares the check of forks and joins with a slow one that follows every path through the graph.
//!
//! The slow one records each path to each node with the forks that are open on it, and searches faults afterwards. It
//! does not use the order of Oozie's walk. Oozie continues from a node only once, so where a node can be reached in two
//! situations Oozie does not see what is wrong in the second: it may accept such graphs, and howdah does the same.

use std::collections::{BTreeMap, BTreeSet};

use super::super::random_graph::{Kind, RandomGraph};
use super::super::validate::{ForkJoinCheck, validate};
use howdah_words::error::ErrorCode;

/// How many random graphs are compared; more than half of them are plain, so both must agree on them in full.
const GRAPHS: u64 = 2000;

/// A path to a node. After a join only the path to its fork counts, because all branches continue as one.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Way {
    nodes: Vec<usize>,
    /// The open forks, the innermost last, each with the path to it.
    open: Vec<(usize, Vec<usize>, bool)>,
    /// Whether an error transition is on the path.
    by_error: bool,
}

/// What matters about a node, apart from the node itself.
type Situation = (Vec<usize>, Option<usize>, bool);

struct AllPaths<'a> {
    graph: &'a RandomGraph,
    ways: BTreeMap<usize, BTreeSet<Way>>,
    /// Which fork's branches met at which join.
    pairs: BTreeSet<(usize, usize)>,
    faults: BTreeSet<&'static str>,
}

impl<'a> AllPaths<'a> {
    fn of(graph: &'a RandomGraph) -> Self {
        let mut all = Self { graph, ways: BTreeMap::new(), pairs: BTreeSet::new(), faults: BTreeSet::new() };
        all.follow(graph.nodes.len() - 1, Way::default());
        all.find_faults();
        all
    }

    fn follow(&mut self, number: usize, way: Way) {
        if !self.ways.entry(number).or_default().insert(way.clone()) {
            return;
        }
        let graph = self.graph;
        let node = &graph.nodes[number];
        let mut beyond = way;
        beyond.nodes.push(number);
        match node.kind {
            Kind::Kill => {}
            Kind::End if beyond.open.is_empty() => {}
            Kind::End => {
                self.faults.insert("E0737");
            }
            Kind::Join => {
                let Some((fork, nodes, by_error)) = beyond.open.pop() else {
                    self.faults.insert("E0742");
                    return;
                };
                self.pairs.insert((fork, number));
                let nodes = [nodes, vec![number]].concat();
                self.follow(node.targets[0], Way { nodes, open: beyond.open, by_error });
            }
            Kind::Fork => {
                beyond.open.push((number, beyond.nodes.clone(), beyond.by_error));
                self.follow_each(&node.targets, &beyond);
            }
            Kind::Decision => self.follow_each(&node.targets, &beyond),
            Kind::Action => {
                self.follow(node.targets[0], beyond.clone());
                self.follow(node.targets[1], Way { by_error: true, ..beyond });
            }
        }
    }

    fn follow_each(&mut self, targets: &[usize], way: &Way) {
        for target in targets {
            self.follow(*target, way.clone());
        }
    }

    /// Finds the faults that only all paths together show.
    fn find_faults(&mut self) {
        let (forks, joins) = (self.reached(Kind::Fork), self.reached(Kind::Join));
        if forks.len() != joins.len() {
            // Oozie counts before it checks anything else.
            self.faults = BTreeSet::from(["E0730"]);
            return;
        }
        let mut faults = BTreeSet::new();
        for fork in &forks {
            match self.pairs.iter().filter(|(of, _)| of == fork).count() {
                0 => faults.extend(["E0733"]),
                1 => {}
                _ => faults.extend(["E0757"]),
            }
            let targets = &self.graph.nodes[*fork].targets;
            if targets.iter().collect::<BTreeSet<_>>().len() < targets.len() {
                faults.insert("E0744");
            }
        }
        for join in &joins {
            if self.pairs.iter().filter(|(_, at)| at == join).count() > 1 {
                faults.insert("E0758");
            }
        }
        if self.ways.keys().any(|number| self.meets_by_ok(*number)) {
            faults.insert("E0743");
        }
        self.faults.extend(faults);
    }

    /// Returns the nodes of a kind that some path reaches.
    fn reached(&self, wanted: Kind) -> Vec<usize> {
        self.ways.keys().copied().filter(|number| self.graph.nodes[*number].kind == wanted).collect()
    }

    /// Returns whether two paths of ok transitions reach a node that may be entered only once, and no decision chose
    /// between them.
    fn meets_by_ok(&self, number: usize) -> bool {
        let ways: Vec<&Way> = self.ways[&number].iter().filter(|way| !way.by_error).collect();
        let nodes: BTreeSet<&[usize]> = ways.iter().map(|way| way.nodes.as_slice()).collect();
        let decisions: BTreeSet<Option<usize>> = ways.iter().map(|way| self.decision(way)).collect();
        !self.is_ending(number) && nodes.len() > 1 && (decisions.len() > 1 || decisions.contains(&None))
    }

    fn is_ending(&self, number: usize) -> bool {
        matches!(self.graph.nodes[number].kind, Kind::Kill | Kind::End | Kind::Join)
    }

    /// Returns the first decision on a path.
    fn decision(&self, way: &Way) -> Option<usize> {
        way.nodes.iter().copied().find(|number| self.graph.nodes[*number].kind == Kind::Decision)
    }

    /// Returns whether every node from which the walk continues is always reached in the same situation.
    fn is_plain(&self) -> bool {
        let situation = |way: &Way| -> Situation {
            (way.open.iter().map(|(fork, ..)| *fork).collect(), self.decision(way), way.by_error)
        };
        let situations = |ways: &BTreeSet<Way>| ways.iter().map(situation).collect::<BTreeSet<_>>().len();
        self.ways.iter().all(|(number, ways)| self.is_ending(*number) || situations(ways) == 1)
    }
}

#[test]
fn random_graphs_get_the_result_of_following_every_path() {
    let mut reported: BTreeMap<String, u32> = BTreeMap::new();
    for seed in 0..GRAPHS {
        let graph = RandomGraph::of(seed);
        let slow = AllPaths::of(&graph);
        let errors = validate(&graph.workflow(), ForkJoinCheck::On);
        let code = errors.first().map(howdah_words::error::Error::code).filter(|code| *code != ErrorCode::W0105);
        let place = format!("seed {seed}: {}: {code:?}, by all paths {:?}", graph.text(), slow.faults);
        match code {
            Some(code) if slow.is_plain() => assert!(slow.faults.contains(code.as_str()), "{place}"),
            Some(_) => assert!(!slow.faults.is_empty(), "{place}"),
            None => assert!(slow.faults.is_empty() || !slow.is_plain(), "{place}"),
        }
        let verdict = match code {
            None if !slow.faults.is_empty() => "accepted as by Oozie",
            None => "accepted",
            Some(code) => code.as_str(),
        };
        *reported.entry(verdict.to_owned()).or_default() += 1;
        *reported.entry("plain".to_owned()).or_default() += u32::from(slow.is_plain());
    }
    insta::assert_debug_snapshot!("verdicts", reported);
}
