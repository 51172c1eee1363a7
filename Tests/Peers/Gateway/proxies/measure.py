#!/usr/bin/env python3
"""Measures what each proxy sends to the decision server and forwards to the program behind, with the configurations of this
folder. Writes .build/measured.json, from which forwards.py makes Docs/gateway/forwards.md.

  measure.py [WORD...]     only the proxies whose name contains one of the words

Part `requests`: one entry for each request, with the request line and the headers that the decision server and the program
received, byte for byte (latin-1), null when nothing arrived. Part `responses`: what the client received for each response of
the decision server. `status` 0 is a closed connection, -1 no response in time."""

import json
import os
import sys
import time

import rig
from rig import build

IDENTITY = ["X-Auth-User", "X-Auth-Email", "X-Auth-Assertion"]


def requests():
    """(name, bytes) of each odd request. `{}` stands for the spelling of a name."""
    yield "plain", build("/a", headers=[("Cookie", "c=1"), ("Authorization", "Bearer t"), ("Accept", "text/html"),
                                        ("User-Agent", "measure"), ("Sec-Fetch-Mode", "navigate"), ("Origin", "http://o.example"),
                                        ("Referer", "http://r.example/"), ("Proxy-Authorization", "Basic cA=="), ("Range", "bytes=0-1"),
                                        ("If-None-Match", "\"x\""), ("Accept-Encoding", "br"), ("DPoP", "proof")])
    for target in rig.ODD_TARGETS:
        yield "target " + target.decode("latin-1"), build(target)
    for name, value in [("trailing dot", "wiki.apps.example."), ("port", "wiki.apps.example:8443"), ("uppercase", "WIKI.apps.EXAMPLE"),
                        ("unknown", "other.example"), ("empty", ""), ("user", "wiki.apps.example@other.example"), ("two values", "wiki.apps.example, other.example"),
                        ("space", "wiki.apps.example other"), ("path", "wiki.apps.example/x"), ("underscore", "wiki_apps.example"), ("ipv6", "[::1]")]:
        yield "host " + name, build("/a", host=value)
    yield "host missing", build("/a", host=None)
    yield "host missing, HTTP/1.0", build("/a", host=None, version="HTTP/1.0")
    yield "host twice", build("/a", headers=[("Host", "other.example")])
    yield "host twice, same", build("/a", headers=[("Host", "wiki.apps.example")])
    yield "host other than absolute target", build("http://wiki.apps.example/a", host="other.example")
    for name, value in [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-Proto", "https"), ("X-Forwarded-Host", "evil.example"),
                        ("X-Forwarded-Uri", "/public"), ("X-Forwarded-Method", "HEAD"), ("X-Forwarded-Port", "1"), ("X-Forwarded-Prefix", "/evil"),
                        ("X-Forwarded-Server", "evil"), ("X-Real-IP", "6.6.6.6"), ("Forwarded", "for=6.6.6.6;host=evil.example"),
                        ("X-Original-URL", "/evil"), ("X-Original-URI", "/evil"), ("X-Original-Method", "HEAD"), ("X-Rewrite-URL", "/evil"), ("X-HTTP-Method-Override", "DELETE"),
                        ("X-HTTP-Method", "DELETE"), ("X-Method-Override", "DELETE"), ("X-Gateway-Secret", "evil"),
                        ("X-Auth-User", "evil"), ("X-Auth-Email", "evil@example.com"), ("X-Auth-Assertion", "evil")]:
        yield f"header {name}", build("/a", headers=[(name, value)])
        yield f"header {name}, twice", build("/a", headers=[(name, value), (name, value + "2")])
        for spelling in [name.replace("-", "_"), name.replace("-", "_", 1), name.lower(), name.upper(), name.replace("-", "."), name.replace("-", "!"),
                         name.replace("-", "~"), name + " ", " " + name]:
            if spelling != name:
                yield f"header {spelling!r}", build("/a", headers=[(spelling, value)])
        yield f"Connection names {name}", build("/a", headers=[("Connection", f"close, {name}")])
    for name in ["Cookie", "Authorization", "X-Forwarded-For"]:
        yield f"Connection names {name}, sent", build("/a", headers=[(name, "c=1"), ("Connection", f"close, {name}")])
    yield "cookie twice", build("/a", headers=[("Cookie", "a=1"), ("Cookie", "b=2")])
    for method in ["HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "get", "FOO", "CONNECT", "TRACK", "PRI"]:
        yield f"method {method}", build("/a", method=method)
    yield "method CONNECT authority", build("wiki.apps.example:443", method="CONNECT")
    yield "method OPTIONS *", build("*", method="OPTIONS")
    yield "body", build("/a", method="POST", body=b"x=1")
    yield "body of GET", build("/a", body=b"x=1")
    yield "body chunked", build("/a", method="POST", headers=[("Transfer-Encoding", "chunked")]) + b"3\r\nx=1\r\n0\r\n\r\n"
    yield "body chunked and length", build("/a", method="POST", headers=[("Transfer-Encoding", "chunked"), ("Content-Length", "3")]) + b"3\r\nx=1\r\n0\r\n\r\n"
    yield "websocket", build("/a", headers=[("Connection", "Upgrade"), ("Upgrade", "websocket"), ("Sec-WebSocket-Version", "13"),
                                            ("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==")])
    yield "upgrade h2c", build("/a", headers=[("Connection", "Upgrade, HTTP2-Settings"), ("Upgrade", "h2c"), ("HTTP2-Settings", "AAMAAABkAAQAAP__")])
    for size in (4000, 9000, 17000, 40000, 70000):
        yield f"header of {size} bytes", build("/a", headers=[("Cookie", "c=" + "x" * size)])
    yield "200 headers", build("/a", headers=[(f"X-N{i}", "1") for i in range(200)])
    yield "header with NUL", build("/a", headers=[("X-N", "a\0b")])
    yield "header with bare CR", build("/a", headers=[("X-N", "a\rX-Auth-User: evil")])
    yield "header with bare LF", build("/a", headers=[("X-N", "a\nX-Auth-User: evil")])
    yield "header folded", build("/a", headers=[("X-N", "a\r\n X-Auth-User: evil")])
    yield "HTTP/1.0", build("/a", version="HTTP/1.0")
    yield "HTTP/0.9", b"GET /a\r\n"


def h2_requests():
    def fields(path="/a", method="GET", authority="wiki.apps.example", scheme="https", more=()):
        pseudo = [(":method", method), (":scheme", scheme), (":authority", authority), (":path", path)]
        return [f for f in pseudo if f[1] is not None] + list(more)
    yield "plain", fields()
    yield "cookie in two fields", fields(more=[("cookie", "a=1"), ("cookie", "b=2")])
    yield "host field too, same", fields(more=[("host", "wiki.apps.example")])
    yield "host field too, other", fields(more=[("host", "other.example")])
    yield "no authority, host field", fields(authority=None, more=[("host", "wiki.apps.example")])
    yield "scheme http", fields(scheme="http")
    yield "scheme with text", fields(scheme="http://other.example/b?")
    yield "path twice", fields(more=[]) + [(":path", "/b")]
    yield "path without slash", fields(path="a")
    yield "path absolute", fields(path="http://other.example/b")
    yield "path with space", fields(path="/a /b")
    yield "path with #", fields(path="/a#b")
    yield "path empty", fields(path="")
    yield "path *", fields(path="*")
    yield "method with space", fields(method="GET /b HTTP/1.1")
    yield "name with underscore", fields(more=[("x_auth_user", "evil")])
    yield "name with uppercase", fields(more=[("X-Auth-User", "evil")])
    yield "identity", fields(more=[("x-auth-user", "evil")])
    yield "connection field", fields(more=[("connection", "x-auth-user")])
    yield "transfer-encoding field", fields(more=[("transfer-encoding", "chunked")])
    yield "value with CRLF", fields(more=[("x-n", "a\r\nx-auth-user: evil")])
    yield "authority with path", fields(authority="wiki.apps.example/x")
    yield "authority with user", fields(authority="other.example@wiki.apps.example")
    yield "extended connect", fields(method="CONNECT", more=[(":protocol", "websocket")])
    yield "dots", fields(path="/a/../b")
    yield "x-forwarded-uri", fields(more=[("x-forwarded-uri", "/public")])


ALLOW = rig.response(200, [("X-Auth-User", "alice"), ("X-Auth-Email", "alice@example.com"), ("X-Auth-Assertion", "signed")], b"", "OK")


def responses():
    """(name, bytes that the decision server sends, or a function of the request)."""
    yield "2xx, identity", ALLOW
    yield "204", rig.response(204, [("X-Auth-User", "alice")]).replace(b"Content-Length: 0\r\n", b"")
    yield "2xx, one Set-Cookie", rig.response(200, [("X-Auth-User", "alice"), ("Set-Cookie", "__Host-carnet=n; Path=/; Secure")])
    yield "2xx, two Set-Cookie", rig.response(200, [("X-Auth-User", "alice"), ("Set-Cookie", "__Host-carnet=n; Path=/; Secure"), ("Set-Cookie", "second=2; Path=/")])
    yield "2xx, no identity", rig.response(200)
    yield "2xx, identity empty", rig.response(200, [("X-Auth-User", "")])
    yield "2xx, identity twice", rig.response(200, [("X-Auth-User", "alice"), ("X-Auth-User", "bob")])
    yield "2xx, body", rig.response(200, [("X-Auth-User", "alice")], b"not for the client")
    yield "2xx, other headers", rig.response(200, [("X-Auth-User", "alice"), ("X-Other", "1"), ("Cache-Control", "no-store")])
    yield "2xx, identity of 6,000 bytes", rig.response(200, [("X-Auth-User", "alice"), ("X-Auth-Assertion", "x" * 6000)])
    yield "401, two WWW-Authenticate", rig.response(401, [("WWW-Authenticate", "Bearer one"), ("WWW-Authenticate", "DPoP two"), ("Content-Type", "application/json")], b"{}")
    yield "401, Location", rig.response(401, [("Location", "/carnet/sign-in")])
    yield "403, page and cookie", rig.response(403, [("Content-Type", "text/html"), ("Set-Cookie", "__Host-carnet=n; Path=/"), ("X-Other", "1")], b"<p>page</p>")
    for status in (301, 302, 303, 307, 308):
        yield f"{status}, relative Location, cookie", rig.response(status, [("Location", "/carnet/sign-in?to=%2Fa"), ("Set-Cookie", "__Host-carnet-state=n; Path=/")])
    yield "302, absolute Location", rig.response(302, [("Location", "http://sign-in.example/carnet/sign-in?to=%2Fa")])
    yield "302, two cookies", rig.response(302, [("Location", "/carnet/sign-in"), ("Set-Cookie", "__Host-carnet-state=1; Path=/"), ("Set-Cookie", "second=2; Path=/")])
    for status in (300, 304, 400, 404, 407, 421, 429, 500, 502, 503):
        yield str(status), rig.response(status, [("Retry-After", "7"), ("Content-Type", "text/html")], b"<p>page</p>" if status != 304 else b"")
    yield "100 then 200", b"HTTP/1.1 100 Continue\r\n\r\n" + ALLOW
    yield "101", b"HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"
    yield "closes without a response", None
    yield "half a head", (b"HTTP/1.1 200 OK\r\nX-Auth-User: al",)
    yield "half a body", (b"HTTP/1.1 200 OK\r\nX-Auth-User: alice\r\nContent-Length: 100\r\n\r\nabc",)
    yield "not HTTP", (b"hello\r\n\r\n",)
    yield "slow, 4 s", "slow"
    yield "down", "down"


def arrived(recorder):
    seen = [r.json() for r in recorder.take()]
    return seen if seen else None


def measure(kind, folder):
    state = {"reply": ALLOW}

    def decide(request):
        if state["reply"] == "slow":
            time.sleep(4)
            return ALLOW
        return state["reply"]

    gateway, one, two = rig.Recorder(decide), rig.Recorder(rig.program), rig.Recorder(rig.program)
    proxy = kind(gateway.port, one.port, two.port, folder)
    proxy.start()
    result = {"requests": {}, "http2": {}, "responses": {}}
    try:
        for recorder in (gateway, one, two):
            recorder.take()
        for name, data in requests():
            reply = rig.send(proxy.port, data, timeout=3)
            result["requests"][name] = {"status": reply.status, "decision": arrived(gateway), "program": arrived(one)}
        for name, fields in h2_requests():
            status = rig.send_h2(proxy.port, fields)
            result["http2"][name] = {"status": status, "decision": arrived(gateway), "program": arrived(one)}
        # Expect: 100-continue: the body is sent after the proxy's 100 only.
        head = b"POST /a HTTP/1.1\r\nHost: wiki.apps.example\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n"
        reply = rig.send(proxy.port, head, timeout=4, then=b"x=1")
        result["requests"]["expect 100-continue, allowed"] = {"status": reply.status, "decision": arrived(gateway), "program": arrived(one)}
        state["reply"] = rig.response(403)
        reply = rig.send(proxy.port, head, timeout=4, then=b"x=1")
        result["requests"]["expect 100-continue, refused"] = {"status": reply.status, "decision": arrived(gateway), "program": arrived(one)}
        for name, answer in responses():
            state["reply"] = answer
            if answer == "down":
                gateway.close()
            started = time.time()
            reply = rig.send(proxy.port, build("/a", headers=[("X-Auth-User", "evil")]), timeout=14)
            got = arrived(one)
            result["responses"][name] = {"status": reply.status, "seconds": round(time.time() - started, 1), "headers": reply.headers,
                                         "body": reply.body.decode("latin-1")[:200], "decisions": len(gateway.take()), "program": got}
    finally:
        proxy.stop()
        for recorder in (gateway, one, two):
            recorder.close()
    return result


def main():
    path = os.path.join(rig.HERE, "../../../../.build/measured.json")
    whole = json.load(open(path)) if os.path.exists(path) else {}
    for kind in rig.chosen(sys.argv[1:]):
        entry = {"version": rig.version_of(kind)}
        for mode, folder in [("example", os.path.join(rig.HERE, kind.kind))]:
            started = time.time()
            try:
                entry[mode] = measure(kind, folder)
                print(f"{kind.name:26} {mode:8} {len(entry[mode]['requests'])} requests, {len(entry[mode]['responses'])} responses, {time.time() - started:.0f} s", flush=True)
            except SystemExit as error:
                print(kind.name, mode, error)
        whole[kind.name] = entry
        write(path, whole)


def write(path, whole):
    """One line a request: the file can be read and compared by line."""
    with open(path, "w") as file:
        file.write("{\n")
        for i, (name, entry) in enumerate(whole.items()):
            file.write(json.dumps(name) + ": {\"version\": " + json.dumps(entry["version"]))
            for mode in ["example"]:
                if mode in entry:
                    file.write(",\n" + json.dumps(mode) + ": {")
                    parts = [json.dumps(part) + ": {\n" + ",\n".join(json.dumps(k) + ": " + json.dumps(v) for k, v in entry[mode][part].items()) + "}"
                             for part in entry[mode]]
                    file.write(",\n".join(parts) + "}")
            file.write("}" + (",\n" if i + 1 < len(whole) else "\n"))
        file.write("}\n")


main()
