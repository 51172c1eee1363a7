"""The bill of materials, as CycloneDX 1.6."""

import hashlib
import json
import time
import uuid

from releasing.contents import REPOSITORY


def entry(component):
    expression = component.licence
    licence = {"expression": expression} if " " in expression else {"license": {"id": expression}}
    return {
        "type": "library", "bom-ref": component.purl, "name": component.name, "version": component.version,
        "licenses": [licence], "purl": component.purl,
    }


def bill(version, commit, program, components, when):
    name = f"pkg:github/{REPOSITORY}@{version}"
    digest = hashlib.sha256(program).hexdigest()
    document = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        # Random in most tools. From the program, it is the same in every build.
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, digest)}",
        "version": 1,
        "metadata": {
            "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when)),
            "component": {
                "type": "application", "bom-ref": name, "name": "carnet", "version": version,
                "licenses": [{"license": {"id": "Apache-2.0"}}], "purl": name,
                "hashes": [{"alg": "SHA-256", "content": digest}],
                "properties": [{"name": "carnet:commit", "value": commit}],
            },
        },
        "components": [entry(component) for component in components],
        "dependencies": [{"ref": name, "dependsOn": [component.purl for component in components]}],
    }
    return json.dumps(document, indent=2).encode() + b"\n"
