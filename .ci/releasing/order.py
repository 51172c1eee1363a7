#!/usr/bin/env python3
"""The functions that a gateway runs, in one row of the program: a process maps the pages that it needs, and their neighbors.

  order.py PROGRAM

PROGRAM is a build that is not stripped, such as the one that .ci/release built. It runs in valgrind, a person signs in,
and the proxy asks for decisions. The names of the functions that ran are written to `order.txt` as hashes, because one name has
80 characters on average. A name that a later build does not have changes nothing."""

import base64
import hashlib
import os
import pathlib
import secrets
import shutil
import subprocess
import sys
import tempfile

RECORD = pathlib.Path(__file__).with_name("order.txt")
PEERS = RECORD.parents[2] / "Tests/Peers/Gateway"


def mark(name):
    """Four characters. Where another name has the same mark, its function is in the row, too."""
    return base64.b64encode(hashlib.sha256(name.encode()).digest()[:3]).decode()


def functions(program):
    """The functions of the program that are in the record, as they follow each other in the program."""
    lines = subprocess.run(["nm", "--numeric-sort", program], check=True, stdout=subprocess.PIPE, text=True).stdout.splitlines()
    known = set(RECORD.read_text().split())
    names = [name for _, kind, name in (line.split(" ", 2) for line in lines if line[0] != " ") if kind in "tTwWV"]
    return [name for name in names if mark(name) in known]


def executed(profile):
    """The functions of the program that a profile of callgrind names."""
    names, own = set(), False
    for line in profile.read_text(errors="replace").splitlines():
        if line.startswith("ob="):
            own = line.endswith("/carnet")
        elif own and line.startswith("fn="):
            # One function has several names where it calls itself.
            names.add(line[3:].partition("'")[0])
    return names


def record(program, folder):
    sys.path.insert(0, str(PEERS))
    import load
    import people
    import storm

    carnet, profile = folder / "carnet", folder / "profile"
    subprocess.run(["strip", "--strip-debug", "-o", carnet, program], check=True)
    command = folder / "command"
    command.write_text(
        "#!/bin/sh\nexec valgrind --quiet --tool=callgrind --compress-strings=no --demangle=no "
        f"--callgrind-out-file={profile} {carnet} \"$@\"\n")
    command.chmod(0o755)
    provider = people.Provider()
    (folder / "providers").mkdir()
    (folder / "providers/storm.yaml").write_text(people.DESCRIPTOR.format(base=provider.base))
    (folder / "gateway.yaml").write_text(load.FILE.replace("STORE", "files:sessions"))
    environment = dict(os.environ, HOME=str(folder), KEY=secrets.token_hex(32))
    gateway = storm.Replica(str(command), folder, environment, 0)
    cookie = storm.sign_in(gateway.port, provider)
    statuses = {storm.decide(gateway.port, cookie)[0] for _ in range(20)}
    gateway.process.terminate()
    gateway.process.wait()
    if statuses != {200}:
        sys.exit(f"order: the decisions were {statuses}")
    return executed(profile)


def main():
    if len(sys.argv) != 2 or not os.path.isfile(sys.argv[1]):
        sys.exit(__doc__)
    if not shutil.which("valgrind"):
        sys.exit("order: valgrind is not installed: apt-get install valgrind")
    with tempfile.TemporaryDirectory() as folder:
        names = record(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(folder))
    # A function without a name is an address.
    marks = sorted({mark(name) for name in names if not name.startswith("0x")})
    rows = [" ".join(marks[start:start + 25]) for start in range(0, len(marks), 25)]
    RECORD.write_text("\n".join(rows) + "\n")
    print(f"{RECORD}: {len(marks)} functions")


if __name__ == "__main__":
    main()
