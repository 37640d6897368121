//! Pages of the names in a bucket, and what they say about paths.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::{io, iter};

use object_store::list::PaginatedListOptions;

use super::super::store_path::StorePath;
use super::super::{Entry, StoreError, too_many};
use super::bucket::Bucket;
use super::key::FOREIGN_MARKER;
use super::{key, wire};

/// An object, by its whole name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) key: String,
    pub(super) size: u64,
    /// Milliseconds of UTC.
    pub(super) modified: i64,
}

/// One answer of a listing.
#[derive(Debug, Default)]
pub(super) struct Page {
    pub(super) objects: Vec<Object>,
    /// The starts of names up to the next slash, where the listing stops at slashes.
    pub(super) prefixes: Vec<String>,
    next: Option<String>,
}

impl Bucket {
    /// The first names that start with `prefix`; at most `limit`.
    fn first(&self, prefix: &str, limit: usize) -> io::Result<Page> {
        let options = |page_token| PaginatedListOptions { max_keys: Some(limit), page_token, ..Default::default() };
        let mut page = self.page(prefix, options(None))?;
        // A server may answer with nothing and a token for the rest.
        while page.objects.is_empty() && page.next.is_some() {
            page = self.page(prefix, options(page.next.take()))?;
        }
        Ok(page)
    }

    fn page(&self, prefix: &str, options: PaginatedListOptions) -> io::Result<Page> {
        let prefix = Some(prefix).filter(|prefix| !prefix.is_empty());
        let answer = self.ask(self.client().list_paginated(prefix, options))?;
        let strange = || StoreError::unknown(format!("{} answers with a listing that cannot be read", self.server()));
        let name = |path: &object_store::path::Path| wire::plain(path.as_ref()).ok_or_else(strange);
        let objects = answer.result.objects.iter().map(|object| {
            let (size, modified) = (object.size, object.last_modified.timestamp_millis());
            Ok(Object { key: name(&object.location)?, size, modified })
        });
        let prefixes = answer.result.common_prefixes.iter().map(name);
        let (objects, prefixes) = (objects.collect::<io::Result<_>>()?, prefixes.collect::<io::Result<_>>()?);
        Ok(Page { objects, prefixes, next: answer.page_token.filter(|token| !token.is_empty()) })
    }

    /// The pages of all names that start with `prefix`; with `by_step`, up to the next slash. A page that cannot be had
    /// is the last one.
    pub(super) fn pages(&self, prefix: &str, by_step: bool) -> impl Iterator<Item = io::Result<Page>> {
        let mut next = Some(None);
        iter::from_fn(move || {
            let page_token = next.take()?;
            let delimiter = by_step.then_some(Cow::Borrowed("/"));
            let page = self.page(prefix, PaginatedListOptions { delimiter, page_token, ..Default::default() });
            Some(page.inspect(|page| next = page.next.clone().map(Some)))
        })
    }

    /// What is at a path; `None` when nothing is there for certain. One listing of one name tells it in most cases: an
    /// object is the first of the names that start with its own. A bucket that does not exist has no listing.
    pub(super) fn entry(&self, path: &StorePath) -> io::Result<Option<Entry>> {
        if path.is_root() {
            self.first("", 1)?;
            return Ok(Some(folder("")));
        }
        let (file, inside) = (key::of_file(path), key::of_folder(path));
        // A name that cannot be sent can be in no request: it is asked for here, before it could be believed absent.
        key::addressed(file)?;
        let page = self.first(file, 1)?;
        match page.objects.first() {
            None => Ok(None),
            Some(object) if object.key == file => Ok(Some(entry(path.name(), object))),
            Some(object) if object.key.starts_with(&inside) => Ok(Some(folder(path.name()))),
            Some(_) => {
                let found = self.first(&inside, 1)?;
                let is_inside = found.objects.first().is_some_and(|object| object.key.starts_with(&inside));
                Ok(is_inside.then(|| folder(path.name())))
            }
        }
    }

    /// Whether the folder `above` a path has nothing but the path, and no marker.
    pub(super) fn is_alone(&self, path: &StorePath, above: &StorePath) -> io::Result<bool> {
        let (file, inside, above) = (key::of_file(path), key::of_folder(path), key::of_folder(above));
        for page in self.pages(&above, true) {
            let page = page?;
            let is_other = page.objects.iter().any(|object| object.key != file);
            if is_other || page.prefixes.iter().any(|prefix| *prefix != inside) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The entries of a folder; empty when it has none, or when it is not there. A name that no path can have is left
    /// out, and so are the markers of other programs. More than `most` are unknown.
    pub(super) fn entries(&self, path: &StorePath, most: usize) -> io::Result<(bool, Vec<Entry>)> {
        let inside = key::of_folder(path);
        let is_name = |name: &str| !matches!(name, "" | "." | "..") && !name.ends_with(FOREIGN_MARKER);
        let mut found = BTreeMap::new();
        let mut is_there = path.is_root();
        for page in self.pages(&inside, true) {
            let page = page?;
            is_there |= !page.objects.is_empty() || !page.prefixes.is_empty();
            for prefix in &page.prefixes {
                let name = prefix.strip_prefix(&inside).and_then(|name| name.strip_suffix('/'));
                if let Some(name) = name.filter(|name| is_name(name)) {
                    found.entry(name.to_owned()).or_insert_with(|| folder(name));
                }
            }
            for object in &page.objects {
                let name = object.key.strip_prefix(&inside).filter(|name| is_name(name) && !name.contains('/'));
                if let Some(name) = name {
                    found.insert(name.to_owned(), entry(name, object));
                }
            }
            if found.len() > most {
                return Err(too_many(path.as_str(), most));
            }
        }
        Ok((is_there, found.into_values().collect()))
    }
}

fn entry(name: &str, object: &Object) -> Entry {
    Entry { is_folder: false, length: object.size, modified: Some(object.modified), ..folder(name) }
}

fn folder(name: &str) -> Entry {
    Entry {
        name: name.to_owned(),
        is_folder: true,
        length: 0,
        modified: None,
        mode: None,
        owner: String::new(),
        group: String::new(),
        replication: 0,
    }
}
