//! What of a job is shown to a person for whom the job does not work: stars in place of secret values.
//!
//! A secret is found by its name ([`secret_text`]). Its value is then hidden wherever it occurs in what is shown of the
//! job: an evaluated element, an error, the output of a command.

use std::borrow::Cow;

use serde_json::Value;

use crate::query::context::Query;
use howdah_engine::lookup::Job;
use howdah_engine::run_as;
use howdah_engine::stored_properties::read_properties;
use howdah_words::error::Result;
use howdah_words::model::Properties;
use howdah_words::model::id::JobId;
use howdah_words::model::secret::masked;
use howdah_words::model::secret_name::{HIDDEN, is_secret_value};
use howdah_words::model::secret_text::{self, hide};

/// Shorter values are hidden only where their names are: such a text may be anything.
const SHORTEST: usize = 6;

/// Of how many of the latest workflow jobs of a coordinator job the definitions are read: a log has no more of them.
const MOST_WORKFLOWS: u32 = 10_000;

/// What hides the secret values of one job.
#[derive(Clone, Debug, Default)]
pub struct Veil {
    /// The secret values, the longest first; `None` for a reader who may see them.
    values: Option<Vec<String>>,
}

impl Query<'_> {
    /// Returns what hides the secret values of a job from the reader of this query.
    ///
    /// # Errors
    /// E0604 when there is no such job.
    pub fn veil(&self, id: &JobId) -> Result<Veil> {
        let job = Job::of(self.snapshot, id)?;
        if self.reads_for.as_ref().map_or_else(|| run_as::may_work_for(job.user()), |users| users.has(job.user())) {
            return Ok(Veil::default());
        }
        let (definition, configuration) = self.documents(id)?;
        let properties = read_properties(&self.snapshot.document(configuration)?)?;
        let mut definitions = vec![definition];
        if let Job::Coordinator(job) = &job {
            // Its log has what the commands of its workflow jobs have written.
            for workflow in self.snapshot.workflow_jobs_of_coordinator(job.job, MOST_WORKFLOWS)? {
                if !definitions.contains(&workflow.definition) {
                    definitions.push(workflow.definition);
                }
            }
        }
        let texts = definitions.into_iter().map(|definition| self.snapshot.document(definition));
        Ok(Veil::over(&properties, &texts.collect::<Result<Vec<String>>>()?))
    }
}

impl Veil {
    fn over(properties: &Properties, definitions: &[String]) -> Self {
        let mut values: Vec<String> = Vec::new();
        for (name, value) in properties {
            if is_secret_value(name, value) {
                values.push(value.trim().to_owned());
            } else {
                values.extend(secret_text::in_words(value).into_iter().map(|place| value[place].to_owned()));
            }
        }
        for definition in definitions {
            values.extend(secret_text::in_xml(definition).into_iter().map(|place| definition[place].to_owned()));
        }
        values.retain(|value| value.len() >= SHORTEST && !value.contains("${") && value != HIDDEN);
        let escaped: Vec<String> = values.iter().flat_map(|value| in_markup(value)).collect();
        values.extend(escaped);
        values.sort_unstable_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        values.dedup();
        Self { values: Some(values) }
    }

    /// Returns whether it hides something.
    pub const fn is_closed(&self) -> bool {
        self.values.is_some()
    }

    /// Hides the values in a text.
    pub fn text(&self, text: String) -> String {
        let Some(values) = &self.values else { return text };
        values.iter().fold(text, |text, value| if text.contains(value) { text.replace(value, HIDDEN) } else { text })
    }

    /// Hides the values in lines that a command or a person has written, and those that have a name there.
    pub fn lines(&self, text: &str) -> String {
        let line = |line: &str| self.text(hide(line, &secret_text::in_words(line)).into_owned());
        text.split_inclusive('\n').map(line).collect()
    }

    /// Hides the values in a definition, or in an element of one.
    pub fn xml(&self, text: String) -> String {
        if !self.is_closed() {
            return text;
        }
        let named = hide(&text, &secret_text::in_xml(&text)).into_owned();
        self.text(masked(&named).into_owned())
    }

    /// Hides the values of properties.
    pub fn properties(&self, properties: Properties) -> Properties {
        if !self.is_closed() {
            return properties;
        }
        let shown = secret_text::without_secrets(properties).into_iter();
        shown.map(|(name, value)| (name, self.text(masked(&value).into_owned()))).collect()
    }

    /// Hides the values in what a node has captured.
    pub fn captured(&self, data: Option<String>) -> Option<String> {
        if !self.is_closed() {
            return data;
        }
        data.map(|data| match read_properties(&data) {
            Ok(properties) => serde_json::json!(self.properties(properties)).to_string(),
            Err(_) => self.text(hide(&data, &secret_text::in_words(&data)).into_owned()),
        })
    }

    /// Hides the values in the texts of a document.
    pub fn document(&self, document: &mut Value) {
        match document {
            Value::String(text) => *text = self.text(std::mem::take(text)),
            Value::Array(parts) => parts.iter_mut().for_each(|part| self.document(part)),
            Value::Object(parts) => parts.values_mut().for_each(|part| self.document(part)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Hides the values in a page: in its texts, by names too, and in the values of attributes. It stays a page.
    pub fn page(&self, page: &str) -> String {
        let mut shown = String::with_capacity(page.len());
        let mut rest = page;
        while !rest.is_empty() {
            let (text, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
            let (tag, behind) = tag.split_at(tag.find('>').map_or(tag.len(), |end| end + 1));
            shown.push_str(&self.lines(text));
            for (number, part) in tag.split('"').enumerate() {
                let quote = if number == 0 { "" } else { "\"" };
                let part = if number % 2 == 1 { Cow::Owned(self.text(part.to_owned())) } else { Cow::Borrowed(part) };
                shown.extend([quote, &part]);
            }
            rest = behind;
        }
        shown
    }
}

/// Returns the other forms of a value in XML and HTML: escaped, or read.
fn in_markup(value: &str) -> Vec<String> {
    let text = value.strip_prefix("<![CDATA[").and_then(|value| value.strip_suffix("]]>")).unwrap_or(value);
    let read = [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")];
    let read = read.into_iter().fold(text.to_owned(), |text, (escaped, plain)| text.replace(escaped, plain));
    let escape = |quotes: &[(&str, &str)]| {
        let all = [("&", "&amp;"), ("<", "&lt;"), (">", "&gt;")].iter().chain(quotes);
        all.fold(read.clone(), |text, (plain, escaped)| text.replace(plain, escaped))
    };
    let forms = [escape(&[]), escape(&[("\"", "&quot;")]), escape(&[("\"", "&quot;"), ("'", "&#39;")]), read.clone()];
    forms.into_iter().filter(|form| form != value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn veil(pairs: &[(&str, &str)], definition: &str) -> Veil {
        let pairs = pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Veil::over(&pairs.collect(), &[definition.to_owned()])
    }

    #[test]
    fn a_value_is_hidden_wherever_it_occurs() {
        let veil = veil(
            &[("a.password", "HUNTER2<PW"), ("b", "--token WITHIN"), ("short.key", "abc"), ("c.token", "${t}T1234")],
            "<a><password>OFDEFINITION</password></a>",
        );
        for (text, expect) in [
            ("x HUNTER2<PW y", "x ***** y"),
            ("x HUNTER2&lt;PW", "x *****"),
            ("WITHIN,OFDEFINITION", "*****,*****"),
            ("abc T1234", "abc T1234"),
        ] {
            assert_eq!(veil.text(text.to_owned()), expect);
        }
        let mut document = serde_json::json!({ "HUNTER2<PW": ["a HUNTER2<PW", 1] });
        veil.document(&mut document);
        assert_eq!(document, serde_json::json!({ "HUNTER2<PW": ["a *****", 1] }));
        assert_eq!(
            veil.page("<WITHIN a=\"WITHIN\">WITHIN</WITHIN> HUNTER2&lt;PW"),
            "<WITHIN a=\"*****\">*****</WITHIN> *****"
        );
        let data = veil.captured(Some("{\"my.token\":\"x\",\"b\":\"WITHIN\",\"c\":\"d\"}".to_owned()));
        assert_eq!(data.as_deref(), Some("{\"b\":\"*****\",\"c\":\"d\",\"my.token\":\"*****\"}"));
        assert_eq!(
            veil.xml("<a><arg>--password</arg><arg>x</arg></a>".to_owned()),
            "<a><arg>--password</arg><arg>*****</arg></a>"
        );
    }

    #[test]
    fn the_own_user_sees_all() {
        let veil = Veil::default();
        assert_eq!(veil.xml("<password>x</password>".to_owned()), "<password>x</password>");
        assert_eq!(veil.captured(Some("x".to_owned())).as_deref(), Some("x"));
    }
}
