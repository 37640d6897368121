//! The result of an operator for its values (JSP EL 2.0, sections 1.7 to 1.11), as Oozie 5's evaluator computes it.
//!
//! Each operator decides whether a text is a number: arithmetic reads `'1.5'` as floating point, comparison with an
//! integer refuses it. Floating point is ordered as `Double.compareTo` does: NaN equals itself and is the
//! greatest, `-0.0` is less than `0.0`.

use std::cmp::Ordering;

use super::ast::{BinaryOperator, UnaryOperator};
use super::number::looks_like_float;
use super::value::{Value, ValueError};

/// Applies a unary operator.
pub(super) fn unary(operator: UnaryOperator, operand: &Value) -> Result<Value, ValueError> {
    match operator {
        UnaryOperator::Not => Ok(Value::Bool(!operand.to_bool()?)),
        UnaryOperator::Empty => Ok(Value::Bool(operand.is_empty())),
        UnaryOperator::Negate if is_float(operand) => Ok(Value::Float(-operand.to_float()?)),
        UnaryOperator::Negate => Ok(Value::Int(operand.to_strict_long()?.wrapping_neg())),
    }
}

/// Applies a binary operator to two values, both already computed.
pub(super) fn binary(operator: BinaryOperator, left: &Value, right: &Value) -> Result<Value, ValueError> {
    use BinaryOperator as Op;
    match operator {
        Op::Or => Ok(Value::Bool(left.to_bool()? || right.to_bool()?)),
        Op::And => Ok(Value::Bool(left.to_bool()? && right.to_bool()?)),
        Op::Equal => Ok(Value::Bool(equal(left, right)?)),
        Op::NotEqual => Ok(Value::Bool(!equal(left, right)?)),
        Op::Less => relation(left, right, Ordering::is_lt),
        Op::LessOrEqual => relation(left, right, Ordering::is_le),
        Op::Greater => relation(left, right, Ordering::is_gt),
        Op::GreaterOrEqual => relation(left, right, Ordering::is_ge),
        Op::Add | Op::Subtract | Op::Multiply | Op::Divide | Op::Remainder => arithmetic(operator, left, right),
    }
}

fn arithmetic(operator: BinaryOperator, left: &Value, right: &Value) -> Result<Value, ValueError> {
    use BinaryOperator as Op;
    // Even null divided by null is the integer zero.
    if matches!((left, right), (Value::Null, Value::Null)) {
        return Ok(Value::Int(0));
    }
    if operator == Op::Divide || is_float(left) || is_float(right) {
        let (left, right) = (left.to_float()?, right.to_float()?);
        return Ok(Value::Float(match operator {
            Op::Add => left + right,
            Op::Subtract => left - right,
            Op::Multiply => left * right,
            Op::Divide => left / right,
            _ => left % right,
        }));
    }
    let (left, right) = (left.to_strict_long()?, right.to_strict_long()?);
    Ok(Value::Int(match operator {
        Op::Add => left.wrapping_add(right),
        Op::Subtract => left.wrapping_sub(right),
        Op::Multiply => left.wrapping_mul(right),
        _ if right == 0 => return Err(ValueError(format!("the remainder of [{left}] divided by zero has no value"))),
        _ => left.wrapping_rem(right),
    }))
}

/// Returns whether arithmetic with this value is floating point.
fn is_float(value: &Value) -> bool {
    match value {
        Value::Float(_) => true,
        Value::Text(text) => looks_like_float(text),
        _ => false,
    }
}

fn equal(left: &Value, right: &Value) -> Result<bool, ValueError> {
    Ok(match (left, right) {
        (Value::Null, other) | (other, Value::Null) => other.is_missing(),
        (Value::Float(_), _) | (_, Value::Float(_)) => compare_floats(left, right)?.is_eq(),
        (Value::Int(_), _) | (_, Value::Int(_)) => left.to_strict_long()? == right.to_strict_long()?,
        (Value::Bool(_), _) | (_, Value::Bool(_)) => left.to_bool()? == right.to_bool()?,
        (Value::Text(_), _) | (_, Value::Text(_)) => left.to_text() == right.to_text(),
        (Value::Map(_) | Value::List(_), _) => left == right,
    })
}

fn relation(left: &Value, right: &Value, holds: fn(Ordering) -> bool) -> Result<Value, ValueError> {
    let ordering = match (left, right) {
        (Value::Null, Value::Null) => Ordering::Equal,
        // Null has no order relative to another value.
        (Value::Null, _) | (_, Value::Null) => return Ok(Value::Bool(false)),
        _ if equal(left, right)? => Ordering::Equal,
        _ => compare(left, right)?,
    };
    Ok(Value::Bool(holds(ordering)))
}

/// Returns the order of two values that are neither null nor equal.
fn compare(left: &Value, right: &Value) -> Result<Ordering, ValueError> {
    match (left, right) {
        (Value::Float(_), _) | (_, Value::Float(_)) => compare_floats(left, right),
        (Value::Int(_), _) | (_, Value::Int(_)) => Ok(left.to_strict_long()?.cmp(&right.to_strict_long()?)),
        (Value::Text(_), _) | (_, Value::Text(_)) => Ok(compare_texts(&left.to_text(), &right.to_text())),
        (Value::Bool(left), Value::Bool(right)) => Ok(left.cmp(right)),
        _ => Err(ValueError(format!("cannot compare a {} with a {}", left.type_name(), right.type_name()))),
    }
}

fn compare_floats(left: &Value, right: &Value) -> Result<Ordering, ValueError> {
    let one_nan = |number: f64| if number.is_nan() { f64::NAN } else { number };
    Ok(one_nan(left.to_float()?).total_cmp(&one_nan(right.to_float()?)))
}

/// Compares texts as Java does, by their UTF-16 units.
fn compare_texts(left: &str, right: &str) -> Ordering {
    if left.is_ascii() || right.is_ascii() { left.cmp(right) } else { left.encode_utf16().cmp(right.encode_utf16()) }
}
