"""A real authorization server on loopback, with a user who signs in: a fixture for tests written in any language.

    python3 Tests/Peers/peer.py canaille | oidc-provider-mock [--redirect-uri URI]

starts the server, registers a client and prints one line of JSON: issuer, client_id, client_secret, auth_method,
redirect_uri (a free loopback port, unless one was given). Then each line of standard input is carried out and answered
by one line of JSON:

    an authorization URL    the user signs in and consents, and the browser requests the redirect URI that it is sent
                            to, so that whoever listens there is answered: {"callback": URL, "status": N}
    settle                  waits until the server can issue its next token: {"settled": true}

or {"error": TEXT}. The end of standard input, a termination signal or ten minutes end the server too.
"""

import argparse
import contextlib
import ctypes
import html.parser
import itertools
import json
import os
import pathlib
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import environments

LIFETIME, SECONDS_TO_START, SECONDS_TO_ANSWER, SECONDS_TO_STOP = 600, 60, 30, 5
MOST_PAGES = 12
USER = {"sub": "alice", "name": "Alice Liddell", "email": "alice@example.org"}
PASSWORD = "correct horse battery"


# The servers

class OIDCProviderMock:
    """Its login page asks for a subject and nothing else; clients register themselves."""

    answers = {"sub": USER["sub"]}
    tokens_per_second = None

    def __init__(self, programs, scratch, port):
        self.issuer = f"http://127.0.0.1:{port}"
        self.environment = {}
        self.command = [programs / "oidc-provider-mock", "--host", "127.0.0.1", "--port", str(port),
                        "--require-registration", "true", "--require-nonce", "true", "--user-claims", json.dumps(USER)]

    def register(self, redirect_uri, metadata):
        request = {"redirect_uris": [redirect_uri], "token_endpoint_auth_method": "client_secret_basic"}
        answer = http_session().post(metadata["registration_endpoint"], json=request, timeout=SECONDS_TO_ANSWER)
        answer.raise_for_status()
        return answer.json()["client_id"], answer.json()["client_secret"]


class Canaille:
    """Has a login page, a password page and a consent page, and keeps its users and clients in a database."""

    answers = {"login": USER["sub"], "password": PASSWORD, "answer": "accept"}
    # Its access tokens are JWTs whose claims differ by their times alone, and it keeps no two that are equal.
    tokens_per_second = 1
    # The characters that must be percent-encoded before Basic authentication (RFC 6749 section 2.3.1).
    secret = "s3cr+t/for%41&=:swift"

    def __init__(self, programs, scratch, port):
        self.issuer = f"http://127.0.0.1:{port}"
        self.program = programs / "canaille"
        self.command = [self.program, "run", "--workers", "0", "--bind", f"127.0.0.1:{port}"]
        configuration = scratch / "canaille.toml"
        configuration.write_text(f"""
            SECRET_KEY = "only for tests"
            SERVER_NAME = "127.0.0.1:{port}"
            PREFERRED_URL_SCHEME = "http"
            [CANAILLE]
            DATABASE = "sql"
            JAVASCRIPT = false
            HTMX = false
            [CANAILLE_SQL]
            DATABASE_URI = "sqlite:///{scratch / 'canaille.sqlite'}"
        """)
        self.environment = {"CANAILLE_CONFIG": str(configuration)}

    def register(self, redirect_uri, metadata):
        client = "carnet-tests"
        # The client's home page lies outside the trusted domains, so that consent is asked for.
        self.create("client", client_id=client, client_secret=self.secret, client_name="Carnet tests",
                    client_uri="https://client.example", redirect_uris=redirect_uri, response_types="code",
                    grant_types=["authorization_code", "refresh_token"], scope=["openid", "profile", "email"],
                    token_endpoint_auth_method="client_secret_basic", id_token_signed_response_alg="RS256")
        # A client made on the command line has no audience, and its ID tokens are then for nobody.
        self.run("set", "client", client, audience=client)
        self.create("user", user_name=USER["sub"], password=PASSWORD, emails=USER["email"], given_name="Alice",
                    family_name="Liddell", formatted_name=USER["name"])
        return client, self.secret

    def create(self, what, **properties):
        self.run("create", what, **properties)

    def run(self, *command, **properties):
        options = [["--" + name.replace("_", "-"), value] for name, values in properties.items()
                   for value in ([values] if isinstance(values, str) else values)]
        done = subprocess.run([self.program, *command, *itertools.chain(*options)],
                              env=dict(os.environ, **self.environment), timeout=SECONDS_TO_START, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"canaille {' '.join(command[:2])}: {done.stdout[-500:]} {done.stderr[-500:]}")


SERVERS = {"canaille": Canaille, "oidc-provider-mock": OIDCProviderMock}


@contextlib.contextmanager
def running(server, scratch):
    """Runs the server, in a process group that ends with this block, or with this program if that is killed."""
    log = scratch / "log"
    with open(log, "wb") as output:
        process = subprocess.Popen(server.command, env=dict(os.environ, **server.environment), cwd=scratch,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True, preexec_fn=end_with_parent)
    try:
        yield discover(server.issuer, process)
    except Exception as error:
        raise RuntimeError(f"{error}\n{log.read_text(errors='replace')[-2000:]}") from error
    finally:
        # The group may outlive its leader: the last signal goes out in any case.
        for last_word in (signal.SIGTERM, signal.SIGKILL):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, last_word)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS_TO_STOP)


def end_with_parent():
    if sys.platform == "linux":
        set_parent_death_signal = 1
        ctypes.CDLL(None).prctl(set_parent_death_signal, signal.SIGKILL)


def discover(issuer, process):
    """The server's metadata, as soon as it answers."""
    requests = http_session()
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with status {process.returncode}")
        with contextlib.suppress(OSError):
            metadata = requests.get(f"{issuer}/.well-known/openid-configuration", timeout=SECONDS_TO_ANSWER).json()
            if metadata["issuer"] != issuer:
                raise RuntimeError(f"the server calls itself {metadata['issuer']}, not {issuer}")
            return metadata
        time.sleep(0.05)
    raise RuntimeError(f"the server did not answer within {SECONDS_TO_START} s")


def free_port():
    """A port below those that the kernel hands out, so that no other test's connection takes it meanwhile."""
    for port in random.sample(range(20000, 32768), 100):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


# The user's browser

def http_session():
    import requests  # comes with the environment

    session = requests.Session()
    session.trust_env = False  # no proxy between this program and loopback
    return session


class Forms(html.parser.HTMLParser):
    """The forms of a page: action, method, the fields to send with the values they have, and the buttons."""

    def __init__(self, page):
        super().__init__()
        self.forms, self.open = [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        kind = attributes.get("type", "submit" if tag == "button" else "text").lower()
        if tag == "form":
            method = attributes.get("method", "get").upper()
            self.open = {"action": attributes.get("action", ""), "method": method, "fields": {}, "buttons": []}
            self.forms.append(self.open)
        elif self.open is None or tag not in ("input", "button") or not attributes.get("name"):
            pass
        elif kind == "submit":
            self.open["buttons"].append((attributes["name"], attributes.get("value", "")))
        elif kind not in ("checkbox", "radio") or "checked" in attributes:
            self.open["fields"][attributes["name"]] = attributes.get("value", "")

    def handle_endtag(self, tag):
        if tag == "form":
            self.open = None


def sign_in(url, redirect_uri, answers):
    """Answers every page with what the user knows, until it leads to the redirect URI, and requests that too."""
    browser = http_session()  # a new one each time: nobody is signed in yet
    once = {"timeout": SECONDS_TO_ANSWER, "allow_redirects": False}
    method, data = "GET", None
    for _ in range(MOST_PAGES):
        page = browser.request(method, url, data=data, headers={"Referer": url}, **once)
        if page.is_redirect:
            method, url, data = "GET", urllib.parse.urljoin(url, page.headers["Location"]), None
            if url.partition("?")[0] == redirect_uri:
                return {"callback": url, "status": browser.get(url, **once).status_code}
            continue
        if not page.ok:
            raise RuntimeError(f"{method} {url}: {page.status_code} {page.text[:300]}")
        form, data = next(filled(Forms(page.text).forms, answers), (None, None))
        if form is None:
            raise RuntimeError(f"no form at {url} asks for {', '.join(answers)}: {page.text[:300]}")
        method, url = form["method"], urllib.parse.urljoin(url, form["action"])
    raise RuntimeError(f"more than {MOST_PAGES} pages, the last one {url}")


def filled(forms, answers):
    """The forms that the user has an answer to, each with what the browser would send."""
    for form in forms:
        known = {name: answers[name] for name in form["fields"] if name in answers}
        pressed = dict(button for button in form["buttons"] if button in answers.items())
        if known or pressed:
            yield form, {**form["fields"], **known, **pressed}


# The protocol of this program

def settle(tokens_per_second):
    if tokens_per_second:
        time.sleep(1.05 - time.time() % 1)


def say(**answer):
    print(json.dumps(answer), flush=True)


def serve(name, redirect_uri):
    with tempfile.TemporaryDirectory(prefix="carnet-peer-") as scratch:
        scratch = pathlib.Path(scratch)
        server = SERVERS[name](pathlib.Path(sys.prefix) / "bin", scratch, free_port())
        with running(server, scratch) as metadata:
            client_id, client_secret = server.register(redirect_uri, metadata)
            say(issuer=server.issuer, client_id=client_id, client_secret=client_secret,
                auth_method="client_secret_basic", redirect_uri=redirect_uri)
            for line in map(str.strip, sys.stdin):
                try:
                    settle(server.tokens_per_second)
                    if line == "settle":
                        say(settled=True)
                    else:
                        say(**sign_in(line, redirect_uri, server.answers))
                except (OSError, RuntimeError) as error:
                    say(error=str(error))


def stop(number, _):
    sys.exit(f"peer.py: stopped by signal {signal.Signals(number).name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("--redirect-uri", help="default: http://127.0.0.1:PORT/callback on a free port")
    options = parser.parse_args()
    try:
        environment = environments.prepare(options.server)
        if pathlib.Path(sys.prefix) != environment:
            python = environment / "bin" / "python"
            os.execv(python, [python, *sys.argv])
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, stop)
        signal.alarm(LIFETIME)
        serve(options.server, options.redirect_uri or f"http://127.0.0.1:{free_port()}/callback")
    except (environments.Failure, OSError, RuntimeError) as failure:
        sys.exit(f"peer.py: {failure}")


if __name__ == "__main__":
    main()
