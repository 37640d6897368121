//! Checks whether the graph of a definition can be followed: names, targets, loops; then its forks and joins.
//!
//! The walk goes depth first from the start node over every transition, error transitions included, so its first fault
//! is the one that Oozie reports; the later ones help the reader. Nodes that cannot be reached are not checked, only
//! named in a warning. The walk uses its own stack: a long chain of nodes needs no deep recursion.

use std::vec::IntoIter;

use super::definition::{NodeKind, START, Target, Workflow};
use super::fork_join;
use howdah_words::error::{Error, ErrorCode, Suggestions};
use howdah_words::model::Properties;

/// Whether forks and joins have to match (`oozie.wf.validate.ForkJoin`, `oozie.validate.ForkJoin`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ForkJoinCheck {
    #[default]
    On,
    Off,
}

impl ForkJoinCheck {
    /// The site's setting.
    pub const OF_SITE: &str = "oozie.validate.ForkJoin";
    /// The job's.
    const OF_JOB: &str = "oozie.wf.validate.ForkJoin";

    /// Off when the site or the job says `false`.
    pub fn from_properties(site: &Properties, job: &Properties) -> Self {
        let is_false = |properties: &Properties, name| {
            properties.get(name).is_some_and(|value| value.trim().eq_ignore_ascii_case("false"))
        };
        if is_false(site, Self::OF_SITE) || is_false(job, Self::OF_JOB) { Self::Off } else { Self::On }
    }

    /// Returns the job's properties about the check that have no effect (W0120), each with its name: an invalid value,
    /// and the site's setting.
    pub fn warnings(job: &Properties) -> Vec<(&'static str, Error)> {
        let warn = |name, why: String| (name, Error::with(ErrorCode::W0120, &[&name, &why]));
        let value = job
            .get(Self::OF_JOB)
            .map(|value| value.trim())
            .filter(|value| !["true", "false"].iter().any(|word| value.eq_ignore_ascii_case(word)));
        let no_value = value.map(|value| {
            warn(Self::OF_JOB, format!("[{value}] is neither true nor false, and forks and joins are checked"))
        });
        let of_site = job.get(Self::OF_SITE).map(|_| {
            let (name, warning) = warn(Self::OF_SITE, "it is a setting of the site file".to_owned());
            (name, warning.help(format!("for one job, howdah reads {}", Self::OF_JOB)))
        });
        no_value.into_iter().chain(of_site).collect()
    }
}

/// Longest node name.
const LONGEST_NAME: usize = 128;
/// How many problems are reported about one graph.
const MOST_PROBLEMS: usize = 100;
/// Names shown at each end of a long path.
const SHOWN_NAMES: usize = 20;

/// All faults of the graph in the order of Oozie's walk, then warnings.
///
/// Codes: E0724, E0707, E0708; when there are none of these, the first of E0730, E0742, E0743, E0744, E0733, E0757,
/// E0758, E0737; W0105 for nodes out of reach.
pub fn validate(workflow: &Workflow, check: ForkJoinCheck) -> Vec<Error> {
    let mut walk = Walk::new(workflow);
    walk.run();
    let mut errors = walk.errors;
    if errors.is_empty() && check == ForkJoinCheck::On {
        errors.extend(fork_join::check(workflow, &walk.reached).err());
    }
    if errors.is_empty() {
        errors.extend(unreachable_nodes(workflow, &walk.reached));
    }
    Error::keep_first(&mut errors, MOST_PROBLEMS);
    errors
}

/// Checks whether a node's name can be used.
///
/// # Errors
/// E0724 with the rule that is broken.
pub fn check_name(name: &str) -> Result<(), Error> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let fault = if name.len() > LONGEST_NAME {
        format!("name [{name}] must be {LONGEST_NAME} chars or less")
    } else if !name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        format!("name [{name}], must start with [A-Za-z_]")
    } else if !name.bytes().all(plain) {
        format!("name [{name}] must be [A-Za-z_][0-9A-Za-z_-]*")
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorCode::E0724, fault))
}

struct Walk<'a> {
    workflow: &'a Workflow,
    /// Nodes that were entered, by index.
    reached: Vec<bool>,
    /// Nodes that were left, by index.
    left: Vec<bool>,
    /// The path from the start node: a node's index and the transitions that were not followed yet.
    path: Vec<(usize, IntoIter<&'a Target>)>,
    errors: Vec<Error>,
    suggestions: Suggestions,
}

impl<'a> Walk<'a> {
    fn new(workflow: &'a Workflow) -> Self {
        let nodes = workflow.nodes().len();
        Self {
            workflow,
            reached: vec![false; nodes],
            left: vec![false; nodes],
            path: Vec::new(),
            errors: Vec::new(),
            suggestions: Suggestions::default(),
        }
    }

    fn run(&mut self) {
        if let Some(start) = self.workflow.position(START) {
            self.enter(start);
        }
        while let Some((position, targets)) = self.path.last_mut() {
            let position = *position;
            if let Some(target) = targets.next() {
                self.follow(position, target);
            } else {
                self.left[position] = true;
                self.path.pop();
            }
        }
    }

    fn enter(&mut self, position: usize) {
        let node = &self.workflow.nodes()[position];
        if !matches!(node.kind, NodeKind::Start { .. })
            && let Err(error) = check_name(&node.name)
        {
            self.errors.push(error.at(self.workflow.location(node.span)));
        }
        self.reached[position] = true;
        self.path.push((position, node.targets().into_iter()));
    }

    /// Follows a transition of a node.
    fn follow(&mut self, position: usize, target: &Target) {
        let node = &self.workflow.nodes()[position];
        let place = self.workflow.location(target.span);
        match self.workflow.position(&target.name) {
            None => {
                let error = Error::with(ErrorCode::E0708, &[&node.name, &target.name]).at(place);
                let names = self.workflow.nodes().iter().map(|node| node.name.as_str());
                self.errors.push(match self.suggestions.near(&target.name, names) {
                    Some(near) => error.help(format!("did you mean [{near}]?")),
                    None => error.help("no node has this name"),
                });
            }
            Some(next) if self.left[next] => {}
            Some(next) if self.reached[next] => {
                let error = Error::with(ErrorCode::E0707, &[&target.name, &self.path_text(next)]);
                self.errors
                    .push(error.at(place).help("a workflow never comes back to a node; repeat with a coordinator"));
            }
            Some(next) => self.enter(next),
        }
    }

    /// Returns the path from the start node to here and on to `next`, with the middle left out when it is long.
    fn path_text(&self, next: usize) -> String {
        let name = |position: usize| self.workflow.nodes()[position].name.as_str();
        let shown = |path: &[(usize, IntoIter<&Target>)]| path.iter().map(|(at, _)| name(*at)).collect::<Vec<_>>();
        let mut names = if self.path.len() >= 2 * SHOWN_NAMES {
            let last = &self.path[self.path.len() + 1 - SHOWN_NAMES..];
            [shown(&self.path[..SHOWN_NAMES]), vec!["..."], shown(last)].concat()
        } else {
            shown(&self.path)
        };
        names.push(name(next));
        names.join("->")
    }
}

fn unreachable_nodes(workflow: &Workflow, reached: &[bool]) -> Vec<Error> {
    let out_of_reach = workflow.nodes().iter().zip(reached).filter(|(_, reached)| !**reached);
    out_of_reach
        .filter(|(node, _)| !matches!(node.kind, NodeKind::End | NodeKind::Kill { .. }))
        .map(|(node, _)| Error::new(ErrorCode::W0105, &node.name).at(workflow.location(node.span)))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{joined, workflow};
    use super::*;

    fn check(graph: &str, expect: &[&str]) {
        let errors = validate(&workflow(graph), ForkJoinCheck::On);
        let texts: Vec<String> = errors.iter().map(Error::to_string).collect();
        assert_eq!(texts, expect, "{graph}");
    }

    #[test]
    fn the_problems_of_a_graph_have_a_limit() {
        let lost = joined(0..3 * MOST_PROBLEMS, |number| format!("action lost{number} end end;"));
        let away = joined(0..3 * MOST_PROBLEMS, |number| format!(" nowhere{number}"));
        for (graph, code) in [
            (format!("start end;{lost}end end"), ErrorCode::W0105),
            (format!("start d;decision d{away};end end"), ErrorCode::E0708),
        ] {
            let errors = validate(&workflow(&graph), ForkJoinCheck::On);
            assert_eq!((errors.len(), errors[0].code()), (MOST_PROBLEMS, code));
            let help = errors.last().and_then(Error::help_text).unwrap_or_default();
            assert!(help.contains("only the first 100 problems"), "{help}");
        }
    }

    #[test]
    fn finds_dangling_transitions_loops_and_bad_names() {
        check("start a; action a e k; kill k; end e", &[]);
        check("start x; kill k; end e", &["E0708: Invalid transition, node [:start:] transition [x]"]);
        check(
            "start a; action a b k; action b e a; kill k; end e",
            &["E0707: Loop detected at parsing, node [a], path [:start:->a->b->a]"],
        );
        check(
            "start a; action a x y; kill k; end e",
            &[
                "E0708: Invalid transition, node [a] transition [x]",
                "E0708: Invalid transition, node [a] transition [y]",
            ],
        );
        check(
            "start 1a; action 1a e k; kill k; end e",
            &["E0724: Invalid node name, name [1a], must start with [A-Za-z_]"],
        );
    }

    #[test]
    fn only_warns_of_unreachable_nodes() {
        check(
            "start a; action a e k; action lost nowhere nowhere; kill k; end e",
            &["W0105: Node [lost] cannot be reached from the start node"],
        );
    }

    #[test]
    fn site_and_job_can_switch_the_check_off() {
        let said = |name: &str, value: &str| Properties::from([(name.to_owned(), value.to_owned())]);
        let (site, job) = ("oozie.validate.ForkJoin", "oozie.wf.validate.ForkJoin");
        for (site, job, expect) in [
            (said(site, "true"), said(job, "true"), ForkJoinCheck::On),
            (said(site, "False"), said(job, "true"), ForkJoinCheck::Off),
            (Properties::new(), said(job, " false "), ForkJoinCheck::Off),
            (Properties::new(), said(job, "no"), ForkJoinCheck::On),
        ] {
            assert_eq!(ForkJoinCheck::from_properties(&site, &job), expect, "{site:?} {job:?}");
        }
    }

    #[test]
    fn only_false_switches_the_check_of_forks_off() {
        let properties = |name: &str, value: &str| Properties::from([(name.to_owned(), value.to_owned())]);
        let check = |name: &str, value: &str, expect: ForkJoinCheck, warning: &str| {
            let job = properties(name, value);
            assert_eq!(ForkJoinCheck::from_properties(&Properties::new(), &job), expect, "{value}");
            let warnings: Vec<String> =
                ForkJoinCheck::warnings(&job).iter().map(|(_, error)| error.to_string()).collect();
            assert_eq!(warnings.join(" "), warning, "{value}");
        };
        let maybe = "W0120: The property [oozie.wf.validate.ForkJoin] has no effect: [maybe] is neither true nor \
                     false, and forks and joins are checked";
        let of_site = "W0120: The property [oozie.validate.ForkJoin] has no effect: it is a setting of the site file";
        check(ForkJoinCheck::OF_JOB, " False ", ForkJoinCheck::Off, "");
        check(ForkJoinCheck::OF_JOB, "TRUE", ForkJoinCheck::On, "");
        check(ForkJoinCheck::OF_JOB, "maybe", ForkJoinCheck::On, maybe);
        check(ForkJoinCheck::OF_SITE, "false", ForkJoinCheck::On, of_site);
        let site = properties(ForkJoinCheck::OF_SITE, "false");
        assert_eq!(ForkJoinCheck::from_properties(&site, &Properties::new()), ForkJoinCheck::Off);
    }

    #[test]
    fn names_have_at_most_128_characters() {
        for (name, good) in
            [("_a-b".to_owned(), true), ("a".repeat(128), true), ("a".repeat(129), false), ("a b".to_owned(), false)]
        {
            assert_eq!(check_name(&name).is_ok(), good, "{name}");
        }
    }

    #[test]
    fn a_chain_of_ten_thousand_nodes_is_no_deep_recursion() {
        let chain = joined(0..10_000, |n| format!("action a{n} a{} k; ", n + 1));
        check(&format!("start a0; {chain}action a10000 e k; kill k; end e"), &[]);
        let ring = joined(0..10_000, |n| format!("action a{n} a{} k; ", (n + 1) % 10_000));
        let errors = validate(&workflow(&format!("start a0; {ring}kill k; end e")), ForkJoinCheck::On);
        assert_eq!(errors.iter().map(Error::code).collect::<Vec<_>>(), [ErrorCode::E0707]);
        assert!(errors[0].message().len() < 1000);
    }
}
