//! The dependencies of an action with input logic, as Oozie stores them: a text whose characters are the bytes of
//! Java's `DataOutput` (`CoordPullInputDependency`).

/// What such a text begins with.
pub(super) const MARK: &str = "::$";

/// The most events and instances that are read of one action.
const MOST: u32 = 1_000_000;

/// A data-in, and its instances with whether Oozie found them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogicDependency {
    pub event: String,
    /// Each dependency with its done-flag, and whether it was there.
    pub instances: Vec<(String, bool)>,
}

/// Reads the text behind the mark. What follows the list of data-ins (unresolved instances) is not read: the
/// definition of the action has it too.
///
/// # Errors
/// What is wrong with the text, in words.
pub(super) fn read(text: &str) -> Result<Vec<LogicDependency>, String> {
    let bytes = text.chars().map(|character| u8::try_from(u32::from(character)));
    let bytes = bytes.collect::<Result<Vec<u8>, _>>().map_err(|_| "it has a character that is no byte")?;
    let mut input = Input(&bytes);
    let version = input.long_text()?;
    if version != "V=1" {
        return Err(format!("unknown version [{version}]; only V=1 is known"));
    }
    input.flag()?;
    let count = input.count()?;
    let mut found = Vec::new();
    for _ in 0..count {
        let event = input.long_text()?;
        let length = input.count()?;
        let mut instances = Vec::new();
        for _ in 0..length {
            let dependency = input.short_text()?;
            instances.push((dependency, input.flag()?));
        }
        found.push(LogicDependency { event, instances });
    }
    Ok(found)
}

struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], String> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or("it is cut off")?;
        self.0 = rest;
        Ok(taken)
    }

    fn flag(&mut self) -> Result<bool, String> {
        self.take(1).map(|byte| byte != [0])
    }

    fn int(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?.try_into().map_err(|_| "it is cut off")?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn count(&mut self) -> Result<u32, String> {
        let count = self.int()?;
        if count > MOST { Err(format!("it names {count} entries; at most {MOST} are read")) } else { Ok(count) }
    }

    fn long_text(&mut self) -> Result<String, String> {
        let length = self.count()? as usize;
        self.text(length)
    }

    fn short_text(&mut self) -> Result<String, String> {
        let length = self.take(2)?.try_into().map_err(|_| "it is cut off")?;
        self.text(usize::from(u16::from_be_bytes(length)))
    }

    fn text(&mut self, length: usize) -> Result<String, String> {
        String::from_utf8(self.take(length)?.to_vec()).map_err(|_| "a text in it is not UTF-8".to_owned())
    }
}
