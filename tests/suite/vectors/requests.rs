//! `requests.json`: the identities of an order.

use ql3_ops::keyring::Request;

use super::Case;
use super::Sheet;
use super::receipts;

pub(super) fn run(sheet: &mut Sheet) {
    for value in sheet.cases("accepted") {
        let request = Request::from_value(&value).unwrap();
        let mut members = Case::new("accepted", value);
        assert_eq!(request.key_id.as_str(), members.text("keyId"));
        assert_eq!(request.retirement_id.as_str(), members.text("retirementId"));
        assert_eq!(request.request_id.as_str(), members.text("requestId"));
        assert_eq!(request.mutation_id.as_str(), members.text("mutationId"));
        members.finish();
    }
    sheet.each("rejected", |case| receipts::refused(case, Request::from_value));
}
