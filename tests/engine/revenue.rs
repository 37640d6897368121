//! The data pipeline of the coordinator specification's section 6.2 on real files, for a few days of its month.
//!
//! `howdah run` runs the three coordinators of `fixtures/revenue` together; they are connected only through their data.
//! The expected totals come from the generator.

use howdah_sandbox::revenue::{EndOfMonth, end_of_a_month, expect, pipeline, run, write_expected};

#[test]
fn the_days_around_the_change_of_the_clocks() {
    let sandbox = pipeline(&[
        ("hourly/coordinator.xml", "2026-03-01T06:00Z", "2026-03-07T06:00Z"),
        ("hourly/coordinator.xml", "2026-04-01T05:00Z", "2026-03-09T05:00Z"),
        ("daily/coordinator.xml", "start=\"2026-03-01T05:00Z\"", "start=\"2026-03-07T05:00Z\""),
        ("daily/coordinator.xml", "end=\"2026-04-01T05:00Z\"", "end=\"2026-03-09T05:00Z\""),
    ]);
    let kept = [("hourlyRevenue", "2026-03-07-06", "2026-03-09-04"), ("dailyRevenue", "2026-03-08", "2026-03-09")];
    write_expected(&sandbox, &expect(&sandbox, &kept));
    assert_eq!(
        run(&sandbox, &["hourly", "daily"]),
        "47 hourly, 2 daily and 0 monthly total agree with the generator\n"
    );
}

#[test]
fn a_month_that_starts_two_days_before_its_end() {
    let EndOfMonth { sandbox, totals, .. } = end_of_a_month(2);
    write_expected(&sandbox, &totals);
    assert_eq!(
        run(&sandbox, &["hourly", "daily", "monthly"]),
        "48 hourly, 2 daily and 1 monthly total agree with the generator\n"
    );
}
