#!/usr/bin/env python3
"""Several bridges share one account: `python3 Tests/Programs/Faults/bridges.py [--expiries N] [--starts N] [--carnet PATH]`.

`storm`: eight `carnet mcp` send messages to a server that rotates refresh tokens, revokes a family when one comes twice, and
lets access tokens expire. Processes are stopped, continued and killed meanwhile. Expected: nobody is signed out, except where
a process was killed after the server had received its refresh and before it saved the response, which no client can prevent
(Docs/decisions/interrupted-refresh.md).

`starts`: five `carnet mcp` start at the same moment without a token. Expected each time: one page, one registration, and five
that work.

Python's standard library is all that it needs.
"""

import argparse
import collections
import http.server
import json
import os
import pathlib
import random
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import urllib.request

PROCESSES, STARTS = 8, 5
SECONDS_TO_RESPOND = 120
# How long after a response a process may need to save it, while other processes have the processor.
SECONDS_TO_SAVE = 1.0
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bridges", "version": "1"}}}


class Server(http.server.ThreadingHTTPServer):
    """A protected resource and its authorization server. Everybody is signed in without being asked."""

    daemon_threads, request_queue_size = True, 256

    def __init__(self, delay=0.0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.delay = threading.Lock(), delay
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        self.resource = self.origin + "/mcp"
        self.families, self.tokens, self.names = {}, {}, 0
        self.counts = collections.Counter()
        # When each refresh came, and when its response was sent.
        self.refreshes = []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        # A client that was killed.
        pass

    def name(self):
        with self.lock:
            self.names += 1
            return self.names

    def expire(self):
        with self.lock:
            self.tokens = {}

    def issue(self, family):
        self.families[family] += 1
        token = f"{family}.{self.families[family]}"
        self.tokens["access-" + token] = family
        return {"access_token": "access-" + token, "refresh_token": token, "token_type": "Bearer", "expires_in": 3600}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version, wbufsize = "HTTP/1.1", -1

    def log_message(self, *arguments):
        pass

    def reply(self, status, document=None, **fields):
        body = b"" if document is None else json.dumps(document).encode()
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name.replace("_", "-"), value)
        if document is not None:
            self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        server = self.server
        if path == "/.well-known/oauth-protected-resource/mcp":
            return self.reply(200, {"resource": server.resource, "authorization_servers": [server.origin]})
        if path == "/.well-known/oauth-authorization-server":
            return self.reply(200, {
                "issuer": server.origin, "authorization_endpoint": server.origin + "/authorize",
                "token_endpoint": server.origin + "/token", "registration_endpoint": server.origin + "/register",
                "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"]})
        if path == "/authorize":
            values = dict(urllib.parse.parse_qsl(query))
            family = f"family{server.name()}"
            with server.lock:
                server.families[family] = 0
                server.counts["pages"] += 1
            values = urllib.parse.urlencode({"code": family, "state": values["state"]}), values["redirect_uri"]
            return self.reply(302, Location=f"{values[1]}?{values[0]}")
        if path == "/mcp":
            return self.reply(405) if self.authorized() else None
        self.reply(404)

    def do_DELETE(self):
        if self.authorized():
            self.reply(200)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        server = self.server
        if self.path == "/register":
            with server.lock:
                server.counts["registrations"] += 1
            document = json.loads(body)
            return self.reply(201, {"client_id": f"client-{server.name()}", "token_endpoint_auth_method": "none",
                                    "redirect_uris": document["redirect_uris"]})
        if self.path == "/token":
            return self.token(dict(urllib.parse.parse_qsl(body.decode())))
        if self.path != "/mcp" or not self.authorized():
            return None if self.path == "/mcp" else self.reply(404)
        message = json.loads(body)
        if "id" not in message:
            return self.reply(202)
        result = {"protocolVersion": "2025-11-25", "capabilities": {}} if message["method"] == "initialize" else {}
        self.reply(200, {"jsonrpc": "2.0", "id": message["id"], "result": result}, Mcp_Session_Id="session")

    def authorized(self):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with self.server.lock:
            if token in self.server.tokens:
                return True
        metadata = self.server.origin + "/.well-known/oauth-protected-resource/mcp"
        self.reply(401, WWW_Authenticate=f'Bearer resource_metadata="{metadata}"')
        return False

    def token(self, form):
        server = self.server
        if form.get("resource") != server.resource:
            return self.reply(400, {"error": "invalid_target"})
        if form["grant_type"] == "authorization_code":
            with server.lock:
                tokens = server.issue(form["code"])
            return self.reply(200, tokens)
        family, _, number = form["refresh_token"].partition(".")
        with server.lock:
            times = [time.monotonic(), None]
            server.refreshes.append(times)
            if server.families.get(family) != int(number):
                if server.families.pop(family, None) is not None:
                    server.counts["revoked"] += 1
                tokens = None
            else:
                server.counts["refreshes"] += 1
                tokens = server.issue(family)
        time.sleep(server.delay * random.random())
        self.reply(200, tokens) if tokens else self.reply(400, {"error": "invalid_grant"})
        times[1] = time.monotonic()


class Home:
    """A folder of a user, whose browser opens each page at once and notes it."""

    def __init__(self, carnet):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="carnet-bridges-"))
        self.carnet = carnet
        programs = self.folder / "bin"
        programs.mkdir()
        browser = programs / "xdg-open"
        # The page of the program leads to the server, and that back to the program.
        browser.write_text(f"#!/bin/sh\nexec {sys.executable} - \"$1\" <<'END'\n"
                           "import sys, urllib.request\n"
                           "urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1], timeout=60).read()\n"
                           "END\n")
        browser.chmod(0o755)
        self.environment = {
            "HOME": str(self.folder), "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8",
            "TMPDIR": os.environ.get("TMPDIR", "/tmp")}

    def bridge(self, url):
        return Bridge([self.carnet, "mcp", url], self.environment, self.folder)

    def remove(self):
        shutil.rmtree(self.folder, ignore_errors=True)


class Bridge:
    def __init__(self, command, environment, folder):
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(command, env=environment, cwd=folder, stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, start_new_session=True)
        self.buffer, self.number = b"", 0

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def receive(self):
        end = time.monotonic() + SECONDS_TO_RESPOND
        while b"\n" not in self.buffer:
            ready, _, _ = select.select([self.process.stdout], [], [], max(0, end - time.monotonic()))
            part = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not part:
                raise EOFError("no response" if not ready else "the bridge ended")
            self.buffer += part
        line, _, self.buffer = self.buffer.partition(b"\n")
        return json.loads(line)

    def call(self):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": "tools/call", "params": {"name": "nothing"}})
        return self.receive()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        self.process.stdin.close()
        status = self.process.wait(SECONDS_TO_RESPOND)
        self.process.stdout.close()
        return status

    def notes(self):
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")


def storm(carnet, expiries, seed):
    """-> the counts, and what was wrong."""
    chance, server, home = random.Random(seed), Server(delay=0.02), Home(carnet)
    counts, problems, unavoidable = collections.Counter(), [], 0
    ended, kills = threading.Event(), []
    lock = threading.Lock()
    first = home.bridge(server.resource)
    first.send(INITIALIZE)
    first.receive()
    first.end()
    bridges = [home.bridge(server.resource) for _ in range(PROCESSES)]
    for bridge in bridges:
        bridge.send(INITIALIZE)
        bridge.receive()

    def work(index):
        while not ended.is_set():
            bridge = bridges[index]
            try:
                response = bridge.call()
                with lock:
                    counts["calls"] += 1
                    if "error" in response:
                        counts["errors"] += 1
                        problems.append(f"error: {response['error']['message']}")
            except (EOFError, OSError) as error:
                if bridge.process.wait(SECONDS_TO_RESPOND) != -signal.SIGKILL:
                    problems.append(f"bridge {index}: {error}: {bridge.notes()[-2000:]}")
                    return
                bridges[index] = home.bridge(server.resource)
                try:
                    bridges[index].send(INITIALIZE)
                    bridges[index].receive()
                except (EOFError, OSError):
                    pass

    def disturb():
        while not ended.is_set():
            time.sleep(chance.uniform(0.02, 0.3))
            bridge = chance.choice(bridges)
            if chance.random() < 0.7:
                os.kill(bridge.process.pid, signal.SIGSTOP)
                time.sleep(chance.uniform(0.01, 0.5))
                os.kill(bridge.process.pid, signal.SIGCONT)
                counts["stops"] += 1
            else:
                with lock:
                    kills.append(time.monotonic())
                bridge.kill()
                counts["kills"] += 1

    threads = [threading.Thread(target=work, args=(index,)) for index in range(PROCESSES)]
    threads.append(threading.Thread(target=disturb))
    for thread in threads:
        thread.start()
    done = 0
    while done < expiries and not problems:
        before = server.counts["refreshes"]
        server.expire()
        done += 1
        end = time.monotonic() + SECONDS_TO_RESPOND
        while server.counts["refreshes"] == before and server.counts["pages"] == 1 + len(problems):
            if time.monotonic() > end:
                problems.append("no refresh after an expiry")
                break
            time.sleep(0.01)
        # A token that serves nobody would be refused twice for one message.
        served = counts["calls"] + PROCESSES
        while counts["calls"] < served and not problems and time.monotonic() < end:
            time.sleep(0.01)
        if server.counts["pages"] > 1 + unavoidable:
            # A second page: somebody was signed out. Was a process killed while its refresh was under way?
            near = [kill for kill in kills for begin, finish in server.refreshes
                    if begin <= kill + 0.05 and kill <= (finish or kill) + SECONDS_TO_SAVE]
            if near:
                unavoidable = server.counts["pages"] - 1
            else:
                problems.append("signed out, and no process was killed in a refresh")
    ended.set()
    for thread in threads:
        thread.join(SECONDS_TO_RESPOND)
    for bridge in bridges:
        if bridge.process.poll() is None and bridge.end() != 0:
            problems.append(f"status {bridge.process.returncode}: {bridge.notes()[-2000:]}")
        if "access-" in bridge.notes():
            problems.append("a token is on stderr")
    server.shutdown()
    home.remove()
    result = {"processes": PROCESSES, "expiries": done, **counts, **server.counts, "signed_out": server.counts["pages"] - 1,
              "signed_out_by_a_kill_in_a_refresh": unavoidable}
    return result, problems


def start_together(carnet):
    server, home = Server(), Home(carnet)
    bridges = [home.bridge(server.resource) for _ in range(STARTS)]
    problems = []
    for bridge in bridges:
        bridge.send(INITIALIZE)
    for bridge in bridges:
        try:
            responses = bridge.receive(), bridge.call()
            problems += [response["error"]["message"] for response in responses if "error" in response]
            if bridge.end() != 0:
                problems.append(f"status {bridge.process.returncode}")
        except (EOFError, OSError) as error:
            problems.append(f"{error}: {bridge.notes()[-2000:]}")
            bridge.kill()
    for name in ("pages", "registrations"):
        if server.counts[name] != 1:
            problems.append(f"{server.counts[name]} {name}")
    server.shutdown()
    home.remove()
    return problems


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--expiries", type=int, default=200)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--carnet", default=str(pathlib.Path(__file__).resolve().parents[3] / ".build/debug/carnet"))
    options = parser.parse_args()
    failed = False
    if options.expiries:
        counts, problems = storm(options.carnet, options.expiries, options.seed)
        print("storm", json.dumps(counts), flush=True)
        for problem in problems:
            print("  " + problem)
        failed |= bool(problems)
    if options.starts:
        wrong = 0
        for _ in range(options.starts):
            problems = start_together(options.carnet)
            wrong += bool(problems)
            for problem in problems:
                print("  " + problem)
        print(f"starts {options.starts}, {wrong} wrong", flush=True)
        failed |= wrong > 0
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
