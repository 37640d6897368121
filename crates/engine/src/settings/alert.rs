//! The alerts of the site: which receiver gets which events of which jobs.

use std::collections::BTreeSet;

use crate::settings::site::Site;
use howdah_words::model::alert::AlertEvent;
use howdah_words::model::time::{DAY, MINUTE};

/// How the names of these settings begin; the name of a hook may follow.
const PREFIX: &str = "howdah.alert.";
/// The settings of one hook.
const OF_HOOK: [&str; 5] = ["command", "mail", "url", "on", "jobs"];
/// The setting of all hooks.
const WINDOW: &str = "howdah.alert.window";

/// The alerts of a site.
#[derive(Clone, Debug)]
pub struct AlertSettings {
    pub(crate) hooks: Vec<AlertHook>,
    /// `howdah.alert.window`, given in minutes: for how long the same event of the same job is only counted.
    pub window_seconds: i64,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self { hooks: Vec::new(), window_seconds: 60 * MINUTE }
    }
}

impl AlertSettings {
    /// Checks whether some hook wants an event.
    pub fn want(&self, event: AlertEvent) -> bool {
        self.hooks.iter().any(|hook| hook.on.contains(&event))
    }
}

/// A receiver of alerts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct AlertHook {
    /// Empty for the hook whose settings have no name.
    pub name: String,
    /// A program and its arguments; empty: none.
    pub command: Vec<String>,
    /// Addresses.
    pub mail: Vec<String>,
    pub url: Option<String>,
    pub on: Vec<AlertEvent>,
    /// Patterns of names of jobs; empty: all jobs.
    jobs: Vec<String>,
}

impl AlertHook {
    /// Checks whether the hook gets the events of a job with this name, or with `None` those that concern all jobs.
    pub(crate) fn concerns(&self, job: Option<&str>) -> bool {
        job.is_none_or(|name| self.jobs.is_empty() || self.jobs.iter().any(|pattern| matches(pattern, name)))
    }
}

/// Checks whether a name has the form of a pattern, in which `*` is any text and `?` any character.
fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut seen) = (0, 0);
    // Where the last star is, and where the text that it covers ends.
    let mut star: Option<(usize, usize)> = None;
    while seen < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, seen));
                at += 1;
            }
            Some(letter) if *letter == '?' || *letter == name[seen] => (at, seen) = (at + 1, seen + 1),
            _ => {
                let Some((place, covered)) = star else { return false };
                star = Some((place, covered + 1));
                (at, seen) = (place + 1, covered + 1);
            }
        }
    }
    pattern[at..].iter().all(|letter| *letter == '*')
}

/// Checks whether a text has the form of a mail address.
fn is_address(text: &str) -> bool {
    let plain = |part: &str| !part.is_empty() && !part.contains(|letter: char| letter.is_control() || letter == '@');
    text.rsplit_once('@').is_some_and(|(user, host)| plain(user) && plain(host))
}

impl Site<'_> {
    /// Reads the receivers and what each gets.
    pub(super) fn alerts(&mut self, settings: &mut AlertSettings) {
        let mut minutes = settings.window_seconds / MINUTE;
        self.number(WINDOW, 0..=DAY, &mut minutes);
        settings.window_seconds = minutes * MINUTE;
        let given = self.given;
        let named = given.values.keys().filter_map(|name| name.strip_prefix(PREFIX)?.rsplit_once('.'));
        let hooks: BTreeSet<&str> =
            named.filter(|(_, setting)| OF_HOOK.contains(setting)).map(|(hook, _)| hook).chain([""]).collect();
        for name in hooks {
            let hook = self.hook(name);
            settings.hooks.extend(hook);
        }
    }

    /// Reads one hook; `None` when it has no receiver.
    fn hook(&mut self, name: &str) -> Option<AlertHook> {
        let whole = |setting: &str| if name.is_empty() { setting.to_owned() } else { format!("{name}.{setting}") };
        let whole = |setting: &str| format!("{PREFIX}{}", whole(setting));
        let text = |setting: &str| self.text(&whole(setting)).unwrap_or_default().to_owned();
        let [command, mail, _, on, jobs] = OF_HOOK.map(text);
        let url = self.url(&whole("url"));
        let list = |text: &str| {
            text.split([',', ' ', '\n', '\t']).filter(|word| !word.is_empty()).map(str::to_owned).collect::<Vec<_>>()
        };
        let read = |word: &String| AlertEvent::from_word(&word.to_ascii_uppercase()).filter(|event| event.is_wanted());
        let events: Option<Vec<AlertEvent>> = list(&on).iter().map(read).collect();
        let Some(mut events) = events else {
            let words: Vec<&str> = AlertEvent::wanted().map(AlertEvent::as_str).collect();
            self.refuse(&whole("on"), &on, &format!("it must be events of {}", words.join(", ")));
            return None;
        };
        if events.is_empty() {
            events = AlertEvent::wanted().collect();
        }
        if let Some(wrong) = list(&mail).iter().find(|address| !is_address(address)) {
            let why = format!("it must be addresses with commas between them, and [{wrong}] is none");
            self.refuse(&whole("mail"), &mail, &why);
            return None;
        }
        let command = command.split_whitespace().map(str::to_owned).collect();
        let hook = AlertHook { name: name.to_owned(), command, mail: list(&mail), url, on: events, jobs: list(&jobs) };
        if !hook.command.is_empty() || !hook.mail.is_empty() || hook.url.is_some() {
            return Some(hook);
        }
        for (setting, value) in [("on", on), ("jobs", jobs)].into_iter().filter(|(_, value)| !value.is_empty()) {
            let why = format!("it needs {}, {} or {}", whole("command"), whole("mail"), whole("url"));
            self.refuse(&whole(setting), &value, &why);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::SourceText;

    #[test]
    fn a_pattern_is_compared_with_the_whole_name() {
        for (pattern, name, expect) in [
            ("feed-*", "feed-a", true),
            ("feed-*", "feed-", true),
            ("feed-*", "my-feed-a", false),
            ("*-feed", "my-feed", true),
            ("*-feed", "my-feed-feed", true),
            ("a?c*e", "abcdde", true),
            ("a?c", "ac", false),
            ("feed", "feed", true),
            ("feed", "feeds", false),
            ("*", "", true),
            ("**b*", "aab", true),
            ("*a*b", "ab ba", false),
        ] {
            assert_eq!(matches(pattern, name), expect, "{pattern} {name}");
        }
    }

    fn check(site: &str, expect: &str) {
        let (settings, problems) = Settings::from_site(&parse_properties(&SourceText::new("site", site)).unwrap());
        let hook = |hook: &AlertHook| {
            let AlertHook { name, command, mail, url, on, jobs } = hook;
            let url = url.as_deref().unwrap_or("-");
            format!("{name}:{} {} {url} {} {}", command.join("+"), mail.join("+"), on.len(), jobs.join("+"))
        };
        let mut found: Vec<String> = settings.alerts.hooks.iter().map(hook).collect();
        found.extend(problems.iter().map(|problem| format!("{} {}", problem.code(), problem.message())));
        assert_eq!(found.join("; "), expect, "{site}");
    }

    #[test]
    fn a_hook_has_a_receiver_events_and_patterns() {
        check("howdah.alert.window=5", "");
        check("howdah.alert.command=page -q", ":page+-q  - 6 ");
        check("howdah.alert.mail=a@b, c@d", ": a@b+c@d - 6 ");
        check(
            "howdah.alert.command=page\nhowdah.alert.feeds.url=http://x/y\nhowdah.alert.feeds.on=failed,OVERDUE\n\
             howdah.alert.feeds.jobs=feed-*,load-?",
            ":page  - 6 ; feeds:  http://x/y 2 feed-*+load-?",
        );
    }

    #[test]
    fn what_cannot_be_used_is_refused() {
        let words = "FAILED, KILLED, TIMEDOUT, SUSPENDED, OVERDUE, RUNNER";
        for on in ["FALED", "RECOVERED"] {
            check(
                &format!("howdah.alert.command=page\nhowdah.alert.on={on}"),
                &format!("H0121 Invalid setting [howdah.alert.on] = [{on}]: it must be events of {words}"),
            );
        }
        check(
            "howdah.alert.url=ops/x",
            "H0121 Invalid setting [howdah.alert.url] = [ops/x]: it does not begin with http:// or \
             https:// and a host",
        );
        check(
            "howdah.alert.a.jobs=feed-*",
            "H0121 Invalid setting [howdah.alert.a.jobs] = [feed-*]: it needs howdah.alert.a.command, \
             howdah.alert.a.mail or howdah.alert.a.url",
        );
        check("howdah.alert.a.job=x", "W0131 No part of howdah reads the setting [howdah.alert.a.job]");
    }
}
