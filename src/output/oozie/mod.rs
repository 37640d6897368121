//! The texts of Oozie's own command line, byte by byte: its columns, rulers, dashes and times.
//!
//! Nothing is cut, wrapped or coloured, because programs read these texts. Must not decide anything about jobs.

pub(crate) mod actions;
pub(crate) mod bundle;
pub(crate) mod coordinator;
pub(crate) mod dryrun;
mod time;
pub(crate) mod workflow;

pub(crate) use time::OozieZone;

use howdah_words::error::Error;

/// The line between parts of a text and rows of a table: 132 dashes.
pub(crate) const RULER: &str = "-----------------------------------------------------------------\
                                -------------------------------------------------------------------";

/// What is printed when no job matches.
const NO_JOBS: &str = "No Jobs match your criteria!";

/// What is printed when no action matches.
pub(crate) const NO_ACTIONS: &str = "No Actions match your criteria!";

/// How a text looks: in which zone its times are, and whether everything is shown, separated by tabs.
#[derive(Clone, Debug)]
pub(crate) struct Style {
    pub(crate) zone: OozieZone,
    pub(crate) verbose: bool,
}

/// A text that grows line by line.
#[derive(Debug, Default)]
pub(super) struct Lines(String);

impl Lines {
    pub(super) fn add(&mut self, line: impl AsRef<str>) {
        self.0.push_str(line.as_ref());
        self.0.push('\n');
    }

    pub(super) fn ruler(&mut self) {
        self.add(RULER);
    }

    /// Adds `label : value`; the label is written with its blanks.
    pub(super) fn labelled(&mut self, label: &str, value: impl AsRef<str>) {
        self.add(format!("{label}: {}", value.as_ref()));
    }

    /// Adds a row of cells, each as wide as its column or wider.
    pub(super) fn row<const N: usize>(&mut self, widths: [usize; N], cells: [&str; N]) {
        let cells = widths.iter().zip(cells).map(|(width, cell)| format!("{cell:<width$}"));
        self.add(cells.collect::<String>());
    }

    /// Adds a row of values that tabs separate.
    pub(super) fn tabs<const N: usize>(&mut self, values: [&str; N]) {
        self.add(values.join("\t"));
    }

    pub(super) fn text(self) -> String {
        self.0
    }
}

/// The heads of a list of jobs.
pub(super) struct Heads<const ALL: usize, const COLUMNS: usize> {
    /// What everything is called, separated by tabs.
    pub(super) verbose: [&'static str; ALL],
    /// The columns and their widths.
    pub(super) columns: [&'static str; COLUMNS],
    pub(super) widths: [usize; COLUMNS],
}

/// `oozie jobs`: a head, and each job, which `add` adds, with a ruler behind it.
pub(super) fn list<J, const ALL: usize, const COLUMNS: usize>(
    jobs: &[J],
    style: &Style,
    heads: &Heads<ALL, COLUMNS>,
    add: impl Fn(&mut Lines, &J),
) -> String {
    let mut lines = Lines::default();
    if jobs.is_empty() {
        lines.add(NO_JOBS);
        return lines.text();
    }
    if style.verbose {
        lines.tabs(heads.verbose);
    } else {
        lines.row(heads.widths, heads.columns);
    }
    lines.ruler();
    for job in jobs {
        add(&mut lines, job);
        lines.ruler();
    }
    lines.text()
}

/// Returns a value, or a dash for an absent or an empty one.
pub(super) fn or_dash(value: Option<&str>) -> &str {
    value.filter(|value| !value.is_empty()).unwrap_or("-")
}

/// Returns the line for an error, as Oozie's client writes it: the code of the server's answer, then its message.
pub(crate) fn error(error: &Error) -> String {
    let code = error.oozie_code().unwrap_or_else(|| error.code());
    format!("Error: {code} : {error}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use howdah_words::error::ErrorCode;

    #[test]
    fn the_ruler_has_132_dashes() {
        assert_eq!((RULER.len(), RULER.trim_matches('-')), (132, ""));
    }

    #[test]
    fn cells_are_filled_and_never_cut() {
        let mut lines = Lines::default();
        lines.row([4, 4, 2], ["a", "too long", ""]);
        assert_eq!(lines.text(), "a   too long  \n");
        assert_eq!([or_dash(None), or_dash(Some("")), or_dash(Some("x"))], ["-", "-", "x"]);
    }

    #[test]
    fn an_error_has_its_code_twice() {
        let missing = Error::new(ErrorCode::E0604, "0000000-1-x-W");
        assert_eq!(error(&missing), "Error: E0604 : E0604: Job does not exist [0000000-1-x-W]");
        let wrapped = Error::new(ErrorCode::E0701, "x").reported_by_oozie_as(ErrorCode::E1310);
        assert!(error(&wrapped).starts_with("Error: E1310 : E0701: "));
    }
}
