//! The calls that change files, read from a trace of strace.

use std::collections::BTreeMap;

/// The calls that are traced. The last ones change files too, but howdah does not use them on a file of its own: a
/// trace that has one cannot be replayed.
pub(super) const TRACED: &str = "trace=?open,openat,?creat,write,pwrite64,ftruncate,fsync,fdatasync,?rename,renameat,\
                                 renameat2,?unlink,unlinkat,?link,linkat,mknodat,?mkdir,mkdirat,writev,pwritev,\
                                 pwritev2,fallocate,copy_file_range,sendfile,truncate";

/// A change of one file, or a wait for the disk.
#[derive(Clone, Debug)]
pub(super) enum Call {
    /// The file is opened and created when it is absent; `empty` when its content is removed.
    Open {
        path: String,
        empty: bool,
    },
    /// Bytes at an offset, or behind the position of the file where `at` is `None`.
    Write {
        path: String,
        at: Option<usize>,
        bytes: Vec<u8>,
    },
    Truncate {
        path: String,
        length: usize,
    },
    /// What was changed before the place `began` is on the disk.
    Sync {
        path: String,
        began: usize,
    },
    Rename {
        from: String,
        to: String,
    },
    Link {
        from: String,
        to: String,
    },
    Remove {
        path: String,
    },
}

impl Call {
    /// The file that is changed.
    fn path(&self) -> &str {
        match self {
            Self::Open { path, .. }
            | Self::Write { path, .. }
            | Self::Truncate { path, .. }
            | Self::Sync { path, .. }
            | Self::Remove { path }
            | Self::Rename { to: path, .. }
            | Self::Link { to: path, .. } => path,
        }
    }
}

/// A call that has begun: its place in the list, and what it is.
struct Begun {
    place: usize,
    name: String,
    arguments: String,
}

/// Reads a trace (`strace -f -y -xx`) into the successful changes of files below `root`. Each has the place where it
/// began, a wait for the disk the place where it ended; places of other calls are empty.
///
/// # Panics
///
/// When a file below `root` is changed by a call that this module cannot replay.
pub(super) fn read(trace: &str, root: &str) -> Vec<Option<Call>> {
    let mut calls: Vec<Option<Call>> = Vec::new();
    let mut open: BTreeMap<&str, Begun> = BTreeMap::new();
    for line in trace.lines() {
        let Some((pid, rest)) = line.split_once(' ') else { continue };
        let rest = rest.trim_start();
        if let Some(resumed) = rest.strip_prefix("<... ") {
            let Some(begun) = open.remove(pid) else { continue };
            let (_, tail) = resumed.split_once("resumed>").expect("strace resumes a call");
            finish(&mut calls, &begun, &format!("{}{tail}", begun.arguments), root);
        } else if let Some((name, arguments)) = rest.split_once('(') {
            let begun = Begun { place: calls.len(), name: name.to_owned(), arguments: String::new() };
            calls.push(None);
            match arguments.strip_suffix("<unfinished ...>") {
                Some(half) => drop(open.insert(pid, Begun { arguments: half.to_owned(), ..begun })),
                None => finish(&mut calls, &begun, arguments, root),
            }
        }
    }
    calls
}

/// Notes a call that has ended, unless it failed or concerns other files.
fn finish(calls: &mut Vec<Option<Call>>, begun: &Begun, line: &str, root: &str) {
    // strace puts blanks before the equals sign.
    let Some((whole, result)) = line.rsplit_once(" = ") else { return };
    let Some(arguments) = whole.trim_end().strip_suffix(')') else { return };
    if result.starts_with(['-', '?']) {
        return;
    }
    let Some(call) = call(begun, &split(arguments), result) else { return };
    if !call.path().starts_with(root) {
        return;
    }
    match call {
        Call::Sync { .. } => calls.push(Some(call)),
        _ => calls[begun.place] = Some(call),
    }
}

/// Splits arguments at their commas; strings are hexadecimal, so that a comma is never in one.
fn split(arguments: &str) -> Vec<&str> {
    arguments.split(", ").map(str::trim).collect()
}

fn call(begun: &Begun, arguments: &[&str], result: &str) -> Option<Call> {
    let first = || of_descriptor(arguments[0]);
    let number = |place: usize| arguments[place].parse::<usize>().expect("a number");
    Some(match begun.name.as_str() {
        "open" | "openat" | "creat" => {
            let flags = arguments.iter().find(|argument| argument.starts_with("O_"))?;
            let creates = flags.contains("O_CREAT");
            let empty = flags.contains("O_TRUNC");
            if !creates && !empty {
                return None;
            }
            Call::Open { path: of_descriptor(result)?, empty }
        }
        "write" => Call::Write { path: first()?, at: None, bytes: bytes(arguments[1]) },
        "pwrite64" => Call::Write { path: first()?, at: Some(number(3)), bytes: bytes(arguments[1]) },
        "ftruncate" => Call::Truncate { path: first()?, length: number(1) },
        "fsync" | "fdatasync" => Call::Sync { path: first()?, began: begun.place },
        "rename" => Call::Rename { from: text(arguments[0]), to: text(arguments[1]) },
        "renameat" | "renameat2" => {
            Call::Rename { from: at(arguments[0], arguments[1]), to: at(arguments[2], arguments[3]) }
        }
        "link" => Call::Link { from: text(arguments[0]), to: text(arguments[1]) },
        "linkat" => Call::Link { from: at(arguments[0], arguments[1]), to: at(arguments[2], arguments[3]) },
        "unlink" => Call::Remove { path: text(arguments[0]) },
        "unlinkat" => Call::Remove { path: at(arguments[0], arguments[1]) },
        "mkdir" | "mkdirat" => return None,
        // What is written into a pipe or a socket is no change of a file.
        name => {
            let files: Vec<String> = arguments.iter().filter_map(|argument| of_descriptor(argument)).collect();
            assert!(files.is_empty(), "a call that cannot be replayed: {name} of {files:?}");
            return None;
        }
    })
}

/// The path of a descriptor, `5<\x2f...>`; `None` for what is not a file.
fn of_descriptor(argument: &str) -> Option<String> {
    let (_, rest) = argument.split_once('<')?;
    let path = String::from_utf8(unescaped(rest.split_once('>')?.0)).ok()?;
    (path.starts_with('/') && !path.starts_with("/dev/")).then_some(path)
}

/// A path below the folder of a descriptor.
fn at(folder: &str, path: &str) -> String {
    let path = text(path);
    match of_descriptor(folder) {
        Some(folder) if !path.starts_with('/') => format!("{folder}/{path}"),
        _ => path,
    }
}

fn text(argument: &str) -> String {
    String::from_utf8_lossy(&bytes(argument)).into_owned()
}

/// The bytes of a string, `"\x68..."`; it must be whole.
fn bytes(argument: &str) -> Vec<u8> {
    assert!(!argument.ends_with("..."), "the trace has only the start of a string");
    unescaped(argument.trim_matches('"'))
}

fn unescaped(text: &str) -> Vec<u8> {
    let byte = |digits: &str| u8::from_str_radix(digits, 16).expect("two hexadecimal digits");
    if text.contains("\\x") { text.split("\\x").skip(1).map(byte).collect() } else { text.as_bytes().to_vec() }
}
