#!/usr/bin/env python3
"""Counts what the hot paths cost with callgrind, and compares it with counts.tsv.

    swift build -c release --product HotPaths
    python3 Tests/Programs/HotPaths/counts.py              fails if a count of a path is over 10 % above the recorded one
    python3 Tests/Programs/HotPaths/counts.py --update     records

Three counts of one execution: instructions; allocations; and the code that it runs through, in lines of the processor's
cache (64 bytes), because a busy program finds little of it in the cache. Each is the difference of two runs with different
numbers of executions, so that start-up does not count. Counts are comparable only between builds of one compiler; the file
names the compiler.
"""

import argparse
import collections
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import built  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE / "counts.tsv"
TOLERANCE = 1.10
COUNTS = ["instructions", "allocations", "lines of code in the cache"]
# Executions of the shorter run; the longer one has three times as many.
RUNS = {
    "begin-sign-in": 2000,
    "sign-in": 200,
    "id-token": 100,
    "access-token": 2000,
    "decision": 100,
    "known-token": 2000,
    "lint": 20,
    "simulate": 20,
    "resolve": 200,
}
# posix_memalign and aligned_alloc call malloc.
ALLOCATORS = {"malloc", "calloc", "realloc"}


def compiler():
    text = subprocess.run(["swift", "--version"], capture_output=True, text=True, check=True).stdout
    return re.search(r"Swift version (\S+)", text).group(1)


def stripped(program, folder):
    """A copy without debug information, which valgrind cannot read when it comes from Swift."""
    copy = folder / program.name
    subprocess.run(["strip", "--strip-debug", "-o", copy, program], check=True)
    return copy


class Profile:
    """One run: how often each instruction was executed, and the allocators were called."""

    def __init__(self, program, name, count, folder):
        out = folder / "out"
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-instr=yes", f"--callgrind-out-file={out}", program, name, str(count)],
            capture_output=True,
            text=True,
        )
        if result.returncode != 0:
            sys.exit(f"{name} failed:\n{result.stderr[-2000:]}")
        self.instructions = int(re.search(r"Collected : (\d+)", result.stderr).group(1))
        self.allocations = 0
        self.executed = collections.Counter()
        with open(out, errors="replace") as lines:
            self.read(lines)

    def read(self, lines):
        # The format: https://valgrind.org/docs/manual/cl-format.html. Names and addresses may be abbreviated.
        names = {}
        library = callee = ""
        address = 0
        is_call = False

        def name(text):
            number, _, known = text.strip().partition(" ")
            if known:
                names[number] = known
            return names.get(number, number)

        for line in lines:
            first = line[0]
            if first in "0123456789+-*":
                place, *costs = line.split()
                if place[0] == "+":
                    address += int(place[1:], 0)
                elif place[0] == "-":
                    address -= int(place[1:], 0)
                elif place[0] != "*":
                    address = int(place, 0)
                if not is_call:
                    self.executed[library, address] += int(costs[-1])
                is_call = False
            elif line.startswith("ob="):
                library = line[3:].strip().split(" ")[0]
            elif line.startswith(("fn=", "cfn=")):
                callee = name(line[line.index("=") + 1 :])
            elif line.startswith("calls="):
                is_call = True
                if callee.split("@")[0] in ALLOCATORS:
                    self.allocations += int(line[6:].split()[0])


def measure(program):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy = stripped(program, folder)
        counts = {}
        for path, runs in RUNS.items():
            few, many = (Profile(copy, path, times * runs, folder) for times in (1, 3))
            code = {
                (library, address >> 6)
                for (library, address), count in many.executed.items()
                # Code that one execution in two runs through.
                if count - few.executed[library, address] >= runs
            }
            counts[path] = [
                round((many.instructions - few.instructions) / (2 * runs)),
                round((many.allocations - few.allocations) / (2 * runs)),
                len(code),
            ]
        return counts


def recorded():
    lines = [line.split("\t") for line in RECORD.read_text().splitlines() if not line.startswith("#")]
    version = re.search(r"Swift ([^,\s]+)", RECORD.read_text()).group(1)
    return version, {name: [int(count) for count in counts] for name, *counts in lines}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=built("HotPaths", "release"), type=pathlib.Path)
    parser.add_argument("--update", action="store_true", help="record the counts")
    arguments = parser.parse_args()
    counts = measure(arguments.program)
    if arguments.update:
        lines = [f"# One execution: {', '.join(COUNTS)}. Swift {compiler()}, x86-64, release."]
        lines += ["\t".join([name, *map(str, values)]) for name, values in counts.items()]
        RECORD.write_text("\n".join(lines) + "\n")
        return
    version, before = recorded()
    failed = False
    for name, values in counts.items():
        for what, count, known in zip(COUNTS, values, before[name]):
            failed = failed or count > known * TOLERANCE
            print(f"{name}: {count} {what}, {count / known:.2f} times the recorded {known}")
    if version != compiler():
        print(f"The record was made with Swift {version}, this build with {compiler()}: nothing is validated.")
    elif failed:
        sys.exit("A count is over 10 % higher. Make the path cheaper, or explain it and record with --update.")


main()
