//! The table of `fs` actions: what each does to one small tree. Every store gives the same results.

/// The tree before each row: files, and folders with a slash.
pub(crate) const UNCHANGED: &str = "a/ a/1 a/2 empty/ full";

/// The commands of an action on `hdfs://nn`, and the tree after them, or the code of the failure: then the tree is
/// unchanged, because every path is checked before the first command.
pub(crate) const TABLE: &[(&str, Result<&str, &str>)] = &[
    // Folders and deletion.
    ("<mkdir path='/x/y'/>", Ok("a/ a/1 a/2 empty/ full x/ x/y/")),
    ("<mkdir path='/a'/><mkdir path='/full'/>", Ok(UNCHANGED)),
    ("<mkdir path='/full/x'/>", Err("FS004")),
    ("<delete path='/a'/>", Ok("empty/ full")),
    ("<delete path='/a/*'/>", Ok("a/ empty/ full")),
    ("<delete path='/none'/><delete path='/none/*'/>", Ok(UNCHANGED)),
    ("<delete path='/'/>", Err("FS005")),
    ("<delete path='/*/1'/>", Ok("a/ a/2 empty/ full")),
    // Moving.
    ("<move source='/full' target='/x'/>", Ok("a/ a/1 a/2 empty/ x")),
    ("<move source='/full' target='/empty'/>", Ok("a/ a/1 a/2 empty/ empty/full")),
    ("<move source='/a/*' target='/empty'/>", Ok("a/ empty/ empty/1 empty/2 full")),
    ("<move source='/none' target='/x'/>", Err("FS006")),
    ("<move source='/a/*' target='/x'/>", Err("FS012")),
    ("<move source='/full' target='/a/1'/>", Err("FS008")),
    ("<move source='/full' target='/x/y'/>", Err("FS008")),
    ("<move source='/a' target='/a/b'/>", Err("FS008")),
    // Other commands.
    ("<touchz path='/new'/>", Ok("a/ a/1 a/2 empty/ full new")),
    ("<touchz path='/full'/>", Ok(UNCHANGED)),
    ("<touchz path='/empty'/>", Err("Exception")),
    ("<touchz path='/x/y'/>", Ok("a/ a/1 a/2 empty/ full x/ x/y")),
    ("<touchz path='/full/x'/>", Err("IOException")),
    ("<setrep path='hdfs://nn/full' replication-factor='2'/>", Ok(UNCHANGED)),
    ("<chgrp path='/none' group='0'/>", Err("FS009")),
    ("<chmod path='/none' permissions='755'/>", Err("FS009")),
    // Every path is checked before the first command.
    ("<mkdir path='/x'/><move source='/none' target='/y'/>", Err("FS006")),
    ("<mkdir path='/x'/><move source='/full' target='/a/1'/>", Err("FS008")),
    ("<mkdir path='/x'/><move source='/full' target='/none/y'/>", Err("FS008")),
    ("<mkdir path='/x'/><chmod path='/none' permissions='755'/>", Err("FS009")),
    ("<mkdir path='/x'/><move source='/a' target='/a/b'/>", Err("FS008")),
    ("<mkdir path='/x'/><move source='/a/1' target='/a'/>", Err("FS008")),
    ("<mkdir path='/x'/><move source='/full' target='/full'/>", Err("FS008")),
    ("<mkdir path='/x'/><move source='/a/*' target='/y'/>", Err("FS012")),
    ("<mkdir path='/x'/><mkdir path='/full/y/z'/>", Err("FS004")),
    ("<mkdir path='/x'/><touchz path='/empty'/>", Err("Exception")),
    ("<mkdir path='/x'/><touchz path='/full/y'/>", Err("IOException")),
    ("<mkdir path='/x'/><delete path='/../outside'/>", Err("FS001")),
    ("<mkdir path='/x'/><delete path='/'/>", Err("FS005")),
    // Effects of earlier commands are expected.
    ("<mkdir path='/x'/><move source='/full' target='/x/y'/>", Ok("a/ a/1 a/2 empty/ x/ x/y")),
    ("<touchz path='/x/n'/><move source='/full' target='/x/y'/>", Ok("a/ a/1 a/2 empty/ x/ x/n x/y")),
    ("<touchz path='/n'/><move source='/full' target='/n'/>", Err("FS008")),
    ("<delete path='/a'/><move source='/full' target='/a'/>", Ok("a empty/")),
    ("<touchz path='/n'/><chmod path='/n' permissions='600'/>", Ok("a/ a/1 a/2 empty/ full n")),
    ("<move source='/a' target='/b'/><chmod path='/b/1' permissions='600'/>", Ok("b/ b/1 b/2 empty/ full")),
    ("<move source='/a' target='/b'/><chmod path='/b/*' permissions='600'/>", Ok("b/ b/1 b/2 empty/ full")),
    ("<delete path='/full'/><move source='/a/1' target='/full'/>", Ok("a/ a/2 empty/ full")),
    ("<delete path='/full'/><mkdir path='/full/x'/>", Ok("a/ a/1 a/2 empty/ full/ full/x/")),
    ("<touchz path='/n'/><mkdir path='/n/x'/>", Err("FS004")),
    ("<delete path='/a'/><chmod path='/a/1' permissions='600'/>", Err("FS009")),
];
