//! Reads definitions: from a path or URI, through the mounts, to a text with a name.
//!
//! Must not depend on the content of the texts.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::sync::Arc;

use howdah_host::files::Entry;
use howdah_host::located::{self, Base, DefaultStore, Located, Unlocated};
use howdah_host::mounts::Mounts;
use howdah_oozie::coordinator::parse::parser::Includes;
use howdah_words::error::{Error, ErrorCode, Result, SourceText};

/// The largest definition that is read, in bytes.
pub const LARGEST_DEFINITION: u64 = 16 * 1024 * 1024;

/// An application's definition and where it is.
#[derive(Clone, Debug)]
pub struct ApplicationFile {
    /// The path or URI of the application as it was given.
    pub app_path: String,
    pub source: Arc<SourceText>,
    /// The folder of the files beside it; `None` when it does not come from a file.
    pub folder: Option<Located>,
}

/// Returns where a path of a definition is.
///
/// # Errors
/// H0122 when no mount covers its store, E0906 when it is no path.
pub fn locate(mounts: &Mounts, path: &str, base: &Base) -> Result<Located> {
    mounts.locate(path, base).map_err(|why| refusal(path, &why))
}

/// Returns the refusal of a path that has no place.
pub fn refusal(path: &str, why: &Unlocated) -> Error {
    match why {
        Unlocated::Unmounted { uri, store } => Error::new(ErrorCode::H0122, uri).help(located::help(store)),
        Unlocated::Invalid(why) => Error::new(ErrorCode::E0906, format!("[{path}] {why}"))
            .help("write an absolute path such as /home/me/app, or a URI such as hdfs://namenode:8020/app"),
    }
}

/// Returns a path that the application at `application` names, with its store (decision W30).
pub fn in_store_of(application: &str, path: &str) -> String {
    DefaultStore::of(application.trim()).qualify(path).as_str().to_owned()
}

/// Reads the application at `uri`: the file itself, or `definition_name` in the folder.
///
/// # Errors
/// E0504 no such path, E0505 no definition in the folder, E0506 no file, H0110 not readable, H0112 not UTF-8, H0113 the
/// machine cannot tell, H0122 no mount.
pub fn read_application(mounts: &Mounts, uri: &str, definition_name: &str) -> Result<ApplicationFile> {
    let path = locate(mounts, uri, &Base::this_machine())?;
    let absent = || Error::new(ErrorCode::E0504, uri).help(format!("there is nothing at {}", path.place()));
    let (file, folder) = match path.look()?.ok_or_else(absent)? {
        Entry::Folder => (path.join(definition_name), path),
        Entry::File | Entry::Other => {
            let folder = path.folder();
            (path, folder)
        }
    };
    match file.look()? {
        Some(Entry::File) => {}
        Some(Entry::Folder | Entry::Other) => {
            return Err(Error::new(ErrorCode::E0506, file.place()).help("name a folder or a file"));
        }
        None => {
            return Err(Error::new(ErrorCode::E0505, file.place())
                .help(format!("put a {definition_name} into {}, or name the file itself", folder.place())));
        }
    }
    let text = file.read_text(LARGEST_DEFINITION)?;
    let source = SourceText::of_file(file.place(), text);
    Ok(ApplicationFile { app_path: uri.to_owned(), source, folder: Some(folder) })
}

/// Reads a file of the application's folder, if it is there.
///
/// # Errors
/// The file is there and cannot be read, or is not UTF-8.
pub(crate) fn read_beside(folder: &Located, name: &str) -> Result<Option<Arc<SourceText>>> {
    let path = folder.join(name);
    if path.look()?.is_none() {
        return Ok(None);
    }
    let text = path.read_text(LARGEST_DEFINITION)?;
    Ok(Some(SourceText::of_file(path.place(), text)))
}

/// Included dataset files, read through the mounts and kept as read.
pub struct FileIncludes<'a> {
    mounts: &'a Mounts,
    /// The store of the application.
    base: Base,
    read: RefCell<BTreeMap<String, Arc<SourceText>>>,
}

impl<'a> FileIncludes<'a> {
    /// Nothing read yet, of the application at `app_path`.
    pub fn new(mounts: &'a Mounts, app_path: &str) -> Self {
        Self { mounts, base: Base::store(DefaultStore::of(app_path)), read: RefCell::default() }
    }

    /// Returns every included file, by the URI that names it.
    pub fn into_texts(self) -> BTreeMap<String, Arc<SourceText>> {
        self.read.into_inner()
    }

    fn open(&self, uri: &str) -> Result<Arc<SourceText>> {
        let refuse = |why: String| Error::with(ErrorCode::E1002, &[&uri, &why]);
        let path = locate(self.mounts, uri, &self.base)?;
        let absent = || {
            refuse(format!("path not existed : {}", path.place()))
                .help("the <include> must name an existing file of datasets")
        };
        let found = path.look().map_err(|error| unreadable(&error))?.ok_or_else(absent)?;
        let file = if found == Entry::Folder { path.join("coordinator.xml") } else { path };
        let text = file.read_text(LARGEST_DEFINITION).map_err(|error| unreadable(&error))?;
        Ok(SourceText::of_file(file.place(), text))
    }
}

/// Returns the error with Oozie's code for included files; a place in the file stays. A failure of the machine stays
/// unchanged.
fn unreadable(error: &Error) -> Error {
    if error.may_pass() {
        return error.clone();
    }
    let help = error.help_text().unwrap_or("the <include> must name a file that you can read");
    let refused = Error::new(ErrorCode::E1001, error.message()).help(help);
    match error.location() {
        Some(place) => refused.at(place.clone()),
        None => refused,
    }
}

impl Includes for FileIncludes<'_> {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        if let Some(text) = self.read.borrow().get(uri) {
            return Ok(Arc::clone(text));
        }
        let text = self.open(uri)?;
        self.read.borrow_mut().insert(uri.to_owned(), Arc::clone(&text));
        Ok(text)
    }
}

/// Included dataset files as they were when the job was submitted.
pub(crate) struct StoredIncludes(pub BTreeMap<String, Arc<SourceText>>);

impl Includes for StoredIncludes {
    fn read(&self, uri: &str) -> Result<Arc<SourceText>> {
        self.0
            .get(uri)
            .map(Arc::clone)
            .ok_or_else(|| Error::with(ErrorCode::E1002, &[&uri, &"it was not stored when the job was submitted"]))
    }
}
