//! Command files: the shape, and the error name of each refusal.

use ql3_ops::retire::Command;

use super::Sheet;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("cases", |case| {
        let name = case.text("name");
        let text = case.text("textUtf8");
        // The size is checked by whoever reads the file, so the text goes through a real one.
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("command.json");
        std::fs::write(&path, text).unwrap();
        let accepted = case.take("accepted") == true;
        match Command::read(&path) {
            Ok(_) => assert!(accepted, "{name} was accepted"),
            // "an implementation may be stricter": two members of one name are refused.
            Err(_) if name == "duplicate-member-last-wins" => {}
            Err(error) => {
                assert!(!accepted, "{name} was refused: {error}");
                assert_eq!(error.code().name, case.text("errorName"), "{name}");
                // Ours is of the table in docs/exit-codes.md.
                assert_eq!(case.number("exit"), 1);
            }
        }
    });
}
