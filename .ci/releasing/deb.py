"""The package for Debian and Ubuntu."""

import email.utils
import hashlib
import os
import re
import subprocess
import time

from releasing import archives
from releasing.contents import DESCRIPTION, HOMEPAGE, REPOSITORY, SUMMARY
from releasing.program import ROOT, output, tool

# libcurl is opened at run time, so no tool finds it. In newer releases the name has a suffix.
LIBCURL = "libcurl4 (>= 7.80) | libcurl4t64"
OVERRIDES = """\
# libyaml and zlib are linked statically on purpose: the same program is in the archives for systems without these packages.
carnet: embedded-library
"""
COPYRIGHT = """\
Carnet {version}
Source: {homepage}

Copyright {year} the authors of Carnet

License: Apache-2.0. On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.

The program contains the software below. The full texts of its licenses and notices are in
/usr/share/doc/carnet/third-party-licenses.txt.gz.

{components}
"""
UNIT = "carnet-gateway.service"
# The unit is neither enabled nor started: without a gateway file, there is nothing to run.
SCRIPTS = {
    "postinst": f"""\
#!/bin/sh
set -e
[ "$1" = configure ] && [ -d /run/systemd/system ] || exit 0
systemctl --system daemon-reload >/dev/null || true
[ -z "$2" ] || deb-systemd-invoke try-restart {UNIT} >/dev/null || true
""",
    "prerm": f"""\
#!/bin/sh
set -e
[ "$1" = remove ] && [ -d /run/systemd/system ] || exit 0
deb-systemd-invoke stop {UNIT} >/dev/null || true
""",
    "postrm": f"""\
#!/bin/sh
set -e
[ "$1" != purge ] || rm -f /etc/systemd/system/multi-user.target.wants/{UNIT}
if [ -d /run/systemd/system ]; then systemctl --system daemon-reload >/dev/null || true; fi
""",
}


def unit():
    """The unit of the gateway, as its page shows it."""
    page = (ROOT / "Docs/gateway/README.md").read_text()
    block = re.search(r"```text\n(\[Unit\]\n.*?)```", page, re.DOTALL).group(1)
    return block.replace("/usr/local/bin/", "/usr/bin/")


def name(version, needs):
    return f"carnet_{version}_{needs.debian_architecture}.deb"


def maintainer():
    owner = REPOSITORY.split("/")[0]
    return f"{owner} <{owner}@users.noreply.github.com>"


def installed(version, tree, components, when):
    """The files below /. Debian wants documentation compressed, licenses in one file, and completions elsewhere."""
    files = {"usr/" + path: file for path, file in tree.items()}
    files["usr/share/zsh/vendor-completions/_carnet"] = files.pop("usr/share/zsh/site-functions/_carnet")
    del files["usr/share/doc/carnet/LICENSE"]
    path = "usr/share/bash-completion/completions/carnet"
    # A completion is read by the shell, not run.
    files[path] = (files[path][0].removeprefix(b"#!/bin/bash\n"), 0o644)
    for path in ["usr/share/man/man1/carnet.1", "usr/share/doc/carnet/third-party-licenses.txt"]:
        content, mode = files.pop(path)
        files[path + ".gz"] = (archives.compressed(content), mode)
    changes = (
        f"carnet ({version}) unstable; urgency=medium\n\n  * {HOMEPAGE}/blob/{version}/CHANGELOG.md\n\n"
        f" -- {maintainer()}  {email.utils.formatdate(when)}\n")
    listed = "\n".join(f"  {one.name} {one.version}: {one.licence}" for one in components)
    year = time.gmtime(when).tm_year
    copyright = COPYRIGHT.format(version=version, homepage=HOMEPAGE, components=listed, year=year)
    files["usr/share/doc/carnet/changelog.gz"] = (archives.compressed(changes.encode()), 0o644)
    files["usr/share/doc/carnet/copyright"] = (copyright.encode(), 0o644)
    files[f"usr/lib/systemd/system/{UNIT}"] = (unit().encode(), 0o644)
    files["usr/share/lintian/overrides/carnet"] = (OVERRIDES.encode(), 0o644)
    return files


def dependencies(folder, program):
    """What Debian's own tool finds in the symbols of the program."""
    (folder / "debian/control").write_text("Source: carnet\n\nPackage: carnet\nArchitecture: any\n")
    found = output(tool("dpkg-shlibdeps", "dpkg-dev"), "-O", f"-e{program}", cwd=folder)
    return f"{found.partition('=')[2]}, {LIBCURL}"


def write(files, root):
    root.mkdir(parents=True, exist_ok=True)
    root.chmod(0o755)
    for path in archives.folders(files):
        (root / path).mkdir(exist_ok=True)
        (root / path).chmod(0o755)
    for path, (content, mode) in files.items():
        (root / path).write_bytes(content)
        (root / path).chmod(mode)


def deb(version, needs, tree, components, when, folder):
    """Writes the package into a folder of its own, and returns its bytes."""
    root = folder / "debian/carnet"
    files = installed(version, tree, components, when)
    write(files, root)
    # By this folder, Debian's tool knows that the program is of a package.
    (root / "DEBIAN").mkdir()
    control = [
        "Package: carnet", f"Version: {version}", f"Architecture: {needs.debian_architecture}",
        f"Maintainer: {maintainer()}", f"Installed-Size: {sum(len(content) // 1024 + 1 for content, _ in files.values())}",
        f"Depends: {dependencies(folder, root / 'usr/bin/carnet')}", "Recommends: ca-certificates", "Suggests: libpq5",
        "Section: utils",
        "Priority: optional", f"Homepage: {HOMEPAGE}", f"Description: {SUMMARY}",
        *(f" {line}" for line in DESCRIPTION.split("\n")), "",
    ]
    sums = [f"{hashlib.md5(content).hexdigest()}  {path}\n" for path, (content, _) in sorted(files.items())]
    write({
        "DEBIAN/control": ("\n".join(control).encode(), 0o644),
        "DEBIAN/md5sums": ("".join(sums).encode(), 0o644),
        **{f"DEBIAN/{step}": (script.encode(), 0o755) for step, script in SCRIPTS.items()},
    }, root)
    package = folder / name(version, needs)
    command = ["dpkg-deb", "--root-owner-group", "-Zxz", "--threads-max=1", "--build", str(root), str(package)]
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(when)}
    subprocess.run(command, check=True, env=environment, stdout=subprocess.DEVNULL)
    return package.read_bytes()
