//! Values whose names say that they are secret: never shown.

/// What is shown in place of a secret value.
pub const HIDDEN: &str = "*****";

/// Parts of a name, between characters that are no letters, that make its value a secret.
const SECRET: [&str; 14] = [
    "apikey",
    "auth",
    "authorization",
    "cookie",
    "credential",
    "credentials",
    "key",
    "passphrase",
    "passwd",
    "password",
    "pwd",
    "secret",
    "signature",
    "token",
];
/// What long parts of a name contain when their value is a secret: `PGPASSWORD`, `accessToken`.
const CONTAINED: [&str; 5] = ["apikey", "passwd", "password", "secret", "token"];

/// Checks whether the value of this name is a secret, such as `DB_PASSWORD` or `aws.secret.key`.
pub fn is_secret(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    name.split(|character: char| !character.is_ascii_alphabetic()).any(|part| SECRET.contains(&part))
        || CONTAINED.iter().any(|word| name.contains(word))
}

/// Checks whether this value of this name is a secret. Nothing, `true` and an expression, which does not show its
/// value, are none.
pub fn is_secret_value(name: &str, value: &str) -> bool {
    is_secret(name) && !is_plain(value)
}

/// Checks whether a value says nothing, whatever its name.
pub(super) fn is_plain(value: &str) -> bool {
    let value = value.trim();
    matches!(value, "" | "true" | "false") || is_expression(value)
}

/// Checks whether a value is one expression and nothing else.
fn is_expression(value: &str) -> bool {
    value.strip_prefix("${").is_some_and(|rest| rest.find('}') == rest.len().checked_sub(1))
}

/// Returns a secret value as it is shown.
pub fn hidden(value: String) -> String {
    if is_plain(&value) { value } else { HIDDEN.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_secrets() {
        for name in [
            "DB_PASSWORD",
            "PGPASSWORD",
            "AWS_SECRET_ACCESS_KEY",
            "GITHUB_TOKEN",
            "accessToken",
            "API_KEY",
            "oozie.email.smtp.password",
            "SSH_KEY",
            "MY_AUTH",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for (value, is_secret) in [("x", true), ("", false), (" true ", false), ("${x}", false), ("a${x}", true)] {
            assert_eq!(is_secret_value("A_TOKEN", value), is_secret, "{value}");
        }
        for name in ["PATH", "KEYBOARD", "AUTHOR", "MONKEY", "howdah.mounts", "OOZIE_ACTION_CONF_XML", "KRB5CCNAME"] {
            assert!(!is_secret(name), "{name}");
        }
    }
}
