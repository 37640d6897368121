//! Every operator in every state, and which elements are evaluated.

use super::*;
use howdah_words::model::time::Timestamp;

/// Availability by event: one letter per instance; a capital letter is an instance that exists.
struct Letters<'a>(&'a [&'a str]);

impl Inputs for Letters<'_> {
    fn availability(&mut self, event: usize) -> Availability {
        let instance = |letter: char| Instance {
            nominal: Timestamp::EPOCH,
            uri: format!("{event}{}", letter.to_lowercase()),
            dependency: String::new(),
        };
        let instances = self.0[event].chars().map(|letter| (instance(letter), letter.is_uppercase())).collect();
        Availability { instances, search_open: false }
    }
}

fn event(event: usize) -> LogicNode {
    node(Rule::Event(event, Enough::default()))
}

fn enough(event: usize, min: usize, wait_minutes: i64) -> LogicNode {
    node(Rule::Event(event, Enough { min: (min > 0).then_some(min), wait_minutes }))
}

fn node(rule: Rule) -> LogicNode {
    LogicNode { name: None, rule }
}

/// `expect`: the URIs taken, `wait` or `no`.
fn check(rule: &LogicNode, inputs: &[&str], waited: i64, expect: &str) {
    let evaluated = rule.evaluate(&mut Letters(inputs), waited);
    let got = match evaluated.outcome.expect("the root is always evaluated") {
        Satisfaction::Satisfied(taken) => taken.iter().map(|taken| taken.uri.as_str()).collect::<Vec<_>>().join(" "),
        Satisfaction::Waiting => "wait".to_owned(),
        Satisfaction::Unsatisfied => "no".to_owned(),
    };
    assert_eq!(got, expect, "{inputs:?}");
}

#[test]
fn or_takes_the_first_that_is_complete() {
    let either = node(Rule::Any(vec![event(0), event(1)]));
    check(&either, &["AB", "AB"], 0, "0a 0b");
    check(&either, &["Ab", "AB"], 0, "1a 1b");
    check(&either, &["Ab", "aB"], 0, "no");
}

#[test]
fn and_takes_all_in_document_order() {
    let both = node(Rule::All(vec![event(0), event(1)]));
    check(&both, &["A", "AB"], 0, "0a 1a 1b");
    check(&both, &["A", "Ab"], 0, "no");
}

#[test]
fn combine_fills_the_gaps() {
    let combine = node(Rule::Combine(vec![0, 1, 2], Enough::default()));
    check(&combine, &["Ab", "AB", "AB"], 0, "0a 1b");
    check(&combine, &["Ab", "Ab", "ab"], 0, "no");
    check(&combine, &["B", "AB", "ab"], 0, "1a 0b");
    let some = node(Rule::Combine(vec![0, 1], Enough { min: Some(1), wait_minutes: 0 }));
    check(&some, &["ab", "aB"], 0, "1b");
}

#[test]
fn minimum_and_wait() {
    check(&enough(0, 2, 0), &["ABc"], 0, "0a 0b");
    check(&enough(0, 2, 0), &["Abc"], 0, "no");
    check(&enough(0, 2, 10), &["ABc"], 9, "wait");
    check(&enough(0, 2, 10), &["ABc"], 10, "0a 0b");
    check(&enough(0, 2, 10), &["ABC"], 0, "0a 0b 0c");
    check(&enough(0, 0, 10), &["Abc"], 10, "0a");
    check(&enough(0, 0, 10), &["abc"], 10, "no");
    let either = node(Rule::Any(vec![enough(0, 1, 10), event(1)]));
    check(&either, &["a", "A"], 9, "wait");
    check(&either, &["a", "A"], 10, "1a");
}

/// The states of a tree in document order: `+` satisfied, `?` waiting, `-` unsatisfied, `.` not evaluated; with the
/// tally of the leaves.
fn states(evaluated: &LogicResult) -> String {
    let state = match &evaluated.outcome {
        Some(Satisfaction::Satisfied(_)) => "+",
        Some(Satisfaction::Waiting) => "?",
        Some(Satisfaction::Unsatisfied) => "-",
        None => ".",
    };
    let tally = evaluated.tally.map_or_else(String::new, |tally| {
        format!("{}/{}", tally.present, tally.all.map_or_else(|| "?".to_owned(), |all| all.to_string()))
    });
    let children: Vec<String> = evaluated.children.iter().map(states).collect();
    if children.is_empty() { format!("{state}{tally}") } else { format!("{state}{tally}({})", children.join(" ")) }
}

fn check_states(rule: &LogicNode, inputs: &[&str], waited: i64, expect: &str) {
    assert_eq!(states(&rule.evaluate(&mut Letters(inputs), waited)), expect, "{inputs:?}");
}

#[test]
fn nothing_is_evaluated_after_what_decides() {
    let both = |first, second| node(Rule::All(vec![event(first), event(second)]));
    let nested = node(Rule::Any(vec![both(0, 1), both(2, 3)]));
    check_states(&nested, &["A", "B", "C", "D"], 0, "+(+(+1/1 +1/1) .(. .))");
    check_states(&nested, &["a", "B", "C", "D"], 0, "+(-(-0/1 .) +(+1/1 +1/1))");
    check_states(&nested, &["A", "bB", "c", "D"], 0, "-(-(+1/1 -1/2) -(-0/1 .))");
    let waits = node(Rule::Any(vec![enough(0, 1, 10), event(1)]));
    check_states(&waits, &["aA", "B"], 9, "?(?1/2 .)");
    check_states(&waits, &["aA", "B"], 10, "+(+1/2 .)");
    let part_waits = node(Rule::All(vec![enough(0, 1, 10), event(1)]));
    check_states(&part_waits, &["aA", "B"], 0, "?(?1/2 .)");
    let combine = node(Rule::Combine(vec![0, 1], Enough::default()));
    check_states(&combine, &["Ab", "aB"], 0, "+2/2");
    check_states(&combine, &["Ab", "ab"], 0, "-1/2");
}

#[test]
fn an_alternative_that_waits_is_preferred_to_one_that_exists() {
    // The order in the definition matters: the second is evaluated once the first is known to have too few instances.
    let nested = node(Rule::Any(vec![node(Rule::All(vec![enough(0, 2, 10), event(1)])), event(2)]));
    check(&nested, &["Abc", "A", "A"], 0, "wait");
    check(&nested, &["Abc", "A", "A"], 10, "2a");
    check(&nested, &["ABc", "A", "A"], 10, "0a 0b 1a");
    assert_eq!(nested.waits(), [10]);
}
