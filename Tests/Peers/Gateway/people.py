"""What the checks of the gateway share: a provider in this process, a gateway that signs people in with it, and browsers."""

import http.server
import json
import os
import pathlib
import secrets
import subprocess
import sys
import threading
import time
import urllib.parse

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(ROOT / "Tests/Support"))
from built import built  # noqa: E402, F401
sys.path.insert(0, str(HERE / "proxies"))
sys.dont_write_bytecode = True

import rig  # noqa: E402

HOST = "apps.example"
SAME_SITE = [("Sec-Fetch-Site", "same-origin")]
DESCRIPTOR = """carnet: 1
id: storm
name: Storm
endpoints: {{ authorization: {base}/authorize, token: {base}/token, userinfo: {base}/userinfo, introspection: {base}/introspect }}
scopes: {{ default: [read] }}
profile: {{ claims: {{ subject: /id, groups: /groups, email: /email, email_verified: /email_verified }} }}
"""


class Failure(Exception):
    pass


class Provider(http.server.ThreadingHTTPServer):
    """Replaces the refresh token each time, and revokes the session as soon as one comes twice."""
    request_queue_size = 512
    daemon_threads = True

    def __init__(self, lifetime=86_400, delay=0):
        super().__init__(("127.0.0.1", 0), Handler)
        self.lifetime, self.delay = lifetime, delay
        self.next, self.nonces = [], {}     # Who signs in next; others are strangers.
        self.lock, self.latest, self.refreshes, self.revoked = threading.Lock(), {}, [], set()
        self.on_refresh = lambda port: None
        self.base = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def issue(self, person):
        number = self.latest.get(person, 0) + 1
        self.latest[person] = number
        return {"access_token": f"access-{person}.{number}", "refresh_token": f"{person}.{number}", "token_type": "Bearer",
                "expires_in": self.lifetime}

    def refresh(self, token):
        with self.lock:
            person, number, *_ = token.split(".") + [""]
            self.refreshes.append(token)
            if str(self.latest.get(person)) != number:
                self.latest.pop(person, None)
                self.revoked.add(person)
                return 400, {"error": "invalid_grant", "error_description": "refresh token used twice"}
            return 200, self.issue(person)

    def claims(self, person):
        return {"id": person, "groups": ["ops"], "email": f"{person}@example.com", "email_verified": True}

    def person(self, token):
        """Whose access token it is; None for any other string."""
        person = token.removeprefix("access-").split(".")[0]
        return person if token.startswith("access-") and person in self.latest else None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def reply(self, status, document, fields=()):
        body = json.dumps(document).encode()
        self.send_response(status)
        for name, value in [("Content-Type", "application/json"), ("Content-Length", str(len(body))), *fields]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        if self.path.startswith("/authorize"):
            person = self.server.next.pop(0) if self.server.next else secrets.token_hex(8)
            self.server.nonces[person] = query.get("nonce")
            back = query["redirect_uri"] + "?" + urllib.parse.urlencode({"code": person, "state": query["state"]})
            return self.reply(302, {}, [("Location", back)])
        person = self.server.person(self.headers.get("Authorization", "").removeprefix("Bearer "))
        self.reply(200 if person else 401, self.server.claims(person) if person else {"error": "invalid_token"})

    def do_POST(self):
        form = dict(urllib.parse.parse_qsl(self.rfile.read(int(self.headers["Content-Length"])).decode()))
        if self.path == "/introspect":
            person = self.server.person(form["token"])
            known = {"active": True, "sub": person, "client_id": "robot", "token_type": "Bearer"}
            return self.reply(200, known if person else {"active": False})
        if form.get("grant_type") == "refresh_token":
            self.server.on_refresh(self.client_address[1])
            status, document = self.server.refresh(form["refresh_token"])
            time.sleep(self.server.delay)
            return self.reply(status, document)
        with self.server.lock:
            document = self.server.issue(form["code"])
        self.reply(200, document)

    def log_message(self, *arguments):
        pass


class Gateway:
    """`carnet gateway gateway.yaml` in a folder."""

    def __init__(self, carnet, folder, environment, *options, log="gateway.log"):
        self.log = folder / log
        with open(self.log, "a") as file:
            self.process = subprocess.Popen(
                [os.path.abspath(carnet), "gateway", "gateway.yaml", "--port", "0", *options], cwd=folder, text=True,
                stdout=subprocess.PIPE, stderr=file, env=environment)
        line = self.process.stdout.readline().strip()
        if not line:
            self.process.wait()
            raise Failure(f"the gateway does not start:\n{self.log.read_text()}")
        self.port = urllib.parse.urlsplit(line).port

    def stop(self):
        self.process.terminate()
        if self.process.wait(timeout=40) != 0:
            raise Failure(f"the gateway did not end with status 0:\n{self.log.read_text()[-2000:]}")


class Browser:
    """Keeps the cookies of each host, and finds all hosts below HOST at one port."""

    def __init__(self, port):
        self.port, self.cookies, self.longest = port, {}, 0

    def cookie(self, host=HOST):
        return "; ".join(f"{name}={value}" for name, value in self.cookies.get(host, {}).items())

    def send(self, target, method="GET", form=None, fields=(), host=HOST):
        headers = [("Accept", "text/html"), ("Connection", "close"), *fields]
        if cookie := self.cookie(host):
            headers.append(("Cookie", cookie))
        body = b""
        if form is not None:
            body = urllib.parse.urlencode(form).encode()
            headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            if not body:
                headers.append(("Content-Length", "0"))
        port = self.port if host.endswith(HOST) else urllib.parse.urlsplit(f"//{host}").port
        reply = rig.send(port, rig.build(target, method, host, headers, body), timeout=30)
        for cookie in reply.all("Set-Cookie"):
            self.longest = max(self.longest, len(cookie))
            if len(cookie) >= 4096 and host.endswith(HOST):
                raise Failure(f"a cookie has {len(cookie)} bytes")
            name, _, value = cookie.split(";")[0].partition("=")
            jar = self.cookies.setdefault(host, {})
            jar.pop(name, None)
            if value:
                jar[name] = value
        return reply

    def follow(self, where, host):
        """Requests the target of a Location header. Returns host, target and the reply."""
        parts = urllib.parse.urlsplit(where)
        inside = (parts.hostname or "").endswith(HOST)
        host, target = (parts.hostname if inside else parts.netloc) or host, target_of(where)
        return host, target, self.send(target, host=host)

    def sign_in(self, provider, host=HOST, target="/"):
        """Signs in at a host with its pages, and returns when they lead to the target."""
        query = urllib.parse.urlencode({"return_to": target})
        at, page, reply = host, f"/carnet/sign-in?{query}", None
        reply = self.send(page, host=at)
        for _ in range(12):
            if reply.status == 200 and page.startswith("/carnet/sign-in?"):
                form = {"return_to": urllib.parse.parse_qs(urllib.parse.urlsplit(page).query)["return_to"][0]}
                page = f"/carnet/sign-in/{provider}"
                reply = self.send(page, "POST", form, SAME_SITE, host=at)
            where = location(reply, f"{at}{page.split('?')[0]}")
            if where == target and at == host:
                return
            at, page, reply = self.follow(where, at)
        raise Failure(f"the sign-in at {host} leads to {at}{page}")


def location(reply, what):
    where = reply.one("Location")
    if where is None:
        text = reply.body.decode("utf-8", "replace").split("<body>")[-1]
        raise Failure(f"{what}: status {reply.status}, {' '.join(plain(text).split())[:300]}")
    return where


def plain(html):
    while "<" in html and ">" in html[html.index("<"):]:
        start = html.index("<")
        html = html[:start] + " " + html[html.index(">", start) + 1:]
    return html


def target_of(url):
    parts = urllib.parse.urlsplit(url)
    return (parts.path or "/") + ("?" + parts.query if parts.query else "")
