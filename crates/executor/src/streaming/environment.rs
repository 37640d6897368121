//! The environment of mappers and reducers: the configuration under names that an environment can have, and the task.
//!
//! Follows Hadoop's streaming: letters and digits stay, everything else becomes `_`. The ids of a task have Hadoop's
//! new and old names.

use std::collections::BTreeMap;

use super::split::Split;
use howdah_words::model::Properties;

/// What a task does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Task<'a> {
    Map(&'a Split),
    Reduce,
}

impl Task<'_> {
    /// Returns the name of its folder.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Map(_) => "map",
            Self::Reduce => "reduce",
        }
    }
}

/// Returns a configuration as environment variables; values longer than `longest` characters are cut.
pub(super) fn of_configuration(configuration: &Properties, longest: Option<usize>) -> BTreeMap<String, String> {
    let cut = |value: &str| value.chars().take(longest.unwrap_or(usize::MAX)).collect();
    let named = configuration.iter().filter(|(name, _)| !name.is_empty());
    named.map(|(name, value)| (variable(name), cut(value))).collect()
}

/// Returns the variables of the task with this number, besides the configuration.
pub(super) fn of_task(job: &str, task: Task<'_>, number: u32) -> BTreeMap<String, String> {
    let letter = if matches!(task, Task::Map(_)) { 'm' } else { 'r' };
    let name = format!("{}_{letter}_{number:06}", job.trim_start_matches("job_"));
    let attempt = format!("attempt_{name}_0");
    let mut variables: Vec<(&str, &str, String)> = vec![
        ("mapreduce_job_id", "mapred_job_id", job.to_owned()),
        ("mapreduce_task_id", "mapred_tip_id", format!("task_{name}")),
        ("mapreduce_task_attempt_id", "mapred_task_id", attempt),
        ("mapreduce_task_partition", "mapred_task_partition", number.to_string()),
        ("mapreduce_task_ismap", "mapred_task_is_map", (letter == 'm').to_string()),
    ];
    if let Task::Map(split) = task {
        let path = split.path.place().into_owned();
        variables.push(("mapreduce_map_input_file", "map_input_file", path));
        variables.push(("mapreduce_map_input_start", "map_input_start", split.start.to_string()));
        variables.push(("mapreduce_map_input_length", "map_input_length", split.length.to_string()));
    }
    let both = |(new, old, value): (&str, &str, String)| [(new.to_owned(), value.clone()), (old.to_owned(), value)];
    variables.into_iter().flat_map(both).collect()
}

fn variable(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configuration_has_names_of_variables() {
        let configuration: Properties =
            [("a.b-c$d", "1"), ("plain9", "äbc"), ("ä", "x")].map(|(n, v)| (n.to_owned(), v.to_owned())).into();
        let got = of_configuration(&configuration, Some(2));
        let got: Vec<(&str, &str)> = got.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        assert_eq!(got, [("_", "x"), ("a_b_c_d", "1"), ("plain9", "äb")]);
    }

    #[test]
    fn a_task_gets_its_ids() {
        let path = crate::testing::here("/in/a");
        let split = Split { path, start: 5, length: 7, modified: None };
        let map = of_task("job_260101_0004", Task::Map(&split), 3);
        assert_eq!(map["mapreduce_task_id"], "task_260101_0004_m_000003");
        assert_eq!(map["mapred_task_id"], "attempt_260101_0004_m_000003_0");
        assert_eq!((map["map_input_file"].as_str(), map["mapreduce_map_input_start"].as_str()), ("/in/a", "5"));
        let reduce = of_task("job_260101_0004", Task::Reduce, 0);
        assert_eq!((reduce["mapreduce_task_ismap"].as_str(), reduce["mapred_task_partition"].as_str()), ("false", "0"));
        assert!(!reduce.contains_key("map_input_file"));
    }
}
