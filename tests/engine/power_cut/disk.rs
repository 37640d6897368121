//! What is on the disk, and what may be there after a power cut.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::calls::Call;
use super::files_below;
use howdah_sandbox::dice::Dice;
use howdah_sandbox::sandbox::Sandbox;

/// A change that the disk may not have yet.
#[derive(Clone)]
enum Change {
    Write {
        at: Option<usize>,
        bytes: Vec<u8>,
    },
    Truncate(usize),
    /// The file was created, renamed or linked.
    Name,
}

#[derive(Clone)]
struct File {
    /// What the disk has for certain; `None` when it may not have the file at all.
    durable: Option<Vec<u8>>,
    /// What was changed since, each with its place.
    later: Vec<(usize, Change)>,
}

impl File {
    /// Returns the content after the first changes.
    fn after(&self, changes: usize) -> Vec<u8> {
        let mut content = self.durable.clone().unwrap_or_default();
        self.later.iter().take(changes).for_each(|(_, change)| apply(&mut content, change));
        content
    }

    fn content(&self) -> Vec<u8> {
        self.after(self.later.len())
    }

    /// Notes that the disk has all changes before a place.
    fn is_synced(&mut self, before: usize) {
        let changes = self.later.iter().take_while(|(place, _)| *place < before).count();
        self.durable = Some(self.after(changes));
        self.later.drain(..changes);
    }
}

fn apply(content: &mut Vec<u8>, change: &Change) {
    match change {
        Change::Name => {}
        Change::Truncate(length) => content.resize(*length, 0),
        Change::Write { at, bytes } => {
            let start = at.unwrap_or(content.len());
            content.resize(content.len().max(start + bytes.len()), 0);
            content[start..start + bytes.len()].copy_from_slice(bytes);
        }
    }
}

/// The files below a folder.
#[derive(Clone)]
pub(super) struct Disk {
    files: BTreeMap<String, File>,
    /// Files whose removal may not be on the disk.
    removed: BTreeMap<String, File>,
}

/// What concerns a file in a power cut.
enum Sort {
    /// What commands have done: the world outside.
    Effects,
    /// Its pages are written one by one.
    Database,
    /// Memory that processes share: gone.
    Memory,
    Other,
}

fn sort(path: &str) -> Sort {
    match path.rsplit('/').next().unwrap_or_default() {
        "effects" => Sort::Effects,
        "howdah.db" | "howdah.db-wal" => Sort::Database,
        "howdah.db-shm" | "trace" => Sort::Memory,
        _ => Sort::Other,
    }
}

impl Disk {
    /// Reads all files of a sandbox in which no process runs; the disk has all of them.
    pub(super) fn of(sandbox: &Sandbox) -> Self {
        let file = |path: &std::path::PathBuf| {
            let durable = Some(fs::read(path).expect("a file of the sandbox"));
            (path.display().to_string(), File { durable, later: Vec::new() })
        };
        Self { files: files_below(&sandbox.path("")).iter().map(file).collect(), removed: BTreeMap::new() }
    }

    /// Applies a call that began at a place.
    pub(super) fn apply(&mut self, place: usize, call: &Call) {
        match call {
            Call::Open { path, empty } => {
                if !self.files.contains_key(path) {
                    self.removed.remove(path);
                    self.change(path, place, Change::Name);
                }
                if *empty {
                    self.change(path, place, Change::Truncate(0));
                }
            }
            Call::Write { path, at, bytes } => {
                self.change(path, place, Change::Write { at: *at, bytes: bytes.clone() });
            }
            Call::Truncate { path, length } => self.change(path, place, Change::Truncate(*length)),
            Call::Rename { from, to } => {
                let file = self.files.remove(from).unwrap_or_else(|| panic!("[{from}] was not created"));
                self.files.insert(to.clone(), file);
                self.change(to, place, Change::Name);
            }
            Call::Link { from, to } => {
                let file = self.files.get(from).unwrap_or_else(|| panic!("[{from}] was not created")).clone();
                self.files.insert(to.clone(), file);
                self.change(to, place, Change::Name);
            }
            Call::Remove { path } => {
                let file = self.files.remove(path).map(|file| (path.clone(), file));
                self.removed.extend(file);
            }
            Call::Sync { path, began } => self.sync(path, *began),
        }
    }

    fn change(&mut self, path: &str, place: usize, change: Change) {
        let empty = || File { durable: None, later: Vec::new() };
        self.files.entry(path.to_owned()).or_insert_with(empty).later.push((place, change));
    }

    /// A wait for a file, or for the names in a folder.
    fn sync(&mut self, path: &str, began: usize) {
        if let Some(file) = self.files.get_mut(path) {
            return file.is_synced(began);
        }
        let is_in = |name: &str| Path::new(name).parent() == Some(Path::new(path));
        self.removed.retain(|name, _| !is_in(name));
        for (_, file) in self.files.iter_mut().filter(|(name, _)| is_in(name)) {
            file.later.retain(|(place, change)| *place >= began || !matches!(change, Change::Name));
            if file.later.is_empty() && file.durable.is_none() {
                file.durable = Some(Vec::new());
            }
        }
    }

    /// Writes what a power cut leaves into the sandbox; returns how many files are not what they were.
    pub(super) fn cut(&self, sandbox: &Sandbox, dice: &mut Dice) -> usize {
        for path in files_below(&sandbox.path("")) {
            // The database knows its file.
            if path != sandbox.database_path() {
                fs::remove_file(&path).expect("a file of the sandbox");
            }
        }
        // What the disk has of the pages that were not waited for: none, all, or some.
        let pages = dice.one_of(&[0, 1000, 500]);
        let mut lost = 0;
        for (path, file) in &self.files {
            let left = match sort(path) {
                Sort::Memory => continue,
                Sort::Effects => Some(file.content()),
                Sort::Database => Some(some_pages(file, pages, dice)),
                Sort::Other => left(file, dice),
            };
            lost += usize::from(left.as_ref() != Some(&file.content()));
            write(path, left);
        }
        for (path, file) in &self.removed {
            let is_back = matches!(sort(path), Sort::Other) && dice.happens(500);
            write(path, is_back.then(|| file.content()));
        }
        lost
    }
}

fn write(path: &str, content: Option<Vec<u8>>) {
    if let Some(content) = content {
        fs::create_dir_all(Path::new(path).parent().expect("below the sandbox")).expect("a folder");
        fs::write(path, content).expect("a file of the sandbox");
    }
}

/// The content with some of the changes that were not waited for.
fn some_pages(file: &File, per_mille: i64, dice: &mut Dice) -> Vec<u8> {
    let mut content = file.durable.clone().unwrap_or_default();
    let kept = file.later.iter().filter(|_| dice.happens(per_mille));
    kept.for_each(|(_, change)| apply(&mut content, change));
    content
}

/// A file of an attempt: as the disk has it, whole, empty, gone, or as it was after some of its changes.
fn left(file: &File, dice: &mut Dice) -> Option<Vec<u8>> {
    if file.later.is_empty() {
        return file.durable.clone();
    }
    let changes = i64::try_from(file.later.len()).expect("few changes");
    match dice.between(0, 4) {
        0 => file.durable.clone(),
        1 => file.durable.is_some().then(Vec::new),
        2 => Some(Vec::new()),
        3 => Some(file.after(usize::try_from(dice.between(0, changes)).expect("not negative"))),
        _ => Some(file.content()),
    }
}
