//! What the site says of the environment of commands: `howdah.env.pass` and `howdah.env.NAME`.

use crate::settings::site::Site;
use howdah_host::command_environment::CommandVariables;

/// The prefix of the variables that the site sets.
const SET: &str = "howdah.env.";
/// The names of variables that are passed on.
const PASS: &str = "howdah.env.pass";

impl Site<'_> {
    /// Reads what the site says of the environment of commands. A value is set as it is; an empty one is an empty
    /// variable.
    pub(super) fn environment(&mut self, settings: &mut CommandVariables) {
        let given = self.given;
        let names = self.text(PASS).unwrap_or_default();
        if given.values.contains_key(PASS) {
            settings.pass = names
                .split(|character: char| character == ',' || character.is_whitespace())
                .filter(|name| !name.is_empty())
                .map(str::to_owned)
                .collect();
        }
        for (property, value) in given.values.iter().filter(|(property, _)| *property != PASS) {
            let Some(name) = property.strip_prefix(SET) else { continue };
            // It is read, whatever it says.
            self.text(property);
            match why_not(name, value) {
                None => {
                    settings.set.insert(name.to_owned(), value.clone());
                }
                Some(why) => self.refuse(property, value, why),
            }
        }
    }
}

/// Returns why a variable cannot be set.
fn why_not(name: &str, value: &str) -> Option<&'static str> {
    if name.is_empty() || name.contains(['=', '\0']) {
        Some("what follows howdah.env. must be the name of a variable")
    } else if name.starts_with("HOWDAH_") {
        Some("howdah sets this variable itself")
    } else if value.contains('\0') {
        Some("a variable cannot have a zero byte")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::settings::Settings;
    use howdah_host::command_environment::DEFAULT_PASS;
    use howdah_oozie::configuration::parse_properties;
    use howdah_words::error::SourceText;

    #[test]
    fn the_site_passes_on_and_sets_variables() {
        let check = |line: &str, expect: &str| {
            let site = parse_properties(&SourceText::new("site", line)).unwrap();
            let (settings, problems) = Settings::from_site(&site);
            let CommandVariables { pass, set } = settings.command_variables;
            let codes: Vec<&str> = problems.iter().map(|problem| problem.code().as_str()).collect();
            assert_eq!(format!("{} {set:?} {codes:?}", pass.join(",")), expect, "{line}");
        };
        let usual = DEFAULT_PASS.join(",");
        check("", &format!("{usual} {{}} []"));
        check("howdah.env.pass=", " {} []");
        check("howdah.env.pass=A, B*\\n C", "A,B*,C {} []");
        check("howdah.env.PATH=/opt/bin:/bin", &format!("{usual} {{\"PATH\": \"/opt/bin:/bin\"}} []"));
        check("howdah.env.EMPTY=", &format!("{usual} {{\"EMPTY\": \"\"}} []"));
        check("howdah.env.=x", &format!("{usual} {{}} [\"H0121\"]"));
        check("howdah.env.HOWDAH_DB=/x", &format!("{usual} {{}} [\"H0121\"]"));
        check("howdah.evn.PATH=x", &format!("{usual} {{}} [\"W0131\"]"));
    }
}
