//! Where a user of `top` is, and what a key does there. Must not depend on the terminal or the database.

use howdah_words::model::id::{JobId, JobKind, Target};

/// A key, whatever the terminal sends for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    Character(char),
    /// A letter with Ctrl.
    Control(char),
    Function(u8),
    Up,
    Down,
    Left,
    Right,
    PageUp,
    PageDown,
    Home,
    End,
    Enter,
    Escape,
    Backspace,
    Tab,
}

/// What is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Jobs(JobKind),
    /// The actions of a coordinator job.
    Actions(JobId),
    /// The nodes of a workflow job.
    Nodes(JobId),
    /// The output of a job, an action or a node.
    Log(Target),
}

/// The verbs that a key gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verb {
    Suspend,
    Resume,
    Kill,
    Rerun,
}

impl Verb {
    /// Returns the verb of the command line.
    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Suspend => "suspend",
            Self::Resume => "resume",
            Self::Kill => "kill",
            Self::Rerun => "rerun",
        }
    }
}

/// What the loop has to do after a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Only draw.
    Draw,
    /// Read what is shown again.
    Read,
    Run(Verb, Target),
    Quit,
}

/// An entry that can be selected.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) target: Target,
    /// The workflow job of an action that was started.
    pub(super) workflow: Option<JobId>,
    /// The name of its job.
    pub(super) name: String,
}

/// One of the lists that lie above each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct View {
    pub(super) place: Place,
    /// The selected row, or the lines from the end of a log.
    pub(super) at: usize,
    pub(super) filter: String,
}

impl View {
    const fn new(place: Place) -> Self {
        Self { place, at: 0, filter: String::new() }
    }

    const fn is_log(&self) -> bool {
        matches!(self.place, Place::Log(_))
    }
}

/// What the last line is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Browse,
    /// The text of a filter is being typed.
    Filter,
    /// A verb on what has this name waits for a yes.
    Confirm(Verb, Target, String),
    Help,
}

/// Where the user is.
#[derive(Clone, Debug)]
pub(super) struct State {
    /// The list that is shown is the last one; there is always one.
    below: Vec<View>,
    pub(super) view: View,
    pub(super) mode: Mode,
    pub(super) by_attention: bool,
    pub(super) message: Option<String>,
    /// What can be selected, as it was read last.
    pub(super) entries: Vec<Entry>,
    /// Rows that are moved with a page key.
    pub(super) page: usize,
    /// The lines of a log.
    pub(super) lines: usize,
}

impl State {
    /// Returns the list of coordinator jobs.
    pub(super) const fn new() -> Self {
        Self {
            below: Vec::new(),
            view: View::new(Place::Jobs(JobKind::Coordinator)),
            mode: Mode::Browse,
            by_attention: true,
            message: None,
            entries: Vec::new(),
            page: 10,
            lines: 0,
        }
    }

    /// Takes what was read; the selection stays inside it.
    pub(super) fn set_entries(&mut self, entries: Vec<Entry>, lines: usize) {
        let selected = self.selected().map(|entry| entry.target.clone());
        let same = selected.and_then(|target| entries.iter().position(|entry| entry.target == target));
        (self.entries, self.lines) = (entries, lines);
        self.view.at = same.filter(|_| !self.view.is_log()).unwrap_or(self.view.at).min(self.last());
    }

    /// Returns the selected entry.
    pub(super) fn selected(&self) -> Option<&Entry> {
        if self.view.is_log() { None } else { self.entries.get(self.view.at) }
    }

    /// Applies a key.
    pub(super) fn key(&mut self, key: Key) -> Act {
        self.message = None;
        if key == Key::Control('c') {
            return Act::Quit;
        }
        match std::mem::replace(&mut self.mode, Mode::Browse) {
            Mode::Browse => self.browse(key),
            Mode::Filter => self.filter(key),
            Mode::Confirm(verb, target, _) if matches!(key, Key::Character('y' | 'Y')) => Act::Run(verb, target),
            Mode::Confirm(verb, ..) => {
                self.message = Some(format!("{}: the answer was no", verb.as_str()));
                Act::Draw
            }
            Mode::Help => Act::Draw,
        }
    }

    fn browse(&mut self, key: Key) -> Act {
        match key {
            Key::Character('q') | Key::Function(10) => return Act::Quit,
            Key::Character('?' | 'h') | Key::Function(1) => self.mode = Mode::Help,
            Key::Character('/') | Key::Function(3 | 4) if !self.view.is_log() => {
                self.view.filter.clear();
                self.mode = Mode::Filter;
            }
            Key::Enter | Key::Right => return self.enter(),
            Key::Escape | Key::Left | Key::Backspace => return self.leave(),
            Key::Tab => return self.switch(),
            Key::Character('o') | Key::Function(6) => {
                self.by_attention = !self.by_attention;
                return Act::Read;
            }
            Key::Character('l') => return self.log(),
            Key::Character('s') => return self.ask(Verb::Suspend),
            Key::Character('u') => return self.ask(Verb::Resume),
            Key::Character('x') | Key::Control('k') | Key::Function(9) => return self.ask(Verb::Kill),
            Key::Character('r') => return self.ask(Verb::Rerun),
            key => self.step(key),
        }
        Act::Draw
    }

    /// Moves the selection, or the shown part of a log.
    fn step(&mut self, key: Key) {
        let (page, last) = (self.page.max(1), self.last());
        let at = self.view.at;
        // A log is counted from its end.
        let up = self.view.is_log();
        let moved = |by: usize, forward: bool| {
            if forward == up { at.saturating_sub(by) } else { at.saturating_add(by).min(last) }
        };
        self.view.at = match key {
            Key::Up | Key::Character('k') => moved(1, false),
            Key::Down | Key::Character('j') => moved(1, true),
            Key::PageUp | Key::Control('b' | 'u') => moved(page, false),
            Key::PageDown | Key::Control('f' | 'd') | Key::Character(' ') => moved(page, true),
            Key::Home | Key::Character('g') => moved(usize::MAX, false),
            Key::End | Key::Character('G') => moved(usize::MAX, true),
            _ => at,
        };
    }

    fn last(&self) -> usize {
        if self.view.is_log() { self.lines.saturating_sub(1) } else { self.entries.len().saturating_sub(1) }
    }

    fn filter(&mut self, key: Key) -> Act {
        match key {
            Key::Enter => return Act::Draw,
            Key::Escape => self.view.filter.clear(),
            Key::Backspace => {
                self.view.filter.pop();
                self.mode = Mode::Filter;
            }
            Key::Character(letter) => {
                self.view.filter.push(letter);
                self.mode = Mode::Filter;
            }
            _ => self.mode = Mode::Filter,
        }
        self.view.at = 0;
        Act::Read
    }

    /// Shows what the selected entry consists of.
    fn enter(&mut self) -> Act {
        let Some(entry) = self.selected().cloned() else { return Act::Draw };
        let place = match (&entry.target, entry.workflow) {
            (Target::Job(id), _) if id.kind() == JobKind::Workflow => Place::Nodes(id.clone()),
            (Target::Job(id), _) => Place::Actions(id.clone()),
            (Target::CoordinatorAction(..), Some(workflow)) => Place::Nodes(workflow),
            (Target::CoordinatorAction(..), None) => {
                self.message = Some(format!("{} has started no workflow job yet", entry.target));
                return Act::Draw;
            }
            (Target::Node(..), _) => Place::Log(entry.target),
        };
        self.open(place)
    }

    fn open(&mut self, place: Place) -> Act {
        let former = std::mem::replace(&mut self.view, View::new(place));
        self.below.push(former);
        self.entries.clear();
        self.lines = 0;
        Act::Read
    }

    /// Returns to the list below; at the lowest one, the filter is cleared.
    fn leave(&mut self) -> Act {
        match self.below.pop() {
            Some(below) => {
                self.view = below;
                self.entries.clear();
            }
            None => self.view.filter.clear(),
        }
        Act::Read
    }

    /// Changes between coordinator jobs and workflow jobs.
    fn switch(&mut self) -> Act {
        let kind = match self.view.place {
            Place::Jobs(JobKind::Coordinator) => JobKind::Workflow,
            Place::Jobs(_) => JobKind::Coordinator,
            _ => return Act::Draw,
        };
        self.view = View::new(Place::Jobs(kind));
        Act::Read
    }

    fn log(&mut self) -> Act {
        match self.selected() {
            Some(entry) => {
                let target = entry.target.clone();
                self.open(Place::Log(target))
            }
            None => Act::Draw,
        }
    }

    /// Asks before a verb; a node or an action can only be killed alone, so the other verbs take the whole job.
    fn ask(&mut self, verb: Verb) -> Act {
        let Some(Entry { target, name, .. }) = self.selected().cloned() else { return Act::Draw };
        let target = match (verb, target) {
            (Verb::Suspend | Verb::Resume, Target::CoordinatorAction(job, _))
            | (Verb::Suspend | Verb::Resume | Verb::Rerun, Target::Node(job, _)) => Target::Job(job),
            (_, target) => target,
        };
        let part = target.to_string().split_once('@').map(|(_, part)| format!("@{part}")).unwrap_or_default();
        self.mode = Mode::Confirm(verb, target, name + &part);
        Act::Draw
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOB: &str = "0000000-261120093000123-oozie-oozi-C";
    const WORKFLOW: &str = "0000001-261120093000123-oozie-oozi-W";

    fn entries(targets: &[&str]) -> Vec<Entry> {
        let entry = |text: &&str| {
            let target = Target::parse(text).unwrap();
            let workflow = matches!(&target, Target::CoordinatorAction(_, 1)).then(|| match Target::parse(WORKFLOW) {
                Some(Target::Job(id)) => id,
                other => panic!("{other:?}"),
            });
            Entry { target, workflow, name: "feed".to_owned() }
        };
        targets.iter().map(entry).collect()
    }

    fn keys(state: &mut State, keys: &str) -> Act {
        keys.chars().map(|letter| state.key(Key::Character(letter))).last().unwrap()
    }

    #[test]
    fn keys_lead_from_jobs_to_logs_and_back() {
        let mut state = State::new();
        state.set_entries(entries(&[JOB]), 0);
        assert_eq!(state.key(Key::Enter), Act::Read);
        assert!(matches!(state.view.place, Place::Actions(_)));
        let (first, second) = (format!("{JOB}@1"), format!("{JOB}@2"));
        state.set_entries(entries(&[&second, &first]), 0);
        assert_eq!((state.key(Key::Enter), state.message.is_some()), (Act::Draw, true));
        keys(&mut state, "j");
        // What comes in front does not move the selection to another action.
        state.set_entries(entries(&[&format!("{JOB}@3"), &second, &first]), 0);
        assert_eq!(state.view.at, 2);
        assert_eq!(state.key(Key::Enter), Act::Read);
        assert!(matches!(&state.view.place, Place::Nodes(id) if id.as_str() == WORKFLOW));
        state.set_entries(entries(&[&format!("{WORKFLOW}@one")]), 0);
        assert_eq!(state.key(Key::Enter), Act::Read);
        state.set_entries(Vec::new(), 9);
        keys(&mut state, "kk");
        assert_eq!(state.view.at, 2);
        keys(&mut state, "g");
        assert_eq!(state.view.at, 8);
        for place in ["Nodes", "Actions", "Jobs", "Jobs"] {
            assert_eq!(state.key(Key::Escape), Act::Read);
            assert!(format!("{:?}", state.view.place).starts_with(place), "{place}");
        }
        assert_eq!(keys(&mut state, "q"), Act::Quit);
    }

    #[test]
    fn a_verb_is_given_only_after_a_yes() {
        let action = format!("{JOB}@1");
        let node = format!("{WORKFLOW}@one");
        for (target, key, expect) in [
            (JOB, 's', Some((Verb::Suspend, JOB))),
            (JOB, 'x', Some((Verb::Kill, JOB))),
            (&action, 'x', Some((Verb::Kill, action.as_str()))),
            (&action, 'r', Some((Verb::Rerun, action.as_str()))),
            (&action, 'u', Some((Verb::Resume, JOB))),
            (&node, 'x', Some((Verb::Kill, node.as_str()))),
            (&node, 'r', Some((Verb::Rerun, WORKFLOW))),
        ] {
            let mut state = State::new();
            state.set_entries(entries(&[target]), 0);
            keys(&mut state, &key.to_string());
            let Mode::Confirm(_, asked, name) = &state.mode else { panic!("{:?}", state.mode) };
            assert_eq!(*name, asked.to_string().replace(JOB, "feed").replace(WORKFLOW, "feed"));
            assert_eq!(keys(&mut state, "n"), Act::Draw, "{target} {key}");
            let act = keys(&mut state, &format!("{key}y"));
            let expect = expect.map(|(verb, target)| Act::Run(verb, Target::parse(target).unwrap()));
            assert_eq!(Some(act), expect, "{target} {key}");
        }
        let mut empty = State::new();
        assert_eq!(keys(&mut empty, "xy"), Act::Draw);
    }

    #[test]
    fn a_filter_is_typed_and_cleared() {
        let mut state = State::new();
        assert_eq!(keys(&mut state, "/feq"), Act::Read);
        state.key(Key::Backspace);
        assert_eq!(state.key(Key::Enter), Act::Draw);
        assert_eq!(state.view.filter, "fe");
        assert_eq!(state.mode, Mode::Browse);
        state.key(Key::Escape);
        assert_eq!(state.view.filter, "");
        assert_eq!(state.key(Key::Tab), Act::Read);
        assert_eq!(state.view.place, Place::Jobs(JobKind::Workflow));
    }
}
