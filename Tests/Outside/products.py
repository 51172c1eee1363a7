"""Measures what a host links: `python3 Tests/Outside/products.py [--configuration release] [--write]`.

For each product, a program that imports `Carnet` and that product alone is built, in one build folder. The processor time of a row
is what it adds to the rows above it: products share modules. It is user and system time of all processes, so a busy machine
changes it little. `--write` writes Docs/products.md.
"""

import argparse
import os
import pathlib
import re
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "Docs/products.md"
PRODUCTS = [None, "CarnetURLSession", "CarnetFiles", "CarnetCatalog", "CarnetUserAgent", "CarnetHTTP", "CarnetSQLite",
            "CarnetPostgreSQL", "CarnetWeb", "CarnetHummingbird", "CarnetSandbox", "CarnetTesting", "CarnetLint"]
# Every Swift program on Linux has these.
COMMON = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|gcc_s|stdc\+\+|pthread|dl|util|rt)\.|lib(swift|dispatch|Blocks))")


TEXT = """# Cost of each product

For developers who choose products, and watch the size and the build time of their program.

A program links a product only if one of its targets depends on the product. It contains swift-nio, Hummingbird, GRDB, libpq or SQLite
only if one of its products needs them. To sign in, `Carnet` needs a `Transport`: `CarnetHTTP` on servers, `CarnetURLSession` in apps, or
one of your own.

{table}
Each row is a program of one line that imports `Carnet` and this product. "Adds to the build" is the processor time that the product adds
to the build of the rows above. The order matters, because products share modules. With two processors, the elapsed time is about half of
the processor time. The first row compiles the modules that every host needs; most of its time goes into the BoringSSL of swift-crypto.
The table omits the libraries of Swift and of the C runtime. Measured on Debian 12 with a {configuration} build:

    python3 Tests/Outside/products.py --configuration {configuration} --write

The build plugin `CarnetProviders` also compiles a linter, which takes about 50 seconds. See
[Use a prebuilt tool](guides/embed-descriptors.md#use-a-prebuilt-tool).
"""


def manifest(names):
    def target(name):
        products = ["Carnet"] + ([name] if name else [])
        listed = ", ".join(f'.product(name: "{product}", package: "carnet")' for product in products)
        return f'.executableTarget(name: "host{name or ""}", dependencies: [{listed}])'
    targets = ",\n        ".join(target(name) for name in names)
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


def processor_seconds(command, folder):
    """The user and system time of a command and its children."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed:\n{done.stdout[-4000:]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def libraries(program):
    shown = subprocess.run(["readelf", "-d", program], text=True, check=True, stdout=subprocess.PIPE).stdout
    names = re.findall(r"\(NEEDED\).*\[(.+?)\]", shown)
    return sorted(re.sub(r"\.so.*", "", name) for name in names if not COMMON.match(name) and "Foundation" not in name)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--configuration", choices=["debug", "release"], default="debug")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--products", nargs="*", help="only these, after `Carnet`")
    given = parser.parse_args()
    names = PRODUCTS if given.products is None else [None] + given.products
    rows = ["| imports | libraries of the system | program, stripped | adds to the build |", "|---|---|---|---|"]
    with tempfile.TemporaryDirectory(prefix="carnet-products-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "Package.swift").write_text(manifest(names))
        for name in names:
            source = folder / f"Sources/host{name or ''}/main.swift"
            source.parent.mkdir(parents=True)
            imports = ["Carnet"] + ([name] if name else [])
            source.write_text("".join(f"import {module}\n" for module in imports) + "print(ProviderRegistry().ids)\n")
        shutil.copy(ROOT / "Package.resolved", folder)
        subprocess.run(["swift", "package", "resolve"], cwd=folder, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
        options = os.environ.get("CARNET_BUILD_OPTIONS", "").split()
        for name in names:
            product = f"host{name or ''}"
            seconds = processor_seconds(
                ["swift", "build", "-c", given.configuration, "--product", product, *options], folder)
            program = folder / ".build" / given.configuration / product
            stripped = folder / "stripped"
            subprocess.run(["strip", "-o", stripped, program], check=True)
            size = stripped.stat().st_size / (1 << 20)
            linked = ", ".join(f"`{library}`" for library in libraries(program)) or "none"
            rows.append(f"| `{name or 'Carnet'}` | {linked} | {size:.1f} MiB | {seconds:.0f} s |")
            print(rows[-1], flush=True)
    if given.write:
        PAGE.write_text(TEXT.format(table="\n".join(rows) + "\n", configuration=given.configuration))


if __name__ == "__main__":
    sys.exit(main())
