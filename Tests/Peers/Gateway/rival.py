#!/usr/bin/env python3
"""Requests a second for a protected page through a proxy, with the gateway and with mod_auth_openidc, measured by wrk.

  rival.py [--carnet PROGRAM] [--module FILE] [--libraries FOLDER] [--connections N] [--seconds N] [--rounds N]

Each row has the same page of the same program, a session, and connections that stay open: Apache and nginx without a sign-in,
Apache with mod_auth_openidc and its default cache, and Apache, nginx and HAProxy with the examples and the gateway. Client, proxy,
program and gateway share the processors. Memory is the proportional set size (PSS) of proxy and gateway after the load.
Of several rounds, the median counts. Then mod_auth_openidc alone: a token response of 64 kB, and 200 requests when the access
token expires, at a provider that revokes the session if a refresh token comes twice; large.py and storm.py do the same with the
gateway. mod_auth_openidc is Debian's package libapache2-mod-auth-openidc; unpacked by dpkg-deb
elsewhere, --module and --libraries name its files."""

import argparse
import collections
import contextlib
import http.server
import os
import pathlib
import re
import secrets
import shutil
import ssl
import statistics
import subprocess
import sys
import tempfile
import threading
import time

sys.dont_write_bytecode = True

import large  # noqa: E402
import load  # noqa: E402
import people  # noqa: E402
from people import rig  # noqa: E402

HOST = "wiki.apps.example"
MODULES = "/usr/lib/apache2/modules"
OPEN = """Listen 8080
ProxyPass / http://127.0.0.1:9001/
"""
OPENID = """Listen 8080
LoadModule authn_core_module /usr/lib/apache2/modules/mod_authn_core.so
LoadModule authz_user_module /usr/lib/apache2/modules/mod_authz_user.so
LoadModule auth_openidc_module MODULE
OIDCProviderIssuer BASE
OIDCProviderAuthorizationEndpoint PAGES/authorize
OIDCProviderTokenEndpoint SECURE/token
OIDCSSLValidateServer Off
OIDCIDTokenSignedResponseAlg HS256
OIDCClientID client
OIDCClientSecret SECRET
OIDCRedirectURI /redirect_uri
OIDCCryptoPassphrase PASSPHRASE
OIDCRemoteUserClaim email
<Location />
    AuthType openid-connect
    Require valid-user
</Location>
ProxyPass /redirect_uri !
ProxyPreserveHost on
ProxyPass / http://127.0.0.1:9001/
"""
NGINX = """server {
    listen 8080 default_server;
    location / { proxy_pass http://127.0.0.1:9001; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Host $host; }
}
"""


class Twin(http.server.ThreadingHTTPServer):
    """A second port with the state of the first."""
    request_queue_size = 512
    daemon_threads = True

    def __getattr__(self, name):
        return getattr(self.__dict__["first"], name)


class Provider(large.LargeTokens):
    """Its tokens are small. mod_auth_openidc accepts only endpoints with https, so there is a second port."""
    size = 0

    def serve_tls(self, folder):
        names = [str(folder / name) for name in ("key.pem", "certificate.pem")]
        subprocess.run(["openssl", "req", "-x509", "-nodes", "-newkey", "rsa:2048", "-days", "1", "-subj", "/CN=127.0.0.1", "-keyout", names[0],
                        "-out", names[1]], check=True, stderr=subprocess.DEVNULL)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(names[1], names[0])
        twin = Twin(("127.0.0.1", 0), people.Handler)
        twin.first, twin.socket = self, context.wrap_socket(twin.socket, server_side=True)
        threading.Thread(target=twin.serve_forever, daemon=True).start()
        return f"https://127.0.0.1:{twin.server_address[1]}"


def family(process):
    """A process and all below it."""
    found = [process]
    for path in pathlib.Path(f"/proc/{process}/task").glob("*/children"):
        for child in path.read_text().split():
            found += family(int(child))
    return found


def memory(*processes):
    """The proportional set size of processes and all below them, in MB."""
    sizes = [re.search(r"^Pss:\s+(\d+)", pathlib.Path(f"/proc/{number}/smaps_rollup").read_text(), re.MULTILINE)[1]
             for process in processes for number in family(process)]
    return sum(map(int, sizes)) / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carnet", default=people.built("carnet", "release"))
    parser.add_argument("--module", default=f"{MODULES}/mod_auth_openidc.so")
    parser.add_argument("--libraries", default="")
    parser.add_argument("--connections", type=int, default=16)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    if options.libraries:
        os.environ["LD_LIBRARY_PATH"] = options.libraries
    provider = Provider()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "providers").mkdir()
        (folder / "providers/tokens.yaml").write_text(large.OPENID.format(id="tokens", base=provider.base))
        entry = "{ id: tokens, client_id: client, client_secret_env: CLIENT_SECRET }"
        (folder / "gateway.yaml").write_text(large.FILE.format(providers=entry).replace("path: /**", f"host: {HOST}"))
        gateway = people.Gateway(
            options.carnet, folder, dict(os.environ, HOME=str(folder), KEY=secrets.token_hex(32), CLIENT_SECRET=large.SECRET, PROXY_SECRET=rig.SECRET),
            "--providers", "providers")
        program = start(rig.NginxDebian, None, 0, 'server { listen 8080 default_server; location / { default_type text/plain; return 200 "program\\n"; } }', folder / "program")
        openid = module(options, provider, folder)
        rows = [("Apache, no sign-in", rig.Apache, OPEN), ("Apache, mod_auth_openidc", rig.Apache, openid), ("Apache, gateway", rig.Apache, None),
                ("nginx, no sign-in", rig.NginxDebian, NGINX), ("nginx, gateway", rig.NginxDebian, None), ("HAProxy, gateway", rig.HAProxy, None)]
        for name, kind, site in rows:
            proxy = start(kind, gateway.port, program.port, site, folder / name, options.carnet)
            cookie = sign_in(name, gateway.port, proxy.port)
            load.wrk(proxy.port, "/page", [f"Host: {HOST}"] + cookie, options.connections, 2)
            measured = [load.wrk(proxy.port, "/page", [f"Host: {HOST}"] + cookie, options.connections, options.seconds) for _ in range(options.rounds)]
            size = memory(proxy.process.pid, *([gateway.process.pid] if "gateway" in name else []))
            print(f"{name}: {statistics.median(rate for rate, _ in measured):.0f} requests a second "
                  f"({', '.join(f'{rate:.0f}' for rate, _ in measured)}), p99 {statistics.median(p for _, p in measured):.1f} ms, "
                  f"{size:.0f} MB, cookie {sum(map(len, cookie))} bytes", flush=True)
            proxy.stop()
        gateway.stop()
        provider.size = large.SIZE
        with apache(program, openid, folder / "large") as proxy:
            try:
                sign_in("large", 0, proxy.port)
                print("mod_auth_openidc, token response of 64 kB: signed in")
            except people.Failure:
                print("mod_auth_openidc, token response of 64 kB: no sign-in; " + re.search(r"oidc_cache_shm_set: (.*)", proxy.logged())[1])
        provider.size, provider.lifetime = 0, 10
        openid = openid.replace("Require valid-user", "Require valid-user\n    OIDCRefreshAccessTokenBeforeExpiry 8 logout_on_error")
        with apache(program, openid, folder / "expiry") as proxy:
            cookie, statuses = sign_in("expiry", 0, proxy.port), collections.Counter()
            time.sleep(3)
            request = rig.build("/page", host=HOST, headers=[("Accept", "text/html"), ("Connection", "close"), tuple(cookie[0].split(": "))])
            threads = [threading.Thread(target=lambda: statuses.update([rig.send(proxy.port, request, timeout=30).status])) for _ in range(200)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            print(f"mod_auth_openidc, 200 requests at the expiry: {len(provider.refreshes)} refreshes, {len(provider.revoked)} session revoked, "
                  + ", ".join(f"{count} with status {status}" for status, count in sorted(statuses.items())))
        program.stop()


def module(options, provider, folder):
    """A site of Apache with mod_auth_openidc."""
    values = {"MODULE": options.module, "BASE": provider.base, "PAGES": provider.base.replace("http:", "https:"),
              "SECURE": provider.serve_tls(folder), "SECRET": large.SECRET, "PASSPHRASE": secrets.token_hex(32)}
    return re.sub("|".join(values), lambda match: values[match[0]], OPENID)


@contextlib.contextmanager
def apache(program, site, folder):
    proxy = start(rig.Apache, 0, program.port, site, folder)
    try:
        yield proxy
    finally:
        proxy.stop()


def start(kind, gateway, program, site, folder, carnet=None):
    """A proxy with what the command makes of the example for plain HTTP, or with another site."""
    if site is None:
        folder.mkdir()
        rig.made(carnet, kind.kind, os.path.join(rig.HERE, "gateway.yaml"), folder, {"wiki.apps.example": "9001", "apps.example/notes/": "9002"}, "--no-tls")
    else:
        shutil.copytree(pathlib.Path(rig.HERE) / kind.kind, folder)
        (folder / "carnet-site.conf").write_text(site)
    return kind(gateway, program, program, str(folder)).start()


def sign_in(name, gateway, proxy):
    """The Cookie header of a session, as a list."""
    if "no sign-in" in name:
        return []
    browser = people.Browser(gateway if "gateway" in name else proxy)
    if "gateway" in name:
        browser.sign_in("tokens", HOST, "/page")
    else:
        host, where, reply = HOST, "/page", browser.send("/page", host=HOST)
        while reply.one("Location"):
            host, where, reply = browser.follow(reply.one("Location"), host)
        if reply.status != 200 or where != "/page":
            raise people.Failure(f"{name}: {host}{where}: status {reply.status} {reply.body[:300]}")
    return [f"Cookie: {browser.cookie(HOST)}"]


if __name__ == "__main__":
    main()
