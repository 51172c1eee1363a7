"""Installs the files of a release on clean systems, as root: `Tests/Programs/Release/install.py FOLDER`.

A system is a folder that debootstrap makes and chroot enters. `--roots` names where those folders stay for the next run.
"""

import argparse
import hashlib
import http.server
import json
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
# The bar of each installation, from the command to the result of carnet.
SECONDS = 10
MIRRORS = {"debian": "http://deb.debian.org/debian", "ubuntu": "http://archive.ubuntu.com/ubuntu"}
SYSTEMS = {"bookworm": "debian", "trixie": "debian", "jammy": "ubuntu", "noble": "ubuntu"}
# Its C library is too old, so each way has to say so.
TOO_OLD = {"bullseye": "debian"}
TRIED = "Google works ("
AGREES = "the metadata of Acme agrees with the descriptor"
DESCRIPTOR = "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\n"
PREPARE = "export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq install -y --no-install-recommends "


class System:
    """A copy of a clean system."""

    def __init__(self, original, scratch):
        self.root = scratch / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", original, self.root], check=True)
        shutil.copy("/etc/resolv.conf", self.root / "etc/resolv.conf")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.root)

    def add(self, path):
        target = self.root / "release" / path.name
        target.parent.mkdir(exist_ok=True)
        (shutil.copytree if path.is_dir() else shutil.copy)(path, target)
        return f"/release/{path.name}"

    def run(self, command):
        """Returns the status, the output and the seconds."""
        enter = 'mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"; cd "$0" && exec chroot "$0" /bin/sh -c "$1"'
        environment = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        start = time.monotonic()
        result = subprocess.run(
            ["unshare", "--mount", "--fork", "--kill-child", "sh", "-c", enter, self.root, f"cd /release\n{command}"],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, text=True, env=environment)
        return result.returncode, result.stdout, time.monotonic() - start


class Provider(http.server.BaseHTTPRequestHandler):
    """A metadata document on this machine, for a command that sends a request."""

    def do_GET(self):
        issuer = f"http://127.0.0.1:{self.server.server_port}"
        document = {
            "issuer": issuer, "authorization_endpoint": f"{issuer}/authorize", "token_endpoint": f"{issuer}/token",
            "jwks_uri": f"{issuer}/keys", "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"], "code_challenge_methods_supported": ["S256"],
        }
        content = json.dumps(document).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_):
        pass


def provider(scratch):
    """The file of a descriptor whose issuer serves its metadata."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Provider)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    path = scratch / "local.yaml"
    path.write_text(DESCRIPTOR.replace("https://id.acme.example", f"http://127.0.0.1:{server.server_port}"))
    return path


class Report:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, name, result, status=0, text="", limit=None):
        code, output, seconds = result
        problems = []
        if code != status and not (status != 0 and code != 0):
            problems.append(f"exit status {code}")
        if text not in output:
            problems.append(f"no {text!r}")
        if limit and seconds > limit:
            problems.append(f"more than {limit} s")
        print(f"{'FAILED' if problems else 'ok':6}  {seconds:5.1f} s  {name}  {', '.join(problems)}", flush=True)
        if problems:
            print(textwrap.indent(output[-3000:], "        "), flush=True)
        self.failed += bool(problems)
        self.passed += not problems


def clean_root(suite, distribution, roots):
    root = roots / suite
    if not (roots / f"{suite}.done").exists():
        shutil.rmtree(root, ignore_errors=True)
        command = ["debootstrap", "--variant=minbase", suite, root, MIRRORS[distribution]]
        made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            print(f"NOT TRIED: {suite}: debootstrap failed: {made.stdout.strip().splitlines()[-1]}")
            return None
        (roots / f"{suite}.done").touch()
    return root


def install(suite, root, files, scratch, report):
    universe = "sed -i 's/ main$/ main universe/' /etc/apt/sources.list; " if SYSTEMS[suite] == "ubuntu" else ""
    with System(root, scratch) as system:
        deb = system.add(files["deb"])
        system.run("apt-get -qq update")
        report.check(
            f"{suite}: apt install && carnet try google",
            system.run(f"DEBIAN_FRONTEND=noninteractive apt-get -qq install -y {deb} && carnet try google"), 0, TRIED, limit=SECONDS)
        report.check(f"{suite}: the manual page and a completion", system.run(
            "ls /usr/share/bash-completion/completions/carnet && dpkg --verify carnet"))
        report.check(f"{suite}: apt purge leaves nothing", system.run(
            "apt-get -qq purge -y carnet && ! command -v carnet && ! ls /usr/share/doc/carnet"))
    with System(root, scratch) as system:
        wheel = system.add(files["whl"])
        system.add(ROOT / "providers")
        prepared = system.run(universe + PREPARE + "python3-venv && python3 -m venv /venv")
        report.check(f"{suite}: a Python environment (not of Carnet)", prepared)
        report.check(
            f"{suite}: pip install --no-index && carnet lint providers",
            system.run(f"/venv/bin/pip install -q --no-index {wheel} && /venv/bin/carnet lint providers"), 0, " files", limit=SECONDS)
    with System(root, scratch) as system:
        archive, local = system.add(files["tar.gz"]), system.add(files["local"])
        system.add(ROOT / "providers")
        report.check(f"{suite}: the archive, carnet lint providers", system.run(
            f"tar -xzf {archive} -C /usr/local --strip-components=1 && carnet --version && carnet lint providers"), 0, " files", limit=SECONDS)
        report.check(
            f"{suite}: without libcurl, a request's error names its package", system.run(f"carnet compare {local}"), 1,
            "install libcurl4")
        report.check(f"{suite}: without libcurl, carnet try google", system.run("carnet try google"), 0, TRIED, limit=SECONDS)
        system.run(PREPARE + "libcurl4")
        report.check(f"{suite}: with libcurl, a request", system.run(f"carnet compare {local}"), 0, AGREES)


def refuse(suite, root, files, scratch, report):
    with System(root, scratch) as system:
        wheel, deb, archive = (system.add(files[kind]) for kind in ["whl", "deb", "tar.gz"])
        system.run(PREPARE + "python3-venv && python3 -m venv /venv")
        report.check(f"{suite}: pip names the platform", system.run(
            f"/venv/bin/pip install --no-index {wheel}"), 1, "is not a supported wheel on this platform")
        report.check(f"{suite}: apt names the C library", system.run(f"apt-get install -y {deb}"), 1, "Depends: libc6 (>=")
        report.check(f"{suite}: the program names the C library", system.run(
            f"tar -xzf {archive} -C /usr/local --strip-components=1; carnet --version"), 1, "GLIBC_")


def image(path, local, scratch, report):
    """The image, unpacked by another program than the one that wrote it, as its user and without a shell."""
    if not path or not shutil.which("umoci"):
        print("NOT TRIED: the image: " + ("umoci is not installed" if path else ".ci/image has not run"))
        return
    layout, bundle = scratch / "image", scratch / "bundle"
    layout.mkdir()
    subprocess.run(["tar", "-xf", path, "-C", layout], check=True)
    tag = subprocess.check_output(["umoci", "list", "--layout", layout], text=True).strip()
    report.check(f"the image {tag}: umoci unpacks it", timed(["umoci", "unpack", "--image", f"{layout}:{tag}", bundle]))
    root = bundle / "rootfs"
    shutil.copytree(ROOT / "providers", root / "work/providers")
    shutil.copy(local, root / "work")
    # Swift reads the arguments of a program from /proc, which every container engine mounts.
    enter = 'mount -t proc proc "$0/proc" && exec chroot --userspec=65532:65532 "$0" /usr/bin/carnet "$@"'
    (root / "proc").mkdir()
    for arguments, text in [
        (["--version"], tag), (["lint", "/work/providers"], " files"), (["try", "google"], TRIED),
        (["compare", "/work/local.yaml"], AGREES),
    ]:
        report.check(f"the image: carnet {' '.join(arguments)}", timed(
            ["unshare", "--mount", "--fork", "--kill-child", "sh", "-c", enter, root, *arguments],
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/tmp"}), 0, text)
    shells = [path for path in root.rglob("*") if path.name in ("sh", "bash", "dash")]
    report.check("the image has no shell", (len(shells), str(shells), 0))


def timed(command, **options):
    start = time.monotonic()
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **options)
    return result.returncode, result.stdout, time.monotonic() - start


def old_libraries(program, local, scratch, report):
    """Two versions of libcurl that no system here has: one that is too old, and the oldest with the command."""
    libcurl = subprocess.check_output(["clang", "-print-file-name=libcurl.so.4"], text=True).strip()
    for version, number, status, text in [
        ("7.74.0", "0x074a00", 1, "no libcurl 7.80 or newer, only 7.74.0"), ("7.81.0", "0x075100", 0, AGREES),
    ]:
        folder = scratch / version
        folder.mkdir()
        subprocess.run([
            "clang", "-shared", "-fPIC", f'-DLIBCURL="{libcurl}"', f'-DVERSION="{version}"', f"-DVERSION_NUMBER={number}",
            ROOT / "Tests/Programs/Release/old_libcurl.c", "-o", folder / "libcurl.so.4"], check=True)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(folder)}
        report.check(f"libcurl {version}: carnet compare", timed([program, "compare", local], env=environment), status, text)


def action(files, version, scratch, report):
    """The steps of the action, as a runner starts them."""
    page = (ROOT / ".github/actions/lint/action.yml").read_text()
    script = textwrap.dedent(page.partition("run: |\n")[2])
    served = scratch / "served" / version
    served.mkdir(parents=True)
    for path in files["all"]:
        shutil.copy(path, served)
    folder = pathlib.Path(shutil.copytree(ROOT / ".github/actions/lint", scratch / "action"))
    archives = [path for path in served.iterdir() if path.name.endswith(".tar.gz")]
    (folder / "sums").write_text("".join(
        f"{version} {hashlib.sha256(path.read_bytes()).hexdigest()} {path.name}\n" for path in archives))
    (scratch / "providers").mkdir()
    for name, text, status, expected in [
        ("good", DESCRIPTOR, 0, ""), ("bad", DESCRIPTOR.replace("issuer:", "isuer:"), 1, "::error file=providers/acme.yaml,line=4"),
    ]:
        (scratch / "providers/acme.yaml").write_text(text)
        environment = {
            **os.environ, "VERSION": version, "ADDRESS": served.parent.as_uri(), "FOLDER": str(scratch / f"{name}-tools"),
            "ACTION": str(folder), "PATHS": "providers", "FAIL_ON": "error"}
        report.check(f"the action, a {name} descriptor", timed(
            ["bash", "-eo", "pipefail", "-c", script], cwd=scratch, env=environment), status, expected, limit=5)


def hook(files, scratch, report):
    """The hook in Python, as pre-commit installs it: from a clone of this repository and the wheel."""
    home = scratch / "environment"
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    subprocess.run([home / "bin/pip", "install", "-q", "pre-commit"], check=True)
    work = scratch / "repository"
    (work / "providers").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", work], check=True)
    environment = {
        **os.environ, "PIP_FIND_LINKS": str(files["whl"].parent), "PRE_COMMIT_HOME": str(scratch / "pre-commit")}
    for name, text, status, expected in [
        ("good", DESCRIPTOR, 0, "Passed"), ("bad", DESCRIPTOR.replace("issuer:", "isuer:"), 1, "providers/acme.yaml:4:1: error"),
    ]:
        (work / "providers/acme.yaml").write_text(text)
        subprocess.run(["git", "add", "."], check=True, cwd=work)
        report.check(f"pre-commit, a {name} descriptor", timed(
            [home / "bin/pre-commit", "try-repo", ROOT, "carnet-lint", "--all-files"], cwd=work, env=environment), status, expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=pathlib.Path, help="what .ci/release has written")
    parser.add_argument("--roots", type=pathlib.Path, default=ROOT / ".build/roots")
    parser.add_argument("--systems", nargs="*", default=[*SYSTEMS, *TOO_OLD])
    options = parser.parse_args()
    options.roots.mkdir(parents=True, exist_ok=True)
    machine = platform.machine()
    debian = {"x86_64": "amd64", "aarch64": "arm64"}[machine]
    def one(pattern):
        return next(options.folder.resolve().glob(pattern))
    files = {
        "deb": one(f"*_{debian}.deb"), "whl": one(f"*_{machine}.whl"), "tar.gz": one(f"*-{machine}.tar.gz"),
        "all": sorted(options.folder.resolve().iterdir()),
    }
    version = re.match(r"carnet_(.+)_", files["deb"].name).group(1)
    report = Report()
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        tools = scratch / "tools"
        tools.mkdir()
        subprocess.run(["tar", "-xzf", files["tar.gz"], "-C", tools, "--strip-components=1"], check=True)
        files["local"] = provider(scratch)
        old_libraries(tools / "bin/carnet", files["local"], scratch, report)
        action(files, version, scratch, report)
        hook(files, scratch, report)
        image(next(options.folder.resolve().glob(f"*-{debian}.oci.tar"), None), files["local"], scratch, report)
        for suite in options.systems:
            root = clean_root(suite, {**SYSTEMS, **TOO_OLD}[suite], options.roots)
            if root:
                (refuse if suite in TOO_OLD else install)(suite, root, files, scratch, report)
    print(f"{report.passed} passed, {report.failed} failed")
    sys.exit(report.failed > 0)


main()
