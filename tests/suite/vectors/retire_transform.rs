//! `retire-transform.json`: a keyring before and after one retirement, and four in turn.

use ql3_ops::keyring::Absent;
use ql3_ops::keyring::Manifest;
use ql3_ops::keyring::Preparation;
use ql3_ops::keyring::Retirement;
use ql3_ops::keyring::State;

use super::Case;
use super::Sheet;
use super::sha256;

pub(super) fn run(sheet: &mut Sheet) {
    sheet.each("cases", |case| {
        let before = before(case);
        assert_eq!(sha256(before.canonical().expose()), case.text("beforeCanonicalSha256"));
        let preparation = Preparation::from_value(&case.take("preparation"));
        let (result, after, absent) = match preparation.and_then(|preparation| before.retire(&preparation)) {
            Ok(Retirement::Changed { manifest, absent }) => ("changed", manifest, absent),
            Ok(Retirement::Unchanged(absent)) => ("unchanged", before, absent),
            Err(error) => {
                assert_eq!(case.text("result"), "error");
                assert_eq!(error.code().printed(), case.text("errorCode"));
                return;
            }
        };
        assert_eq!(case.text("result"), result);
        assert_eq!(after.generation(), case.number("generationAfter"));
        assert_eq!(after.catalog_digest().to_string(), case.text("afterCatalogDigest"));
        let sum = case.text("afterCanonicalSha256");
        check_after(case, &after, absent, &sum);
    });

    let mut last: Option<Manifest> = None;
    let mut step = 0;
    sheet.each("chain", |case| {
        step += 1;
        assert_eq!(case.number("step"), step);
        let before = before(case);
        assert!(
            last.as_ref().is_none_or(|last| *last == before),
            "each step begins where the last one ended"
        );
        let preparation = Preparation::from_value(&case.take("preparation")).unwrap();
        let retirement = before.retire(&preparation).unwrap();
        let Retirement::Changed { manifest, absent } = retirement else { panic!("{retirement:?}") };
        let sum = case.text("afterSha256");
        check_after(case, &manifest, absent, &sum);
        last = Some(manifest);
    });
}

fn before(case: &mut Case) -> Manifest {
    Manifest::parse(case.text("beforeCanonicalUtf8").as_bytes()).unwrap()
}

fn check_after(case: &mut Case, after: &Manifest, absent: Absent, sum: &str) {
    let bytes = after.canonical();
    assert_eq!(bytes.expose_str(), Some(case.text("afterCanonicalUtf8").as_str()));
    assert_eq!(sha256(bytes.expose()), sum);
    assert_eq!(after.state(&absent.key_id), Ok(State::Absent(absent.clone())));
    assert_eq!(serde_json::to_value(State::Absent(absent)).unwrap(), case.take("state"));
    assert_eq!(Manifest::parse(bytes.expose()).as_ref(), Ok(after));
}
