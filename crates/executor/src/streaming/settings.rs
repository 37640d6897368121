//! Reads the configuration of a streaming job as Hadoop reads its own, under the new and the old names of its
//! properties.
//!
//! Lists the properties that select Java classes, which do not exist here.

use super::record::Fields;
use crate::failure::Failure;
use howdah_words::model::Properties;

/// Properties that select a Java class, with the classes that this implementation equals.
const CLASSES: [(&str, &[&str]); 20] = [
    ("mapred.mapper.class", &["org.apache.hadoop.streaming.PipeMapper"]),
    ("mapreduce.job.map.class", &[]),
    ("mapred.map.runner.class", &["org.apache.hadoop.streaming.PipeMapRunner"]),
    ("mapred.reducer.class", &["org.apache.hadoop.streaming.PipeReducer"]),
    ("mapreduce.job.reduce.class", &[]),
    ("mapred.partitioner.class", &["org.apache.hadoop.mapred.lib.HashPartitioner"]),
    ("mapreduce.job.partitioner.class", &["org.apache.hadoop.mapreduce.lib.partition.HashPartitioner"]),
    ("mapred.input.format.class", &["org.apache.hadoop.mapred.TextInputFormat"]),
    ("mapreduce.job.inputformat.class", &["org.apache.hadoop.mapreduce.lib.input.TextInputFormat"]),
    ("mapred.output.format.class", &["org.apache.hadoop.mapred.TextOutputFormat"]),
    ("mapreduce.job.outputformat.class", &["org.apache.hadoop.mapreduce.lib.output.TextOutputFormat"]),
    ("mapred.output.key.comparator.class", &[]),
    ("mapreduce.job.output.key.comparator.class", &[]),
    ("mapred.output.value.groupfn.class", &[]),
    ("mapreduce.job.output.group.comparator.class", &[]),
    ("stream.map.input.writer.class", &["org.apache.hadoop.streaming.io.TextInputWriter"]),
    ("stream.map.output.reader.class", &["org.apache.hadoop.streaming.io.TextOutputReader"]),
    ("stream.reduce.input.writer.class", &["org.apache.hadoop.streaming.io.TextInputWriter"]),
    ("stream.reduce.output.reader.class", &["org.apache.hadoop.streaming.io.TextOutputReader"]),
    ("textinputformat.record.delimiter", &["\n"]),
];

/// Returns the first property that selects another class, with the class.
pub(super) fn foreign_class(configuration: &Properties) -> Option<(&'static str, &str)> {
    CLASSES.iter().find_map(|(property, same)| {
        let class = configuration.get(*property).map(String::as_str).filter(|class| !class.is_empty())?;
        (!same.contains(&class)).then_some((*property, class))
    })
}

/// Returns the entries of a list with commas; a comma between braces belongs to a pattern.
pub(super) fn list(text: &str) -> Vec<&str> {
    let mut depth = 0_usize;
    let entries = text.split(|letter| {
        match letter {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        letter == ',' && depth == 0
    });
    entries.map(str::trim).filter(|entry| !entry.is_empty()).collect()
}

/// The default of a property.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truth {
    Yes,
    No,
}

/// The action's configuration, read as Hadoop reads its own: the first of several names that is set counts.
pub(super) struct Settings<'a>(pub(super) &'a Properties);

impl Settings<'_> {
    /// Returns the first value that is not blank, without the blanks around it.
    pub(super) fn text(&self, names: &[&str]) -> Option<&str> {
        let mut values = names.iter().filter_map(|name| self.0.get(*name).map(|value| value.trim()));
        values.find(|value| !value.is_empty())
    }

    /// Returns a value with its blanks: a separator may be one.
    pub(super) fn raw(&self, name: &str, default: &str) -> String {
        self.0.get(name).map_or(default, String::as_str).to_owned()
    }

    /// Returns a whole number; `None` for -1, which means no limit in Hadoop's defaults. JA018 for other texts.
    pub(super) fn number(&self, names: &[&str]) -> Result<Option<u64>, Failure> {
        let Some(text) = self.text(names) else { return Ok(None) };
        let number = text.parse().map_err(|_| refused(&format!("{} [{text}] is no whole number", names[0])));
        if text == "-1" { Ok(None) } else { number.map(Some) }
    }

    /// Returns a truth value; the default for anything but `true` and `false`.
    pub(super) fn truth(&self, names: &[&str], default: Truth) -> bool {
        match self.text(names) {
            Some(text) if text.eq_ignore_ascii_case("true") => true,
            Some(text) if text.eq_ignore_ascii_case("false") => false,
            _ => default == Truth::Yes,
        }
    }

    /// Returns where keys end, from the properties of the separator and of the number of fields. JA018 for other texts.
    pub(super) fn fields(&self, separator: &str, in_key: &str) -> Result<Fields, Failure> {
        let in_key = self.number(&[in_key])?.unwrap_or(1);
        Ok(Fields { separator: self.raw(separator, "\t"), in_key: usize::try_from(in_key).unwrap_or(usize::MAX) })
    }
}

pub(super) fn refused(why: &str) -> Failure {
    Failure::error("JA018", why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_inputs_have_commas_and_patterns_have_them_too() {
        assert_eq!(list("a, b,,/c/{d,e}/*,f"), ["a", "b", "/c/{d,e}/*", "f"]);
    }

    #[test]
    fn the_first_name_that_is_set_counts() {
        let properties: Properties =
            [("new", " "), ("old", " 7 "), ("none", "-1"), ("bad", "7x"), ("yes", "TRUE"), ("odd", "maybe")]
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .into();
        let settings = Settings(&properties);
        assert_eq!(settings.text(&["new", "old"]), Some("7"));
        assert_eq!(settings.number(&["missing", "old"]).unwrap(), Some(7));
        assert_eq!(settings.number(&["none"]).unwrap(), None);
        assert_eq!(settings.number(&["bad"]).unwrap_err().message, "bad [7x] is no whole number");
        assert!(settings.truth(&["yes"], Truth::No) && settings.truth(&["odd"], Truth::Yes));
        assert_eq!((settings.raw("new", "x").as_str(), settings.raw("missing", "x").as_str()), (" ", "x"));
    }
}
