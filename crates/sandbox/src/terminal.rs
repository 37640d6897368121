//! A program on a terminal: what it draws is read as a terminal would show it, and keys are typed.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::num::NonZero;
use std::os::fd::OwnedFd;
use std::process::{Child, Command, ExitStatus};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags};
use rustix::process::{Pid, Signal, kill_process};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{LocalModes, Winsize, tcgetattr, tcsetwinsize};
use vt100::Parser;

use crate::sandbox::wait_for;

/// A terminal with a program that runs on it; the program ends with it.
pub struct Terminal {
    child: Child,
    keys: File,
    shown: Arc<Mutex<Parser>>,
    has_gone: Arc<AtomicBool>,
    reader: Option<JoinHandle<()>>,
}

impl Terminal {
    /// Starts a command on a terminal of so many columns and rows.
    pub fn start(command: &mut Command, (columns, rows): (u16, u16)) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).expect("a pseudo terminal");
        grantpt(&terminal).expect("a pseudo terminal");
        unlockpt(&terminal).expect("a pseudo terminal");
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&terminal, size).expect("the size of a terminal");
        let name = ptsname(&terminal, Vec::new()).expect("the name of a terminal");
        let side = rustix::fs::open(name, OFlags::RDWR | OFlags::NOCTTY, Mode::empty()).expect("the other side");
        let copy = || OwnedFd::try_clone(&side).expect("an open file");
        let child = command.stdin(copy()).stdout(copy()).stderr(copy()).spawn().expect("the program starts");
        // The command keeps its own copies of the other side; the terminal ends when the program has closed it.
        command.stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
        drop(side);
        let of = |length: u16| NonZero::new(length).expect("a terminal has room");
        let shown = Arc::new(Mutex::new(Parser::new(of(rows), of(columns), 0)));
        let mut output = File::from(OwnedFd::try_clone(&terminal).expect("an open file"));
        let screen = Arc::clone(&shown);
        let has_gone = Arc::new(AtomicBool::new(false));
        let gone = Arc::clone(&has_gone);
        let reader = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while !gone.load(Ordering::SeqCst) {
                if !is_readable(&output) {
                    continue;
                }
                let Ok(read @ 1..) = output.read(&mut bytes) else { break };
                screen.lock().expect("no reader panics").process(&bytes[..read]);
            }
        });
        Self { child, keys: File::from(terminal), shown, has_gone, reader: Some(reader) }
    }

    /// Gives the terminal another size, and says so to the program.
    pub fn resize(&mut self, (columns, rows): (u16, u16)) {
        let of = |length: u16| NonZero::new(length).expect("a terminal has room");
        self.shown.lock().expect("no reader panics").screen_mut().set_size(of(rows), of(columns));
        let size = Winsize { ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&self.keys, size).expect("the size of a terminal");
        let process = Pid::from_raw(self.pid()).expect("a process");
        kill_process(process, Signal::WINCH).expect("it is our own");
    }

    /// Closes the terminal, as a window that is closed or a connection that ends.
    pub fn close(&mut self) {
        self.has_gone.store(true, Ordering::SeqCst);
        if let Some(reader) = self.reader.take() {
            reader.join().expect("no reader panics");
        }
        self.keys = File::open("/dev/null").expect("a file");
    }

    /// Returns what the terminal shows.
    pub fn text(&self) -> String {
        self.shown.lock().expect("no reader panics").screen().contents()
    }

    /// Returns whether the program uses the screen that keeps what was there before.
    fn is_on_alternate_screen(&self) -> bool {
        self.shown.lock().expect("no reader panics").screen().alternate_screen()
    }

    /// Returns whether the cursor is hidden.
    fn hides_cursor(&self) -> bool {
        self.shown.lock().expect("no reader panics").screen().hide_cursor()
    }

    /// Returns whether the terminal gives a program whole lines, and ends it with Ctrl-C: its usual state.
    pub fn is_usual(&self) -> bool {
        let modes = tcgetattr(&self.keys).expect("a terminal").local_modes;
        modes.contains(LocalModes::ICANON | LocalModes::ISIG | LocalModes::ECHO)
            && !self.is_on_alternate_screen()
            && !self.hides_cursor()
    }

    /// Types these keys.
    pub fn type_keys(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).expect("the terminal takes keys");
    }

    /// Waits until the terminal shows a text; returns all that it shows then.
    pub fn await_text(&self, text: &str) -> String {
        wait_for(&format!("[{text}] on the terminal: {}", self.text()), || {
            Some(self.text()).filter(|shown| shown.contains(text))
        })
    }

    /// Returns the number of the process.
    pub fn pid(&self) -> i32 {
        i32::try_from(self.child.id()).expect("process numbers are positive")
    }

    /// Waits until the program has ended.
    pub fn finish(&mut self) -> ExitStatus {
        wait_for("the end of the program", || self.child.try_wait().expect("it was started"))
    }
}

/// Waits for a moment until there is something to read, or nothing will follow.
fn is_readable(output: &File) -> bool {
    let moment = Timespec { tv_sec: 0, tv_nsec: 50_000_000 };
    poll(&mut [PollFd::new(output, PollFlags::IN)], Some(&moment)).is_ok_and(|ready| ready > 0)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
