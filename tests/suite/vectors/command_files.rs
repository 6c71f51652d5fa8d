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
        let note = case.maybe("note").unwrap_or_default().to_string();
        let may_be_stricter = note.contains("an implementation may be stricter");
        let accepted = case.take("accepted") == true;
        match Command::read(&path) {
            Ok(_) => assert!(accepted, "{name} was accepted"),
            // Two members of one name are refused, where the case says that one may.
            Err(_) if may_be_stricter => {}
            Err(error) => {
                assert!(!accepted, "{name} was refused: {error}");
                assert_eq!(error.code().name, case.text("errorName"), "{name}");
                // Ours is of the table in docs/exit-codes.md.
                assert_eq!(case.number("exit"), 1);
            }
        }
    });
}
