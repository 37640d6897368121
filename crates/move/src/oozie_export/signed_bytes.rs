//! Lists of Java's signed bytes, as JSON writes them: `79,-1,127`.

/// Reads a list without its brackets; `None` for any other text.
pub(super) fn read(list: &str) -> Option<Vec<u8>> {
    let list = list.as_bytes();
    let mut bytes = Vec::with_capacity(list.len() / 3 + 1);
    let mut at = 0;
    if list.iter().all(u8::is_ascii_whitespace) {
        return Some(bytes);
    }
    loop {
        let (byte, behind) = number(list, after_blanks(list, at))?;
        bytes.push(byte);
        at = behind;
        if list.get(at).is_some_and(u8::is_ascii_whitespace) {
            at = after_blanks(list, at);
        }
        match list.get(at) {
            None => return Some(bytes),
            Some(b',') => at += 1,
            Some(_) => return None,
        }
    }
}

fn after_blanks(list: &[u8], mut at: usize) -> usize {
    while list.get(at).is_some_and(u8::is_ascii_whitespace) {
        at += 1;
    }
    at
}

/// Reads one number of at most three digits; returns it with the position behind it.
fn number(list: &[u8], mut at: usize) -> Option<(u8, usize)> {
    let is_negative = list.get(at) == Some(&b'-');
    at += usize::from(is_negative);
    let mut value = digit(list, at)?;
    at += 1;
    for _ in 0..2 {
        let Some(next) = digit(list, at) else { break };
        value = value * 10 + next;
        at += 1;
    }
    let value = if is_negative { -value } else { value };
    i8::try_from(value).ok().map(|value| (value.cast_unsigned(), at))
}

fn digit(list: &[u8], at: usize) -> Option<i16> {
    let digit = list.get(at)?.wrapping_sub(b'0');
    (digit < 10).then(|| i16::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_is_read() {
        let all: Vec<u8> = (0..=255).collect();
        let written: Vec<String> = all.iter().map(|byte| byte.cast_signed().to_string()).collect();
        assert_eq!(read(&written.join(",")), Some(all.clone()));
        assert_eq!(read(&written.join(" ,\t")), Some(all));
        assert_eq!(read(" -128 ,127,0 "), Some(vec![128, 127, 0]));
        assert_eq!((read(""), read(" ")), (Some(Vec::new()), Some(Vec::new())));
    }

    #[test]
    fn other_texts_are_refused() {
        for list in ["1,", ",1", "1 2", "-", "--1", "1-", "0001", "1.0", "128", "-129", "300", "1,,2", "- 1", "x"] {
            assert_eq!(read(list), None, "{list}");
        }
    }
}
