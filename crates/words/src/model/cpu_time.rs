//! Time that a processor worked, to the millisecond.

/// The processor time of a process or job.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CpuTime {
    milliseconds: u64,
}

impl CpuTime {
    /// Returns the time of this number of seconds; zero for a negative number or NaN.
    pub fn from_seconds(seconds: f64) -> Self {
        // A cast from a float stays within the range of the integer, and turns NaN into 0.
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "saturates")]
        let milliseconds = (seconds * 1000.0).round() as u64;
        Self { milliseconds }
    }

    /// Returns the time in seconds.
    pub fn seconds(self) -> f64 {
        #[expect(clippy::cast_precision_loss, reason = "milliseconds of centuries fit")]
        let milliseconds = self.milliseconds as f64;
        milliseconds / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_are_kept_to_the_millisecond() {
        let check = |seconds: f64, expect: f64| {
            let kept = CpuTime::from_seconds(seconds).seconds();
            assert!((kept - expect).abs() < 1e-9, "{seconds}: {kept}");
        };
        check(0.0, 0.0);
        check(1.234_567, 1.235);
        check(-3.0, 0.0);
        check(f64::NAN, 0.0);
        check(86_400.001, 86_400.001);
    }
}
