//! Decimal digits: of any script, as Java reads them in numbers, and those that are written.
//!
//! Decides which characters are digits. Must not depend on what the number means.

/// The zeros of the scripts whose ten digits are consecutive (Unicode category Nd, basic plane).
const ZEROS: &[u32] = &[
    0x0660, 0x06F0, 0x07C0, 0x0966, 0x09E6, 0x0A66, 0x0AE6, 0x0B66, 0x0BE6, 0x0C66, 0x0CE6, 0x0D66, 0x0DE6, 0x0E50,
    0x0ED0, 0x0F20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50, 0x1BB0, 0x1C40, 0x1C50,
    0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0xFF10,
];

/// Returns the value of a decimal digit of any script.
pub(super) fn digit_value(character: char) -> Option<u32> {
    if character.is_ascii() {
        return character.to_digit(10);
    }
    let code = u32::from(character);
    ZEROS.iter().find(|zero| (**zero..**zero + 10).contains(&code)).map(|zero| code - zero)
}

/// Appends a number below 100 with two digits. `write!` takes several times as long, and lists write many times.
pub fn push_two_digits(text: &mut String, number: u32) {
    let digit = |value: u32| char::from_digit(value, 10).unwrap_or('0');
    text.push(digit(number / 10 % 10));
    text.push(digit(number % 10));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_digits_of_several_scripts() {
        for (character, expect) in
            [('0', Some(0)), ('9', Some(9)), ('\u{663}', Some(3)), ('\u{ff19}', Some(9)), ('x', None), ('½', None)]
        {
            assert_eq!(digit_value(character), expect, "{character}");
        }
    }

    #[test]
    fn zeros_are_in_order() {
        assert!(ZEROS.is_sorted_by(|one, next| one + 10 <= *next));
    }
}
