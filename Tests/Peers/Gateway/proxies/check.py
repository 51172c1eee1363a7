#!/usr/bin/env python3
"""Proves the example configurations: starts each proxy with a gateway and two programs, and sends raw requests.

  check.py [--carnet PROGRAM] [--slow] [--verbose] [WORD…]

Without --carnet a stub decides. With it, the gateway of PROGRAM does, with two people who are signed in at both sites; checks
that need a gateway that misbehaves keep the stub. --slow adds a decision that takes 33 s, --folder takes the examples from
another place, --only a,b runs the checks whose names contain a or b, --fast ends a proxy's run at its first failure. Prints a
table; the exit status is the number of failed checks, at most 99."""

import argparse
import base64
import json
import os
import pathlib
import posixpath
import re
import secrets
import shutil
import socket
import ssl
import sys
import tempfile
import threading
import time
import urllib.parse
import warnings

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import people
import rig
from rig import build, response

COOKIE = "__Host-carnet"
ALICE, BOB = f"{COOKIE}=alice", f"{COOKIE}=bob"
BIG = "big-" + "x" * (4096 - len(f"{COOKIE}=big-; Path=/; Secure; HttpOnly; SameSite=Lax"))
BIG_COOKIE = f"{COOKIE}={BIG}; Path=/; Secure; HttpOnly; SameSite=Lax"
IDENTITY = [("X-Auth-User", "alice"), ("X-Auth-Email", "alice@example.com"), ("X-Auth-Groups", "ops,dev"), ("X-Auth-Assertion", "e30.e30.c2ln")]
FORWARDED = ["X-Forwarded-Method", "X-Forwarded-Proto", "X-Forwarded-Host", "X-Forwarded-Uri"]
# A name that each proxy's language for values would expand, and letters that are not ASCII.
ODD_NAME = "{env.CARNET_PROXY_SECRET} {http.request.host} ${CARNET_PROXY_SECRET} $http_cookie %[env(CARNET_PROXY_SECRET)] {{ env }} %{HTTP_HOST}e \xc3\xa9"
LONG = "e30.e30." + "x" * 3000
PAGE = b"<!doctype html><p>not for you</p>"


class Stub:
    """A gateway as strict as the real one has to be. `mode` makes it misbehave."""

    def __init__(self):
        self.mode, self.complaints = None, []

    def __call__(self, request):
        if isinstance(self.mode, (bytes, tuple)):
            return self.mode
        if self.mode == "close":
            return None
        if self.mode == "slow":
            time.sleep(33)
        path = request.target.split("?")[0]
        if path not in ("/carnet/decide", "/carnet/refused"):
            return response(200, [("Set-Cookie", BIG_COOKIE), ("Content-Type", "text/html")], b"<p>sign in</p>")
        if request.all("X-Gateway-Secret") != [rig.SECRET]:
            return response(403, [], b"secret")
        wrong = [n for n in FORWARDED if len(request.all(n)) != 1]
        wrong += [n for n, _ in request.headers if spelled(n).startswith("x-auth-") or n.lower() in ("upgrade", "x-original-uri")]
        wrong += ["body"] if request.body or request.one("Content-Length", "0") != "0" else []
        wrong += [request.line] if request.line != f"GET {path} HTTP/1.{request.line[-1]}" else []
        if wrong:
            self.complaints.append(wrong)
            return response(403, [], ("wrong: " + ", ".join(wrong)).encode())
        cookie = "; ".join(request.all("Cookie"))
        # The program gets the cookies without the gateway's own.
        others = [("Cookie", "; ".join(pair for pair in cookie.split("; ") if not pair.startswith(COOKIE)))]
        if path == "/carnet/refused" or f"{COOKIE}=bob" in cookie:
            return response(403, [("Content-Type", "text/html"), ("Carnet-Decision", "0123456789ab")], PAGE)
        if request.one("X-Forwarded-Uri").startswith("/public"):
            return response(200, others)
        if {ALICE, f"{COOKIE}={BIG}"} & {*cookie.split("; ")}:
            return response(200, IDENTITY + others)
        if f"{COOKIE}=long" in cookie:
            return response(200, [*IDENTITY[:-1], ("X-Auth-Assertion", LONG), *others])
        if f"{COOKIE}=odd" in cookie:
            return response(200, [("X-Auth-User", ODD_NAME), *others])
        if "text/html" in request.one("Accept", ""):
            return response(302, [("Location", "/carnet/sign-in?to=%2Fa%3Fb")])
        return response(401, [("WWW-Authenticate", 'Bearer resource_metadata="https://x.example/m"')])


FILE = """gateway: 1
origin: https://apps.example
providers: [{ id: storm, client_id: client, client_secret_env: CLIENT_SECRET }]
bearer: [{ provider: storm, introspection: true }]
routes:
  - { host: apps.example, allow: { provider: storm, subject: alice } }
  - { host: wiki.apps.example, allow: { provider: storm, subject: alice } }
  - { host: wiki.apps.example, path: /public/**, allow: anyone }
  - { host: wiki.apps.example, path: /api/**, bearer: true, allow: { provider: storm, subject: alice } }
headers: { X-Auth-User: "{account.subject}", X-Auth-Email: "{account.email}", X-Auth-Groups: "{account.groups}" }
identity_token: {}
proxy: { secret_env: PROXY_SECRET }
session: { store: "files:sessions", key_env: KEY }
"""


class Real:
    """The gateway, which allows everything to alice and /public to bob. Both are signed in at both sites."""

    def __init__(self, carnet, folder):
        self.provider = people.Provider()
        folder = pathlib.Path(folder)
        (folder / "providers").mkdir()
        (folder / "providers/storm.yaml").write_text(people.DESCRIPTOR.format(base=self.provider.base))
        (folder / "gateway.yaml").write_text(FILE)
        environment = dict(os.environ, HOME=str(folder), KEY=secrets.token_hex(32), CLIENT_SECRET=secrets.token_hex(32), PROXY_SECRET=rig.SECRET)
        self.gateway = people.Gateway(carnet, folder, environment, "--providers", "providers")
        self.read = 0
        self.cookies = {name: self.sign_in(name) for name in ("alice", "bob")}
        self.token = self.provider.issue("alice")["access_token"]

    def sign_in(self, name):
        self.provider.next = [name]
        browser = people.Browser(self.gateway.port)
        # The second host takes the session of the first.
        for host in ("apps.example", "wiki.apps.example"):
            browser.sign_in("storm", host, "/notes/" if host == "apps.example" else "/a")
        return {host: browser.cookie(host) for host in ("apps.example", "wiki.apps.example")}

    def warnings(self):
        """What the gateway logged about the proxy since the last call. A decision that is asked for from outside has no secret,
        and a client's host or method may be invalid."""
        text = self.gateway.log.read_text()
        text, self.read = text[self.read:], len(text)
        from_outside = ("the proxy did not send X-Gateway-Secret", "reason=\"the value of ")
        return [line for line in text.splitlines() if "identity header reached the gateway" in line
                or "The proxy's request cannot be used" in line and not any(words in line for words in from_outside)]


def through(port, stub):
    """A recorder's `decide` that asks the gateway at a port, and the stub while that misbehaves."""
    def decide(request):
        if stub.mode is not None:
            return stub(request)
        lines = [request.line] + [f"{n}: {v}" for n, v in request.headers if n.lower() not in ("connection", "content-length")]
        data = "\r\n".join(lines + ["Connection: close", f"Content-Length: {len(request.body)}"]).encode("latin-1") + b"\r\n\r\n" + request.body
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(data)
            stream = connection.makefile("rb")
            head = rig.read_head(stream)
            if head is None:
                return None
            size = rig.Request(head).one("Content-Length")
            return (head + b"\r\n\r\n" + (stream.read(int(size)) if size else stream.read()),)
    return decide


def spelled(name):
    """The name as a program reads it that folds every character but letters and digits (RFC 3875 and its followers)."""
    return re.sub(r"[^a-z0-9]", "-", name.lower())


def readings(target):
    """The paths that programs may read in a target: decoded or not, with backslashes as slashes, without parameters."""
    for decode in (lambda text: text, urllib.parse.unquote):
        for slash in ("\\", "/"):
            for parameters in ("", ";[^/]*"):
                path = decode(re.split("[?#]", target)[0]).replace("\\", slash)
                path = re.sub(parameters, "", path) if parameters else path
                yield "/" + posixpath.normpath(path).lstrip("/")


def spellings(name):
    yield name
    yield name.lower()
    yield name.upper()
    for character in "_.!#$%&'*+^`|~":
        yield name.replace("-", character)
        yield name.replace("-", character, 1)
        yield character.join(name.rsplit("-", 1))


class Skipped(Exception):
    pass


class Bench:
    def __init__(self, kind, options):
        self.options, self.real, self.stub = options, options.real, Stub()
        self.decide = through(self.real.gateway.port, self.stub) if self.real else self.stub
        self.gateway = rig.Recorder(self.decide)
        self.one, self.two = rig.Recorder(rig.program), rig.Recorder(rig.program)
        self.allowed, self.refused = ALICE, BOB
        if self.real:
            self.allowed, self.refused = (self.real.cookies[name]["wiki.apps.example"] for name in ("alice", "bob"))
            self.real.warnings()
        self.proxy = kind(self.gateway.port, self.one.port, self.two.port, options.folder and os.path.join(options.folder, kind.kind))
        self.proxy.start()
        self.take()

    def take(self):
        return self.gateway.take(), self.one.take(), self.two.take()

    def ask(self, *arguments, cookie="", timeout=8, then=None, raw=None, **named):
        headers = list(named.pop("headers", []))
        cookie = self.allowed if cookie == "" else cookie
        if self.real and cookie == self.allowed and named.get("host") == "apps.example":
            cookie = self.real.cookies["alice"]["apps.example"]    # A session is for one host.
        if cookie:
            headers.append(("Cookie", cookie))
        self.take()
        self.reply = rig.send(self.proxy.port, raw or build(*arguments, headers=headers, **named), timeout=timeout, then=then)
        self.decisions, self.at_one, self.at_two = self.take()
        for got in self.decisions:
            assert rig.SECRET not in got.all("X-Gateway-Secret") or got.target.removesuffix("?") in ("/carnet/decide", "/carnet/refused"), f"the gateway was asked for {got.line!r}"
        return self.reply

    def needs(self, deciding):
        """Leaves a check out if another one decides: Real or Stub."""
        if not isinstance(self.real or self.stub, deciding):
            raise Skipped

    # Each check raises AssertionError; its docstring is the row of the table.

    def identity(self, got):
        expected = dict(IDENTITY)
        if self.real:
            tokens = got.all("X-Auth-Assertion")
            assert len(tokens) == 1 and tokens[0].count(".") == 2, f"X-Auth-Assertion: {tokens}"
            payload = tokens[0].split(".")[1]
            claims = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
            host = got.one("Host").split(":")[0].rstrip(".").lower()
            assert (claims["sub"], claims["aud"]) == ("storm:alice", f"https://{host}"), claims
            expected |= {"X-Auth-Assertion": tokens[0], "X-Auth-Groups": "ops"}
        for name, value in expected.items():
            found = [v for n, v in got.headers if spelled(n) == spelled(name)]
            assert found == [value], f"{name}: {found}"

    def same(self):
        """What the program got is what was decided, or the program got nothing."""
        for got in self.at_one + self.at_two:
            # nginx's auth_request runs first, so each request has one decision.
            assert len(self.decisions) >= 1, f"the program got {got.line!r} without a decision"
            assert got.target.startswith("/") or got.target == "*", f"the program got the target {got.target!r}"
            d = self.decisions[0]
            assert d.one("X-Forwarded-Uri") == got.target, f"decided {d.one('X-Forwarded-Uri')!r}, program got {got.target!r}"
            assert d.one("X-Forwarded-Method") == got.method, f"decided {d.one('X-Forwarded-Method')}, program got {got.method}"
            assert [d.one("X-Forwarded-Host")] == got.all("Host"), f"decided {d.one('X-Forwarded-Host')!r}, program got {got.all('Host')}"
            self.identity(got)
        assert len(self.at_one + self.at_two) <= 1

    def nothing(self, *statuses):
        assert not self.at_one and not self.at_two, f"the program got {[r.line for r in self.at_one + self.at_two]}"
        assert not statuses or self.reply.status in statuses, f"status {self.reply.status}"

    def check_allowed(self):
        """allowed: identity for the program, one decision, the secret stays here"""
        needed = [("Authorization", "Bearer t"), ("DPoP", "proof"), ("Accept", "text/html"), ("Sec-Fetch-Mode", "navigate"), ("User-Agent", "check/1")]
        self.ask("/a?b=c", headers=needed)
        assert self.reply.status == 200 and len(self.decisions) == 1 and len(self.at_one) == 1, f"{self.reply.status} {len(self.decisions)}"
        for name, value in needed + [("Cookie", self.allowed)]:
            assert self.decisions[0].all(name) == [value], f"the gateway got {name}: {self.decisions[0].all(name)}"
        assert not [n for n, _ in self.at_one[0].headers if spelled(n) == "x-gateway-secret"]
        assert self.decisions[0].all("X-Gateway-Secret") == [rig.SECRET]
        for name, value in [("X-Forwarded-For", "127.0.0.1"), ("X-Forwarded-Host", "wiki.apps.example"), ("X-Forwarded-Proto", "https")]:
            assert self.at_one[0].all(name) == [value], f"{name}: {self.at_one[0].all(name)}"
            assert self.decisions[0].all(name) == [value], f"{name}: {self.decisions[0].all(name)}"
        self.same()

    def check_worker(self):
        """the script of a service worker is asked about as one, and reaches no browser at a host with tickets"""
        self.ask("/sw.js", headers=[("Service-Worker", "script")])
        assert self.decisions[0].all("Service-Worker") == ["script"], self.decisions[0].headers
        if self.real:
            self.nothing(403)

    def check_body(self):
        """allowed with a body: all of it for the program, none for the gateway"""
        body = b"0123456789" * 150000
        self.ask("/a", method="POST", body=body)
        assert self.reply.status == 200 and self.at_one[0].body == body and not self.decisions[0].body, self.reply.status
        self.same()
        self.ask(raw=build("/a", method="POST", headers=[("Cookie", self.allowed), ("Transfer-Encoding", "chunked")]) + b"3\r\nx=1\r\n0\r\n\r\n")
        assert self.reply.status == 200 and self.at_one[0].body == b"x=1" and not self.decisions[0].body
        self.same()

    def check_expect(self):
        """Expect: 100-continue: a body after an allowed decision, a refusal without one"""
        head = f"POST /a HTTP/1.1\r\nHost: wiki.apps.example\r\nCookie: %s\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        self.ask(raw=(head % self.allowed).encode(), then=b"x=1")
        assert self.reply.status == 200 and self.at_one[0].body == b"x=1", self.reply.status
        self.ask(raw=(head % self.refused).encode(), then=b"x=1")
        self.nothing(403)

    def check_refused(self):
        """refused: 403 with the gateway's page and the reference of the decision, of each method"""
        for method in ("POST", "GET"):
            self.ask("/a", method=method, cookie=self.refused, headers=[("Accept", "text/html")])
            self.nothing(403)
            assert len(self.reply.all("Carnet-Decision")) == 1, f"{method}: {self.reply.headers}"
        if self.real:
            reference = re.search(rb"[0-9a-f]{12}", self.reply.body)
            assert b"You need another account" in self.reply.body and reference, self.reply.body[:300]
            assert f"id={reference[0].decode()}" in self.real.gateway.log.read_text(), "the log has no entry with the page's reference"
        else:
            assert self.reply.body == PAGE, self.reply.body[:60]

    def check_redirect(self):
        """a browser without a session: the gateway's 302, its Location unchanged"""
        self.ask("/a?b", cookie=None, headers=[("Accept", "text/html,*/*"), ("Sec-Fetch-Mode", "navigate")])
        self.nothing(302)
        word = "return_to" if self.real else "to"
        assert self.reply.all("Location") == [f"/carnet/sign-in?{word}=%2Fa%3Fb"], self.reply.all("Location")

    def check_challenge(self):
        """a program without a token: 401 with the gateway's challenge"""
        self.ask("/api/a", cookie=None, headers=[("Accept", "application/json")])
        self.nothing(401)
        assert self.reply.one("WWW-Authenticate", "").startswith("Bearer"), self.reply.headers

    def check_token(self):
        """a program with a token: its own identity, or the gateway's challenge; no person's session beside it"""
        self.needs(Real)
        self.ask("/api/a", cookie=None, headers=[("Authorization", "Bearer " + self.real.token)])
        assert self.reply.status == 200 and self.at_one[0].all("X-Auth-User") == ["alice"], self.reply.status
        assert not any(v for v in self.at_one[0].all("X-Auth-Email")), self.at_one[0].all("X-Auth-Email")
        for token in (self.real.token + "x", "x"):
            self.ask("/api/a", headers=[("Authorization", "Bearer " + token.replace("alice", "carol"))])
            self.nothing(401)
            assert 'error="invalid_token"' in self.reply.one("WWW-Authenticate", ""), self.reply.headers
        self.ask("/a", cookie=None, headers=[("Authorization", "Bearer " + self.real.token)])
        self.nothing(401)

    def check_open(self):
        """a person who may only see /public reaches nothing else, by any path"""
        self.needs(Real)
        self.ask("/public/a", cookie=self.refused)
        assert self.reply.status == 200 and self.at_one, self.reply.status
        for rest in [b"/a", b"", b"/", b"/../a", b"/%2e%2e/a", b"/%2E%2E/a", b"/.%2e/a", b"/..;/a", b";/../a", b"/..%2fa", b"/..%2Fa", b"%2f..%2fa", b"%2f%2e%2e%2fa", b"/..\\a", b"\\..\\a", b"/..%5ca", b"/.%5C..%5Ca", b"//../a", b"/./../a",
                     b"/../public/../a", b"/%252e%252e/a", b"/..%252fa", b"/..%00/a", b"/..%c0%afa", b"/..\xc0\xafa", b"/..#/a", b"#/../a", b"?/../../a", b"/..?", b"/..", b"/a/../../a", b"x", b".", b"%", b"/%2e%2e", b"/..%3ba", b"/..%3b/a", b"/..%20/a", b"/.. /a", b"/..\t/a"]:
            for target in (b"/public" + rest, b"/a/../public" + rest, b"/PUBLIC" + rest, b"/%70ublic" + rest, b"//public" + rest, b"http://wiki.apps.example/public" + rest, b"//wiki.apps.example/public" + rest):
                self.ask(target, cookie=self.refused)
                for got in self.at_one + self.at_two:
                    assert all(path == "/public" or path.startswith("/public/") for path in readings(got.target)), f"{target}: the program got {got.target!r}"
                    assert [self.decisions[0].one("X-Forwarded-Uri")] == [got.target], f"{target}: decided about {self.decisions[0].one('X-Forwarded-Uri')!r}"

    def check_sites(self):
        """the second site's path, no other path, no other host"""
        self.ask("/notes/a", host="apps.example")
        assert self.reply.status == 200 and len(self.at_two) == 1 and not self.at_one, self.reply.status
        self.same()
        self.ask("/notes/a", host="apps.example", cookie=None)
        self.nothing(401)
        for target, host in [("/a", "apps.example"), ("/", "apps.example"), ("/a", "other.example"), ("/a", "127.0.0.1"), ("/notes/../a", "apps.example")]:
            self.ask(target, host=host)
            assert not self.at_one and (target[:7] == "/notes/" or not self.at_two), f"{host}{target} reached a program"
            assert self.reply.status >= 400 or target[:7] == "/notes/", f"{host}{target}: {self.reply.status}"
            self.same()
        self.ask("/carnet/sign-in", host="other.example")
        assert self.reply.status >= 400 and not [d for d in self.decisions if d.target == "/carnet/sign-in"], "the gateway's pages at another host"

    def check_pages(self):
        """the gateway's own pages, on both sites: without the secret, without forged headers"""
        for host in ("wiki.apps.example", "apps.example"):
            self.ask("/carnet/sign-in?return_to=%2Fa", cookie=None, host=host,
                     headers=[(name, "evil") for name in FORWARDED + ["X-Forwarded-For"]] + [("X-Gateway-Secret", rig.SECRET)])
            self.nothing()
            got = self.decisions[0] if self.decisions else None
            assert got and len(self.decisions) == 1 and got.target == "/carnet/sign-in?return_to=%2Fa", [d.line for d in self.decisions]
            assert not [h for h in got.headers if "evil" in h[1] or h[1] == rig.SECRET], got.headers
            for name, value in [("Host", host), ("X-Forwarded-Host", host), ("X-Forwarded-Proto", "https"), ("X-Forwarded-For", "127.0.0.1")]:
                assert got.all(name) == [value], f"{name}: {got.all(name)}"
            if not self.real:
                assert self.reply.status == 200 and self.reply.all("Set-Cookie") == [BIG_COOKIE], self.reply.status
            elif host == "apps.example":
                assert self.reply.status == 200 and b"/carnet/sign-in/storm" in self.reply.body, self.reply.status
            else:
                assert self.reply.one("Location", "").startswith("https://apps.example/carnet/enter?"), self.reply.headers

    def check_metadata(self):
        """the metadata of the resource server (RFC 9728): at the gateway without a decision, on both sites; no path below it"""
        path = "/.well-known/oauth-protected-resource"
        for host in ("wiki.apps.example", "apps.example"):
            self.ask(path, cookie=None, host=host, headers=[("X-Gateway-Secret", rig.SECRET)])
            self.nothing()
            assert [d.target for d in self.decisions] == [path], [d.line for d in self.decisions]
            assert self.decisions[0].all("Host") == [host] and not self.decisions[0].all("X-Gateway-Secret"), self.decisions[0].headers
        self.ask(path + "/x", cookie=None)
        self.nothing(401)

    def check_decide(self):
        """a decision cannot be asked for from outside"""
        for target in ["/carnet/decide", "/carnet/%64ecide", "/carnet//decide", "/carnet/./decide", "/carnet/x/../decide", "/carnet/decide/", "/carnet/decide?x", "/carnet/refused"]:
            self.ask(target, headers=[("X-Gateway-Secret", rig.SECRET), ("X-Forwarded-Uri", "/a"), ("X-Forwarded-Method", "GET"), ("X-Forwarded-Host", "wiki.apps.example"), ("X-Forwarded-Proto", "http")])
            leaked = [h for h in self.reply.headers if h[0].lower().startswith("x-auth")]
            assert not leaked, f"{target}: {leaked}"
            self.same()

    def check_closed(self):
        """no decision, no request: gateway down, closing, 500, 404, garbage, half a head, redirect without Location"""
        for mode in ["close", response(500), response(503), response(404), response(400), response(302), response(304), response(100), (b"hello\r\n\r\n",), (b"HTTP/1.1 200 OK\r\nX-Auth-User: a",),
                     (b"HTTP/1.1 200\r\n",), (b"HTTP/1.1 2000 OK\r\n\r\n",), (b"",), (b"\r\n",), (b"HTTP/2 200\r\n\r\n",)]:
            self.stub.mode = mode
            self.ask("/a", timeout=14)
            self.nothing()
            assert self.reply.status < 200 or self.reply.status >= 300, f"{mode}: {self.reply.status}"
        self.stub.mode = None
        if self.options.slow:
            self.stub.mode = "slow"
            self.ask("/a", timeout=32)
            self.stub.mode = None
            self.nothing()
            assert self.reply.status >= 500, self.reply.status
        port = self.gateway.port
        self.gateway.close()
        try:
            self.ask("/a", timeout=14)
            self.nothing(500, 502, 503, 504)
        finally:
            self.gateway = rig.Recorder(self.decide, port)

    def check_script(self):
        """a script of the proxy that fails: no request"""
        source = self.proxy.source
        if not os.path.exists(os.path.join(source, "carnet.lua")):
            return
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(source, os.path.join(folder, self.proxy.kind))
            path = os.path.join(folder, self.proxy.kind, "carnet.lua")
            with open(path) as file:
                text = file.read()
            broken = re.sub(r"(function\((?:txn)\)|function decide\(r\))", r'\1 error("broken")', text)
            assert broken != text
            with open(path, "w") as file:
                file.write(broken)
            whole = self.proxy
            self.proxy = type(whole)(self.gateway.port, self.one.port, self.two.port, os.path.dirname(path))
            try:
                self.proxy.start()
                self.ask("/a")
                self.nothing(500, 502, 503)
            finally:
                self.proxy.stop()
                self.proxy = whole

    def check_forged(self):
        """identity from outside, in every spelling, once and twice: never at the program"""
        for name, _ in IDENTITY:
            for spelling in spellings(name):
                for headers in ([(spelling, "evil")], [(spelling, "evil"), (spelling, "evil2")], [(spelling, "evil"), (name, "evil2")]):
                    for target in ("/a", "/public"):
                        self.ask(target, headers=headers)
                        bad = [h for r in self.at_one for h in r.headers if "evil" in h[1]]
                        assert not bad, f"{headers} {target}: {bad}"
                        if self.at_one and target == "/a":
                            self.identity(self.at_one[0])
                        text = [h for r in self.at_one for h in r.headers if spelled(h[0]).startswith("x-auth") and (h[1] and target != "/a" or "{" in h[1])]
                        assert not text or self.real, f"{target}: {text}"
        for header in ["X-Auth-User : evil", " X-Auth-User: evil", "X-N: a\r\n X-Auth-User: evil", "X-N: a\nX-Auth-User: evil", "X-N: a\rX-Auth-User: evil", "X-Auth-User\0: evil",
                       "X-Auth-User\t: evil", "X-Auth-User: evil\0", "X-\xc4uth-User: evil"]:
            self.ask(raw=f"GET /a HTTP/1.1\r\nHost: wiki.apps.example\r\nCookie: {self.allowed}\r\n{header}\r\n\r\n".encode("latin-1"))
            bad = [h for r in self.at_one for h in r.headers if "evil" in h[1] and spelled(h[0]) != "x-n"]
            assert not bad, f"{header!r}: {bad}"
            self.same()

    def check_full(self):
        """headers that fill the proxy's buffer: the program gets the identity, or nothing"""
        self.needs(Stub)
        for size in [*range(4000, 14000, 2000), *range(14000, 16600, 40), 20000, 40000]:
            self.ask("/a", cookie=f"{COOKIE}=long", headers=[(f"X-N{number}", "x" * min(4000, size - start)) for number, start in enumerate(range(0, size, 4000))])
            for got in self.at_one:
                found = [got.all(name) for name, _ in IDENTITY]
                assert found == [*([value] for _, value in IDENTITY[:-1]), [LONG]], f"{size} bytes: {str(found)[:200]}"
            assert size > 4000 or self.at_one, self.reply.status

    def check_text(self):
        """values are text: no name, path, header or cookie is expanded to the secret"""
        if not self.real:
            self.ask("/a", cookie=f"{COOKIE}=odd")
            assert self.reply.status == 200 and self.at_one[0].all("X-Auth-User") == [ODD_NAME], [r.all("X-Auth-User") for r in self.at_one]
            assert rig.SECRET not in str(self.reply.headers), self.reply.headers
        odd = "{env.CARNET_PROXY_SECRET}${CARNET_PROXY_SECRET}%5Benv(CARNET_PROXY_SECRET)%5D"
        self.ask("/a" + odd + "?" + odd, headers=[("X-N", ODD_NAME), ("Accept", ODD_NAME), ("User-Agent", ODD_NAME)])
        assert not [h for r in self.at_one for h in r.headers if rig.SECRET in h[1]] and not [r.line for r in self.at_one + self.decisions if rig.SECRET in r.line]
        assert not [h for d in self.decisions for h in d.headers if rig.SECRET in h[1] and h[0].lower() != "x-gateway-secret"]
        assert rig.SECRET not in str(self.reply.headers)
        self.same()

    def check_trailer(self):
        """identity in a trailer field: never at the program"""
        self.ask(raw=build("/a", method="POST", headers=[("Cookie", self.allowed), ("Transfer-Encoding", "chunked"), ("Trailer", "X-Auth-User")])
                 + b"3\r\nx=1\r\n0\r\nX-Auth-User: evil\r\n\r\n")
        assert not [h for r in self.at_one for h in r.headers if "evil" in h[1]]
        self.same()

    def check_proxy_headers(self):
        """X-Forwarded-*, the secret, other paths and methods from outside: neither at the gateway nor at the program"""
        names = FORWARDED + ["X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Prefix", "X-Forwarded-Server", "X-Real-IP", "Forwarded", "X-Original-URL", "X-Original-URI", "X-Original-Method",
                             "X-Forwarded-User", "X-Forwarded-Email", "X-Forwarded-Groups", "X-Forwarded-Preferred-Username", "X-Forwarded-Access-Token", "X-Forwarded-Ssl", "X-Forwarded-Scheme",
                             "X-Original-Host", "X-Original-User", "X-Rewrite-URL", "X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "X-Gateway-Secret"]
        for name in names:
            for spelling in spellings(name):
                for headers in ([(spelling, "evil")], [(spelling, "evil"), (spelling, "evil2")]):
                    self.ask("/a", headers=headers)
                    bad = [h for r in self.at_one + self.decisions for h in r.headers if "evil" in h[1]]
                    assert not bad, f"{headers}: {bad}"
                    self.same()

    def check_removed(self):
        """each header that moves a request, of the published list: at no program"""
        page = pathlib.Path(rig.HERE, "../../../../Docs/gateway/headers.md").read_text()
        names = [name for row in page.splitlines() if row.startswith("| ") for name in re.findall("`([^`]+)`", row)]
        assert len(names) > 300, len(names)
        passed = []
        for name in names:
            for spelling in (name, name.lower(), name.replace("-", "_")):
                self.ask("/a", headers=[(spelling, "evil")])
                passed += [h for r in self.at_one + self.at_two for h in r.headers if "evil" in h[1]]
                self.same()
        assert not passed, passed

    def check_second_target(self):
        """the second target of a request reaches the gateway, as the program gets it: also two, in each spelling and method"""
        for name in ("Destination", "X-Copy-From", "X-Amz-Copy-Source"):
            for method in ("MOVE", "PUT", "move", "Move", "MOVE\t", "BMOVE"):
                for values in (["/b"], ["/b", "/c"], ["/c", "/b", "/b"], ["/b, /c"], ["", "/c"], ["/b", ""]):
                    for spelling in (name, name.lower(), name.upper(), name.replace("-", "_"), name + "_"):
                        headers = [(spelling if number == 0 else name, value) for number, value in enumerate(values)]
                        self.ask("/a", method=method, headers=headers)
                        for got in self.at_one:
                            found = [[v for n, v in request.headers if spelled(n) == spelled(name)] for request in (got, self.decisions[0])]
                            assert found[0] == found[1], f"{method} {headers}: the program got {found[0]}, the gateway {found[1]}"
                            assert len(values) > 1 or spelling not in (name, name.lower()) or found[0] == values, f"{method} {headers}: {found[0]}"
                        self.same()

    def check_program(self):
        """a program cannot send its request on: its response passes, and is no decision"""
        places = ["/b", "/carnet/decide", "/carnet/refused", "/carnet/sign-in", "@carnet_refused", "http://apps.example/notes/a"]
        hostile = [(name, place) for name in ("X-Accel-Redirect", "X-Sendfile", "X-LIGHTTPD-send-file", "X-Reproxy-URL", "X-Original-URL", "Internal-Redirect") for place in places]
        hostile += [("X-Accel-Expires", "60"), ("Location", "/carnet/decide"), ("Carnet-Decision", "0123456789ab"), ("WWW-Authenticate", "Bearer"), ("X-Auth-User", "evil")]
        honest = self.one.decide
        try:
            for status in (200, 302, 401, 403, 404, 500, 503):
                for name, value in hostile:
                    self.one.decide = lambda request: rig.response(status, [(name, value), ("X-Reached", "one")], b"of the program")
                    self.ask("/a")
                    assert len(self.at_one) == len(self.decisions) == 1 and not self.at_two, f"{status} {name}: {value}: {[r.line for r in self.at_one + self.at_two]}, {[d.line for d in self.decisions]}"
                    assert self.reply.status == status and self.reply.body == b"of the program", f"{status} {name}: {value}: {self.reply.status} {self.reply.body[:60]}"
                    assert self.reply.all("X-Reached") == ["one"] and not [h for h in self.reply.headers if h[0].lower() == "x-auth-assertion"], f"{status} {name}: {value}: {self.reply.headers}"
        finally:
            self.one.decide = honest

    def check_connection(self):
        """names in the Connection header remove nothing that the proxy sets"""
        for name in [n for n, _ in IDENTITY] + FORWARDED + ["X-Gateway-Secret", "X-Forwarded-For", "Host", "Cookie"]:
            for value in (f"close, {name}", f"keep-alive, {name}", f"{name}", f"Upgrade, {name}"):
                self.ask("/a", headers=[("Connection", value)] + ([("Upgrade", "websocket")] if "Upgrade" in value else []))
                assert self.reply.status in (200, 101) or not self.at_one, self.reply.status
                self.same()
                assert all(d.all("X-Gateway-Secret") == [rig.SECRET] for d in self.decisions), "no secret"
                assert not self.stub.complaints, self.stub.complaints[0]

    def check_targets(self):
        """each odd request target: the program gets what was decided, or nothing"""
        wrong = []
        for target in rig.ODD_TARGETS:
            for host in ("wiki.apps.example", "apps.example"):
                text = target if host[0] == "w" else b"/notes" + target if target.startswith(b"/") else target
                self.ask(text, host=host)
                try:
                    self.same()
                except AssertionError as error:
                    wrong.append(f"{text}: {error}")
        assert not wrong, "; ".join(wrong)

    def check_hosts(self):
        """each odd Host: the program gets what was decided, or nothing"""
        for host in ["wiki.apps.example.", "wiki.apps.example:8443", "WIKI.apps.EXAMPLE", "", "wiki.apps.example@other.example", "other.example@wiki.apps.example", "wiki.apps.example, other.example",
                     "wiki.apps.example other", "wiki.apps.example:80@other.example", "other.example:80@wiki.apps.example", "wiki.apps.example:@x", "wiki.apps.example:80:90", "wiki.apps.example/x", "wiki_apps_example", "[::1]", "wiki.apps.example:", "wiki.apps.example:x", "wiki.apps.example#x", "wiki.apps.example\\x", ".wiki.apps.example",
                     "wiki..apps.example", "wiki.apps.example%00", "\xe9.apps.example"]:
            for target in ("/a", "http://wiki.apps.example/a", "http://apps.example/notes/a"):
                self.ask(target, host=host)
                self.same()
        for headers in ([("Host", "other.example")], [("Host", "wiki.apps.example")], [("HOST", "apps.example")]):
            self.ask("/a", headers=headers)
            self.same()
        self.ask("/a", host=None)
        self.nothing()

    def check_methods(self):
        """each odd method: the program gets what was decided, or nothing"""
        for method in ["HEAD", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get", "FOO", "CONNECT", "TRACK", "PRI", "GET\t", "G@T"]:
            for target in ("/a", "*", "wiki.apps.example:443"):
                self.ask(target, method=method)
                self.same()

    def check_websocket(self):
        """websocket: passes after a decision, and not without"""
        headers = [("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"), ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")]
        self.ask("/a", headers=headers)
        assert self.reply.status == 101 and self.reply.body == b"echo:hello", f"{self.reply.status} {self.reply.body}"
        assert self.at_one[0].line.endswith(" HTTP/1.1"), self.at_one[0].line    # RFC 6455, section 4.1
        self.same()
        self.ask("/a", headers=headers, cookie=None)
        self.nothing(401)

    def check_upgrade(self):
        """no other upgrade than websocket: a program that takes it would get further requests without a decision"""
        for values in [["h2c"], ["H2C"], ["h2c, websocket"], ["websocket, h2c"], ["websocket,h2c"], ["h2c", "websocket"], ["websocket", "h2c"], ["websocket", ""], ["", "h2c"], ["TLS/1.0"], ["HTTP/2.0"], ["connect-ip"], ["x websocket"],
                       ["websocket x"], ["websocket/13"], ["\"websocket\""], ["websocketx"], ["xwebsocket"]]:
            for connection in ("Upgrade", "Upgrade, HTTP2-Settings", "keep-alive, upgrade", "close"):
                headers = [("Upgrade", value) for value in values] + [("Connection", connection), ("HTTP2-Settings", "AAMAAABkAAQAAP__")]
                self.ask("/a", headers=headers)
                time.sleep(0.01 if self.reply.status == 101 else 0)
                for got in self.at_one + self.gateway.take():
                    assert [v.lower() for v in got.all("Upgrade")] in ([], ["websocket"]), f"{values}, {connection}: the program got {got.all('Upgrade')}"

    def check_cookies(self):
        """a cookie of 4,096 bytes passes to the gateway, and only the others to the program, whose own reaches the browser"""
        session = self.allowed if self.real else f"{COOKIE}={BIG}"
        odd = "b=" + ODD_NAME.encode("latin-1").decode("utf-8").replace("\xe9", "e")
        for before, after in ([], []), (["a=1"], ["b=2"]), (["a=" + "x" * 2000], [odd]):
            for target in ("/a", "/public/a"):
                sent = "; ".join(before + [session] + after)
                self.ask(target, cookie=sent)
                assert self.reply.status == 200 and self.reply.all("Set-Cookie") == ["program=1; Path=/"], self.reply.status
                assert self.decisions[0].all("Cookie") == [sent], self.decisions[0].all("Cookie")
                passed = "; ".join(value for value in self.at_one[0].all("Cookie") if value)
                assert passed == "; ".join(before + after), f"{target}: the program got {passed}"
        if not self.real:
            sent = f"{COOKIE}={BIG}; " + "; ".join(f"c{number}=" + "x" * 1000 for number in range(3))
            self.ask("/a", cookie=sent)
            assert self.at_one and self.at_one[0].all("Cookie") == [sent.split("; ", 1)[1]], self.reply.status

    def check_connections(self):
        """a decision is for one request: two on one connection, the second without a session"""
        both = build("/a", headers=[("Cookie", self.allowed)]) + build("/b", headers=[("Connection", "close")])
        self.take()
        with rig.connect(self.proxy.port, 8) as connection:
            connection.sendall(both)
            data = b""
            try:
                while chunk := connection.recv(65536):
                    data += chunk
            except OSError:
                pass
        self.decisions, self.at_one, self.at_two = self.take()
        assert [r.target for r in self.at_one] == ["/a"], [r.line for r in self.at_one]
        assert re.findall(rb"HTTP/1\.1 (\d+)", data) == [b"200", b"401"], data[:300]

    def check_kept(self):
        """many at once: each request has its own decision, over few connections; a gateway that starts again costs none"""
        self.needs(Stub)
        expected, wrong = {ALICE: 200, BOB: 403, None: 401}, []

        def person(cookie):
            request = build("/a", headers=[("Cookie", cookie)] if cookie else [])
            for _ in range(100):
                status = rig.send(self.proxy.port, request).status
                if status != expected[cookie]:
                    wrong.append((cookie, status))
        before = len(self.gateway.open)
        threads = [threading.Thread(target=person, args=(cookie,)) for cookie in expected for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, wrong[:3]
        # Apache has a connection for each of its threads, and nginx closes one after a page that it does not read: each 403.
        opened = len(self.gateway.open) - before
        assert opened < 500, f"{opened} connections for 1,200 decisions"
        port = self.gateway.port
        self.gateway.close()
        self.gateway = rig.Recorder(self.decide, port)
        statuses = {self.ask("/a").status for _ in range(160)}
        assert statuses == {200}, statuses

    def check_smuggling(self):
        """a second request in a body reaches no program without its own decision"""
        inner = b"GET /inner HTTP/1.1\r\nHost: wiki.apps.example\r\nX-Auth-User: evil\r\n\r\n"
        start = f"POST /a HTTP/1.1\r\nHost: wiki.apps.example\r\nCookie: {self.allowed}\r\n".encode()
        for head in [b"Transfer-Encoding: chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n" % (len(inner) + 5), b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
                     b"Content-Length: 0\r\nContent-Length: %d\r\n\r\n" % len(inner), b"Transfer-Encoding : chunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n" % (len(inner) + 5),
                     b"Transfer-Encoding: xchunked\r\nContent-Length: %d\r\n\r\n0\r\n\r\n" % (len(inner) + 5), b"Transfer_Encoding: chunked\r\nContent-Length: %d\r\n\r\n" % len(inner),
                     b"Connection: Content-Length\r\nContent-Length: %d\r\n\r\n" % len(inner)]:
            self.ask(raw=start + head + inner, timeout=3)
            time.sleep(0.05)
            later = self.take()
            decided = [d.one("X-Forwarded-Uri") for d in self.decisions + later[0]]
            for got in self.at_one + later[1]:
                assert got.target in decided, f"{head[:60]}: {got.line}"
                assert got.target != "/inner", f"{head[:60]}: {got.line}"
                assert not [h for h in got.headers if "evil" in h[1]]

    def check_http2(self):
        """HTTP/2: pseudo-header fields and forged fields, the same"""
        self.fields(rig.send_h2)

    def check_http3(self):
        """HTTP/3, where the proxy has it: the same"""
        if self.proxy.kind != "caddy" or not isinstance(self.proxy.port, rig.TLSPort):
            raise Skipped
        try:
            self.fields(rig.send_h3)
        except ImportError:
            raise Skipped from None

    def fields(self, send):
        """Requests whose pseudo-header fields and fields are sent as they are."""
        def fields(path="/a", method="GET", authority="wiki.apps.example", scheme="https", more=()):
            pseudo = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)]
            return [f for f in pseudo if f[1] is not None] + [("cookie", self.allowed)] + list(more)
        first = True
        for case in [fields(), fields(more=[("host", "wiki.apps.example")]), fields(more=[("host", "other.example")]), fields(authority=None, more=[("host", "wiki.apps.example")]),
                     fields(authority="other.example", more=[("host", "wiki.apps.example")]), fields(scheme="http"), fields(scheme="http://other.example/b?"), fields() + [(":path", "/b")],
                     fields(path="a"), fields(path="http://other.example/b"), fields(path="http://wiki.apps.example/b"), fields(path="/a /b"), fields(path="/a#b"), fields(path=""), fields(path="*"), fields(path="/a/../b"),
                     fields(path="/a\\b"), fields(method="GET /b HTTP/1.1"), fields(method="TRACE"), fields(method="CONNECT"), fields(authority="wiki.apps.example/x"), fields(authority="other.example@wiki.apps.example"),
                     fields(method="CONNECT", more=[(":protocol", "websocket")]), fields(more=[("connection", "x-auth-user")]), fields(more=[("transfer-encoding", "chunked")]), fields(more=[("x-n", "a\r\nx-auth-user: evil")]),
                     fields(more=[("te", "trailers, x-auth-user")])] + [
                     fields(more=[(spelling.lower(), "evil")]) for name in ["X-Auth-User", "X-Forwarded-Uri", "X-Forwarded-Host", "X-Gateway-Secret", "X-Original-URL"] for spelling in spellings(name)]:
            self.take()
            status = send(self.proxy.port, case, timeout=3)
            self.decisions, self.at_one, self.at_two = self.take()
            assert not first or (status == 200 and self.at_one), f"plain request: {status}"
            first = False
            bad = [h for r in self.at_one + self.decisions for h in r.headers if "evil" in h[1]]
            assert not bad, f"{case}: {bad}"
            try:
                self.same()
            except AssertionError as error:
                raise AssertionError(f"{case}: {error}") from None

    def check_many_hosts(self):
        """40 hosts, a domain and a path in a path: each request reaches the program that the file names"""
        if not self.options.carnet:
            raise Skipped
        hosts = [f"h{number}.example" for number in range(1, 41)]
        programs = {**{host: "9001" for host in hosts}, "*.d.example": "9001", "*.d.example/deep/er/": "9002"}
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "gateway.yaml")
            routes = "".join(f'  - {{ host: "{host}", allow: signed_in }}\n' for host in [*hosts, "*.d.example"])
            file.write_text(pathlib.Path(rig.HERE, "gateway.yaml").read_text().replace("routes:\n", "routes:\n" + routes))
            programs |= {"wiki.apps.example": "9001", "apps.example/notes/": "9002"}
            rig.made(self.options.carnet, self.proxy.kind, file, folder, programs, *rig.TLS[self.proxy.kind])
            file.unlink()
            gateway = rig.Recorder(Stub())
            proxy = type(self.proxy)(gateway.port, self.one.port, self.two.port, folder)
            try:
                proxy.start()
                for host, target, expected in [("h1.example", "/a", (1, 0)), ("h40.example", "/a", (1, 0)), ("x.d.example", "/a", (1, 0)), ("x.d.example", "/deep/a", (1, 0)),
                                               ("x.d.example", "/deep/er/a", (0, 1)), ("h40.example", "/carnet/sign-in", (0, 0)), ("h41.example", "/a", (0, 0))]:
                    self.take(), gateway.take()
                    reply = rig.send(proxy.port, build(target, host=host, headers=[("Cookie", ALICE)]))
                    found = len(self.one.take()), len(self.two.take())
                    assert found == expected, f"{host}{target}: {found}"
                    assert (reply.status == 200) == (host != "h41.example"), f"{host}{target}: {reply.status}"
                    assert gateway.take() or host == "h41.example", f"{host}{target}: no decision"
                for host, allowed in [("h1.example", True), ("x.d.example", True), ("d.example", False), ("h41.example", False), ("other.example/.d.example", False),
                                      ("other.example\\.d.example", False), ("x@x.d.example", False), ("x.d.example.other.example", False)]:
                    self.leads(proxy, host, host if allowed else None)
            finally:
                proxy.stop()
                gateway.close()

    def leads(self, proxy, host, expected, target="/a?b=%2f"):
        """Asks at the port of plain HTTP, which leads to https at the expected host, or nowhere."""
        self.take()
        reply = rig.send(proxy.plain_port, build(target, host=host, headers=[("Cookie", self.allowed), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "evil.example")]))
        assert not any(self.take()), f"http://{host}: a request reached the gateway or a program"
        if expected is None:
            assert reply.status >= 400 and not reply.all("Location"), f"http://{host}: {reply.status} {reply.all('Location')}"
        else:
            assert reply.status in (301, 308), f"http://{host}: {reply.status}"
            assert reply.all("Location") == [f"https://{expected}{target}"], f"http://{host}: {reply.all('Location')}"

    def check_plain_http(self):
        """plain HTTP leads to https at the listed hosts, and nowhere else; nothing of it reaches the gateway or a program"""
        for host, expected in [("wiki.apps.example", "wiki.apps.example"), ("apps.example", "apps.example"), ("wiki.apps.example:80", "wiki.apps.example"),
                               ("other.example", None), ("other.apps.example", None), ("127.0.0.1", None), ("wiki.apps.example@other.example", None),
                               ("other.example/wiki.apps.example", None), ("wiki.apps.example, other.example", None), ("", None)]:
            self.leads(self.proxy, host, expected)
        for raw in [build("/a", host="other.example", headers=[("Host", "wiki.apps.example")]), build("/a", headers=[("Host", "other.example")]),
                    build("http://other.example/a"), build("http://wiki.apps.example@other.example/a"), build("a"), build("/a", host=None)]:
            reply = rig.send(self.proxy.plain_port, raw)
            assert not any(self.take()), raw
            for where in reply.all("Location"):
                assert re.match(r"https://(wiki\.)?apps\.example/", where), f"{raw}: {where}"

    def check_tls(self):
        """TLS 1.2 and 1.3 alone; a name that is not listed reaches no program, and neither does a host other than the name"""
        for version, works in [(ssl.TLSVersion.TLSv1_1, False), (ssl.TLSVersion.TLSv1_2, True), (ssl.TLSVersion.TLSv1_3, True)]:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
            context.set_ciphers("DEFAULT:@SECLEVEL=0")
            with warnings.catch_warnings():    # Python discourages the version that must not work.
                warnings.simplefilter("ignore")
                context.minimum_version = context.maximum_version = version
            with socket.create_connection(("127.0.0.1", int(self.proxy.port)), timeout=8) as connection:
                try:
                    context.wrap_socket(connection, server_hostname="wiki.apps.example").close()
                    assert works, f"{version.name} is accepted"
                except ssl.SSLError as error:
                    assert not works, f"{version.name}: {error}"
        context = ssl._create_unverified_context()
        for name in ("other.example", "other.apps.example", None):
            for host in ("other.example", "other.apps.example", "wiki.apps.example"):
                data, status = build("/a", host=host, headers=[("Cookie", self.allowed), ("Connection", "close")]), b""
                try:
                    with context.wrap_socket(socket.create_connection(("127.0.0.1", int(self.proxy.port)), timeout=8), server_hostname=name) as connection:
                        connection.sendall(data)
                        status = connection.recv(12)[9:]
                except OSError:
                    pass
                # Without TLS names, or behind a certificate for all, the Host header decides alone.
                self.decisions, self.at_one, self.at_two = self.take()
                assert host == "wiki.apps.example" or not self.at_one + self.at_two and status[:1] in (b"", b"4"), f"{name}, {host}: {status}"
                self.same()

    def check_files(self):
        """with certificate files, at a port of their own, or behind something that ends TLS: the same decisions, and https"""
        if not self.options.carnet:
            raise Skipped
        example = pathlib.Path(rig.HERE, "gateway.yaml").read_text()
        programs = {"wiki.apps.example": "9001", "apps.example/notes/": "9002"}
        options = ["--no-tls"], rig.TLS["nginx"] if self.proxy.kind == "caddy" else rig.TLS[self.proxy.kind]
        for more in options:
            with tempfile.TemporaryDirectory() as folder:
                file = pathlib.Path(folder, "gateway.yaml")
                file.write_text(example)
                rig.made(self.options.carnet, self.proxy.kind, file, folder, programs, *more)
                file.unlink()
                proxy = type(self.proxy)(self.gateway.port, self.one.port, self.two.port, folder)
                try:
                    proxy.start()
                    assert isinstance(proxy.port, rig.TLSPort) == (more != ["--no-tls"])
                    self.take()
                    reply = rig.send(proxy.port, build("/a", headers=[("Cookie", self.allowed), ("X-Forwarded-Proto", "evil")]))
                    self.decisions, self.at_one, self.at_two = self.take()
                    assert reply.status == 200 and len(self.at_one) == 1, reply.status
                    assert self.at_one[0].all("X-Forwarded-Proto") == ["https"], self.at_one[0].all("X-Forwarded-Proto")
                    self.same()
                finally:
                    proxy.stop()

    def check_gateway_heard(self):
        """the gateway had nothing to complain of: one of each header, no identity, no body, GET, no query"""
        assert not self.stub.complaints, self.stub.complaints[:3]
        warnings = self.real.warnings() if self.real else []
        assert not warnings, f"{len(warnings)} warnings, such as {warnings[:3]}"

    def close(self):
        self.proxy.stop()
        for recorder in (self.gateway, self.one, self.two):
            recorder.close()


CHECKS = [n for n in vars(Bench) if n.startswith("check_")]


def run(kind, options):
    bench, results = Bench(kind, options), {}
    try:
        for name in CHECKS:
            if options.only and not any(w in name for w in options.only.split(",")):
                continue
            try:
                getattr(bench, name)()
                results[name] = None
            except Skipped:
                continue
            except AssertionError as error:
                results[name] = str(error) or "assertion"
            except Exception as error:    # a proxy that broke off is a failed check, not the end of the run
                results[name] = f"{type(error).__name__}: {error}"
            bench.stub.mode = None
            if options.fast and results[name]:
                break
    finally:
        bench.close()
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("carnet", "folder", "only"):
        parser.add_argument("--" + name)
    for name in ("slow", "verbose", "fast"):
        parser.add_argument("--" + name, action="store_true")
    parser.add_argument("words", nargs="*")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        options.real = Real(options.carnet, folder) if options.carnet else None
        failed = check(options)
        if options.real:
            options.real.gateway.stop()
    sys.exit(min(failed, 99))


def check(options):
    table, failed = {}, 0
    for kind in rig.chosen(options.words):
        started = time.time()
        try:
            table[kind.name] = run(kind, options)
        except SystemExit as error:
            print(error)
            table[kind.name] = {name: "did not start" for name in CHECKS}
        print(f"{kind.name} {rig.version_of(kind)}: {time.time() - started:.0f} s", file=sys.stderr, flush=True)
    names = list(table)
    print("\n" + "  ".join(f"{n.split(' ')[0]} {n.split(' ')[1]}".ljust(12) for n in names))
    for check in CHECKS:
        cells = [("-" if check not in table[n] else "FAIL" if table[n][check] else "ok") for n in names]
        failed += cells.count("FAIL")
        print("  ".join(c.ljust(12) for c in cells) + "  " + getattr(Bench, check).__doc__)
    for n in names:
        for check, error in table[n].items():
            if error:
                print(f"\n{n}, {check[6:]}: {error if options.verbose else error[:400]}")
    print(f"\n{sum(len(t) for t in table.values()) - failed} passed, {failed} failed")
    return failed


if __name__ == "__main__":
    main()
