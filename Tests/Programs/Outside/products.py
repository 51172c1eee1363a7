"""Measures what a host links: `python3 Tests/Programs/Outside/products.py [--write]`.

For each product, a package outside this one has a program that imports `Carnet` and that product alone. The programs are
built in this package's build folder, whose modules they share. `--write` writes Docs/products.md.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import folder  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("CARNET_BUILD", ROOT / ".build"))
BINARIES = folder("debug", "--scratch-path", str(BUILD))
PAGE = ROOT / "Docs/products.md"
PROGRAMS = [[], ["CarnetTool"], ["CarnetTesting", "CarnetTool"], ["CarnetHummingbird"], ["CarnetHummingbird", "CarnetSQLite"],
            ["CarnetWeb"], ["CarnetCurl"], ["CarnetHTTP"], ["CarnetSQLite"], ["CarnetPostgreSQL"], ["CarnetLint"],
            ["CarnetTesting"]]
# Every Swift program on Linux has these.
COMMON = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|gcc_s|stdc\+\+|pthread|dl|util|rt)\.|lib(swift|dispatch|Blocks|_?Foundation))")

TEXT = """# Cost of each product

For developers who choose products, and watch the size of their program.

`CarnetTool`, `CarnetHummingbird` and, in apps, `CarnetApple` contain `Carnet` and a transport. The others are for programs that
choose their parts. Each row of the second table is a program of a few lines that imports `Carnet` and the named products.

| product | modules to import | for |
|---|---|---|
| `Carnet` | `Carnet`, `CarnetCatalog`, `CarnetStorage` | the engine, the built-in providers, the store in files |
| `CarnetApple` | `CarnetApple`, `CarnetURLSession` | apps |
| `CarnetTool` | `CarnetTool`, `CarnetUserAgent` | tools that people run |
| `CarnetHummingbird` | `CarnetHummingbird` | sites on Hummingbird |
| `CarnetWeb` | `CarnetWeb`, `CarnetResourceServer` | sites and APIs on any other server |
| `CarnetCurl`, `CarnetHTTP` | the same | a transport by name |
| `CarnetSQLite`, `CarnetPostgreSQL` | the same | a store for several processes |
| `CarnetTesting` | `CarnetTesting`, `CarnetSandbox` | tests and previews |
| `CarnetLint` | `CarnetLint` | programs that check descriptors |

{table}
- **Libraries of the system**: without the C runtime and those of Swift. `CarnetCurl` loads libcurl at the first request, and
  `CarnetPostgreSQL` libpq when it connects.
- **Program**: a debug build for x86-64 Linux after `strip`. A release build is smaller.
- **Modules** and **source files**: all that a clean build compiles, C files included.

The build plugin `CarnetProviders` also compiles [a linter](guides/embed-descriptors.md#use-a-prebuilt-tool).
"""


def name(products):
    return "linked" + "".join(products)


def manifest():
    def target(products):
        listed = ", ".join(f'.product(name: "{product}", package: "carnet")' for product in ["Carnet", *products])
        return f'.executableTarget(name: "{name(products)}", dependencies: [{listed}])'
    targets = ",\n        ".join(target(products) for products in PROGRAMS)
    return f"""// swift-tools-version: 6.1
import PackageDescription

let package = Package(
    name: "hosts",
    platforms: [.macOS(.v14)],
    dependencies: [.package(name: "carnet", path: "{ROOT}")],
    targets: [
        {targets}
    ]
)
"""


def libraries(program):
    shown = subprocess.run(["readelf", "-d", program], text=True, check=True, stdout=subprocess.PIPE).stdout
    names = re.findall(r"\(NEEDED\).*\[(.+?)\]", shown)
    return sorted(re.sub(r"\.so.*", "", name) for name in names if not COMMON.match(name))


def compiled(products):
    """The modules and the source files of a program, by its list of objects, which has one for each source file."""
    listed = (BINARIES / f"{name(products)}.product/Objects.LinkFileList").read_text().split()
    objects = [re.search(r"/([^/]+)\.build/.*\.o'?$", path) for path in listed]
    # The program itself is not counted, nor a module's syntax tree for the debugger.
    counted = [found for found in objects if found and found[1] != name(products) and ".swiftmodule.o" not in found[0]]
    return len({found[1] for found in counted}), len(counted)


def row(products, folder):
    program = BINARIES / name(products)
    stripped = folder / "stripped"
    subprocess.run(["strip", "-o", stripped, program], check=True)
    size = stripped.stat().st_size / (1 << 20)
    linked = ", ".join(f"`{library}`" for library in libraries(program)) or "none"
    modules, sources = compiled(products)
    title = ", ".join(f"`{product}`" for product in products or ["Carnet"])
    return f"| {title} | {linked} | {size:.1f} MiB | {modules} | {sources:,} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help="write Docs/products.md")
    given = parser.parse_args()
    rows = ["| products | libraries of the system | program | modules | source files |", "|---|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="carnet-products-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "Package.swift").write_text(manifest())
        for products in PROGRAMS:
            source = folder / "Sources" / name(products) / "main.swift"
            source.parent.mkdir(parents=True)
            source.write_text("".join(f"import {module}\n" for module in ["Carnet", *products])
                              + "print(ProviderRegistry().ids)\n")
        shutil.copy(ROOT / "Package.resolved", folder)
        options = os.environ.get("CARNET_BUILD_OPTIONS", "").split()
        subprocess.run(["swift", "build", "--scratch-path", BUILD, *options], cwd=folder, check=True, stdout=sys.stderr)
        try:
            for products in PROGRAMS:
                rows.append(row(products, folder))
                print(rows[-1], flush=True)
        finally:
            for left in BINARIES.glob("linked*"):
                shutil.rmtree(left) if left.is_dir() else left.unlink()
    if given.write:
        PAGE.write_text(TEXT.format(table="\n".join(rows) + "\n"))


if __name__ == "__main__":
    sys.exit(main())
