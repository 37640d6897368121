//! The options of a `spark-opts` element: one text that becomes arguments of `spark-submit`.
//!
//! Follows `SparkArgsExtractor`: an option starts at each word with `--`; the text between its name and the next option
//! is one value, with all its blanks; a value that is completely in quotation marks loses them, the value of a property
//! (`--conf name="a b"`) too; `--name=value` is an option with its value.

/// Options in the order in which they were given.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SparkOptions(Vec<(String, Option<String>)>);

impl SparkOptions {
    /// Reads the text of `spark-opts`. A word before the first option is an option without value, for `spark-submit` to
    /// refuse.
    pub(super) fn parse(text: &str) -> Self {
        let mut options: Vec<(String, Option<String>)> = Vec::new();
        for part in parts(text) {
            let (name, value) = match part.find(|letter: char| letter == '=' || letter.is_whitespace()) {
                Some(end) if part.starts_with("--") => (&part[..end], Some(unquoted(part[end + 1..].trim()))),
                _ => (part, None),
            };
            options.push((name.to_owned(), value.filter(|value| !value.is_empty())));
        }
        Self(options)
    }

    /// Removes an option and returns its values, in their order.
    pub(super) fn take(&mut self, name: &str) -> Vec<String> {
        let values = self.0.iter().filter(|(own, _)| own == name).filter_map(|(_, value)| value.clone()).collect();
        self.0.retain(|(own, _)| own != name);
        values
    }

    /// Returns the last value of an option.
    pub(super) fn value(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(own, _)| own == name).and_then(|(_, value)| value.as_deref())
    }

    /// Returns the last value of a property of Spark that is set by `--conf`.
    pub(super) fn property(&self, name: &str) -> Option<&str> {
        let settings = self.0.iter().rev().filter(|(own, _)| own == "--conf").filter_map(|(_, value)| value.as_deref());
        settings.filter_map(|setting| setting.split_once('=')).find(|(own, _)| *own == name).map(|(_, value)| value)
    }

    /// Returns the arguments of `spark-submit`.
    pub(super) fn into_arguments(self) -> Vec<String> {
        self.0.into_iter().flat_map(|(name, value)| std::iter::once(name).chain(value)).collect()
    }
}

/// Returns the text cut before each word outside of quotation marks that starts with `--`.
fn parts(text: &str) -> Vec<&str> {
    let mut starts = vec![0];
    let mut is_quoted = false;
    let mut before = ' ';
    for (at, letter) in text.char_indices() {
        if letter == '"' {
            is_quoted = !is_quoted;
        } else if !is_quoted && before.is_whitespace() && text[at..].starts_with("--") {
            starts.push(at);
        }
        before = letter;
    }
    starts.push(text.len());
    starts.windows(2).map(|pair| text[pair[0]..pair[1]].trim()).filter(|part| !part.is_empty()).collect()
}

/// Returns a value without the quotation marks around the whole of it, or around the whole of what follows the name of
/// a property.
fn unquoted(value: &str) -> String {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '.');
    let (name, quoted) = match value.split_once('=') {
        Some((name, quoted)) if is_name(name) => (&value[..=name.len()], quoted),
        _ => ("", value),
    };
    let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    match inner.filter(|inner| !inner.contains('"')) {
        Some(inner) => format!("{name}{inner}"),
        None => value.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expect: &[&str]) {
        assert_eq!(SparkOptions::parse(text).into_arguments(), expect, "{text}");
    }

    #[test]
    fn an_option_has_all_up_to_the_next_one() {
        check("", &[]);
        check("--executor-memory 2G  --num-executors 5", &["--executor-memory", "2G", "--num-executors", "5"]);
        check("--conf a=b c --verbose", &["--conf", "a=b c", "--verbose"]);
        check("--conf=a=b --master=yarn", &["--conf", "a=b", "--master", "yarn"]);
        check("--conf \"a=-Dx --Dy=z\" --supervise", &["--conf", "a=-Dx --Dy=z", "--supervise"]);
        check("--conf a=\"b c\"", &["--conf", "a=b c"]);
        check("--conf a.b=\"-Dx -Dy=z\" --conf c=d", &["--conf", "a.b=-Dx -Dy=z", "--conf", "c=d"]);
        check("--conf=a=\"b --c\"", &["--conf", "a=b --c"]);
        check("--conf a=b \"c d\"", &["--conf", "a=b \"c d\""]);
        check("--conf a=\"b\" \"c\"", &["--conf", "a=\"b\" \"c\""]);
        check("--conf a=b c=\"d e\"", &["--conf", "a=b c=\"d e\""]);
        check("--conf \"a\" \"b\"", &["--conf", "\"a\" \"b\""]);
        check("--conf a=-XX:--b\n--jars x.jar", &["--conf", "a=-XX:--b", "--jars", "x.jar"]);
        check("stray --verbose", &["stray", "--verbose"]);
        check("--name \"\"", &["--name"]);
        check("--conf \"open --jars x", &["--conf", "\"open --jars x"]);
    }

    #[test]
    fn options_are_looked_up_and_taken() {
        let mut options = SparkOptions::parse("--conf a=1 --jars x,y --conf a=2=3 --jars z --deploy-mode cluster");
        assert_eq!((options.property("a"), options.property("b")), (Some("2=3"), None));
        assert_eq!((options.value("--deploy-mode"), options.value("--x")), (Some("cluster"), None));
        assert_eq!(options.take("--jars"), ["x,y", "z"]);
        assert_eq!(options.into_arguments(), ["--conf", "a=1", "--conf", "a=2=3", "--deploy-mode", "cluster"]);
    }
}
