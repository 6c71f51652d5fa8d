//! `key-id-collation.json`: the order that keys stand in.

use std::cmp::Ordering;

use ql3_ops::keyring::KeyId;

use super::Sheet;

pub(super) fn run(sheet: &mut Sheet) {
    let id = |text: &str| KeyId::parse(text).unwrap();

    // No id begins with punctuation, so each character is tried in second place.
    let characters: Vec<_> = sheet.text("characterOrder").chars().map(|c| id(&format!("a{c}"))).collect();
    assert!(characters.is_sorted_by(|left, right| left < right), "{characters:?}");
    sheet.count(characters.len());

    sheet.each("pairs", |case| {
        let (left, right) = (id(&case.text("left")), id(&case.text("right")));
        let order = case.take("order").as_i64().unwrap().cmp(&0);
        assert_eq!(left.cmp(&right), order, "{left} {right}");
        assert_eq!(right.cmp(&left), order.reverse(), "{left} {right}");
        assert_ne!(order, Ordering::Equal);
    });

    let sorted: Vec<_> = sheet.cases("sortedList").iter().map(|v| id(v.as_str().unwrap())).collect();
    let mut ours = sorted.clone();
    ours.sort_by(KeyId::cmp_bytes);
    ours.sort();
    assert_eq!(ours, sorted);
}
