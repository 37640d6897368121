//! The functions of coordinator expressions and the kinds of their arguments.
//!
//! Each phase decides which functions it has; this module only defines the form of a call.

use std::sync::Arc;

use howdah_el::{CallError, FunctionName, Value};

macro_rules! functions {
    ($($variant:ident = $prefix:literal : $name:literal ($($kind:ident),*);)*) => {
        /// A function that at least one phase has.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Function {
            $(#[doc = concat!("`", $prefix, ":", $name, "`")] $variant,)*
        }

        impl Function {
            /// Every function, in the order of the reference's table.
            pub(super) const ALL: &[Self] = &[$(Self::$variant,)*];

            /// Returns the full name, `prefix:name`.
            pub(super) const fn name(self) -> &'static str {
                match self { $(Self::$variant => concat!($prefix, ":", $name),)* }
            }

            /// Returns the full name in the language's type.
            pub(super) const fn function_name(self) -> FunctionName<'static> {
                match self { $(Self::$variant => FunctionName { prefix: $prefix, name: $name },)* }
            }

            /// Returns how many arguments it takes.
            pub(super) const fn argument_count(self) -> usize {
                self.kinds().len()
            }

            /// Returns the kinds of its arguments.
            pub(super) const fn kinds(self) -> &'static [Kind] {
                match self { $(Self::$variant => &[$(Kind::$kind),*],)* }
            }

            pub(super) fn find(prefix: &str, name: &str) -> Option<Self> {
                // The name first: names differ, prefixes rarely do.
                match (name, prefix) { $(($name, $prefix) => Some(Self::$variant),)* _ => None }
            }
        }
    };
}

functions! {
    Minutes = "coord":"minutes"(Int);
    Hours = "coord":"hours"(Int);
    Days = "coord":"days"(Int);
    Months = "coord":"months"(Int);
    EndOfDays = "coord":"endOfDays"(Int);
    EndOfWeeks = "coord":"endOfWeeks"(Int);
    EndOfMonths = "coord":"endOfMonths"(Int);
    Conf = "coord":"conf"(Text);
    User = "coord":"user"();
    HadoopConf = "hadoop":"conf"(Text, Text);
    DateOffset = "coord":"dateOffset"(Text, Int, Text);
    DateTzOffset = "coord":"dateTzOffset"(Text, Text);
    FormatTime = "coord":"formatTime"(Text, Text);
    EpochTime = "coord":"epochTime"(Text, Text);
    HoursInDay = "coord":"hoursInDay"(Int);
    DaysInMonth = "coord":"daysInMonth"(Int);
    TzOffset = "coord":"tzOffset"();
    Current = "coord":"current"(Int);
    CurrentRange = "coord":"currentRange"(Int, Int);
    Offset = "coord":"offset"(Int, Text);
    Latest = "coord":"latest"(Int);
    LatestRange = "coord":"latestRange"(Int, Int);
    Future = "coord":"future"(Int, Int);
    FutureRange = "coord":"futureRange"(Int, Int, Int);
    Absolute = "coord":"absolute"(Text);
    AbsoluteRange = "coord":"absoluteRange"(Text, Int);
    NominalTime = "coord":"nominalTime"();
    ActualTime = "coord":"actualTime"();
    ActionId = "coord":"actionId"();
    Name = "coord":"name"();
    DataIn = "coord":"dataIn"(Text);
    DataOut = "coord":"dataOut"(Text);
    DatabaseIn = "coord":"databaseIn"(Text);
    DatabaseOut = "coord":"databaseOut"(Text);
    TableIn = "coord":"tableIn"(Text);
    TableOut = "coord":"tableOut"(Text);
    DataInPartitionFilter = "coord":"dataInPartitionFilter"(Text, Text);
    DataInPartitionMin = "coord":"dataInPartitionMin"(Text, Text);
    DataInPartitionMax = "coord":"dataInPartitionMax"(Text, Text);
    DataInPartitions = "coord":"dataInPartitions"(Text, Text);
    DataOutPartitions = "coord":"dataOutPartitions"(Text);
    DataOutPartitionValue = "coord":"dataOutPartitionValue"(Text, Text);
}

/// The type to which an argument is coerced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// A whole number of 32 bits.
    Int,
    /// A text.
    Text,
}

/// The arguments of a call after coercion to the kinds the function declares.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Arguments {
    integers: [i64; 3],
    texts: [Option<Arc<str>>; 3],
}

impl Arguments {
    /// Returns the whole-number argument at a position; zero when the function declares none there.
    pub(super) fn int(&self, position: usize) -> i64 {
        self.integers[position]
    }

    /// Returns the text argument at a position; empty when the function declares none there.
    pub(super) fn text(&self, position: usize) -> &str {
        self.texts[position].as_deref().unwrap_or_default()
    }
}

/// A call that is known and whose arguments fit.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub function: Function,
    pub arguments: Arguments,
}

impl Call {
    /// Finds the function and coerces the arguments.
    ///
    /// # Errors
    /// Unknown name, wrong number of arguments, or an argument that is not a number where one is needed.
    pub(super) fn bind(name: FunctionName<'_>, values: &[Value]) -> Result<Self, CallError> {
        let function = Function::find(name.prefix, name.name).ok_or(CallError::UnknownFunction)?;
        let kinds = function.kinds();
        if kinds.len() != values.len() {
            return Err(CallError::ArgumentCount { expected: kinds.len()..=kinds.len() });
        }
        let mut arguments = Arguments::default();
        for (position, (kind, value)) in kinds.iter().zip(values).enumerate() {
            match kind {
                Kind::Int => arguments.integers[position] = i64::from(value.to_int()?),
                Kind::Text => arguments.texts[position] = Some(value.to_text()),
            }
        }
        Ok(Self { function, arguments })
    }
}
