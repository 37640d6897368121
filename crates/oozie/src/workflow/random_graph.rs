//! Random graphs for tests: correct parts, some of whose transitions then get another target.
//!
//! The target of every transition is a node that was created before, so no graph has a loop. The same seed gives the
//! same graph.

use std::fmt::Write;

use super::definition::Workflow;
use super::testing;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Kill,
    End,
    Join,
    Fork,
    Decision,
    /// The first target is that of `ok`, the second that of `error`.
    Action,
}

/// A node; its number is its index in the graph, and its targets have smaller numbers.
#[derive(Clone, Debug)]
pub(super) struct RandomNode {
    pub(super) kind: Kind,
    pub(super) targets: Vec<usize>,
}

/// A graph; the last node is the target of the start node.
#[derive(Clone, Debug)]
pub(super) struct RandomGraph {
    pub(super) nodes: Vec<RandomNode>,
}

const KILL: usize = 0;
const END: usize = 1;
/// Forks and decisions inside each other.
const DEEPEST: usize = 3;
/// After this many nodes only actions are added: all paths through the graph are walked one by one.
const MOST_NODES: usize = 16;

/// Pseudorandom numbers (xorshift).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    /// Starts the sequence of a seed.
    pub(super) const fn of(seed: u64) -> Self {
        Self((seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    /// Returns a number below `bound`, which is not 0.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).expect("31 bits") % bound
    }
}

impl RandomGraph {
    /// Builds the graph of a seed: up to three of its transitions get any target.
    pub(super) fn of(seed: u64) -> Self {
        let mut dice = Dice::of(seed);
        let ending = |kind| RandomNode { kind, targets: Vec::new() };
        let mut graph = Self { nodes: vec![ending(Kind::Kill), ending(Kind::End)] };
        let behind = graph.part(&mut dice, END, 0);
        graph.part(&mut dice, behind, 0);
        for _ in 0..dice.below(4) {
            graph.retarget(&mut dice);
        }
        graph
    }

    /// Writes the graph in the notation of the tests.
    pub(super) fn text(&self) -> String {
        let mut text = format!("start {}", self.name(self.nodes.len() - 1));
        for (number, node) in self.nodes.iter().enumerate().rev() {
            let word = match node.kind {
                Kind::Kill => "kill",
                Kind::End => "end",
                Kind::Join => "join",
                Kind::Fork => "fork",
                Kind::Decision => "decision",
                Kind::Action => "action",
            };
            write!(text, "; {word} {}", self.name(number)).expect("writing to a String");
            for target in &node.targets {
                write!(text, " {}", self.name(*target)).expect("writing to a String");
            }
        }
        text
    }

    /// Builds the graph as a definition.
    pub(super) fn workflow(&self) -> Workflow {
        testing::workflow(&self.text())
    }

    /// Returns the name of a node, which shows its kind.
    pub(super) fn name(&self, number: usize) -> String {
        let letter = match self.nodes[number].kind {
            Kind::Kill => 'k',
            Kind::End => 'e',
            Kind::Join => 'j',
            Kind::Fork => 'f',
            Kind::Decision => 'd',
            Kind::Action => 'a',
        };
        format!("{letter}{number}")
    }

    fn push(&mut self, kind: Kind, targets: Vec<usize>) -> usize {
        self.nodes.push(RandomNode { kind, targets });
        self.nodes.len() - 1
    }

    /// Adds a part that continues to `next`; returns its first node.
    fn part(&mut self, dice: &mut Dice, next: usize, depth: usize) -> usize {
        let simple = depth == DEEPEST || self.nodes.len() >= MOST_NODES;
        match if simple { 0 } else { dice.below(10) } {
            0..=3 => {
                let error = if dice.below(6) == 0 { dice.below(self.nodes.len()) } else { KILL };
                self.push(Kind::Action, vec![next, error])
            }
            4 | 5 => {
                let behind = self.part(dice, next, depth + 1);
                self.part(dice, behind, depth + 1)
            }
            6..=8 => {
                let join = self.push(Kind::Join, vec![next]);
                let paths = self.parts(dice, join, depth);
                self.push(Kind::Fork, paths)
            }
            _ => {
                let cases = self.parts(dice, next, depth);
                self.push(Kind::Decision, cases)
            }
        }
    }

    /// Adds two or three parts, some of them empty, that meet at `next`.
    fn parts(&mut self, dice: &mut Dice, next: usize, depth: usize) -> Vec<usize> {
        let count = 2 + dice.below(2);
        (0..count).map(|_| if dice.below(8) == 0 { next } else { self.part(dice, next, depth + 1) }).collect()
    }

    /// Gives one transition any earlier node as target.
    fn retarget(&mut self, dice: &mut Dice) {
        let number = END + 1 + dice.below(self.nodes.len() - END - 1);
        let target = dice.below(number);
        let targets = &mut self.nodes[number].targets;
        let place = dice.below(targets.len());
        targets[place] = target;
    }
}
