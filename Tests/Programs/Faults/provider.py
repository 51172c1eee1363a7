"""A provider that rotates refresh tokens, revokes the family when one comes twice, and breaks as a test says."""

import base64
import gzip
import hashlib
import json
import random
import secrets
import socket
import socketserver
import threading
import time
import urllib.parse


class SigningKey:
    """RS256 (RFC 7518, section 3.3) without a library: for ID tokens of this server alone."""

    def __init__(self, seed):
        source = random.Random(seed)
        self.e = 65537
        while True:
            p, q = self._prime(source), self._prime(source)
            if p != q and (p - 1) % self.e and (q - 1) % self.e:
                break
        self.n = p * q
        self.d = pow(self.e, -1, (p - 1) * (q - 1))

    @staticmethod
    def _prime(source):
        while True:
            n = source.getrandbits(1024) | (3 << 1022) | 1
            if all(n % small for small in (3, 5, 7, 11, 13, 17, 19, 23, 29, 31)) and all(
                pow(source.randrange(2, n - 1), n - 1, n) == 1 for _ in range(4)
            ):
                return n

    @staticmethod
    def _base64(data):
        return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

    def jwks(self):
        n = self._base64(self.n.to_bytes(256, "big"))
        key = {"kty": "RSA", "kid": "1", "alg": "RS256", "use": "sig", "n": n, "e": "AQAB"}
        return {"keys": [key]}

    def token(self, claims):
        head = self._base64(json.dumps({"alg": "RS256", "kid": "1"}).encode())
        text = head + "." + self._base64(json.dumps(claims).encode())
        info = bytes.fromhex("3031300d060960864801650304020105000420") + hashlib.sha256(text.encode()).digest()
        padded = b"\0\1" + b"\xff" * (256 - 3 - len(info)) + b"\0" + info
        return text + "." + self._base64(pow(int.from_bytes(padded, "big"), self.d, self.n).to_bytes(256, "big"))


def message(status, body=b"", headers=(), content_type="application/json", length=True):
    if isinstance(body, str):
        body = body.encode()
    lines = ["HTTP/1.1 %s Some" % status, "Content-Type: " + content_type, *headers]
    if length:
        lines.append("Content-Length: %d" % len(body))
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


# A fault is a function of the connection, the server and the good response; it sends what it likes. It runs before the
# server has used up a token, so that a session that is lost is the command's doing.

EVIL = "\u001b[31m\u001b]0;title\u0007 \r\n\u0000 \u009b2J \u202egnp.exe caf\u0301e"


def hang(connection, server, good):
    server.stopping.wait(60)


def silence_after_head(connection, server, good):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{")
    server.stopping.wait(60)


def drip(connection, server, good):
    for byte in good:
        connection.sendall(bytes([byte]))
        if server.stopping.wait(1):
            return


def huge(connection, server, good):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 104857600\r\n\r\n")
    for _ in range(1600):
        connection.sendall(b" " * 65536)


def endless_chunks(connection, server, good):
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n")
    for _ in range(1600):
        connection.sendall(b"10000\r\n" + b" " * 65536 + b"\r\n")


def bomb(encoding):
    packed = gzip.compress(b'{"access_token":"' + b"a" * 100_000_000 + b'"}', 1)

    def fault(connection, server, good):
        connection.sendall(message(200, packed, ["Content-Encoding: " + encoding]))

    return fault


def raw(data):
    def fault(connection, server, good):
        connection.sendall(data)

    return fault


def answer(status, body="", *headers, **options):
    return raw(message(status, body, headers, **options))


def json_text(text):
    return answer(200, text)


def redirect(status):
    def fault(connection, server, good):
        connection.sendall(message(status, "", ["Location: http://127.0.0.1:%d/trap" % server.port]))

    return fault


def loop(connection, server, good):
    connection.sendall(message(302, "", ["Location: http://127.0.0.1:%d/token" % server.port]))


def half(connection, server, good):
    connection.sendall(good[: len(good) // 2])


def close(connection, server, good):
    pass


def reset(connection, server, good):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")


def repeats_request(connection, server, good):
    """What was sent comes back in an error: its secrets must not be shown."""
    text = json.dumps({"error": "invalid_request", "error_description": server.last_request})
    connection.sendall(message(400, text))


def evil_error(connection, server, good):
    text = json.dumps({"error": "invalid_request" + EVIL, "error_description": EVIL * 3, "error_uri": "http://x/" + EVIL})
    connection.sendall(message(400, text))


def wrapped(change):
    """The good response, its JSON changed."""

    def fault(connection, server, good):
        head, body = good.split(b"\r\n\r\n", 1)
        try:
            value = json.loads(body)
        except ValueError:
            value = {}
        connection.sendall(message(200, change(value)))

    return fault


def with_members(**members):
    return wrapped(lambda value: json.dumps({**value, **members}))


# Name, fault, whether the fault holds up the command until its time limit.
SERVER_FAULTS = [
    ("hangs", hang, True),
    ("hangs in the body", silence_after_head, True),
    ("one byte a second", drip, True),
    ("100 MB", huge, False),
    ("100 MB in chunks", endless_chunks, False),
    ("gzip bomb", bomb("gzip"), False),
    ("deflate bomb", bomb("deflate"), False),
    ("closes at once", close, False),
    ("resets", reset, False),
    ("half a response", half, False),
    ("no HTTP", raw(b"SSH-2.0-OpenSSH_9.2\r\n"), False),
    ("bad status line", raw(b"HTTP/1.1 abc\r\n\r\n"), False),
    ("two lengths", raw(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 30\r\n\r\n{}"), False),
    ("negative length", raw(b"HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\n{}"), False),
    ("huge length", raw(b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n{}"), False),
    ("bad chunk", raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n"), False),
    ("header of 1 MB", raw(b"HTTP/1.1 200 OK\r\nX-Long: " + b"a" * 1_000_000 + b"\r\n\r\n"), False),
    ("100,000 headers", raw(b"HTTP/1.1 200 OK\r\n" + b"X-A: b\r\n" * 100_000 + b"\r\n"), False),
    ("NUL in a header", raw(b"HTTP/1.1 200 OK\r\nX-A: b\0c\r\nContent-Length: 2\r\n\r\n{}"), False),
    ("endless 100 Continue", raw(b"HTTP/1.1 100 Continue\r\n\r\n" * 100_000), False),
    ("101 switching", answer(101), False),
    ("204 empty", raw(b"HTTP/1.1 204 No Content\r\n\r\n"), False),
    ("301", redirect(301), False),
    ("302 to itself", loop, False),
    ("307", redirect(307), False),
    ("308", redirect(308), False),
    ("401 without a challenge", answer(401, "{}"), False),
    ("403 page", answer(403, "<html>no</html>", content_type="text/html"), False),
    ("404", answer(404, ""), False),
    ("418 with escapes", answer(418, EVIL, content_type="text/plain"), False),
    ("429 in 7 s", answer(429, "{}", "Retry-After: 7"), False),
    ("429 in 10^30 s", answer(429, "{}", "Retry-After: 1" + "0" * 30), False),
    ("503 at a date", answer(503, "{}", "Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"), False),
    ("500 page", answer(500, "<html>" + EVIL + "</html>", content_type="text/html"), False),
    ("error with escapes", evil_error, False),
    ("error that repeats the request", repeats_request, False),
    ("login page", answer(200, "<html><body>Hotel WLAN</body></html>", content_type="text/html"), False),
    ("empty 200", answer(200, ""), False),
    ("null", json_text("null"), False),
    ("array", json_text("[1,2]"), False),
    ("invalid UTF-8", json_text(b'{"access_token":"\xff\xfe","sub":"\xc3"}'), False),
    ("NUL bytes", json_text(b'{"access_token":"a\0b","sub":"a\0"}'), False),
    ("UTF-16", json_text('{"access_token":"a"}'.encode("utf-16")), False),
    ("BOM", json_text(b"\xef\xbb\xbf{}"), False),
    ("deep JSON", json_text("[" * 100_000 + "]" * 100_000), False),
    ("wide JSON", json_text("{" + ",".join('"k%d":%d' % (i, i) for i in range(50_000)) + "}"), False),
    ("repeated names", json_text('{"access_token":"a","access_token":"b","sub":"a","sub":"b"}'), False),
    ("number without end", json_text('{"expires_in":' + "9" * 100_000 + "}"), False),
    ("token with a line break", with_members(access_token="a\r\nX-Evil: 1", token_type="Bearer"), False),
    ("type with escapes", with_members(token_type=EVIL), False),
    ("scope with escapes", with_members(scope="read " + EVIL, name=EVIL), False),
    ("lifetime of a text", with_members(expires_in="soon" + EVIL), False),
    ("negative lifetime", with_members(expires_in=-1), False),
    ("lifetime of 10^300", wrapped(lambda value: json.dumps({**value, "expires_in": 0}).replace('in": 0', 'in": 1e300')), False),
    ("numbers for texts", with_members(access_token=1, refresh_token=2, sub=3), False),
    ("token of 2 MB", with_members(access_token="a" * 2_000_000), False),
]


class Provider(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 128

    def __init__(self, key=None):
        super().__init__(("127.0.0.1", 0), Connection)
        self.port = self.server_address[1]
        self.key = key
        self.lock = threading.Lock()
        self.stopping = threading.Event()
        self.secrets = set()
        self.latest = {}
        self.nonces = {}
        self.revoked = set()
        self.uses = []
        self.trapped = 0
        self.faults = {}
        self.delay = 0
        self.lifetime = 3600
        self.last_request = ""
        self.clients = 0
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def handle_error(self, request, client_address):
        pass

    def close(self):
        self.stopping.set()
        self.shutdown()
        self.server_close()

    def break_at(self, path, fault):
        self.faults = {path: fault} if fault else {}

    def interrupt(self):
        """Ends the faults that wait."""
        self.stopping.set()
        self.stopping = threading.Event()

    def secret(self, kind):
        text = kind + "-" + secrets.token_hex(12)
        self.secrets.add(text)
        return text

    def issue(self, family):
        refresh = self.secret("refresh")
        self.latest[family] = refresh
        value = {
            "access_token": self.secret("access"), "refresh_token": refresh, "token_type": "Bearer",
            "expires_in": self.lifetime, "scope": "read",
        }
        if self.key:
            now = int(time.time())
            value["id_token"] = self.key.token(
                {"iss": self.issuer, "sub": "ada", "aud": "client", "iat": now, "exp": now + 3600, "nonce": self.nonces[family]})
            self.secrets.add(value["id_token"])
        return message(200, json.dumps(value))

    @property
    def issuer(self):
        return "http://127.0.0.1:%d" % self.port

    def respond(self, method, target, fields, form, dry):
        """The good response; without an effect if it is dry."""
        url = urllib.parse.urlsplit(target)
        query = dict(urllib.parse.parse_qsl(url.query))
        path = url.path
        if path == "/authorize":
            code = self.secret("code")
            self.latest["code " + code] = code
            self.nonces[code] = query.get("nonce")
            back = query["redirect_uri"] + "?" + urllib.parse.urlencode(
                {"code": code, "state": query["state"], "iss": self.issuer})
            return message(302, "", ["Location: " + back])
        if path == "/token":
            with self.lock:
                return self.token(form, dry)
        if path == "/userinfo":
            return message(200, json.dumps({"sub": "ada", "name": "Ada", "email": "ada@acme.example"}))
        if path == "/api":
            return message(200, json.dumps({"items": [1, 2, 3]}))
        if path == "/jwks":
            return message(200, json.dumps(self.key.jwks()))
        if path == "/introspect":
            return message(200, json.dumps({"active": True, "scope": "read"}))
        if path == "/revoke":
            return message(200, "")
        if path == "/register":
            if not dry:
                self.clients += 1
            secret = self.secret("registration")
            return message(201, json.dumps({
                "client_id": "client%d" % self.clients, "redirect_uris": ["http://127.0.0.1/callback"],
                "registration_access_token": secret, "registration_client_uri": self.issuer + "/register/1",
                "token_endpoint_auth_method": "none", "grant_types": ["authorization_code", "refresh_token"],
                "response_types": ["code"]}))
        if path == "/.well-known/oauth-authorization-server":
            return message(200, json.dumps({
                "issuer": self.issuer, "authorization_endpoint": self.issuer + "/authorize",
                "token_endpoint": self.issuer + "/token", "response_types_supported": ["code"],
                "revocation_endpoint": self.issuer + "/revoke", "introspection_endpoint": self.issuer + "/introspect",
                "registration_endpoint": self.issuer + "/register", "code_challenge_methods_supported": ["S256"]}))
        if path == "/trap":
            self.trapped += 1
            return message(200, "{}")
        return message(404, "")

    def token(self, form, dry):
        grant = form.get("grant_type")
        if dry or grant == "client_credentials":
            value = {"access_token": self.secret("access"), "token_type": "Bearer", "expires_in": 3600}
            return message(200, json.dumps(value))
        if grant == "authorization_code":
            family = self.latest.pop("code " + form.get("code", ""), None)
            if family is None:
                return message(400, '{"error":"invalid_grant"}')
            return self.issue(family)
        token = form.get("refresh_token")
        family = next((name for name, latest in self.latest.items() if latest == token), None)
        self.uses.append((token, family is not None))
        if family is None:
            self.revoked.add(token)
            # Which family an old token was of, nobody needs to know: they are all over.
            self.latest = {name: latest for name, latest in self.latest.items() if name.startswith("code ")}
            return message(400, '{"error":"invalid_grant","error_description":"refresh token used twice"}')
        return self.issue(family)


class Connection(socketserver.BaseRequestHandler):
    def handle(self):
        server, connection = self.server, self.request
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        data = b""
        try:
            while True:
                while b"\r\n\r\n" not in data:
                    part = connection.recv(65536)
                    if not part:
                        return
                    data += part
                head, data = data.split(b"\r\n\r\n", 1)
                lines = head.decode("latin-1").split("\r\n")
                method, target, _ = lines[0].split(" ", 2)
                fields = {line.split(":", 1)[0].lower(): line.split(":", 1)[1].strip() for line in lines[1:]}
                length = int(fields.get("content-length", 0))
                while len(data) < length:
                    part = connection.recv(65536)
                    if not part:
                        return
                    data += part
                body, data = data[:length], data[length:]
                form = dict(urllib.parse.parse_qsl(body.decode("latin-1")))
                server.last_request = head.decode("latin-1") + body.decode("latin-1")
                fault = server.faults.get(target.split("?")[0])
                good = server.respond(method, target, fields, form, fault is not None)
                if fault:
                    fault(connection, server, good)
                    return
                if server.delay:
                    server.stopping.wait(server.delay)
                connection.sendall(good)
        except OSError:
            return
