//! The scripts for the other machine: one runs the command, one ends it after a kill here.
//!
//! Killing the client ends only the connection. So the command runs below a shell that first writes its process number
//! to a file with an unguessable name. The script that ends it reads the number there. If it comes first, it creates
//! the file itself, and the command does not start. The file is removed when the command has ended. Standard output and
//! standard error have only the command's output.

use howdah_host::shell_word::quoted;
use howdah_xml::Element;

/// Runs `$1` with the account's own shell. `$0` is the name of the file; `$$` is the number of the session too, because
/// the server makes one for each command.
const BEGIN: &str = concat!(
    "f=${TMPDIR:-/tmp}/$0; ",
    "(umask 077; set -C; echo $$ >\"$f\") 2>/dev/null || ",
    "{ echo \"howdah: $f cannot be written, so the command could not be ended: not started\" >&2; exit 126; }; ",
    "\"${SHELL:-/bin/sh}\" -c \"$1\"; s=$?; rm -f \"$f\"; exit $s",
);

/// Ends what [`BEGIN`] started: every process of its session where the machine lists sessions, else of its group; with
/// SIGTERM, and five seconds later with SIGKILL.
const END: &str = concat!(
    "f=${TMPDIR:-/tmp}/$0; ",
    // Nothing has started: a late start finds the file for two seconds.
    "(umask 077; set -C; : >\"$f\") 2>/dev/null && { sleep 2; rm -f \"$f\"; exit 0; }; ",
    "p=$(cat \"$f\" 2>/dev/null); case $p in \"\"|*[!0-9]*) exit 0;; esac; ",
    "all() { echo \"-$p\"; ps -e -o sess= -o pid= 2>/dev/null | ",
    "while read -r s i; do if [ \"$s\" = \"$p\" ]; then echo \"$i\"; fi; done; }; ",
    "kill -s TERM -- $(all) 2>/dev/null; ",
    "for n in 1 2 3 4 5; do sleep 1; kill -s 0 -- $(all) 2>/dev/null || break; done; ",
    "kill -s KILL -- $(all) 2>/dev/null; rm -f \"$f\"",
);

/// Returns the command of an `ssh` element as the account's shell gets it: `args` as one text that the shell splits
/// again, `arg` as items that stay whole.
pub(super) fn command(element: &Element) -> String {
    let mut parts = vec![element.child("command").map(|command| command.text().value).unwrap_or_default()];
    parts.extend(element.children_named("args").map(|args| args.text().value));
    parts.extend(element.children_named("arg").map(|arg| whole(&arg.text().value)));
    parts.join(" ")
}

/// Returns what the server runs for `command`.
pub(super) fn begin(token: &str, command: &str) -> String {
    format!("{} {}", shell(BEGIN, token), quoted(command))
}

/// Returns what the server runs after a kill.
pub(super) fn end(token: &str) -> String {
    shell(END, token)
}

fn shell(script: &str, token: &str) -> String {
    format!("exec /bin/sh -c {} howdah-run-{token}", quoted(script))
}

/// Returns an item whose blanks do not split it: they are escaped where it does not quote them itself. The shell reads
/// everything else.
fn whole(item: &str) -> String {
    if item.is_empty() {
        return "''".to_owned();
    }
    let (mut escaped, mut quote) = (String::with_capacity(item.len()), None);
    for character in item.chars() {
        match (quote, character) {
            (Some(end), _) if character == end => quote = None,
            (None, '\'' | '"') => quote = Some(character),
            (None, ' ' | '\t') => escaped.push('\\'),
            _ => {}
        }
        escaped.push(character);
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::element;
    use super::*;

    fn check(body: &str, expect: &str) {
        assert_eq!(command(&element(&format!("<ssh>{body}</ssh>"))), expect, "{body}");
    }

    #[test]
    fn args_are_split_again_and_an_arg_stays_whole() {
        check("<command>ls</command>", "ls");
        check("<command>echo</command><args>a b</args><args>$HOME</args>", "echo a b $HOME");
        check("<command>echo</command><arg>a b</arg><arg>$HOME</arg>", r"echo a\ b $HOME");
        check("<command>echo</command><arg>\"a b\"</arg><arg>'c  d'</arg>", "echo \"a b\" 'c  d'");
        check("<command>echo</command><arg>--x=\"a b\" c</arg><arg/>", "echo --x=\"a b\"\\ c ''");
    }

    #[test]
    fn every_text_is_one_word_of_the_servers_shell() {
        let text = begin("7", "echo 'a'");
        assert!(text.starts_with("exec /bin/sh -c '") && text.ends_with(r"' howdah-run-7 'echo '\''a'\'''"), "{text}");
        for script in [BEGIN, END] {
            assert!(!script.contains('\'') && !script.contains('\n'), "csh takes no line break in quotes: {script}");
        }
    }
}
