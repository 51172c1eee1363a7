#!/usr/bin/env python3
"""Several bridges share one account: `python3 Tests/Programs/Faults/bridges.py [--expiries N] [--starts N] [--carnet PATH]`.

`storm`: eight `carnet mcp` send messages to a server that rotates refresh tokens, revokes a family when one comes twice, and
lets access tokens expire: earlier than announced, or as announced with `--lifetime SECONDS`. Processes are stopped, continued
and killed meanwhile, except with `--calm`. Expected: nobody is signed out, except where a process was killed after the server
had received its refresh and before it saved the response, which no client can prevent (Docs/decisions/interrupted-refresh.md).

`starts`: five `carnet mcp` start at the same moment without a token. Expected each time: one page, one registration, and five
that work.

`cost`: with `--calls N`, as many calls through one bridge, and as many by a plain client over a connection that stays open, by
turns. Printed is what the bridge adds at the median.

`--client sdk` and `--client fastmcp` put clients of other implementations in the place of `carnet mcp` (bridge_peers.py). What
they do is counted, and not compared with an expectation. Docs/comparison.md has the counts.

Python's standard library is all that `carnet` needs here.
"""

import argparse
import base64
import collections
import http.client
import http.server
import json
import os
import pathlib
import random
import select
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import built  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
# The other implementations, and the interpreter that has them.
PEERS = {"sdk": None, "fastmcp": None}
PROCESSES, STARTS = 8, 5
SECONDS_TO_RESPOND, SECONDS_BETWEEN_CALLS, SECONDS_BETWEEN_EXPIRIES = 120, 0.1, 0.5
# Clocks differ, and a request takes time: a token is accepted for somewhat longer than announced.
SECONDS_OF_GRACE = 1.0
# How long after a response a process may need to save it, while other processes have the processor.
SECONDS_TO_SAVE = 1.0
INITIALIZE = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
    "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bridges", "version": "1"}}}
BROWSER, PROC = "browser", pathlib.Path("/proc")
# What opens a page: follows the program's page to the server, and the server's to the program, which may not listen yet.
PAGES = f"""
import http.client, sys, time, urllib.parse
url = sys.argv[1]
for _ in range(600):
    parts = urllib.parse.urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname, parts.port, timeout=60)
    try:
        target = parts._replace(scheme="", netloc="", fragment="").geturl()
        connection.request("GET", target or "/", headers={{"User-Agent": "{BROWSER}"}})
        response = connection.getresponse()
        response.read()
    except ConnectionError:
        time.sleep(0.05)
        continue
    finally:
        connection.close()
    if not 300 <= response.status < 400:
        break
    url = urllib.parse.urljoin(url, response.headers["Location"])
"""


class Server(http.server.ThreadingHTTPServer):
    """A protected resource and its authorization server. Everybody is signed in without being asked."""

    daemon_threads, request_queue_size = True, 256

    def __init__(self, delay=0.0, lifetime=None):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lock, self.delay, self.lifetime = threading.Lock(), delay, lifetime
        self.origin = f"http://127.0.0.1:{self.server_address[1]}"
        self.resource = self.origin + "/mcp"
        self.families, self.tokens, self.names = {}, {}, 0
        self.counts = collections.Counter()
        # The processes that may refresh, the latest refresh of each family, and, for each family that was revoked, its latest
        # refresh and the one that was refused.
        self.processes, self.latest, self.lost = set(), {}, []
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, address):
        # A client that was killed.
        pass

    def name(self):
        with self.lock:
            self.names += 1
            return self.names

    def sender(self, port):
        """The process whose connection has this port; `None` if it is dead, 0 if this system does not tell."""
        if not PROC.exists():
            return 0
        lines = [line.split() for line in (PROC / "net/tcp").read_text().splitlines()[1:]]
        sockets = {f"socket:[{fields[9]}]" for fields in lines if int(fields[1].split(":")[1], 16) == port}
        for process in list(self.processes):
            try:
                if any(os.readlink(file) in sockets for file in (PROC / str(process) / "fd").iterdir()):
                    return process
            except OSError:
                continue
        return None

    def expire(self):
        with self.lock:
            self.tokens = {}

    def issue(self, family):
        self.families[family] += 1
        token = f"{family}.{self.families[family]}"
        self.tokens["access-" + token] = time.monotonic() + (self.lifetime or 3600) + SECONDS_OF_GRACE
        return {"access_token": "access-" + token, "refresh_token": token, "token_type": "Bearer",
                "expires_in": self.lifetime or 3600}


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
                # FastMCP's client tries the address before it opens the page.
                server.counts["pages"] += self.headers["User-Agent"] == BROWSER
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
        results = {"initialize": {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                                  "serverInfo": {"name": "bridges", "version": "1"}},
                   "tools/list": {"tools": [{"name": "nothing", "inputSchema": {"type": "object"}}]},
                   "tools/call": {"content": []}}
        result = results.get(message["method"])
        content = {"error": {"code": -32601, "message": "unknown method"}} if result is None else {"result": result}
        self.reply(200, {"jsonrpc": "2.0", "id": message["id"], **content}, Mcp_Session_Id="session")

    def authorized(self):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        with self.server.lock:
            if self.server.tokens.get(token, 0) > time.monotonic():
                return True
            self.server.counts["rejected"] += 1
        metadata = self.server.origin + "/.well-known/oauth-protected-resource/mcp"
        self.reply(401, WWW_Authenticate=f'Bearer resource_metadata="{metadata}"')
        return False

    def token(self, form):
        server = self.server
        if form.get("resource", server.resource) != server.resource:
            return self.reply(400, {"error": "invalid_target"})
        if form["grant_type"] == "authorization_code":
            with server.lock:
                server.counts["without_resource"] += "resource" not in form
                tokens = server.issue(form["code"])
            return self.reply(200, tokens)
        family, _, number = form["refresh_token"].partition(".")
        refresh = {"sender": 0, "number": number, "sent": time.monotonic(), "received": None}
        with server.lock:
            server.counts["without_resource"] += "resource" not in form
            if server.families.get(family) != int(number):
                server.counts["refused"] += 1
                if server.families.pop(family, None) is not None:
                    server.counts["revoked"] += 1
                    server.lost.append((server.latest.get(family), refresh))
                tokens = None
            else:
                server.latest[family] = refresh
                server.counts["refreshes"] += 1
                tokens = server.issue(family)
        # The sender waits for the response, so that it still has its connection, if it lives.
        refresh["sender"] = server.sender(self.client_address[1])
        time.sleep(server.delay * random.random())
        self.reply(200, tokens) if tokens else self.reply(400, {"error": "invalid_grant"})
        refresh["received"] = time.monotonic()


class Home:
    """A folder of a user, whose browser follows each page at once to the end.

    `client` is the path of `carnet`, or the name of another implementation in `bridge_peers.py`.
    """

    def __init__(self, client):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="carnet-bridges-"))
        self.client, self.is_carnet = client, client not in PEERS
        programs = self.folder / "bin"
        programs.mkdir()
        browser = programs / "xdg-open"
        browser.write_text(f"#!{sys.executable} -IS\n{PAGES}")
        browser.chmod(0o755)
        self.environment = {
            "HOME": str(self.folder), "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8",
            "TMPDIR": os.environ.get("TMPDIR", "/tmp"), "BROWSER": f"{browser} %s &",
            "OAUTH_STORAGE_ENCRYPTION_KEY": base64.urlsafe_b64encode(random.randbytes(32)).decode()}

    def bridge(self, server):
        if not self.is_carnet:
            command = [PEERS[self.client], HERE / "bridge_peers.py", self.client, server.resource, self.folder / "account"]
        elif server.lifetime is None:
            command = [self.client, "mcp", server.resource]
        else:
            # A token is refreshed a minute before its expiry, unless a descriptor has another margin. These live for seconds.
            providers = self.folder / "providers"
            providers.mkdir(exist_ok=True)
            (providers / "bridges.yaml").write_text(
                f"carnet: 1\nid: bridges\nname: Bridges\nresource: {server.resource}\nrefresh: {{ margin: 0 }}\n")
            command = [self.client, "mcp", "bridges", "--providers", providers]
        bridge = Bridge(command, self.environment, self.folder)
        server.processes.add(bridge.process.pid)
        return bridge

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


def storm(client, expiries, seed, lifetime=None, calm=False):
    """-> the counts, and what was wrong. Of other implementations, nothing is wrong: their counts are the result.

    Without `lifetime`, access tokens expire earlier than announced: nobody knows before the resource responds with 401.
    """
    chance, server, home = random.Random(seed), Server(0.02, lifetime), Home(client)
    counts, problems = collections.Counter(), []
    # When the latest call of each process that was completed had begun.
    begun = [0.0] * PROCESSES
    ended, kills = threading.Event(), []
    lock = threading.Lock()

    def wrong(problem):
        if home.is_carnet:
            problems.append(problem)

    first = home.bridge(server)
    first.send(INITIALIZE)
    first.receive()
    first.end()
    bridges = [home.bridge(server) for _ in range(PROCESSES)]
    for bridge in bridges:
        bridge.send(INITIALIZE)
        bridge.receive()

    def was_killed(refresh):
        """Whether a process was killed after it had sent a refresh, and before it could save the response."""
        if refresh is None:
            return False
        latest = (refresh["received"] or time.monotonic()) + SECONDS_TO_SAVE
        return refresh["sender"] is None or any(
            refresh["sender"] in (process, 0) and refresh["sent"] - 0.05 <= kill <= latest for process, kill in kills)

    def work(index):
        while not ended.is_set():
            bridge, start = bridges[index], time.monotonic()
            try:
                response = bridge.call()
                begun[index] = start
                with lock:
                    counts["calls"] += 1
                    if "error" in response:
                        counts["errors"] += 1
                        wrong(f"error: {response['error']['message']}")
            except (EOFError, OSError) as error:
                if bridge.process.wait(SECONDS_TO_RESPOND) != -signal.SIGKILL:
                    problems.append(f"bridge {index}: {error}: {bridge.notes()[-2000:]}")
                    return
                bridges[index] = home.bridge(server)
                try:
                    bridges[index].send(INITIALIZE)
                    bridges[index].receive()
                except (EOFError, OSError):
                    pass
            time.sleep(SECONDS_BETWEEN_CALLS)

    def disturb():
        while not ended.is_set():
            time.sleep(chance.uniform(0.05, 0.6))
            bridge = chance.choice(bridges)
            if chance.random() < 0.7:
                bridge.process.send_signal(signal.SIGSTOP)
                time.sleep(chance.uniform(0.01, 0.5))
                bridge.process.send_signal(signal.SIGCONT)
                counts["stops"] += 1
            else:
                with lock:
                    kills.append((bridge.process.pid, time.monotonic()))
                bridge.kill()
                counts["kills"] += 1

    threads = [threading.Thread(target=work, args=(index,)) for index in range(PROCESSES)]
    threads += [] if calm else [threading.Thread(target=disturb)]
    for thread in threads:
        thread.start()
    done, begin = 0, time.monotonic()
    while done < expiries and not problems:
        done += 1
        if lifetime:
            time.sleep(max(0, begin + done * lifetime - time.monotonic()))
        else:
            time.sleep(SECONDS_BETWEEN_EXPIRIES)
            server.expire()
            expiry = time.monotonic()
            # All meet this expiry before the next one: a token that serves nobody would be refused twice for one message.
            while min(begun) < expiry and not problems:
                if time.monotonic() > expiry + SECONDS_TO_RESPOND:
                    problems.append("no call after an expiry")
                time.sleep(0.01)
    ended.set()
    for thread in threads:
        thread.join(SECONDS_TO_RESPOND)
    for bridge in bridges:
        if bridge.process.poll() is None and bridge.end() != 0:
            wrong(f"status {bridge.process.returncode}: {bridge.notes()[-2000:]}")
        if "access-" in bridge.notes():
            wrong("a token is on stderr")
    if server.counts["without_resource"]:
        wrong(f"{server.counts['without_resource']} requests for a token did not name the resource")
    server.shutdown()
    home.remove()
    # Either nobody has the new token, or the request with the old one came late.
    unavoidable = sum(any(map(was_killed, refreshes)) for refreshes in server.lost)
    for refreshes in server.lost:
        if not any(map(was_killed, refreshes)):
            wrong(f"signed out, and no process was killed in a refresh: {refreshes}")
    # The process that asks the user may be killed as well.
    if server.counts["pages"] > 1 and not unavoidable:
        wrong(f"{server.counts['pages']} pages, and no process was killed in a refresh")
    return {"processes": PROCESSES, "expiries": done, **counts, **server.counts,
            "killed_in_a_refresh": unavoidable}, problems


def start_together(client, counts):
    server, home = Server(), Home(client)
    bridges = [home.bridge(server) for _ in range(STARTS)]
    problems = []
    for bridge in bridges:
        bridge.send(INITIALIZE)
    for bridge in bridges:
        try:
            responses = bridge.receive(), bridge.call()
            errors = [response["error"]["message"] for response in responses if "error" in response]
            problems += errors
            counts["working"] += not errors
            if bridge.end() != 0:
                problems.append(f"status {bridge.process.returncode}")
        except (EOFError, OSError) as error:
            problems.append(f"{error}: {bridge.notes()[-2000:]}")
            bridge.kill()
    for name in ("pages", "registrations"):
        counts[name] += server.counts[name]
        if server.counts[name] != 1:
            problems.append(f"{server.counts[name]} {name}")
    server.shutdown()
    home.remove()
    return problems


def cost(client, calls):
    """The medians of a call through a bridge and of one without, in ms."""
    server, home = Server(), Home(client)
    bridge = home.bridge(server)
    bridge.send(INITIALIZE)
    bridge.receive()
    bridge.call()
    with server.lock:
        server.families["plain"] = 0
        token = server.issue("plain")["access_token"]
    connection = http.client.HTTPConnection(*server.server_address)
    fields = {"Authorization": "Bearer " + token, "Content-Type": "application/json",
              "Accept": "application/json, text/event-stream", "Mcp-Session-Id": "session"}
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "nothing"}})

    def plain():
        connection.request("POST", "/mcp", body, fields)
        assert "result" in json.loads(connection.getresponse().read())

    def milliseconds(work):
        begin = time.perf_counter()
        work()
        return (time.perf_counter() - begin) * 1000

    times = [(milliseconds(bridge.call), milliseconds(plain)) for _ in range(calls)]
    bridge.end()
    server.shutdown()
    home.remove()
    return [statistics.median(values) for values in zip(*times)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--expiries", type=int, default=200)
    parser.add_argument("--starts", type=int, default=100)
    parser.add_argument("--calls", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--carnet", default=built("carnet"))
    parser.add_argument("--client", choices=["carnet", *PEERS], default="carnet")
    parser.add_argument("--lifetime", type=int, help="seconds after which access tokens expire, as announced")
    parser.add_argument("--calm", action="store_true", help="stop and kill no process")
    options = parser.parse_args()
    client = options.client
    if client in PEERS:
        sys.path.insert(0, str(HERE.parents[1] / "Peers"))
        import environments
        PEERS[client] = environments.prepare("mcp") / "bin" / "python"
    else:
        client = options.carnet
    failed = False
    if options.expiries:
        counts, problems = storm(client, options.expiries, options.seed, options.lifetime, options.calm)
        print("storm", options.client, json.dumps(counts), flush=True)
        for problem in problems:
            print("  " + problem)
        failed |= bool(problems)
    if options.starts:
        wrong, counts = 0, collections.Counter()
        for _ in range(options.starts):
            problems = start_together(client, counts)
            wrong += bool(problems)
            for problem in problems if client not in PEERS else []:
                print("  " + problem)
        print(f"starts {options.starts}, {wrong} wrong", json.dumps(counts), flush=True)
        failed |= wrong > 0 and client not in PEERS
    if options.calls:
        through, plain = cost(client, options.calls)
        print(f"cost {options.calls} calls: {through:.2f} ms through the bridge, {plain:.2f} ms without, {through - plain:.2f} ms added")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
