"""The bill of materials: CycloneDX 1.6, of what is in the binary and nothing else."""

import hashlib
import json


def cyclonedx(ours, others, parts, binary, created):
    """`others` are crates, `parts` what the toolchain adds; `created` is an RFC 3339 time."""
    main = {
        "type": "application",
        "bom-ref": ours.purl,
        "name": ours.name,
        "version": ours.version,
        "hashes": [{"alg": "SHA-256", "content": hashlib.sha256(binary).hexdigest()}],
        "licenses": [{"expression": ours.licence}],
        "purl": ours.purl,
    }
    components, graph = [], []
    for part in sorted([*others, *parts], key=lambda part: part.purl):
        component = {
            "type": "library",
            "bom-ref": part.purl,
            "name": part.name,
            "version": part.version,
            "licenses": [{"expression": part.licence}],
            "purl": part.purl,
        }
        if getattr(part, "checksum", None):
            component["hashes"] = [{"alg": "SHA-256", "content": part.checksum}]
        components.append(component)
        graph.append({"ref": part.purl, "dependsOn": list(getattr(part, "needs", ()))})
    linked = sorted([*ours.needs, *(part.purl for part in parts)])
    bill = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"timestamp": created, "component": main},
        "components": components,
        "dependencies": [{"ref": ours.purl, "dependsOn": linked}, *graph],
    }
    return json.dumps(bill, indent=1) + "\n"
