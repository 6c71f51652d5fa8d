"""The licence texts of the crates in the binary, each text once, with the crates that it comes with."""

import re

NAME = re.compile(r"(?i)(licen[cs]e|copying|copyright|notice|unlicense)([-._].*)?")
LARGEST = 64 << 10  # of one text; the longest licence that is allowed here has 12 KiB
RULE = "=" * 100 + "\n"


def third_party(crates):
    """Raises `ValueError` for a crate that comes without a text and whose licence is not ours, whose text is there anyway."""
    texts, without = {}, []
    for crate in crates:
        files = sorted(path for path in crate.folder.rglob("*") if path.is_file() and NAME.fullmatch(path.name))
        # A source file may be called license.rs.
        files = [path for path in files if path.suffix not in {".rs", ".py", ".c", ".h"}]
        if not files:
            if "Apache-2.0" not in re.split(r" OR |[()]", crate.licence):
                raise ValueError(f"{crate.name} {crate.version} ({crate.licence}) comes without a licence text")
            without.append(crate)
        for path in files:
            if path.stat().st_size > LARGEST:
                raise ValueError(f"{path} has more than {LARGEST} bytes")
            text = path.read_bytes().decode(errors="replace").replace("\r\n", "\n").strip() + "\n"
            texts.setdefault(text, []).append(f"{crate.name} {crate.version}: {path.relative_to(crate.folder)}")

    page = ["The crates in /ql3-ops and their licences:\n\n"]
    page += [f"  {crate.name} {crate.version}: {crate.licence}\n" for crate in crates]
    page += ["\nThese come without a text of their own; that of Apache-2.0 is in the file LICENSE:\n\n"]
    page += [f"  {crate.name} {crate.version}\n" for crate in without]
    # In the order of the first crate of each.
    for text, places in texts.items():
        page += [RULE, *(f"{place}\n" for place in places), RULE, "\n", text, "\n"]
    return "".join(page)
