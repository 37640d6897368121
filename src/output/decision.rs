//! The results of searches and input logic: the tried and the taken instances, the tree with the state of every
//! element.
//!
//! Long lists are cut and say so; JSON has more. Must not decide an element's state.

use crate::output::screen::Layout;
use crate::output::text::add_line;
use crate::output::theme;
use howdah_engine::format::shown_time;
use howdah_engine::inputs::decision::Decision;
use howdah_engine::inputs::logic::{LogicState, LogicView};
use howdah_engine::inputs::search::SearchView;

/// Instances of one search, and URIs of one name, that are shown.
const MOST_SHOWN: usize = 12;

/// Returns the text of a decision, or of the present state before it.
pub(crate) fn render(decision: &Decision, layout: Layout) -> String {
    let mut text = String::new();
    if let Some(time) = &decision.decided_time {
        add_line(&mut text, format!("\nDecided at {}, when its inputs were there:", shown_time(time)));
    }
    for search in &decision.searches {
        text.push_str(&self::search(search, layout));
    }
    if let Some(logic) = &decision.logic {
        add_line(&mut text, format!("\nInput logic: {}", root_state(logic)));
        element(logic, 1, layout, &mut text);
    }
    if decision.decided_time.is_some() {
        for (name, uris) in &decision.names {
            text.push_str(&self::name(name, uris.as_deref()));
        }
    }
    text
}

fn search(search: &SearchView, layout: Layout) -> String {
    let SearchView { input, function, found, tried, tried_in_all, .. } = search;
    let outcome = if search.complete { "found" } else { "not found" };
    let input = theme::heading(input, layout.colour);
    let mut text = format!("\nSearch {function} of input {input} (dataset {}): {outcome}\n", search.dataset);
    let is_taken = |time: &str| found.iter().any(|found| found.nominal_time == time);
    for instance in tried.iter().take(MOST_SHOWN) {
        let state = match (instance.present, is_taken(&instance.nominal_time)) {
            (true, true) if search.complete => "taken",
            (true, true) => "present",
            (true, false) => "skipped",
            (false, _) => "missing",
        };
        let state = theme::status(state, layout.colour);
        add_line(&mut text, format!("  {state}  {}  {}", shown_time(&instance.nominal_time), instance.uri));
    }
    let shown = tried.len().min(MOST_SHOWN);
    let more = tried_in_all.saturating_sub(shown as u64);
    if more > 0 {
        add_line(
            &mut text,
            format!(
                "  and {more} more were tried{}",
                if tried.len() > shown { "; --json has more of them" } else { "" }
            ),
        );
    }
    let listed: Vec<&str> = tried.iter().take(MOST_SHOWN).map(|tried| tried.nominal_time.as_str()).collect();
    let taken = found.iter().filter(|found| !listed.contains(&found.nominal_time.as_str()));
    for instance in taken.take(MOST_SHOWN) {
        add_line(&mut text, format!("  taken  {}  {}", shown_time(&instance.nominal_time), instance.uri));
    }
    for line in [search.outcome(), search.bound()].into_iter().flatten() {
        add_line(&mut text, format!("  {line}"));
    }
    text
}

fn root_state(logic: &LogicView) -> &'static str {
    match logic.state {
        LogicState::Satisfied => "satisfied",
        LogicState::Waiting => "waits for more",
        LogicState::Missing => "not satisfied",
        LogicState::NotLookedAt => "not looked at",
    }
}

fn element(logic: &LogicView, depth: usize, layout: Layout, text: &mut String) {
    let indent = "  ".repeat(depth);
    let what = [Some(logic.operator.as_str()), logic.name.as_deref()].into_iter().flatten();
    let mut what: Vec<String> = what.map(str::to_owned).collect();
    if !logic.inputs.is_empty() {
        let inputs = logic.inputs.join(", ");
        what.push(if logic.name.is_some() { format!("({inputs})") } else { inputs });
    }
    let mut parts = vec![state(logic, layout)];
    if logic.state != LogicState::NotLookedAt {
        parts.extend(tally(logic));
    }
    parts.extend(logic.detail.clone());
    add_line(text, format!("{indent}{}: {}", what.join(" "), parts.join(", ")));
    for child in &logic.children {
        element(child, depth + 1, layout, text);
    }
}

/// Returns the state of an element; of one that waits, until when.
fn state(logic: &LogicView, layout: Layout) -> String {
    let word = match logic.state {
        LogicState::Satisfied => "satisfied",
        LogicState::Waiting => "waits",
        LogicState::Missing => "missing",
        LogicState::NotLookedAt => "not looked at",
    };
    let until = logic.waits_until.as_ref().map(|until| format!(" until {}", shown_time(until))).unwrap_or_default();
    theme::status(word, layout.colour) + &until
}

/// Returns how much of a leaf exists, and how much is enough.
fn tally(logic: &LogicView) -> Option<String> {
    let there = match logic.of {
        Some(of) => format!("{} of {of} there", logic.present?),
        None => format!("{} there, its search found too little", logic.present?),
    };
    let min = logic.min.map(|min| format!("min {min}"));
    let wait = logic.wait_minutes.map(|minutes| format!("wait {minutes} min"));
    let rules: Vec<String> = [min, wait].into_iter().flatten().collect();
    Some(if rules.is_empty() { there } else { format!("{there} ({})", rules.join(", ")) })
}

/// Returns the value of `coord:dataIn` for a name.
fn name(name: &str, uris: Option<&str>) -> String {
    let Some(uris) = uris else { return format!("  {name} took nothing: it was not needed\n") };
    let all: Vec<&str> = uris.split(',').filter(|uri| !uri.is_empty()).collect();
    let mut text = format!("  {name} took {}\n", if all.is_empty() { "no instance" } else { "these:" });
    for uri in all.iter().take(MOST_SHOWN) {
        add_line(&mut text, format!("    {uri}"));
    }
    if all.len() > MOST_SHOWN {
        add_line(&mut text, format!("    and {} more; --json has all of them", all.len() - MOST_SHOWN));
    }
    text
}
