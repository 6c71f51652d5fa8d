//! `live-report.json`: reports of the reference's live gate and what is wrong with them.

use ql3_ops::evidence::key_retirement::audit;

use super::Sheet;

pub(super) fn run(sheet: &mut Sheet) {
    let line = sheet.text("auditOutputForValid");
    let mut compatible = 0;
    sheet.each("cases", |case| {
        let audit = audit(&case.take("report"));
        assert_eq!(serde_json::to_value(&audit.findings).unwrap(), case.take("findings"));
        assert_eq!(audit.compatible, case.take("compatible"));
        if audit.compatible {
            compatible += 1;
            assert_eq!(serde_json::to_string(&audit).unwrap(), line);
        }
    });
    assert_ne!(compatible, 0);
}
