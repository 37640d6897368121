//! The site file and the mounts: problems with them are reported with their place.

use howdah_sandbox::sandbox::Sandbox;

#[test]
fn a_wrong_setting_is_refused_at_its_place_and_a_slip_is_warned_of() {
    let sandbox = Sandbox::new();
    sandbox.write("coordinator.xml", include_str!("../../fixtures/valid/coordinator.xml"));
    let validate = |site: &str| {
        sandbox.write("site.properties", site);
        sandbox.howdah(["--site", "site.properties", "validate", "coordinator.xml"]).run()
    };
    let ran = validate("# ours\nhowdah.clock.leap.days = 400\noozie.service.coord.default.throttle=0\n");
    let told = ["error[H0121]", "site.properties:3:38", "a number from 1 to"];
    assert!(ran.status == Some(1) && told.iter().all(|part| ran.stderr.contains(part)), "{ran:?}");
    let ran = validate("oozie.servces=x\nhowdah.mount=hdfs://a=/x\n");
    let told = ["warning[W0131]", "site.properties:2:1", "did you mean howdah.mounts?"];
    assert!(ran.status == Some(0) && told.iter().all(|part| ran.stderr.contains(part)), "{ran:?}");
    assert!(!ran.stderr.contains("oozie.servces"), "{ran:?}");
    let quiet = sandbox.howdah(["--site", "site.properties", "-q", "validate", "coordinator.xml"]).run();
    assert_eq!((quiet.status, quiet.stderr.as_str()), (Some(0), ""));
}

#[test]
fn a_mount_without_a_folder_is_warned_of() {
    let sandbox = Sandbox::new();
    sandbox.write("coordinator.xml", include_str!("../../fixtures/valid/coordinator.xml"));
    sandbox.write("there/x", "");
    let mounts = [format!("hdfs://a={}", sandbox.text("there")), format!("hdfs://b={}", sandbox.text("gone"))];
    let ran = sandbox.howdah(["--mount", &mounts[0], "--mount", &mounts[1], "validate", "coordinator.xml"]).run();
    assert!(ran.status == Some(0) && ran.stderr.contains("W0130") && ran.stderr.contains("hdfs://b"), "{ran:?}");
    assert!(!ran.stderr.contains("hdfs://a"), "{ran:?}");
}
