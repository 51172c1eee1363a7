"""The program: how it is built, and what it needs of a system."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from releasing import order

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / ".build"
VERSION = ROOT / "Sources/CarnetCommand/Program/CarnetCommand.swift"
STAMP = b"commit:" + b"." * 40
# Linked statically, so that no package of the system is needed for them: the archive, and the package that has it.
STATIC = {"libyaml.a": "libyaml-dev", "libz.a": "zlib1g-dev"}
# Every Linux distribution with the C library has these, and OpenSSL, which its security updates are for: see
# Docs/decisions/crypto.md.
COMMON = re.compile(r"(ld-linux[-\w]*|lib(c|m|gcc_s|stdc\+\+|pthread|dl|rt))\.so\.\d+|libcrypto\.so\.3")


class Refusal(Exception):
    """What a person has to change before there can be a release."""


def output(*command, **options):
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, **options).stdout.strip()


def tool(name, package):
    if not shutil.which(name):
        raise Refusal(f"{name} is not installed: apt-get install {package}")
    return name


def source_version():
    return re.search(r'let number = "([^"]+)"', VERSION.read_text()).group(1)


def build(root=ROOT):
    """Builds the program of a package, and returns its path."""
    folder, program = root / ".build/static", pathlib.Path(output("swift", "build", "--package-path", str(root), "-c", "release", "--show-bin-path")) / "carnet"
    row = folder / "order.txt"
    folder.mkdir(parents=True, exist_ok=True)
    for archive, package in STATIC.items():
        path = pathlib.Path(output("clang", f"-print-file-name={archive}"))
        if not path.is_absolute():
            raise Refusal(f"{archive} is not installed: apt-get install {package}")
        link = folder / archive
        link.unlink(missing_ok=True)
        link.symlink_to(path)
    # Without it, SwiftPM names the system's folder of libraries first, and the linker finds the shared library there.
    (folder / "yaml-0.1.pc").write_text(f"Name: yaml\nDescription: libyaml\nVersion: 0\nLibs: -L{folder} -lyaml\n")
    same_in_every_folder = [
        "-Xcc", f"-ffile-prefix-map={root}=.",
        "-Xswiftc", "-file-prefix-map", "-Xswiftc", f"{root}=.",
        # `#file` is then a module and a file, also in the packages that are in Swift 5 mode.
        "-Xswiftc", "-enable-upcoming-feature", "-Xswiftc", "ConciseMagicFile",
    ]
    command = [
        "swift", "build", "-c", "release", "--static-swift-stdlib", "--product", "carnet", "--disable-local-rpath",
        *same_in_every_folder,
        # The linker keeps the sections that are used: one for each function.
        "-Xswiftc", "-Xfrontend", "-Xswiftc", "-function-sections",
        "-Xcc", "-ffunction-sections", "-Xcc", "-fdata-sections",
        "-Xlinker", f"-L{folder}", "-Xlinker", "--gc-sections",
        # Swift exports all symbols of a program with static libraries, and the linker keeps what is exported.
        "-Xlinker", "--no-export-dynamic",
        "-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now",
        # Of the linkers, lld alone can put functions in a row.
        "-Xswiftc", "-use-ld=lld", "-Xlinker", f"--symbol-ordering-file={row}", "-Xlinker", "--no-warn-symbol-ordering",
    ]
    # The traits of a package are then in one order: with another, the next build would compile everything again.
    environment = {**os.environ, "PKG_CONFIG_PATH": str(folder), "SWIFT_DETERMINISTIC_HASHING": "1"}

    def link(functions):
        row.write_text("".join(f"{name}\n" for name in functions))
        program.unlink(missing_ok=True)
        subprocess.run(command, check=True, cwd=root, env=environment, stdout=sys.stderr)

    link([])
    # Its functions are known now: the program is linked again.
    link(order.functions(program))
    return program


def stamped(program, commit, folder):
    """A copy of the program that names its commit and has no debug information."""
    content = program.read_bytes()
    if content[:4] != b"\x7fELF":
        raise Refusal(f"{program} is not a program for Linux")
    if STAMP not in content:
        raise Refusal(f"{program} has no place for the commit: it is not carnet, or the commit is already there")
    copy = folder / "carnet"
    copy.write_bytes(content.replace(STAMP, b"commit:" + commit.encode()))
    subprocess.run([tool("strip", "binutils"), "--strip-all", "--remove-section=.comment", str(copy)], check=True)
    # Sums of what is taken away, such as debug information with the folder of the build. If a section that is loaded were
    # removed, strip would also take away the protection of relocations (RELRO).
    content = bytearray(copy.read_bytes())
    sections = output("objdump", "--section-headers", "--wide", str(copy))
    for size, offset in re.findall(r" (?:\.note\.gnu\.build-id|\.swift_modhash) +(\w+) +\w+ +\w+ +(\w+)", sections):
        begin, count = int(offset, 16), int(size, 16)
        # The head of a note stays.
        begin, count = (begin + 16, count - 16) if count == 36 else (begin, count)
        content[begin:begin + count] = bytes(count)
    copy.write_bytes(content)
    copy.chmod(0o755)
    return copy


class Needs:
    """The shared libraries of a program, and the newest version of each that its symbols name."""

    def __init__(self, program):
        dump = output(tool("objdump", "binutils"), "-p", str(program))
        self.architecture = {"x86-64": "x86_64", "aarch64": "aarch64"}[
            re.search(r"file format elf64-(?:little)?(\S+)", dump).group(1)]
        self.libraries = re.findall(r"^  NEEDED +(\S+)$", dump, re.M)
        self.versions = {}
        for name, number in re.findall(r" (GLIBC|GLIBCXX|CXXABI|GCC)_([\d.]+)$", dump, re.M):
            version = tuple(map(int, number.split(".")))
            self.versions[name] = max(version, self.versions.get(name, version))

    def check(self):
        for library in self.libraries:
            if not COMMON.fullmatch(library):
                raise Refusal(f"the program needs {library}, which not every system has: link it statically")

    @property
    def glibc(self):
        return ".".join(map(str, self.versions["GLIBC"]))

    @property
    def debian_architecture(self):
        return {"x86_64": "amd64", "aarch64": "arm64"}[self.architecture]


def machine_paths(program):
    """Paths of the machine that built the program, which would differ on another."""
    found = re.findall(re.escape(str(ROOT)).encode() + rb"/[\w./+-]*", program.read_bytes())
    return sorted(path.decode() for path in set(found))
