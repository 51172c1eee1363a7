#!/usr/bin/env python3
"""Counts the instructions of the hot paths with callgrind, and compares them with instructions.tsv.

    swift build -c release --product HotPaths
    python3 Tests/HotPaths/instructions.py              fails if a path takes 10 % more instructions than recorded
    python3 Tests/HotPaths/instructions.py --update     records

The count for one execution is the difference of two runs with different counts, so that start-up does not count. Counts are
comparable only between builds of one compiler; the file names the compiler.
"""

import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "instructions.tsv"
TOLERANCE = 1.10
# Executions of the shorter run; the longer one has three times as many.
RUNS = {
    "begin-sign-in": 2000,
    "sign-in": 200,
    "id-token": 100,
    "access-token": 2000,
    "lint": 20,
    "simulate": 20,
    "resolve": 200,
}


def compiler():
    text = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Swift version (\S+)", text).group(1)


def stripped(program, folder):
    """A copy without debug information, which valgrind cannot read when it comes from Swift."""
    copy = folder / program.name
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


def collected(program, name, count, folder):
    result = subprocess.run(
        ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", program, name, str(count)],
        capture_output=True,
        text=True,
    )
    if result.returncode != 0:
        sys.exit(f"{name} failed:\n{result.stderr[-2000:]}")
    return int(re.search(r"Collected : (\d+)", result.stderr).group(1))


def measure(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy = stripped(program, folder)
        counts = {}
        for path, runs in RUNS.items():
            few = collected(copy, path, runs, folder)
            counts[path] = (collected(copy, path, 3 * runs, folder) - few) // (2 * runs)
        return counts


def recorded():
    lines = [line.split("\t") for line in RECORD.read_text().splitlines() if not line.startswith("#")]
    version = re.search(r"Swift ([^,\s]+)", RECORD.read_text()).group(1)
    return version, {name: int(count) for name, count in lines}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=".build/release/HotPaths", type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="record the counts")
    arguments = parser.parse_args()
    counts = measure(arguments.program)
    if arguments.update:
        lines = [f"# Instructions for one execution. Swift {compiler()}, x86-64, release."]
        RECORD.write_text("\n".join(lines + [f"{name}\t{count}" for name, count in counts.items()]) + "\n")
        return
    version, before = recorded()
    failed = False
    for name, count in counts.items():
        ratio = count / before[name]
        failed = failed or ratio > TOLERANCE
        print(f"{name}: {count} instructions, {ratio:.2f} times the recorded {before[name]}")
    if version != compiler():
        print(f"The record was made with Swift {version}, this build with {compiler()}: nothing is validated.")
    elif failed:
        sys.exit("A path takes over 10 % more instructions. Make it cheaper, or explain it and record with --update.")


main()
