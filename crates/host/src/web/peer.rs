//! Which user of this machine is at the other end of a connection, as far as the kernel's tables prove it.
//!
//! The tables show the user of a socket only while a process has it open: a closed socket has user 0, as if it were
//! root's. So each doubt means that the user is not known.

use std::fs;
use std::net::{IpAddr, SocketAddr};

/// The tables of the kernel: the two ends of a connection may be in different ones.
const TABLES: [&str; 2] = ["/proc/net/tcp", "/proc/net/tcp6"];
/// The state of a connection that neither end has closed.
const ESTABLISHED: &str = "01";
/// The number of users that have none in this user namespace, where the kernel does not say it.
const OVERFLOW_USER: u32 = 65_534;

/// Returns the number of the user whose process has the other end of a connection; `socket` is the inode of this end.
/// `None` when this is not certain: for a connection from elsewhere, one that an end has closed, or a user without a
/// number in this user namespace.
///
/// The kernel reads the user and the inode of a row one after the other. Two equal answers show that the other end was
/// open while its user was read, and that this end was still the same connection then: a closed connection may be
/// followed by one of another user with the same ports.
pub fn user_of(peer: SocketAddr, local: SocketAddr, socket: u64) -> Option<u32> {
    let first = owner_now(peer, local, socket)?;
    let is_sure = owner_now(peer, local, socket)? == first && first.user != overflow_user();
    is_sure.then_some(first.user)
}

fn owner_now(peer: SocketAddr, local: SocketAddr, socket: u64) -> Option<Owner> {
    // A table that cannot be read shows no owner.
    let tables = TABLES.map(|table| fs::read_to_string(table).unwrap_or_default());
    owner_in(&tables.concat(), (peer, local), socket)
}

/// Returns the number that the kernel shows for each user that has none in this user namespace.
fn overflow_user() -> u32 {
    let text = fs::read_to_string("/proc/sys/kernel/overflowuid");
    text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(OVERFLOW_USER)
}

/// Who has a socket open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Owner {
    user: u32,
    inode: u64,
}

/// Finds the owner of the other end in the rows of connections that both ends have open.
fn owner_in(tables: &str, (peer, local): (SocketAddr, SocketAddr), socket: u64) -> Option<Owner> {
    let owner = |from: SocketAddr, to: SocketAddr| {
        tables.lines().filter_map(open_row).find(|(own, other, _)| same(*own, from) && same(*other, to))
    };
    let (.., this_end) = owner(local, peer)?;
    let (.., other_end) = owner(peer, local)?;
    (this_end.inode == socket).then_some(other_end)
}

/// Reads the row of a socket that a process has open: its own address, the other one, and its owner.
fn open_row(line: &str) -> Option<(SocketAddr, SocketAddr, Owner)> {
    let mut columns = line.split_ascii_whitespace().skip(1);
    let (own, other) = (address(columns.next()?)?, address(columns.next()?)?);
    let state = columns.next()?;
    let user = columns.nth(3)?.parse().ok()?;
    let inode = columns.nth(1)?.parse().ok()?;
    (state == ESTABLISHED && inode != 0).then_some((own, other, Owner { user, inode }))
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

    const SOCKET: u64 = 71;

    fn words(ip: [u8; 4]) -> String {
        format!("{:08X}", u32::from_ne_bytes(ip))
    }

    fn row(own: &str, other: &str, end: &str) -> String {
        let columns: Vec<&str> = end.split(' ').collect();
        let [state, user, inode] = columns[..] else { panic!("{end}") };
        format!(
            "  11: {own} {other} {state} 00000000:00000000 00:00000000 00000000  {user}        0 {inode} 1 0 20 4 30\n"
        )
    }

    fn at(port: u16) -> SocketAddr {
        SocketAddr::from(([127, 0, 0, 1], port))
    }

    /// Returns the user in a table with these two rows; each is a state, a user and an inode.
    fn user_in(this_end: &str, other_end: &str) -> Option<u32> {
        let (server, client) = (words([127, 0, 0, 1]) + ":2AF8", words([127, 0, 0, 1]) + ":D431");
        let head = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";
        let table = head.to_owned() + &row(&server, &client, this_end) + &row(&client, &server, other_end);
        assert_eq!(owner_in(&table, (at(0xD432), at(0x2AF8)), SOCKET), None);
        owner_in(&table, (at(0xD431), at(0x2AF8)), SOCKET).map(|owner| owner.user)
    }

    #[test]
    fn the_user_of_an_open_socket() {
        for (this_end, other_end, expect) in [
            ("01 0 71", "01 1007 72", Some(1007)),
            ("01 1007 71", "01 0 72", Some(0)),
            // Closed, by the client or by both: the kernel shows no user, or one without an inode.
            ("08 0 71", "06 0 0", None),
            ("01 0 71", "06 0 0", None),
            ("01 0 71", "05 0 0", None),
            ("01 0 71", "01 0 0", None),
            ("08 0 71", "05 1007 72", None),
            // This end is closed, or is the socket of a later connection with the same ports.
            ("01 0 0", "01 0 72", None),
            ("01 0 73", "01 0 72", None),
            ("02 0 71", "02 0 72", None),
        ] {
            assert_eq!(user_in(this_end, other_end), expect, "{this_end}, {other_end}");
        }
        assert_eq!(owner_in("head\n 0: x y\n", (at(1), at(2)), SOCKET), None);
    }

    #[test]
    fn one_end_may_be_in_the_other_table() {
        let (server, client) = (words([127, 0, 0, 1]) + ":2AF8", words([127, 0, 0, 1]) + ":D431");
        let mapped =
            |address: &str| format!("{}{}{}{address}", words([0; 4]), words([0; 4]), words([0, 0, 0xff, 0xff]));
        let table = row(&server, &client, "01 0 71") + &row(&mapped(&client), &mapped(&server), "01 5 72");
        assert_eq!(owner_in(&table, (at(0xD431), at(0x2AF8)), SOCKET), Some(Owner { user: 5, inode: 72 }));
    }

    #[test]
    fn a_connection_of_this_process_is_this_user_while_both_ends_are_open() {
        use std::os::unix::fs::MetadataExt as _;

        let own = crate::account::own_uid();
        let known = (own != overflow_user()).then_some(own);
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let local = listener.local_addr().unwrap();
        let client = std::net::TcpStream::connect(local).unwrap();
        let peer = client.local_addr().unwrap();
        let (accepted, _) = listener.accept().unwrap();
        let accepted = std::fs::File::from(std::os::fd::OwnedFd::from(accepted));
        let socket = accepted.metadata().unwrap().ino();
        assert_eq!(user_of(peer, local, socket), known);
        assert_eq!(user_of(peer, local, socket + 1), None);
        drop(client);
        assert_eq!(user_of(peer, local, socket), None);
    }
}
