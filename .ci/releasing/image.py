"""An image in the format of the Open Container Initiative: one layer, written without a container engine."""

import hashlib
import json
import time

from releasing import archives
from releasing.contents import HOMEPAGE, SUMMARY

USER = "65532:65532"
NAMES = {
    "etc/passwd": (b"root:x:0:0:root:/root:/sbin/nologin\ncarnet:x:65532:65532:carnet:/tmp:/sbin/nologin\n", 0o644),
    "etc/group": (b"root:x:0:\ncarnet:x:65532:\n", 0o644),
    "etc/nsswitch.conf": (b"hosts: files dns\n", 0o644),
}


def layer(root, libraries, documents):
    """The program, the libraries that it loads, and the certificate authorities, of a system with the package."""
    files = dict(NAMES)
    for folder in ["bin", "lib", "lib64", "sbin"]:
        if (root / folder).is_symlink():
            files[folder] = f"usr/{folder}"
    for path in ["/usr/bin/carnet", "/etc/ssl/certs/ca-certificates.crt", *libraries, *documents]:
        # In Debian, /lib is a link to /usr/lib.
        name = path.lstrip("/")
        name = name if name.startswith(("usr/", "etc/")) else f"usr/{name}"
        files[name] = ((root / name).read_bytes(), 0o755 if name == "usr/bin/carnet" or ".so" in name else 0o644)
    return files


def image(version, architecture, commit, files, when):
    """The archive of an image's folder."""
    content = archives.tar(files, when, folder_modes={"tmp": 0o1777, "work": 0o755})
    created = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(when))
    blobs = {}

    def blob(kind, data):
        digest = hashlib.sha256(data).hexdigest()
        blobs[f"blobs/sha256/{digest}"] = (data, 0o644)
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(data)}

    def document(value):
        return json.dumps(value, separators=(",", ":"), sort_keys=True).encode()

    config = {
        "created": created, "architecture": architecture, "os": "linux",
        "config": {
            "User": USER, "Entrypoint": ["/usr/bin/carnet"], "WorkingDir": "/work", "Env": ["PATH=/usr/bin", "HOME=/tmp"],
            "Labels": {
                "org.opencontainers.image.title": "carnet", "org.opencontainers.image.description": SUMMARY,
                "org.opencontainers.image.source": HOMEPAGE, "org.opencontainers.image.version": version,
                "org.opencontainers.image.revision": commit, "org.opencontainers.image.licenses": "Apache-2.0",
            },
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(content).hexdigest()}"]},
        "history": [{"created": created, "created_by": ".ci/image"}],
    }
    manifest = {
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob("config.v1+json", document(config)),
        "layers": [blob("layer.v1.tar+gzip", archives.compressed(content))],
    }
    entry = blob("manifest.v1+json", document(manifest))
    entry["annotations"] = {"org.opencontainers.image.ref.name": version}
    return archives.tar({
        **blobs,
        "index.json": (document({"schemaVersion": 2, "manifests": [entry]}), 0o644),
        "oci-layout": (b'{"imageLayoutVersion":"1.0.0"}', 0o644),
    }, when)
