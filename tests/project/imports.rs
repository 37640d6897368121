//! Which file of the source names what of which other file: `use` statements and paths in the code, read from the text.

use std::collections::{BTreeMap, BTreeSet};

/// The path of a module below the crate's root, by its names.
pub(crate) type Path = Vec<String>;

/// A path that a file writes.
#[derive(Clone, Debug)]
pub(crate) struct Import {
    pub(crate) line: usize,
    /// As it is written.
    pub(crate) path: Path,
    /// The name that it has in the file.
    alias: String,
    is_use: bool,
    is_reexport: bool,
}

/// The files of a crate with what they import.
pub(crate) struct Crate {
    modules: BTreeMap<Path, Vec<Import>>,
}

/// A word, `::`, or a single sign, with its line.
type Token = (usize, String);

fn tokens(program: &str) -> Vec<Token> {
    let mut tokens: Vec<Token> = Vec::new();
    for (number, line) in program.lines().enumerate() {
        let mut rest = line;
        while let Some(first) = rest.chars().next() {
            let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
            let length = match first {
                _ if is_word(first) => rest.find(|letter| !is_word(letter)).unwrap_or(rest.len()),
                ':' if rest.starts_with("::") => 2,
                _ => first.len_utf8(),
            };
            if !first.is_whitespace() {
                tokens.push((number + 1, rest[..length].to_owned()));
            }
            rest = &rest[length..];
        }
    }
    tokens
}

fn is_name(token: &str) -> bool {
    token.starts_with(|letter: char| letter.is_alphabetic() || letter == '_')
}

/// The leaves of the tree of a `use` statement that begins at `at`; answers the place behind the tree.
fn tree(tokens: &[Token], mut at: usize, before: &Path, leaves: &mut Vec<(usize, Path, String)>) -> usize {
    let mut path = before.clone();
    while let Some((line, token)) = tokens.get(at) {
        match token.as_str() {
            "{" => {
                at += 1;
                while tokens.get(at).is_some_and(|(_, token)| token != "}") {
                    at = tree(tokens, at, &path, leaves);
                    at += usize::from(tokens.get(at).is_some_and(|(_, token)| token == ","));
                }
                return at + 1;
            }
            "::" => at += 1,
            name if is_name(name) || name == "*" => {
                let ends = tokens.get(at + 1).is_none_or(|(_, next)| next != "::");
                if name != "self" || path.is_empty() {
                    path.push(name.to_owned());
                }
                at += 1;
                if ends {
                    let renamed = tokens.get(at).is_some_and(|(_, token)| token == "as");
                    let alias =
                        if renamed { tokens[at + 1].1.clone() } else { path.last().cloned().unwrap_or_default() };
                    leaves.push((*line, path, alias));
                    return at + if renamed { 2 } else { 0 };
                }
            }
            _ => return at,
        }
    }
    at
}

/// The path of a name at `at`, with the place of its last word.
fn path_at(tokens: &[Token], mut at: usize) -> (Path, usize) {
    let mut path = vec![tokens[at].1.clone()];
    let follows = |at: usize, is: &dyn Fn(&str) -> bool| tokens.get(at).is_some_and(|(_, token)| is(token));
    while follows(at + 1, &|token| token == "::") && follows(at + 2, &is_name) {
        at += 2;
        path.push(tokens[at].1.clone());
    }
    (path, at)
}

/// A path that is written inside modules of the file itself, as the file would write it.
fn outside(path: Path, inner: usize) -> Path {
    let up = path.iter().take(inner).take_while(|name| *name == "super").count();
    if up == 0 { path } else { ["self".to_owned()].into_iter().chain(path.into_iter().skip(up)).collect() }
}

/// Everything that a program names by a path.
pub(crate) fn imports(program: &str) -> Vec<Import> {
    let tokens = tokens(program);
    let mut imports = Vec::new();
    // The braces that are open, and whether each is a module's.
    let mut open: Vec<bool> = Vec::new();
    let mut at = 0;
    while let Some((line, token)) = tokens.get(at) {
        let inner = open.iter().filter(|is_module| **is_module).count();
        let before = |back: usize| at.checked_sub(back).map_or("", |before| tokens[before].1.as_str());
        match token.as_str() {
            "{" => open.push(before(2) == "mod"),
            "}" => drop(open.pop()),
            "use" => {
                let mut leaves = Vec::new();
                let is_reexport = matches!(before(1), "pub" | ")");
                at = tree(&tokens, at + 1, &Path::new(), &mut leaves);
                let import =
                    |(line, path, alias)| Import { line, path: outside(path, inner), alias, is_use: true, is_reexport };
                imports.extend(leaves.into_iter().map(import));
                continue;
            }
            name if is_name(name) && !matches!(before(1), "::" | "." | "in") => {
                let (path, last) = path_at(&tokens, at);
                if path.len() > 1 {
                    let (path, alias) = (outside(path, inner), String::new());
                    imports.push(Import { line: *line, path, alias, is_use: false, is_reexport: false });
                }
                at = last;
            }
            _ => {}
        }
        at += 1;
    }
    imports
}

/// The module that a file below `src/` is.
pub(crate) fn module(file: &str) -> Path {
    let names = file.trim_end_matches(".rs");
    let names = names.strip_suffix("/mod").unwrap_or(if names == "lib" { "" } else { names });
    names.split('/').filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

impl Crate {
    /// The crate of these files: the path of each below `src/`, and its program.
    pub(crate) fn of<'a>(files: impl Iterator<Item = (&'a str, String)>) -> Self {
        Self { modules: files.map(|(file, program)| (module(file), imports(&program))).collect() }
    }

    /// The modules, in the order of their paths.
    pub(crate) fn modules(&self) -> impl Iterator<Item = &Path> {
        self.modules.keys()
    }

    /// The whole path, from the root of the crate, of one that a module writes; `None` for what is not of this crate.
    pub(crate) fn absolute(&self, module: &Path, written: &Path) -> Option<Path> {
        let mut rest = written.as_slice();
        let mut whole = match rest[0].as_str() {
            "crate" => Path::new(),
            "self" | "super" => module.clone(),
            first => {
                let child: Path = module.iter().cloned().chain([first.to_owned()]).collect();
                let used = || {
                    let import =
                        self.modules.get(module)?.iter().find(|import| import.is_use && import.alias == first)?;
                    (import.path[0] != first).then(|| self.absolute(module, &import.path)).flatten()
                };
                if self.modules.contains_key(&child) { child } else { used()? }
            }
        };
        if rest[0] != "super" {
            rest = &rest[1..];
        }
        while rest.first().is_some_and(|name| name == "super") {
            whole.pop();
            rest = &rest[1..];
        }
        whole.extend_from_slice(rest);
        Some(whole)
    }

    /// The module that defines what a whole path names, through re-exports; `None` when it names a module.
    fn definer(&self, path: &Path, depth: usize) -> Option<Path> {
        let length = (0..=path.len()).rev().find(|length| self.modules.contains_key(&path[..*length]))?;
        let (module, rest) = (path[..length].to_vec(), &path[length..]);
        let name = rest.first()?;
        let passed_on = self.modules[&module].iter().find(|import| import.is_use && &import.alias == name);
        let passed_on = passed_on.and_then(|import| self.absolute(&module, &import.path)).filter(|_| depth < 8);
        match passed_on {
            Some(origin) => self.definer(&origin.into_iter().chain(rest[1..].iter().cloned()).collect(), depth + 1),
            None => Some(module),
        }
    }

    /// Which modules each module names something of. A `mod.rs` that only passes a name on does not depend on it.
    pub(crate) fn edges(&self) -> BTreeMap<Path, BTreeSet<Path>> {
        let of = |module: &Path, imports: &Vec<Import>| -> BTreeSet<Path> {
            let real = imports.iter().filter(|import| !import.is_reexport);
            let whole = real.filter_map(|import| self.absolute(module, &import.path));
            whole.filter_map(|path| self.definer(&path, 0)).filter(|other| other != module).collect()
        };
        self.modules.iter().map(|(module, imports)| (module.clone(), of(module, imports))).collect()
    }

    /// Every path that a module writes, as a whole one, with its line.
    pub(crate) fn paths(&self, module: &Path) -> impl Iterator<Item = (usize, Path)> {
        let imports = self.modules.get(module).into_iter().flatten();
        imports.filter_map(move |import| Some((import.line, self.absolute(module, &import.path)?)))
    }
}

/// The circles of a graph: sets of nodes each of which leads to every other.
pub(crate) fn circles(edges: &BTreeMap<Path, BTreeSet<Path>>) -> Vec<BTreeSet<Path>> {
    let reached = |from| {
        let mut reached = BTreeSet::new();
        let mut open: Vec<&Path> = edges.get(from).into_iter().flatten().collect();
        while let Some(next) = open.pop() {
            if reached.insert(next) {
                open.extend(edges.get(next).into_iter().flatten());
            }
        }
        reached
    };
    let all: BTreeMap<&Path, BTreeSet<&Path>> = edges.keys().map(|node| (node, reached(node))).collect();
    let circle = |(node, reached): (&&Path, &BTreeSet<&Path>)| -> Option<BTreeSet<Path>> {
        let leads_back = |other: &&&Path| all.get(**other).is_some_and(|others| others.contains(*node));
        reached.contains(*node).then(|| reached.iter().filter(leads_back).map(|path| (*path).clone()).collect())
    };
    let found: BTreeSet<BTreeSet<Path>> = all.iter().filter_map(circle).collect();
    found.into_iter().collect()
}

fn path(text: &str) -> Path {
    text.split("::").map(str::to_owned).collect()
}

#[test]
fn a_circle_is_seen_through_names_and_groups() {
    let files = [
        ("lib.rs", "mod a; mod b; mod c;"),
        ("a/mod.rs", "mod inner; pub(crate) use inner::{Thing, other as Other};"),
        ("a/inner.rs", "use crate::b::{self, One}; fn f() { b::two() } pub(super) struct Thing;"),
        ("b.rs", "use crate::a::Thing; struct One;"),
        ("c.rs", "use crate::{b, a::Other}; mod own { use super::Kind; fn f() { b::two(); super::super::b::One } }"),
    ];
    let read = Crate::of(files.into_iter().map(|(file, text)| (file, text.to_owned())));
    let edges = read.edges();
    let of = |module: &str| edges[&path(module)].iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(of("a"), Vec::<String>::new(), "passing a name on is no import");
    assert_eq!(of("a::inner"), ["b"]);
    assert_eq!(of("b"), ["a::inner"], "through the re-export");
    assert_eq!(of("c"), ["a::inner", "b"]);
    assert_eq!(circles(&edges), [BTreeSet::from([path("a::inner"), path("b")])]);
}
