"""A real authorization server on loopback, with a user who signs in: a fixture for tests written in any language.

    python3 Tests/Peers/peer.py SERVER [--redirect-uri URI] [--stop-at-redirect] [--logout-uri URI]

starts the server, registers a client and prints one line of JSON: issuer, client_id, client_secret, auth_method,
redirect_uri (a free loopback port, unless one was given), post_logout_redirect_uri, device_client_id (a client without
a secret, if none but that may sign in with a device). Then each line of standard input is carried out and answered by
one line of JSON:

    an authorization URL    the user signs in and consents, and the browser requests the redirect URI that it is sent
                            to, so that whoever listens there is answered: {"ended_at": URL, "status": N}
    a device's URL          the user signs in and approves: {"ended_at": URL, "status": N}
    end URL                 the user who signed in last opens the page that ends the session, and agrees:
                            {"ended_at": URL, "status": N}; where the server leads back to is not requested
    settle                  waits until the server can issue its next token: {"settled": true}

or {"error": TEXT}. With --stop-at-redirect the browser does not request the redirect URI either: whoever reads the answer
has the callback in it. With --logout-uri the client registers a back-channel logout URI too. The end of standard input, a termination signal or ten minutes end the server too.
"""

import argparse
import contextlib
import ctypes
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

import environments
from browser import SECONDS_TO_ANSWER, Browser, http_session
from servers.canaille import Canaille
from servers.django_sites import Allauth, OAuthToolkit, OIDCProvider
from servers.glewlwyd import Glewlwyd
from servers.identity_python import IdentityPython
from servers.oidc_provider_mock import OIDCProviderMock

LIFETIME, SECONDS_TO_START, SECONDS_TO_STOP = 900, 180, 5
SERVERS = {"canaille": Canaille, "glewlwyd": Glewlwyd, "idpyoidc": IdentityPython,
           "oidc-provider-mock": OIDCProviderMock} | {site.name: site for site in (Allauth, OAuthToolkit, OIDCProvider)}


@contextlib.contextmanager
def running(server, scratch):
    """Runs the server, in a process group that ends with this block, or with this program if that is killed."""
    log = scratch / "log"
    with open(log, "wb") as output:
        process = subprocess.Popen(server.command, env=dict(os.environ, **server.environment), cwd=scratch,
                                   stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                   start_new_session=True, preexec_fn=end_with_parent)
    try:
        if hasattr(server, "set_up"):
            answer(server.health, process)
            server.set_up()
        metadata = answer(f"{server.issuer}/.well-known/openid-configuration", process)
        if metadata["issuer"] != server.issuer:
            raise RuntimeError(f"the server calls itself {metadata['issuer']}, not {server.issuer}")
        yield metadata
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


def answer(url, process):
    """The JSON at a URL of the server, as soon as it answers."""
    session = http_session()
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the server ended with status {process.returncode}")
        with contextlib.suppress(OSError):
            return session.get(url, timeout=SECONDS_TO_ANSWER).json()
        time.sleep(0.05)
    raise RuntimeError(f"the server did not answer within {SECONDS_TO_START} s")


def free_port():
    """A port below those that the kernel hands out, so that no other test's connection takes it meanwhile."""
    for port in random.sample(range(20000, 32768), 100):
        with contextlib.suppress(OSError), socket.socket() as probe:
            probe.bind(("127.0.0.1", port))
            return port
    raise RuntimeError("no port is free")


def settle(tokens_per_second):
    if tokens_per_second:
        time.sleep(1.05 - time.time() % 1)


def say(**fields):
    print(json.dumps(fields), flush=True)


def serve(name, redirect_uri, stops_at_redirect, logout_uri):
    with tempfile.TemporaryDirectory(prefix="carnet-peer-") as scratch:
        scratch = pathlib.Path(scratch)
        server = SERVERS[name](pathlib.Path(sys.prefix) / "bin", scratch, free_port())
        with running(server, scratch) as metadata:
            client = {"client_name": "Carnet tests", "redirect_uris": [redirect_uri],
                      "post_logout_redirect_uris": [redirect_uri.rpartition("/")[0] + "/signed-out"],
                      "response_types": ["code"], "grant_types": ["authorization_code", "refresh_token"],
                      "token_endpoint_auth_method": "client_secret_basic"}
            if logout_uri:
                client |= {"backchannel_logout_uri": logout_uri, "backchannel_logout_session_required": True}
            post_logout_uri = client["post_logout_redirect_uris"][0]
            client_id, client_secret = server.register(client, metadata)
            say(issuer=server.issuer, client_id=client_id, client_secret=client_secret,
                auth_method="client_secret_basic", redirect_uri=redirect_uri,
                post_logout_redirect_uri=post_logout_uri, device_client_id=getattr(server, "device_client_id", None))
            browser = None
            for line in map(str.strip, sys.stdin):
                try:
                    settle(server.tokens_per_second)
                    if line == "settle":
                        say(settled=True)
                    elif line.startswith("end "):
                        browser.last_stop, browser.requests_last_stop = post_logout_uri, False
                        status = server.sign_out(browser, line.removeprefix("end "))
                        say(ended_at=browser.url, status=status)
                    else:
                        browser = Browser(redirect_uri, requests_last_stop=not stops_at_redirect)
                        status = server.sign_in(browser, line)
                        say(ended_at=browser.url, status=status)
                except (OSError, RuntimeError) as error:
                    say(error=str(error))


def stop(number, _):
    sys.exit(f"peer.py: stopped by signal {signal.Signals(number).name}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("server", choices=SERVERS)
    parser.add_argument("--redirect-uri", help="default: http://127.0.0.1:PORT/callback on a free port")
    parser.add_argument("--stop-at-redirect", action="store_true", help="do not request the redirect URI")
    parser.add_argument("--logout-uri", help="the client's back-channel logout URI")
    options = parser.parse_args()
    try:
        environment = environments.prepare(getattr(SERVERS[options.server], "programs", options.server))
        if pathlib.Path(sys.prefix) != environment:
            python = environment / "bin" / "python"
            os.execv(python, [python, *sys.argv])
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
            signal.signal(number, stop)
        signal.alarm(LIFETIME)
        serve(options.server, options.redirect_uri or f"http://127.0.0.1:{free_port()}/callback",
              options.stop_at_redirect, options.logout_uri)
    except (environments.Failure, OSError, RuntimeError) as failure:
        sys.exit(f"peer.py: {failure}")


if __name__ == "__main__":
    main()
