"""What the packages contain: the files below a prefix such as /usr, and the components with their licences."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

from releasing.program import BUILD, ROOT, STATIC, Refusal, output

REPOSITORY = os.environ.get("GITHUB_REPOSITORY", "OWNER/carnet")
HOMEPAGE = f"https://github.com/{REPOSITORY}"
SUMMARY = "Check and try OAuth 2.0 and OpenID Connect providers"
DESCRIPTION = """\
A provider is a YAML file. The command carnet checks such files before
anyone signs in (carnet lint), signs in at a sandbox without an account
(carnet try), and signs in at real providers and refreshes their tokens
(carnet login, carnet token)."""
COMPLETIONS = {
    "carnet.bash": "share/bash-completion/completions/carnet",
    "_carnet": "share/zsh/site-functions/_carnet",
    "carnet.fish": "share/fish/vendor_completions.d/carnet.fish",
}


@dataclass(frozen=True)
class Component:
    """What is inside the program, and is not of this repository."""

    name: str
    version: str
    purl: str
    texts: tuple

    @property
    def licence(self):
        """The SPDX expression that the licence's text stands for."""
        text = re.sub(r"\s+", " ", self.texts[0])
        if "Apache License" in text:
            return "Apache-2.0 WITH Swift-exception" if "Runtime Library Exception" in text else "Apache-2.0"
        if "Permission is hereby granted, free of charge" in text:
            return "MIT"
        if "This software is provided 'as-is'" in text:
            return "Zlib"
        raise Refusal(f"the licence of {self.name} is unknown to .ci/releasing/contents.py")


def read(paths):
    return tuple(path.read_text() for path in paths)


def swift_packages(link_list):
    """The packages of which the program has code. Without a list of the linked files, all that are resolved."""
    pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
    modules = None
    if link_list.exists():
        modules = set(re.findall(r"/([\w-]+)\.build/", link_list.read_text()))
    else:
        print(f"release: {link_list} does not exist: the list of components has every package", file=sys.stderr)
    found = []
    for pin in sorted(pins, key=lambda pin: pin["identity"]):
        folder = BUILD / "checkouts" / re.sub(r"\.git$", "", pin["location"].rpartition("/")[2])
        if not folder.is_dir():
            raise Refusal(f"{folder} does not exist: run swift package resolve")
        if modules is not None and not any((folder / "Sources" / module).is_dir() for module in modules):
            continue
        licences = sorted(folder.glob("LICENSE*")) + sorted(folder.glob("NOTICE*")) + sorted(folder.glob("Sources/*/LICENSE*"))
        source = re.sub(r"^https://|\.git$", "", pin["location"])
        version = pin["state"]["version"]
        found.append(Component(folder.name, version, f"pkg:swift/{source}@{version}", read(licences)))
    return found


def components(link_list):
    swift = pathlib.Path(shutil.which("swift")).resolve()
    number = re.search(r"Swift version (\S+)", output("swift", "--version", stderr=subprocess.DEVNULL)).group(1)
    licence = swift.parent.parent / "share/swift/LICENSE.txt"
    found = [Component("swift", number, f"pkg:github/swiftlang/swift@swift-{number}-RELEASE", read([licence]))]
    for package in sorted(STATIC.values()):
        version = output("dpkg-query", "--show", "--showformat", "${source:Version}", package)
        source = output("dpkg-query", "--show", "--showformat", "${source:Package}", package)
        text = read([pathlib.Path(f"/usr/share/doc/{package}/copyright")])
        found.append(Component(source, version, f"pkg:deb/debian/{source}@{version}", text))
    return found + swift_packages(link_list)


def licence_texts(components):
    """One text: each licence once, with the components that it is the licence of."""
    holders = {}
    for component in components:
        for text in component.texts:
            holders.setdefault(text.strip(), []).append(f"{component.name} {component.version}")
    rule = "=" * 78
    parts = [f"{rule}\n{', '.join(names)}\n{rule}\n\n{text}\n" for text, names in holders.items()]
    return "The program carnet contains the following software.\n\n" + "\n".join(parts)


def tree(program, components):
    """Path below the prefix → (bytes, mode)."""
    docs = ROOT / "Docs"
    files = {
        "bin/carnet": (program.read_bytes(), 0o755),
        "share/man/man1/carnet.1": ((docs / "man/carnet.1").read_bytes(), 0o644),
        "share/doc/carnet/LICENSE": ((ROOT / "LICENSE").read_bytes(), 0o644),
        "share/doc/carnet/third-party-licenses.txt": (licence_texts(components).encode(), 0o644),
    }
    for name, path in COMPLETIONS.items():
        files[path] = ((docs / "completions" / name).read_bytes(), 0o644)
    return files
