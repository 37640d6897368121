//! The class of Oozie that runs an action. An action may name another class (specification 3.2.6.1).
//!
//! These classes do not exist here: an action that names another one is refused. The `main-class` of a `java` action
//! wins over this property, as in Oozie.

use crate::context::ActionContext;
use crate::failure::Failure;
use howdah_xml::Element;

const MAIN_CLASS: &str = "oozie.launcher.action.main.class";
const PACKAGE: &str = "org.apache.oozie.action.hadoop.";
/// The types of action and the classes that Oozie runs them with.
const CLASSES: [(&str, &[&str]); 9] = [
    ("distcp", &["DistcpMain"]),
    ("git", &["GitMain"]),
    ("hive", &["HiveMain"]),
    ("hive2", &["Hive2Main"]),
    ("map-reduce", &["MapReduceMain", "StreamingMain", "PipesMain"]),
    ("pig", &["PigMain"]),
    ("shell", &["ShellMain"]),
    ("spark", &["SparkMain"]),
    ("sqoop", &["SqoopMain"]),
];

/// Refuses an action that names another class than Oozie's own, with JA018.
pub(super) fn check(element: &Element, context: &ActionContext<'_>) -> Result<(), Failure> {
    let Some((_, own)) = CLASSES.iter().find(|(kind, _)| *kind == element.name) else { return Ok(()) };
    let named = context.configuration.get(MAIN_CLASS).map(|class| class.trim()).unwrap_or_default();
    let is_own = named.strip_prefix(PACKAGE).is_some_and(|class| own.contains(&class));
    if named.is_empty() || is_own {
        return Ok(());
    }
    let why = "the classes of Oozie that it replaces are not part of howdah; use a java action with this main-class";
    Err(Failure::error("JA018", format!("{MAIN_CLASS} [{named}] cannot be used: {why}")))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Sandbox, element};
    use super::*;

    fn check_class(xml: &str, class: &str, is_refused: bool) {
        let mut sandbox = Sandbox::new();
        sandbox.configuration.insert(MAIN_CLASS.to_owned(), class.to_owned());
        let got = check(&element(xml), &sandbox.context());
        assert_eq!(got.as_ref().err().map(|failure| failure.code.as_str()), is_refused.then_some("JA018"), "{xml}");
    }

    #[test]
    fn a_class_that_is_not_here_is_refused() {
        for kind in ["distcp", "git", "hive", "hive2", "map-reduce", "pig", "shell", "spark", "sqoop"] {
            check_class(&format!("<{kind}/>"), "org.my.CustomMain", true);
            check_class(&format!("<{kind}/>"), "", false);
        }
        check_class("<map-reduce/>", " org.apache.oozie.action.hadoop.StreamingMain ", false);
        check_class("<pig/>", "org.apache.oozie.action.hadoop.PigMain", false);
        check_class("<pig/>", "org.apache.oozie.action.hadoop.HiveMain", true);
        check_class("<java/>", "org.my.CustomMain", false);
        check_class("<fs/>", "org.my.CustomMain", false);
    }
}
