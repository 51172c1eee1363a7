"""The wheel, for pip, pipx and uv. Its console script is the program itself."""

import base64
import hashlib

from releasing import archives
from releasing.contents import DESCRIPTION, HOMEPAGE, SUMMARY


def tag(needs):
    return f"py3-none-manylinux_{needs.glibc.replace('.', '_')}_{needs.architecture}"


def name(version, needs):
    return f"carnet-{version}-{tag(needs)}.whl"


def wheel(version, needs, tree, bill, when):
    info, data = f"carnet-{version}.dist-info", f"carnet-{version}.data"
    licences = [path for path in tree if path.startswith("share/doc/carnet/")]
    files = {f"{data}/scripts/carnet": tree["bin/carnet"]}
    for path, file in sorted(tree.items()):
        if path.startswith("share/") and path not in licences:
            files[f"{data}/data/{path}"] = file
    for path in sorted(licences):
        files[f"{info}/licenses/{path.rpartition('/')[2]}"] = tree[path]
    metadata = [
        "Metadata-Version: 2.4", "Name: carnet", f"Version: {version}", f"Summary: {SUMMARY}",
        "License-Expression: Apache-2.0", *(f"License-File: {path.rpartition('/')[2]}" for path in sorted(licences)),
        f"Project-URL: Homepage, {HOMEPAGE}", "Keywords: oauth2,openid-connect,lint", "Requires-Python: >=3.8",
        "Description-Content-Type: text/plain", "", DESCRIPTION, "",
    ]
    layout = ["Wheel-Version: 1.0", "Generator: carnet", "Root-Is-Purelib: false", f"Tag: {tag(needs)}", ""]
    files[f"{info}/METADATA"] = ("\n".join(metadata).encode(), 0o644)
    files[f"{info}/WHEEL"] = ("\n".join(layout).encode(), 0o644)
    files[f"{info}/sboms/carnet.cdx.json"] = (bill, 0o644)
    record = []
    for path, (content, _) in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record.append(f"{path},sha256={digest},{len(content)}")
    record.append(f"{info}/RECORD,,")
    files[f"{info}/RECORD"] = ("\n".join(record).encode() + b"\n", 0o644)
    return archives.zipped(files, when)
