#!/usr/bin/env python3
"""Decisions a second of `carnet gateway`, with their latency, its memory and its start, measured by wrk.

  load.py [--carnet PROGRAM] [--connections N] [--seconds N]

A person signs in, and `wrk` asks for decisions about one page with the cookie of the session, over connections that stay
open: with sessions in files, and without a cookie. Client and gateway share the processors."""

import argparse
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import people  # noqa: E402
import storm  # noqa: E402

FILE = """gateway: 1
origin: http://127.0.0.1:9
providers: [{ id: storm, client_id: client }]
routes: [{ path: /**, allow: signed_in }, { path: /admin/**, allow: { provider: storm, group: [ops] } }]
headers: { X-Auth-User: "{account.subject}", X-Auth-Groups: "{account.groups}" }
identity_token: {}
session: { store: "STORE", key_env: KEY }
"""


def memory(process):
    text = pathlib.Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) / 1024


def wrk(port, target, fields, connections, seconds):
    """Sends one request again and again. Returns requests a second, and the latency of 99 of 100 in ms."""
    command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s", "--latency"]
    for field in fields:
        command += ["-H", field]
    text = subprocess.run([*command, f"http://127.0.0.1:{port}{target}"], check=True, text=True, stdout=subprocess.PIPE).stdout
    if "Non-2xx" in text or "Socket errors" in text:
        raise SystemExit(f"load: requests failed\n{text}")
    slowest, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    return float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1]), float(slowest) * {"us": 0.001, "ms": 1, "s": 1000}[unit]


def measure(port, options, cookie=None):
    fields = ["X-Forwarded-Method: GET", "X-Forwarded-Proto: http", f"X-Forwarded-Host: {storm.HOST}",
              "X-Forwarded-Uri: /admin/page?a=1", "Accept: text/html"]
    return wrk(port, "/carnet/decide", fields + ([f"Cookie: {cookie}"] if cookie else []), options.connections, options.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carnet", default=people.built("carnet", "release"))
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=int, default=10)
    options = parser.parse_args()
    provider = people.Provider()
    for store in ["files:sessions"]:
        with tempfile.TemporaryDirectory() as folder:
            folder = pathlib.Path(folder)
            (folder / "providers").mkdir()
            (folder / "providers/storm.yaml").write_text(people.DESCRIPTOR.format(base=provider.base))
            (folder / "gateway.yaml").write_text(FILE.replace("STORE", store))
            environment = dict(os.environ, HOME=str(folder), KEY=secrets.token_hex(32))
            begun = time.monotonic()
            replica = storm.Replica(options.carnet, folder, environment, 0)
            start = (time.monotonic() - begun) * 1000
            cookie = storm.sign_in(replica.port, provider)
            measure(replica.port, argparse.Namespace(connections=4, seconds=2), cookie)
            rate, slowest = measure(replica.port, options, cookie)
            nobody, _ = measure(replica.port, options)
            print(f"{store.split(':')[0]}: {rate:.0f} decisions a second, p99 {slowest:.1f} ms; without a session {nobody:.0f}; "
                  f"{memory(replica.process):.0f} MB, start {start:.0f} ms")
            replica.process.terminate()
            replica.process.wait()


if __name__ == "__main__":
    main()
