//! Which user of this machine is at the other end of a connection.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// Returns the number of the user whose process holds the other end of a connection on this machine; `None` when the
/// kernel's table does not show it, such as for a connection from elsewhere.
pub(crate) fn user_of(peer: SocketAddr, local: SocketAddr) -> Option<u32> {
    ["/proc/net/tcp", "/proc/net/tcp6"].iter().find_map(|table| user_in(&fs::read_to_string(table).ok()?, peer, local))
}

/// Finds the row of a socket: its own address is the peer of ours.
fn user_in(table: &str, own: SocketAddr, other: SocketAddr) -> Option<u32> {
    table.lines().skip(1).find_map(|line| {
        let mut columns = line.split_ascii_whitespace().skip(1);
        let (found_own, found_other) = (address(columns.next()?)?, address(columns.next()?)?);
        let user = columns.nth(4)?;
        (same(found_own, own) && same(found_other, other)).then(|| user.parse().ok()).flatten()
    })
}

fn same(a: SocketAddr, b: SocketAddr) -> bool {
    a.port() == b.port() && a.ip().to_canonical() == b.ip().to_canonical()
}

/// Reads an address as the kernel writes it: words of four bytes in the order of the machine, then the port.
fn address(text: &str) -> Option<SocketAddr> {
    let (digits, port) = text.split_once(':')?;
    let port = u16::from_str_radix(port, 16).ok()?;
    let word = |at: usize| Some(u32::from_str_radix(digits.get(at..at + 8)?, 16).ok()?.to_ne_bytes());
    let ip = match digits.len() {
        8 => IpAddr::from(word(0)?),
        32 => {
            let mut bytes = [0; 16];
            for part in 0..4 {
                bytes[part * 4..part * 4 + 4].copy_from_slice(&word(part * 8)?);
            }
            IpAddr::from(bytes)
        }
        _ => return None,
    };
    Some(SocketAddr::new(ip, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_of_a_socket() {
        let words = |ip: [u8; 4]| format!("{:08X}", u32::from_ne_bytes(ip));
        let loopback = words([127, 0, 0, 1]);
        let row = |n: u8, own: &str, other: &str, user: u32| {
            format!("  {n}: {own} {other} 01 00000000:00000000 00:00000000 00000000  {user}        0 1\n")
        };
        let table = String::from("  sl  local_address rem_address   st\n")
            + &row(0, &format!("{loopback}:2AF8"), &format!("{loopback}:D431"), 0)
            + &row(1, &format!("{loopback}:D431"), &format!("{loopback}:2AF8"), 1007);
        let at = |port: u16| SocketAddr::from(([127, 0, 0, 1], port));
        assert_eq!(user_in(&table, at(0xD431), at(0x2AF8)), Some(1007));
        assert_eq!(user_in(&table, at(0xD432), at(0x2AF8)), None);
        let mapped = format!("{}{}{}{loopback}", words([0; 4]), words([0; 4]), words([0, 0, 0xff, 0xff]));
        let table = format!("head\n{}", row(0, &format!("{mapped}:D431"), &format!("{mapped}:2AF8"), 5));
        assert_eq!(user_in(&table, at(0xD431), at(0x2AF8)), Some(5));
        assert_eq!(user_in("head\n 0: x y\n", at(1), at(2)), None);
    }

    #[test]
    fn a_connection_of_this_process_is_this_user() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(local).unwrap();
        let found = user_of(client.local_addr().unwrap(), local);
        assert_eq!(found, Some(crate::host::account::own_uid()));
    }
}
