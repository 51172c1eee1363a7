"""Prepares the virtual environments of the Python programs that the tests hold Carnet against.

    python3 Tests/Peers/environments.py [NAME...]

An environment lives in $CARNET_PEERS_DIR/NAME, by default .build/peers/NAME. One that is up to date is left alone, so
this may run before every test run; one that is not is made anew from requirements-NAME.txt. Needs only Python and its
venv module.
"""

import concurrent.futures
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("authlib", "canaille", "chromium", "django", "glewlwyd", "idpyoidc", "jsonschema", "mcp", "mitmproxy",
         "oidc-provider-mock", "yaml")
# What only the benchmarks need is made when it is named.
BENCHMARK_NAMES = ("check-jsonschema", "yamllint")
SECONDS_TO_CREATE, SECONDS_TO_INSTALL, SECONDS_TO_REPLY = 120, 900, 300


class Failure(Exception):
    """Why an environment cannot be made, in words for the person who ran this."""


def folder():
    chosen = os.environ.get("CARNET_PEERS_DIR")
    return pathlib.Path(chosen).resolve() if chosen else HERE.parents[1] / ".build" / "peers"


def prepare(name):
    """Makes the environment of one program, unless it is up to date, and returns the path of its folder."""
    requirements = HERE / f"requirements-{name}.txt"
    environment = folder() / name
    environment.parent.mkdir(parents=True, exist_ok=True)
    # The path and the interpreter count too: the scripts of a virtual environment name both.
    identity = "\n".join([str(environment), sys.version, requirements.read_text()])
    stamp, wanted = environment / "requirements.sha256", hashlib.sha256(identity.encode()).hexdigest()

    with open(environment.parent / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if stamp.is_file() and stamp.read_text() == wanted:
            return environment
        print(f"Making the Python environment of {name}", file=sys.stderr, flush=True)
        shutil.rmtree(environment, ignore_errors=True)
        run([sys.executable, "-m", "venv", environment], SECONDS_TO_CREATE,
            "python3 cannot make a virtual environment (Debian: apt-get install python3-venv)")
        run([environment / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-input",
             "--disable-pip-version-check", "--no-compile", "--no-deps", "--only-binary", ":all:",
             "--requirement", requirements],
            SECONDS_TO_INSTALL, f"pip cannot install {requirements.name}")
        stamp.write_text(wanted)
    return environment


def reply(name, function):
    """Runs the calling program in an environment: writes to stdout, as JSON, what a function makes of the JSON at stdin."""
    try:
        environment = prepare(name)
        if pathlib.Path(sys.prefix) != environment:
            python = environment / "bin" / "python"
            os.execv(python, [python, *sys.argv])
        signal.alarm(SECONDS_TO_REPLY)
        json.dump(function(json.load(sys.stdin)), sys.stdout)
    except (Failure, OSError, ValueError, KeyError) as failure:
        sys.exit(f"{pathlib.Path(sys.argv[0]).name}: {failure}")


def run(command, seconds, complaint):
    try:
        done = subprocess.run(command, timeout=seconds, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    except subprocess.TimeoutExpired:
        raise Failure(f"{complaint}: no end after {seconds} s") from None
    if done.returncode != 0:
        raise Failure(f"{complaint}:\n{done.stdout.strip()}")


if __name__ == "__main__":
    try:
        for unknown in set(sys.argv[1:]) - set(NAMES + BENCHMARK_NAMES):
            raise Failure(f"no program is called {unknown}; there are {', '.join(NAMES + BENCHMARK_NAMES)}")
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(prepare, sys.argv[1:] or NAMES))
    except (Failure, OSError) as failure:
        sys.exit(f"{pathlib.Path(__file__).name}: {failure}")
