#!/usr/bin/env python3
"""Signs in through real proxies with every provider, at the gateway's sandbox, without an account at any of them.

  flows.py [--carnet PROGRAM] [--proxies nginx,caddy,...] [--providers google,github,...]

Each sign-in goes through the example configuration of a proxy: the page is refused, the sign-in page and the callback are
the gateway's, and afterwards the program behind gets the page's request with the person's identity, and not with the one
that the client made up. A sign-out ends it. The exit status is 1 if a sign-in fails."""

import argparse
import html
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time
import urllib.parse

sys.dont_write_bytecode = True

import people  # noqa: E402
from people import HOST, ROOT, SAME_SITE, Browser, Failure, location, rig  # noqa: E402

PAGE = "/notes/start?a=1"

FILE = """gateway: 1
origin: https://apps.example
providers: [{providers}]
routes:
  - {{ path: /**, allow: signed_in }}
  - {{ host: wiki.apps.example, allow: signed_in }}
headers: {{ X-Auth-User: "{{account.subject}}", X-Auth-Email: "{{account.email}}" }}
identity_token: {{ header: X-Auth-Assertion }}
proxy: {{ secret_file: secret }}
"""


class Gateway:
    """`carnet gateway --sandbox` with all the providers that it can sign in with."""

    def __init__(self, carnet, providers, folder):
        self.providers, self.left_out = list(providers), []
        (folder / "secret").write_text(rig.SECRET + "\n")
        while True:
            (folder / "gateway.yaml").write_text(FILE.format(providers=", ".join(self.providers)))
            self.log = open(folder / "gateway.log", "w+")
            self.process = subprocess.Popen(
                [os.path.abspath(carnet), "gateway", "gateway.yaml", "--sandbox", "--port", "0"], cwd=folder, text=True,
                stdout=subprocess.PIPE, stderr=self.log, env=dict(os.environ, HOME=str(folder)))
            line = self.process.stdout.readline().strip()
            if line:
                self.port = urllib.parse.urlsplit(line).port
                return
            self.process.wait()
            self.log.seek(0)
            text = self.log.read()
            without = re.search(r"(\S+) has no profile", text)
            if not without:
                raise SystemExit(f"flows: the gateway does not start\n{text}")
            self.providers.remove(without[1])
            self.left_out.append(without[1])

    def stop(self):
        self.process.terminate()
        if self.process.wait(timeout=40) != 0:
            raise SystemExit("flows: the gateway did not end with status 0")


def sign_in(proxy, provider, program):
    """Signs in at the proxy's example. Returns the browser."""
    browser = Browser(proxy.port)
    first = browser.send(PAGE, fields=[("X-Auth-User", "forged")])
    where = location(first, "the page without a sign-in")
    if not where.startswith("/carnet/sign-in?return_to="):
        raise Failure(f"the page leads to {where}")
    page = browser.send(where)
    if f"/carnet/sign-in/{provider}\"".encode() not in page.body:
        raise Failure("the sign-in page has no button")
    wanted = urllib.parse.parse_qs(urllib.parse.urlsplit(where).query)["return_to"][0]
    begun = browser.send(f"/carnet/sign-in/{provider}", "POST", {"return_to": wanted}, SAME_SITE)
    host, at = HOST, location(begun, "the button")
    # The sandbox takes the provider's place on a port of its own, and agrees to everything.
    for _ in range(6):
        host, path, reply = browser.follow(at, host)
        if host == HOST:
            break
        if reply.status == 200 and b"<form" in reply.body:
            text = reply.body.decode()
            host, path = HOST, people.target_of(html.unescape(re.search(r'action="([^"]*)"', text)[1]))
            form = {html.unescape(n): html.unescape(v) for n, v in re.findall(r'name="([^"]*)" value="([^"]*)"', text)}
            reply = browser.send(path, "POST", form)
            break
        at = location(reply, "the provider's page")
    else:
        raise Failure(f"the provider's pages lead to {at}")
    back = location(reply, "the callback")
    if back != PAGE:
        raise Failure(f"the callback leads to {back}")
    open_page(browser, program)
    return browser


def open_page(browser, program):
    """Opens the page with a made-up identity, and checks that the program gets the person's. Returns the user."""
    program.take()
    opened = browser.send(PAGE, fields=[("X-Auth-User", "forged"), ("X-Auth-Email", "forged@example.com"), ("X_Auth_User", "forged")])
    seen = program.take()
    if opened.status != 200 or len(seen) != 1:
        raise Failure(f"the page has status {opened.status}, and the program got {len(seen)} requests")
    users = seen[0].all("X-Auth-User")
    if len(users) != 1 or not users[0] or any("forged" in v for n, v in seen[0].headers):
        raise Failure(f"the program got {[h for h in seen[0].headers if 'auth' in h[0].lower()]}")
    if seen[0].one("X-Auth-Assertion", "").count(".") != 2 or seen[0].target != PAGE:
        raise Failure(f"the program got {seen[0].line} with the identity {seen[0].one('X-Auth-Assertion')!r}")
    return users[0]


def sign_out(browser):
    location(browser.send("/carnet/sign-out", "POST", {}, SAME_SITE), "the sign-out")
    if browser.send(PAGE).status == 200:
        raise Failure("the page is open after the sign-out")


def has_profile(provider):
    """Whether a descriptor says where a profile is."""
    text = (ROOT / f"providers/{provider}.yaml").read_text()
    return bool(re.search(r"^(profile|issuer|extends):|\bopenid\b|^ *userinfo:", text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carnet", default=people.built("carnet"))
    parser.add_argument("--proxies", default="")
    parser.add_argument("--providers", help="default: all that are built in")
    options = parser.parse_args()
    if options.providers:
        providers = options.providers.split(",")
    else:
        listed = subprocess.run([options.carnet, "providers", "--json"], stdout=subprocess.PIPE, check=True, text=True)
        providers = [provider["id"] for provider in json.loads(listed.stdout)["providers"]]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        gateway = Gateway(options.carnet, providers, pathlib.Path(folder))
        wiki, notes = rig.Recorder(rig.program), rig.Recorder(rig.program)
        for kind in rig.chosen([word for word in options.proxies.split(",") if word]):
            proxy = kind(gateway.port, wiki.port, notes.port)
            proxy.start()
            started, good = time.monotonic(), 0
            for provider in gateway.providers:
                try:
                    sign_out(sign_in(proxy, provider, notes))
                    good += 1
                except (Failure, OSError) as problem:
                    failed += 1
                    print(f"{kind.name}: {provider}: {problem}", file=sys.stderr)
            proxy.stop()
            print(f"{kind.name}: {good} of {len(gateway.providers)} providers in {time.monotonic() - started:.1f} s")
        gateway.stop()
    for provider in gateway.left_out:
        if has_profile(provider):
            failed += 1
            print(f"{provider}: the gateway finds no profile, but the descriptor has one", file=sys.stderr)
    if gateway.left_out:
        print(f"{len(gateway.left_out)} of {len(providers)} have no profile, and the gateway refuses them at its start: "
              + " ".join(gateway.left_out))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
