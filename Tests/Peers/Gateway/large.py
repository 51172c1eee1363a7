#!/usr/bin/env python3
"""Large tokens and many groups through real proxies, with their default sizes of buffers.

  large.py [--carnet PROGRAM] [--proxies nginx,haproxy,...] [--groups KILOBYTES,...]

One provider's token response has 64 kB: access token, refresh token and ID token. Others have 8 and 64 kB of groups.
Through each proxy's example, a person signs in and opens a page, and opens it again after the access token was refreshed.
Every cookie must stay under 4,096 bytes. The exit status is 1 otherwise."""

import argparse
import base64
import hashlib
import hmac
import json
import os
import pathlib
import secrets
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import flows  # noqa: E402
import people  # noqa: E402
from people import rig  # noqa: E402

LIFETIME = 20     # Seconds; a token is refreshed in the second half of so short a life.
SIZE = 64 * 1024
SECRET = "client-secret-" + "0123456789" * 4
FILE = """gateway: 1
origin: https://apps.example
providers: [{providers}]
routes: [{{ path: /**, allow: signed_in }}]
headers: {{ X-Auth-User: "{{account.subject}}", X-Auth-Email: "{{account.email}}" }}
identity_token: {{}}
proxy: {{ secret_env: PROXY_SECRET }}
session: {{ store: "files:sessions", key_env: KEY }}
"""
DESCRIPTOR = people.DESCRIPTOR.replace("storm", "{id}")
OPENID = """carnet: 1
id: {id}
name: Large tokens
issuer: {base}
discovery: none
endpoints: {{ authorization: {base}/authorize, token: {base}/token }}
scopes: {{ default: [openid] }}
id_token: {{ hs256: the provider of this check has no keys of its own }}
profile: {{ from: id_token }}
"""


class LargeTokens(people.Provider):
    """Three tokens of about a third of the size each."""
    size = SIZE

    def issue(self, person):
        document = super().issue(person)
        filling = "x" * (self.size // 3)
        document["access_token"] += f".{filling}"
        document["refresh_token"] += f".{filling}"
        now = int(time.time())
        claims = {"iss": self.base, "sub": person, "aud": "client", "iat": now, "exp": now + 600, "email": f"{person}@example.com",
                  "email_verified": True, "filling": filling[:self.size // 4]}
        if self.nonces.get(person):
            claims["nonce"] = self.nonces[person]
        parts = [base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=") for part in ({"alg": "HS256"}, claims)]
        signature = hmac.new(SECRET.encode(), b".".join(parts), hashlib.sha256).digest()
        document["id_token"] = b".".join([*parts, base64.urlsafe_b64encode(signature).rstrip(b"=")]).decode()
        assert len(json.dumps(document)) >= self.size
        return document


class ManyGroups(people.Provider):
    def __init__(self, size, *arguments):
        self.groups = [f"department-{number:05}" for number in range(size // 19)]    # 19 bytes each, as JSON.
        super().__init__(*arguments)

    def claims(self, person):
        return {**super().claims(person), "groups": self.groups}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--carnet", default=people.built("carnet"))
    parser.add_argument("--proxies", default="")
    parser.add_argument("--groups", default="8,64")
    options = parser.parse_args()
    providers = {"tokens": LargeTokens(LIFETIME)}
    for size in options.groups.split(","):
        providers[f"groups-{size}"] = ManyGroups(int(size) * 1024, LIFETIME)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        (folder / "providers").mkdir()
        for name, provider in providers.items():
            text = OPENID if name == "tokens" else DESCRIPTOR
            (folder / f"providers/{name}.yaml").write_text(text.format(id=name, base=provider.base))
        entry = "{{ id: {}, client_id: client, client_secret_env: CLIENT_SECRET }}"
        (folder / "gateway.yaml").write_text(FILE.format(providers=", ".join(entry.format(name) for name in providers)))
        gateway = people.Gateway(
            options.carnet, folder, dict(os.environ, HOME=str(folder), KEY=secrets.token_hex(32), CLIENT_SECRET=SECRET, PROXY_SECRET=rig.SECRET),
            "--providers", "providers")
        notes, running = rig.Recorder(rig.program), []

        def attempt(what, action):
            nonlocal failed
            try:
                return action()
            except (people.Failure, OSError) as problem:
                failed += 1
                print(f"{what}: {problem}", file=sys.stderr)

        for kind in rig.chosen([word for word in options.proxies.split(",") if word]):
            proxy = kind(gateway.port, notes.port, notes.port)
            proxy.start()
            browsers = {name: attempt(f"{kind.name}: {name}: sign-in", lambda: flows.sign_in(proxy, name, notes)) for name in providers}
            running.append((proxy, {name: browser for name, browser in browsers.items() if browser}))
        time.sleep(LIFETIME / 2 + 1)

        def reopen(browser, provider):
            before = len(provider.refreshes)
            flows.open_page(browser, notes)
            if len(provider.refreshes) != before + 1:
                raise people.Failure("the page was opened without a refresh")
            flows.sign_out(browser)
            return True

        for proxy, browsers in running:
            good = [name for name, browser in browsers.items()
                    if attempt(f"{proxy.name}: {name}: after the refresh", lambda: reopen(browser, providers[name]))]
            proxy.stop()
            print(f"{proxy.name}: {len(good)} of {len(providers)} providers, cookies of at most "
                  f"{max((browser.longest for browser in browsers.values()), default=0)} bytes")
        gateway.stop()
        if failed:
            print(gateway.log.read_text()[-4000:], file=sys.stderr)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
