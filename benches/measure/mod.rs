//! Two things measured side by side: absolute times say little on a machine that others share, their ratio does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use std::{env, fmt, fs};

/// Pairs of runs of whole processes.
pub(crate) const PAIRS: usize = 15;

/// What two things took, run in turn.
pub(crate) struct Pairs(pub(crate) Vec<(Duration, Duration)>);

impl Pairs {
    /// Measures two things in turn, after one round that does not count.
    pub(crate) fn measure(
        count: usize,
        mut ours: impl FnMut() -> Duration,
        mut theirs: impl FnMut() -> Duration,
    ) -> Self {
        let mut pairs: Vec<_> = (0..=count).map(|_| (ours(), theirs())).collect();
        pairs.remove(0);
        Self(pairs)
    }

    /// Prints the ratio of the fastest runs beside its bound: whoever else uses the machine only ever makes a run
    /// slower. Then what they took, and the middle half of the single ratios, which tells how noisy the machine was.
    pub(crate) fn report(&self, what: &str, bound: impl fmt::Display) {
        let ours = self.0.iter().map(|pair| pair.0).min().unwrap_or_default();
        let theirs = self.0.iter().map(|pair| pair.1).min().unwrap_or_default();
        let mut ratios: Vec<f64> = self.0.iter().map(|pair| per(pair.0, pair.1)).collect();
        ratios.sort_unstable_by(f64::total_cmp);
        println!(
            "{what:<72} {:>6.2} {bound:>7}   ({} / {}; {:.2} to {:.2})",
            per(ours, theirs),
            Readable(ours),
            Readable(theirs),
            ratios[ratios.len() / 4],
            ratios[ratios.len() * 3 / 4]
        );
    }
}

/// Prints the heads of the columns.
pub(crate) fn head() {
    println!("{:<72} {:>6} {:>7}   (fastest runs; middle half of the ratios)", "ratio", "is", "bound");
}

/// The time that something takes.
pub(crate) fn timed(work: impl FnOnce()) -> Duration {
    let started = Instant::now();
    work();
    started.elapsed()
}

/// The wall time of a command that must end with one of these exit codes; what it prints is lost, except the errors of
/// one that ends otherwise.
pub(crate) fn run(command: &mut Command, exits: &[i32]) -> Duration {
    let started = Instant::now();
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
    let ended = silent.output().expect("the command starts");
    let elapsed = started.elapsed();
    let is_expected = ended.status.code().is_some_and(|code| exits.contains(&code));
    let (program, status) = (command.get_program().display(), ended.status);
    assert!(is_expected, "{program}: {status}: {}", String::from_utf8_lossy(&ended.stderr));
    elapsed
}

/// The program that is measured: that of `HOWDAH_BENCH_PROGRAM`, else the one that Cargo has built with all features. It
/// is a copy, as an installation makes one: a file as the linker wrote it takes longer to start, because the kernel
/// maps it in smaller pieces.
pub(crate) fn howdah() -> Command {
    static COPY: LazyLock<PathBuf> = LazyLock::new(|| {
        let built = env::var_os("HOWDAH_BENCH_PROGRAM").unwrap_or_else(|| env!("CARGO_BIN_EXE_howdah").into());
        let copy = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("howdah-{}", env!("CARGO_CRATE_NAME")));
        let _ = fs::remove_file(&copy);
        fs::copy(built, &copy).expect("a copy of the program");
        copy
    });
    Command::new(&*COPY)
}

/// The program of that name on the path.
pub(crate) fn program(name: &str) -> Option<PathBuf> {
    env::split_paths(&env::var_os("PATH")?).map(|folder| folder.join(name)).find(|path| path.is_file())
}

fn per(ours: Duration, theirs: Duration) -> f64 {
    ours.as_secs_f64() / theirs.as_secs_f64()
}

/// A duration with three digits or so.
struct Readable(Duration);

impl fmt::Display for Readable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let milliseconds = self.0.as_secs_f64() * 1e3;
        if milliseconds < 1.0 { write!(f, "{:.1} us", milliseconds * 1e3) } else { write!(f, "{milliseconds:.2} ms") }
    }
}
