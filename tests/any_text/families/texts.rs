//! Families of small texts and of plain XML: repetitions that ignore the meaning.

use super::{Grown, Repeated, numbered};

/// Pieces that are repeated in texts of every kind.
pub(super) const PIECES: [&str; 32] = [
    "(", ")", "${", "[", "{", "}", "<a", "<a>", "</", "<!", "&", "&amp;", "&#", "'", "\"", ",", ";", "/", "-", ".",
    "a.", "#", "=", ":", "\\", "\\\n", "\\u", "\n", " ", "9", "a", "é",
];

/// What is repeated inside texts whose start and end are valid.
pub(super) const REPEATED: [Repeated; 76] = [
    ("request", "GET /?filter=", "status=RUNNING;", " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("request", "GET /oozie/v1/job/", "hourly/", " HTTP/1.1\r\nHost: localhost\r\n\r\n"),
    ("request", "GET / HTTP/1.1\r\nHost: localhost\r\n", "x-@: 1\r\n", "\r\n"),
    ("cron", "", "1,", " * * * *"),
    ("cron", "", "1-2/3,", "1 * * * *"),
    ("cron", "* * ", "L,", " * *"),
    ("cron", "* * * * ", "MON,", "MON"),
    ("cron", "* * * * ", "* ", "*"),
    ("cron", "*/", "0", "1 * * * *"),
    ("cron", "* * * * *", " ", ""),
    ("datetime", "", "9", "-01-01T00:00Z"),
    ("datetime", "2009-01-01T00:00", "Z", ""),
    ("datetime", "", "y", ""),
    ("datetime", "'", "a''", "'"),
    ("datetime", "", "yMdHm", ""),
    ("datetime", "GMT+", "0", ""),
    ("datetime", "America/", "Los_", "Angeles"),
    ("datetime", "0000000-1-oozie-oozi-W@", "a", ""),
    ("el", "", "${a}", ""),
    ("el", "", "\\${", ""),
    ("el", "", "#{a}", ""),
    ("el", "", "${nope@}", ""),
    ("el", "${", "(", ""),
    ("el", "${", "-", "1}"),
    ("el", "${1", " + 1", "}"),
    ("el", "${a", ".b", "}"),
    ("el", "${a", "[0]", "}"),
    ("el", "${", "true ? 1 : ", "0}"),
    ("el", "${a", ":b", "}"),
    ("el", "${f(1", ", 1", ")}"),
    ("el", "${", "concat(a, ", ""),
    ("el", "${'", "a", "'}"),
    ("el", "${'", "\\\\", "'}"),
    ("el", "${'", "a", ""),
    ("el", "${", "a", "}"),
    ("el", "${", "9", "}"),
    ("el", "${1e", "9", "}"),
    ("el", "", "${concat('aaaa', 'bbbb')}", ""),
    ("el", "", "${replaceAll('a', 'a', 'b')}", ""),
    ("el", "", "${replaceAll('aaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a|a)*b', '')}", ""),
    ("el", "", "${replaceAll('aaaaaaaaaaaaaaaaaaaaaaaaaaaa', '(a|a)*\\\\1b', '')}", ""),
    ("el", "", "${replaceAll('a', '((a{99}){99}){9}', '')}", ""),
    ("el", "", "${appendAll('a,b,c', 'x', ',')}", ""),
    ("el", "${replaceAll('", "a", "', '(a*)*b', 'c')}"),
    ("el", "${replaceAll('", "a", "', 'a', '$0$0')}"),
    ("el", "", "${coord:days(1)}", ""),
    ("el", "", "${coord:formatTime('2009-01-01T00:00Z', 'yyyy')}", ""),
    ("el", "", "${wf:actionData('n')['a']}", ""),
    ("el", "", "${toConfigurationStr(wf:actionData('n'))}", ""),
    ("filter", "", "status=RUNNING;", ""),
    ("filter", "", "status=KILLED;status!=KILLED;", ""),
    ("filter", "", "nominaltime>=2009-01-01T00:00Z;", ""),
    ("filter", "", "name=@;", ""),
    ("filter", "statu", "s", "=RUNNING"),
    ("filter", "status=", "RUNNING", ""),
    ("filter", "hcat://h:1/db/t/", "k@=v;", ""),
    ("filter", "", "/${YEAR}", ""),
    ("filter", "/", "%20", ""),
    ("properties", "", "a@=b\n", ""),
    ("properties", "", "a=b\n", ""),
    ("properties", "", "a@=${a}\n", "a=1\n"),
    ("properties", "", "b@=${b@}\n", ""),
    ("properties", "a=", "${", ""),
    ("properties", "a=", "${b", "}"),
    ("properties", "a=", "x\\\n", ""),
    ("properties", "a=", "\\u00e9", ""),
    ("properties", "", "\\ ", "=1"),
    ("properties", "", "# x\n", ""),
    ("xml", "<a>", "<b/>", "</a>"),
    ("xml", "<a>", "x&amp;", "</a>"),
    ("xml", "<a>", "<![CDATA[x]]>", "</a>"),
    ("xml", "<a>", "x<!-- -->", "</a>"),
    ("xml", "<a ", "b='' ", "/>"),
    ("xml", "<a ", "b@='' ", "/>"),
    ("xml", "<a b='", "&#65;", "'/>"),
    ("xml", "<a xmlns:p='u'>", "<p:b xmlns:q@='v' q@:c=''/>", "</a>"),
];

/// Properties whose values refer to each other.
pub(super) const GROWN: [Grown; 5] = [
    ("properties", "many values that hold one long value", shared_value),
    ("properties", "many values with many references", many_references),
    ("properties", "a chain of references", chain_of_references),
    ("properties", "one long name in a circle", long_circle),
    ("properties", "references to what is not there", |bytes| {
        numbered(bytes, |n| format!("a_rather_long_name_{n}=${{another_long_name_{n}}}\n")).0
    }),
];

fn shared_value(bytes: usize) -> String {
    let (lines, _) = numbered(bytes / 2, |n| format!("b{n}=${{a}}\n"));
    format!("a={}\n{lines}", "x".repeat(bytes / 2))
}

fn many_references(bytes: usize) -> String {
    let (lines, _) = numbered(bytes, |n| format!("b{n}={}\n", "${a}".repeat(19)));
    format!("a=1\n{lines}")
}

fn chain_of_references(bytes: usize) -> String {
    numbered(bytes, |n| format!("a{n}=${{a{}}}\n", n + 1)).0
}

/// The refusal quotes the name and the value; parts of the name look like placeholders.
fn long_circle(bytes: usize) -> String {
    let name = "x".repeat(bytes / 3);
    format!("{name}={}${{{name}}}\n", "{0}".repeat(bytes / 9))
}
