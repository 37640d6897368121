//! The tree of an expression, with the place of every node, and its conversion back to text.
//!
//! Two trees are equal when they mean the same; places and spelling (`==` or `eq`, `a.b` or `a['b']`) do not count.

use std::fmt::{self, Write};

use super::number;
use super::scope::FunctionName;
use super::value::Value;
use howdah_words::error::Span;

/// A node of an expression.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What the node is.
    pub kind: ExprKind,
    /// Its place, in bytes of the template's text.
    pub span: Span,
}

/// What a node of an expression is.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A constant.
    Literal(Value),
    /// The value of a variable.
    Variable(String),
    /// The result of a function. Boxed, because a call is far larger than every other node and trees are moved often.
    Call(Box<Call>),
    /// `base[key]`, or `base.key`.
    Member(Box<Expr>, Box<Expr>),
    /// An operator before its operand.
    Unary(UnaryOperator, Box<Expr>),
    /// An operator between its operands.
    Binary(BinaryOperator, Box<Expr>, Box<Expr>),
    /// `condition ? then : otherwise`, in this order.
    Choice(Box<[Expr; 3]>),
}

/// A call of a function.
#[derive(Clone, Debug)]
pub struct Call {
    /// The part before the colon; empty when there is none.
    pub prefix: String,
    /// The name after the colon.
    pub name: String,
    /// The place of prefix and name, in bytes of the template's text.
    pub name_span: Span,
    /// The place of the whole call, in bytes of the template's text.
    pub span: Span,
    /// The arguments in order.
    pub arguments: Vec<Expr>,
}

/// The use of a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variable<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its place, in bytes of the template's text.
    pub span: Span,
}

/// An operator before its operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOperator {
    Negate,
    Not,
    Empty,
}

/// An operator between its operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryOperator {
    Or,
    And,
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
}

impl BinaryOperator {
    /// Returns its binding power: from 1 (`or`) to 6 (`*`). All are left-associative.
    pub(super) const fn power(self) -> u8 {
        match self {
            Self::Or => 1,
            Self::And => 2,
            Self::Equal | Self::NotEqual => 3,
            Self::Less | Self::LessOrEqual | Self::Greater | Self::GreaterOrEqual => 4,
            Self::Add | Self::Subtract => 5,
            Self::Multiply | Self::Divide | Self::Remainder => 6,
        }
    }

    /// Returns its spelling; a word if the symbol needs escaping in XML.
    const fn spelling(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::Equal => "eq",
            Self::NotEqual => "ne",
            Self::Less => "lt",
            Self::LessOrEqual => "le",
            Self::Greater => "gt",
            Self::GreaterOrEqual => "ge",
            Self::Add => "+",
            Self::Subtract => "-",
            Self::Multiply => "*",
            Self::Divide => "/",
            Self::Remainder => "%",
        }
    }
}

/// Binds more tightly than every binary operator.
const UNARY_POWER: u8 = 7;
/// Needs no parentheses anywhere.
const PRIMARY_POWER: u8 = 8;

impl Expr {
    /// Returns this node and all below it, in the order of the text.
    pub fn nodes(&self) -> impl Iterator<Item = &Self> {
        // Most expressions are one node, for which the list stays empty.
        let (mut first, mut pending) = (Some(self), Vec::new());
        std::iter::from_fn(move || {
            let node = first.take().or_else(|| pending.pop())?;
            node.push_children(&mut pending);
            Some(node)
        })
    }

    /// Pushes the nodes directly below, last first.
    fn push_children<'a>(&'a self, pending: &mut Vec<&'a Self>) {
        match &self.kind {
            ExprKind::Literal(_) | ExprKind::Variable(_) => {}
            ExprKind::Call(call) => pending.extend(call.arguments.iter().rev()),
            ExprKind::Unary(_, operand) => pending.push(operand),
            ExprKind::Member(first, second) | ExprKind::Binary(_, first, second) => {
                pending.extend([second.as_ref(), first.as_ref()]);
            }
            ExprKind::Choice(parts) => pending.extend(parts.iter().rev()),
        }
    }

    const fn power(&self) -> u8 {
        match &self.kind {
            ExprKind::Choice(_) => 0,
            ExprKind::Binary(operator, ..) => operator.power(),
            ExprKind::Unary(..) => UNARY_POWER,
            ExprKind::Literal(_) | ExprKind::Variable(_) | ExprKind::Call(_) | ExprKind::Member(..) => PRIMARY_POWER,
        }
    }

    /// Writes the node, in parentheses if it binds less tightly than its context needs.
    fn write(&self, least_power: u8, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.power() < least_power { write!(f, "({self})") } else { write!(f, "{self}") }
    }
}

impl Call {
    /// Returns prefix and name together.
    pub fn function(&self) -> FunctionName<'_> {
        FunctionName { prefix: &self.prefix, name: &self.name }
    }
}

impl PartialEq for Expr {
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl PartialEq for Call {
    fn eq(&self, other: &Self) -> bool {
        self.function() == other.function() && self.arguments == other.arguments
    }
}

impl fmt::Display for Expr {
    /// Writes source text without `${` and `}` that parses to an equal tree.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Literal(value) => write_literal(value, f),
            ExprKind::Variable(name) => f.write_str(name),
            ExprKind::Call(call) => write!(f, "{call}"),
            ExprKind::Member(base, key) => {
                base.write(PRIMARY_POWER, f)?;
                write!(f, "[{key}]")
            }
            ExprKind::Unary(operator, operand) => {
                f.write_str(match operator {
                    UnaryOperator::Negate => "-",
                    UnaryOperator::Not => "not ",
                    UnaryOperator::Empty => "empty ",
                })?;
                operand.write(UNARY_POWER, f)
            }
            ExprKind::Binary(operator, left, right) => {
                left.write(operator.power(), f)?;
                write!(f, " {} ", operator.spelling())?;
                right.write(operator.power() + 1, f)
            }
            ExprKind::Choice(parts) => {
                let [condition, then, otherwise] = parts.as_ref();
                condition.write(1, f)?;
                f.write_str(" ? ")?;
                // A name before `: f(` would read as the prefix of a function.
                let closed = matches!(then.kind, ExprKind::Literal(_) | ExprKind::Call(_) | ExprKind::Member(..));
                then.write(if closed { 0 } else { PRIMARY_POWER + 1 }, f)?;
                write!(f, " : {otherwise}")
            }
        }
    }
}

fn write_literal(value: &Value, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match value {
        Value::Null => f.write_str("null"),
        Value::Text(text) => {
            f.write_char('\'')?;
            for character in text.chars() {
                if matches!(character, '\\' | '\'') {
                    f.write_char('\\')?;
                }
                f.write_char(character)?;
            }
            f.write_char('\'')
        }
        // Beyond the range there is only infinity, and its only literal is a number that is too large.
        Value::Float(number) if number.is_infinite() => f.write_str("1e999"),
        Value::Float(number) => {
            let mut text = String::new();
            number::write_float(*number, &mut text);
            f.write_str(&text)
        }
        Value::Bool(_) | Value::Int(_) | Value::Map(_) | Value::List(_) => write!(f, "{value}"),
    }
}

impl fmt::Display for Call {
    /// Writes `prefix:name(first, second)`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function())?;
        for (number, argument) in self.arguments.iter().enumerate() {
            if number > 0 {
                f.write_str(", ")?;
            }
            write!(f, "{argument}")?;
        }
        f.write_char(')')
    }
}
