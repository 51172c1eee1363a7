#!/usr/bin/env python3
"""200 requests at the moment of expiry, at two replicas with one PostgreSQL database, while one of them is killed.

  storm.py [--carnet PROGRAM] [--rounds N]

The provider, in this process, replaces the refresh token each time, and revokes the session as soon as one comes twice. Each
round sends 100 requests to each of two replicas in the second in which the access token expires, and kills the replica
that does not refresh with SIGKILL while the other one waits for the provider. Every request that the living replica got must
be allowed, there must be one refresh, and the session must live. The exit status is 1 otherwise."""

import argparse
import glob
import os
import pathlib
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True

import people  # noqa: E402

HOST = "127.0.0.1:9"
LIFETIME = 8      # Seconds; a token is refreshed in the second half of so short a life.
EACH = 100


class Database:
    def __init__(self, folder):
        self.programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1]
        self.folder, self.user = folder, ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        if os.geteuid() != 0:
            self.user = []
        else:
            shutil.chown(folder, "postgres", "postgres")
        self.run("initdb", "-D", f"{folder}/data", "-U", "carnet", "-A", "trust", "-N")
        self.run("pg_ctl", "-D", f"{folder}/data", "-l", f"{folder}/log", "-w", "-o", f"-k {folder} -h ''", "start")
        self.url = f"postgresql://carnet@/postgres?host={urllib.parse.quote(folder)}&sslmode=disable"

    def run(self, program, *arguments):
        subprocess.run([*self.user, f"{self.programs}/{program}", *arguments], check=True, stdout=subprocess.DEVNULL, cwd="/")

    def stop(self):
        self.run("pg_ctl", "-D", f"{self.folder}/data", "-m", "immediate", "-w", "stop")


class Replica(people.Gateway):
    def __init__(self, carnet, folder, environment, number):
        super().__init__(carnet, folder, environment, "--providers", "providers", log=f"replica{number}.log")

    def owns(self, port):
        """Whether a connection from a local port is this process's."""
        entry = f":{port:04X} "
        for line in open("/proc/net/tcp"):
            fields = line.split()
            if len(fields) > 9 and f"{fields[1]} ".endswith(entry):
                wanted = f"socket:[{fields[9]}]"
                break
        else:
            return False
        for path in glob.glob(f"/proc/{self.process.pid}/fd/*"):
            try:
                if os.readlink(path) == wanted:
                    return True
            except OSError:
                pass
        return False


def exchange(port, head, fields=(), body=""):
    lines = [f"{head} HTTP/1.1", f"Host: {HOST}", "Connection: close", "Accept: text/html", *fields]
    if body:
        lines += ["Content-Type: application/x-www-form-urlencoded", f"Content-Length: {len(body)}"]
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n" + body).encode())
        data = b""
        while chunk := connection.recv(65536):
            data += chunk
    head, _, _ = data.decode("utf-8", "replace").partition("\r\n\r\n")
    if not head:
        return 0, []
    lines = head.split("\r\n")
    return int(lines[0].split()[1]), [tuple(line.split(": ", 1)) for line in lines[1:] if ": " in line]


def field(fields, name):
    return next((value for key, value in fields if key.lower() == name), None)


def decide(port, cookie):
    forwarded = ["X-Forwarded-Method: GET", "X-Forwarded-Proto: http", f"X-Forwarded-Host: {HOST}", "X-Forwarded-Uri: /page"]
    try:
        status, fields = exchange(port, "GET /carnet/decide", [*forwarded, f"Cookie: {cookie}"])
    except OSError:
        return 0, None
    return status, field(fields, "x-auth-groups")


def sign_in(port, provider):
    status, fields = exchange(port, "POST /carnet/sign-in/storm", ["Sec-Fetch-Site: same-origin"], "return_to=%2F")
    pending = field(fields, "set-cookie").split(";")[0]
    place = urllib.parse.urlsplit(field(fields, "location"))
    _, fields = exchange(provider.server_address[1], f"GET {place.path}?{place.query}")
    back = urllib.parse.urlsplit(field(fields, "location"))
    _, fields = exchange(port, f"GET {back.path}?{back.query}", [f"Cookie: {pending}"])
    return next(v.split(";")[0] for n, v in fields if n.lower() == "set-cookie" and "session=" in v and "Max-Age=0" not in v)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carnet", default=people.built("carnet"))
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    provider, failed = people.Provider(LIFETIME, delay=0.5), 0
    with tempfile.TemporaryDirectory(dir="/tmp") as folder, tempfile.TemporaryDirectory(dir="/tmp") as cluster:
        folder = pathlib.Path(folder)
        database = Database(cluster)
        (folder / "providers").mkdir()
        (folder / "providers/storm.yaml").write_text(people.DESCRIPTOR.format(base=provider.base))
        (folder / "gateway.yaml").write_text(
            "gateway: 1\norigin: http://127.0.0.1:9\nproviders: [{ id: storm, client_id: client }]\n"
            "routes: [{ path: /**, allow: signed_in }]\nheaders: { X-Auth-Groups: \"{account.groups}\" }\n"
            "session: { store_env: STORE, key_env: KEY }\n")
        environment = dict(os.environ, HOME=str(folder), STORE=database.url, KEY=secrets.token_hex(32))
        replicas = [Replica(options.carnet, folder, environment, number) for number in range(2)]
        try:
            for turn in range(options.rounds):
                cookie = sign_in(replicas[turn % 2].port, provider)
                issued = time.monotonic()
                assert [decide(r.port, cookie)[0] for r in replicas] == [200, 200], "the sign-in does not count"
                before, killed = len(provider.refreshes), []

                def kill_the_other(port):
                    owner = [replica.owns(port) for replica in replicas]
                    if owner.count(True) == 1 and not killed:
                        victim = replicas[owner.index(False)]
                        killed.append(victim)
                        victim.process.send_signal(signal.SIGKILL)

                provider.on_refresh = kill_the_other
                results = {replica: [] for replica in replicas}
                time.sleep(max(0, issued + LIFETIME / 2 + 0.3 - time.monotonic()))
                threads = [threading.Thread(target=lambda r=r: results[r].append(decide(r.port, cookie)))
                           for _ in range(EACH) for r in replicas]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                provider.on_refresh = lambda port: None
                refreshes = len(provider.refreshes) - before
                living = [replica for replica in replicas if replica not in killed]
                allowed = [sum(status == 200 for status, _ in results[replica]) for replica in living]
                after = [decide(replica.port, cookie) for replica in living]
                good = (len(killed) == 1 and refreshes == 1 and not provider.revoked and allowed == [EACH]
                        and after == [(200, "ops")])
                failed += not good
                print(f"round {turn + 1}: {2 * EACH} requests, {len(killed)} replica killed, {refreshes} refresh, "
                      f"{allowed} of {EACH} allowed, afterwards {after}, revoked {len(provider.revoked)}"
                      f"{'' if good else ': FAILED'}")
                for replica in killed:
                    replica.process.wait()
                    replicas[replicas.index(replica)] = Replica(options.carnet, folder, environment, turn + 2)
        finally:
            for replica in replicas:
                replica.process.terminate()
                replica.process.wait()
            database.stop()
            if failed:
                for path in sorted(folder.glob("*.log")):
                    print(f"--- {path.name}\n{path.read_text()[-2000:]}", file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
