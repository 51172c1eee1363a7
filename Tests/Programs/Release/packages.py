"""Tests the files of a release with a small program in the place of `carnet`: `python3 Tests/Programs/Release/packages.py`."""

import base64
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

sys.dont_write_bytecode = True
ROOT = pathlib.Path(__file__).resolve().parents[3]
RELEASE = ROOT / ".ci/release"
VERSION = re.search(r'let number = "(.+)"', (ROOT / "Sources/CarnetCommand/Program/CarnetCommand.swift").read_text()).group(1)
MANIFEST = """// swift-tools-version: 5.9
import PackageDescription

let package = Package(
    name: "probe", targets: [.target(name: "CProbe"), .executableTarget(name: "carnet", dependencies: ["CProbe"])])
"""
# In Swift 5 mode, `#file` is the path of the file.
PROBE = """import CProbe

let stamp = "commit:........................................"
func place(_ file: StaticString = #file) -> StaticString { file }
print(place(), String(cString: c_place()), String(cString: cxx_place()), stamp.dropFirst(7))
"""
COMMIT = subprocess.check_output(["git", "-C", ROOT, "rev-parse", "HEAD"], text=True).strip()


def run(*command, **options):
    return subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, **options)


class PackagesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.folder = pathlib.Path(cls.scratch.name)
        cls.program = cls.compile("program")
        cls.out = cls.folder / "out"
        made = run(RELEASE, VERSION, "--binary", cls.program, "--out", cls.out)
        assert made.returncode == 0, made.stderr
        cls.files = {path.name: path.read_bytes() for path in cls.out.iterdir()}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    @classmethod
    def compile(cls, name, version=VERSION, *more):
        program = cls.folder / name
        source = ROOT / "Tests/Programs/Release/program.c"
        compiled = run("clang", f'-DVERSION="{version}"', source, "-o", program, *more)
        assert compiled.returncode == 0, compiled.stderr
        return program

    def file(self, pattern):
        names = [name for name in self.files if re.fullmatch(pattern, name)]
        self.assertEqual(len(names), 1, (pattern, sorted(self.files)))
        return self.out / names[0]

    def refused(self, sentence, *arguments, **options):
        result = run(RELEASE, *arguments, **options)
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn(sentence, result.stderr)
        self.assertNotIn("Traceback", result.stderr)

    def test_second_release_has_the_same_bytes(self):
        out = self.folder / "again"
        environment = {**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "C", "TMPDIR": str(self.folder), "PYTHONHASHSEED": "7"}
        made = run("sh", "-c", 'umask 077; exec "$@"', "-", RELEASE, VERSION, "--binary", self.program, "--out", out,
                   env=environment)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual({path.name for path in out.iterdir()}, set(self.files))
        for name, content in self.files.items():
            self.assertEqual(hashlib.sha256(content).digest(), hashlib.sha256((out / name).read_bytes()).digest(), name)

    def test_build_in_another_folder_has_the_same_bytes(self):
        sys.path.insert(0, str(ROOT / ".ci"))
        from releasing import program

        copies = []
        for folder in [self.folder / "here", self.folder / "some/where/else"]:
            for path, text in [
                ("Package.swift", MANIFEST), ("Sources/carnet/main.swift", PROBE),
                ("Sources/CProbe/include/probe.h", "const char *c_place(void);\nconst char *cxx_place(void);\n"),
                ("Sources/CProbe/other.cc", 'extern "C" const char *cxx_place(void) { return __FILE__; }\n'),
                ("Sources/CProbe/probe.c", "const char *c_place(void) { return __FILE__; }\n"),
            ]:
                file = folder / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text)
            copies.append(program.stamped(program.build(folder), COMMIT, folder))
            printed = run(copies[-1]).stdout
            self.assertEqual(printed, f"carnet/main.swift Sources/CProbe/probe.c Sources/CProbe/other.cc {COMMIT}\n")
        self.assertEqual(*(hashlib.sha256(copy.read_bytes()).hexdigest() for copy in copies))

    def test_no_file_has_a_path_of_this_machine(self):
        for name, content in self.files.items():
            self.assertNotIn(str(self.folder).encode(), content, name)
            self.assertNotIn(str(ROOT).encode(), content, name)

    def test_sums_are_those_of_all_other_files(self):
        lines = self.files["SHA256SUMS"].decode().splitlines()
        self.assertEqual({line.split("  ")[1] for line in lines}, set(self.files) - {"SHA256SUMS"})
        checked = run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=self.out)
        self.assertEqual(checked.returncode, 0, checked.stderr)

    def test_archive_unpacks_below_a_prefix(self):
        path = self.file(r"carnet-.*-linux-\w+\.tar\.gz")
        with tarfile.open(path) as archive:
            entries = {entry.name.partition("/")[2]: entry for entry in archive.getmembers()}
            self.assertEqual({entry.name.partition("/")[0] for entry in archive.getmembers()}, {path.name[:-len(".tar.gz")]})
            licences = archive.extractfile(entries["share/doc/carnet/third-party-licenses.txt"]).read().decode()
        self.assertEqual({name.partition("/")[0] for name in entries}, {"", "bin", "share"})
        self.assertEqual(entries["bin/carnet"].mode, 0o755)
        self.assertEqual({(entry.uid, entry.gid, entry.uname) for entry in entries.values()}, {(0, 0, "root")})
        for sentence in ["Apache License", "Runtime Library Exception", "Kirill Simonov", "Mark Adler"]:
            self.assertIn(sentence, licences)

    def test_wheel_is_one_that_pip_installs(self):
        path = self.file(r"carnet-.*\.whl")
        self.assertRegex(path.name, rf"^carnet-{re.escape(VERSION)}-py3-none-manylinux_2_\d+_(x86_64|aarch64)\.whl$")
        with zipfile.ZipFile(path) as wheel:
            info = f"carnet-{VERSION}.dist-info"
            rows = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
            self.assertEqual([row[0] for row in rows], wheel.namelist())
            for name, digest, size in rows[:-1]:
                content = wheel.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(content))), name)
            tag = path.name.removesuffix(".whl").split("-", 2)[2]
            self.assertIn(f"Tag: {tag}\n", wheel.read(f"{info}/WHEEL").decode())
            mode = wheel.getinfo(f"carnet-{VERSION}.data/scripts/carnet").external_attr >> 16
            self.assertEqual(stat.S_IMODE(mode), 0o755)
        home = self.folder / "environment"
        for command in [
            [sys.executable, "-m", "venv", home],
            [home / "bin/python", "-m", "pip", "install", "--quiet", "--no-index", path],
        ]:
            done = run(*command)
            self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run(home / "bin/carnet").stdout, f"{VERSION} (commit {COMMIT[:12]})\n")
        self.assertTrue((home / "share/man/man1/carnet.1").is_file())

    def test_deb_has_the_fields_that_apt_reads(self):
        path = self.file(r"carnet_.*\.deb")
        fields = dict(
            line.split(": ", 1) for line in run("dpkg-deb", "--field", path).stdout.splitlines() if line[0] != " ")
        self.assertEqual((fields["Package"], fields["Version"]), ("carnet", VERSION))
        self.assertEqual(path.name, f"carnet_{VERSION}_{fields['Architecture']}.deb")
        depends = fields["Depends"].split(", ")
        self.assertIn("libcurl4 (>= 7.80) | libcurl4t64", depends)
        self.assertTrue(any(re.fullmatch(r"libc6 \(>= 2\.\d+\)", one) for one in depends), depends)
        listed = run("dpkg-deb", "--contents", path).stdout.splitlines()
        self.assertEqual({line.split()[1] for line in listed}, {"root/root"})
        names = {line.split()[-1] for line in listed}
        self.assertLessEqual(
            {"./usr/bin/carnet", "./usr/share/doc/carnet/copyright", "./usr/share/man/man1/carnet.1.gz"}, names)

    def test_deb_has_a_unit_that_systemd_accepts(self):
        root = self.folder / "installed"
        self.assertEqual(run("dpkg-deb", "--raw-extract", self.file(r"carnet_.*\.deb"), root).returncode, 0)
        for script in ["postinst", "prerm", "postrm"]:
            self.assertEqual(run("sh", "-n", root / "DEBIAN" / script).stderr, "")
        # A unit whose program does not exist is refused: on this machine, that of the package is elsewhere.
        unit = root / "carnet-gateway.service"
        packaged = (root / "usr/lib/systemd/system/carnet-gateway.service").read_text()
        self.assertIn("ExecStart=/usr/bin/carnet gateway /etc/carnet/gateway.yaml --socket /run/carnet-gateway/gateway.sock\n", packaged)
        unit.write_text(packaged.replace("/usr/bin/carnet", str(root / "usr/bin/carnet")))
        verified = run("systemd-analyze", "verify", "--man=no", unit)
        self.assertEqual((verified.returncode, verified.stderr), (0, ""))
        judged = run("systemd-analyze", "security", "--offline=true", "--threshold=25", unit)
        self.assertEqual(judged.returncode, 0, judged.stdout[-200:])

    def test_bill_has_a_licence_and_a_version_for_everything(self):
        bill = json.loads(self.file(r".*\.cdx\.json").read_text())
        self.assertEqual(bill["specVersion"], "1.6")
        self.assertLessEqual({"swift", "libyaml", "zlib", "swift-nio"}, {one["name"] for one in bill["components"]})
        for component in bill["components"]:
            self.assertTrue(component["version"] and component["licenses"] and component["purl"], component)

    def test_bill_names_only_packages_whose_code_is_linked(self):
        folder = self.folder / "linked"
        (folder / "carnet.product").mkdir(parents=True)
        program = folder / "carnet"
        program.write_bytes(self.program.read_bytes())
        (folder / "carnet.product/Objects.LinkFileList").write_text("/a/release/NIOCore.build/x.o\n/a/release/Logging.build/y.o\n")
        made = run(RELEASE, VERSION, "--binary", program, "--out", folder / "out")
        self.assertEqual(made.returncode, 0, made.stderr)
        bill = json.loads(next((folder / "out").glob("*.cdx.json")).read_text())
        self.assertEqual(
            {one["name"] for one in bill["components"]}, {"swift", "libyaml", "zlib", "swift-nio", "swift-log"})

    def test_refuses_what_is_no_release(self):
        out = self.folder / "refused"
        self.refused(f"the sources have the version {VERSION}, not 9.9.9", "9.9.9", "--binary", self.program, "--out", out)
        text = self.folder / "text"
        text.write_text("#!/bin/sh\n")
        self.refused("is not a program for Linux", VERSION, "--binary", text, "--out", out)
        self.refused("has no place for the commit", VERSION, "--binary", "/bin/true", "--out", out)
        self.refused("No such file", VERSION, "--binary", self.folder / "absent", "--out", out)
        other = self.compile("other", "8.8.8")
        self.refused("the program prints the version '8.8.8 (commit", VERSION, "--binary", other, "--out", out)
        linked = self.compile("linked-to-yaml", VERSION, "-Wl,--no-as-needed", "-lyaml")
        self.refused("the program needs libyaml-0.so.2", VERSION, "--binary", linked, "--out", out)
        self.refused("is not empty", VERSION, "--binary", self.program, "--out", self.out)

    def test_every_place_has_the_same_version(self):
        project = (ROOT / "pyproject.toml").read_text()
        self.assertIn(f'\nversion = "{VERSION}"\ndependencies = ["carnet=={VERSION}"]\n', project)
        for page in [ROOT / "README.md", *ROOT.glob("Docs/*.md"), *ROOT.glob("Docs/guides/*.md")]:
            places = r'carnet", from: "(\d[^"]*)"|carnet==([\d.]+)|rev: (\d\S*)|version=(\d\S*)'
            for version in re.findall(places, page.read_text()):
                self.assertIn(VERSION, version, page)

    def test_damaged_download_is_not_installed(self):
        action = self.folder / "action"
        action.mkdir()
        install = pathlib.Path(shutil.copy(ROOT / ".github/actions/lint/install", action))
        served = self.folder / "served" / VERSION
        served.mkdir(parents=True)
        for name, content in self.files.items():
            (served / name).write_bytes(content)
        address = served.parent.as_uri()
        archive = served / self.file(r".*\.tar\.gz").name
        sums = action / "sums"
        sums.write_text("# The latest last.\n")
        self.assertIn("lists no release", run(install, "", self.folder / "unlisted", address).stderr)
        sums.write_text(f"0.0.1 {'0' * 64} {archive.name}\n")
        self.assertIn(f"does not list {archive.name}", run(install, VERSION, self.folder / "unlisted", address).stderr)
        with sums.open("a") as file:
            file.write(f"{VERSION} {hashlib.sha256(archive.read_bytes()).hexdigest()} {archive.name}\n")
        # The latest is the default, whatever name the workflow has for the action.
        done = run(install, "", self.folder / "tools", address)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(run(self.folder / "tools/bin/carnet").stdout, f"{VERSION} (commit {COMMIT[:12]})\n")
        # With the sums of the release exchanged as well.
        content = bytearray(archive.read_bytes())
        content[len(content) // 2] ^= 1
        archive.write_bytes(content)
        (served / "SHA256SUMS").write_text(f"{hashlib.sha256(content).hexdigest()}  {archive.name}\n")
        refused = run(install, VERSION, self.folder / "damaged", address)
        self.assertEqual(refused.returncode, 1)
        self.assertIn(f"{archive.name} is damaged: its SHA-256 is not the one that the action lists. Nothing", refused.stderr)
        self.assertFalse((self.folder / "damaged").exists())
        archive.unlink()
        absent = run(install, VERSION, self.folder / "absent", address)
        self.assertEqual(absent.returncode, 1)
        self.assertIn("cannot download", absent.stderr)


if __name__ == "__main__":
    outcome = unittest.main(exit=False).result
    failed = len(outcome.failures) + len(outcome.errors)
    print(f"{outcome.testsRun - failed} passed, {failed} failed")
    sys.exit(failed > 0)
