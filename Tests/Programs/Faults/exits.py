#!/usr/bin/env python3
"""Runs many short commands and checks how each one ends: `python3 Tests/Programs/Faults/exits.py [--count N] [--slow] [--carnet PATH]`.

No command may end by a signal, lose output, or end with another status than the documented one. The provider uses TLS,
because libcurl's thread then frees memory of OpenSSL while the process ends. With --slow (Linux, needs `cc`), a preloaded
library delays both, so that they overlap in every run. Needs Python, and `openssl` for a certificate.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from faults import Home, finish, open_page
from provider import Provider, answer, hang

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import built  # noqa: E402

# The thread that closes a connection stays in OpenSSL for a while, and the process takes its time after OpenSSL's exit
# handler, because a handler that was registered earlier runs later.
SLOW = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
static _Thread_local int is_inside;
static long now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return time.tv_sec * 1000 + time.tv_nsec / 1000000;
}
void SSL_free(void *connection) {
    void *library = dlopen("libssl.so.3", RTLD_LAZY | RTLD_NOLOAD);
    void (*end)(void *) = (void (*)(void *))dlsym(library, "SSL_free");
    void *(*method)(void) = (void *(*)(void))dlsym(library, "TLS_client_method");
    void *(*begin)(void *) = (void *(*)(void *))dlsym(library, "SSL_CTX_new");
    void (*forget)(void *) = (void (*)(void *))dlsym(library, "SSL_CTX_free");
    if (!is_inside++)
        for (long time = now(); now() < time + 30;) forget(begin(method()));
    is_inside--;
    end(connection);
}
static void pause_at_exit(void) { usleep(60000); }
__attribute__((constructor)) static void start(void) { atexit(pause_at_exit); }
"""


class TLSProvider(Provider):
    def __init__(self, context):
        self.context = context
        super().__init__()

    def get_request(self):
        connection, address = super().get_request()
        return self.context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False), address

    @property
    def issuer(self):
        return "https://127.0.0.1:%d" % self.port


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Worker:
    """One home and one provider; its commands run in turn."""

    def __init__(self, exits, number):
        folder = exits.root / str(number)
        folder.mkdir(mode=0o700)
        self.exits, self.provider = exits, TLSProvider(exits.context)
        self.home = Home(exits.carnet, folder, self.provider)
        self.home.environment = lambda: {**Home.environment(self.home), **exits.environment}
        self.home.write("bad.yaml", "carnet: 1\nid: bad\n")
        self.random = random.Random(number)
        self.is_signed_in = False

    # Each kind returns the result, the statuses that fit, and what the output has to contain.

    def run(self, *arguments):
        return self.home.run(*arguments, "--json") if "--raw" not in arguments else self.home.run(*arguments)

    def lint(self):
        return self.run("lint", ".config/carnet/providers/faulty.yaml"), [0], '"diagnostics"'

    def lint_bad(self):
        return self.run("lint", "bad.yaml"), [1], "K003"

    def try_sandbox(self):
        return self.run("try", "faulty"), [0], "ok"

    def show(self):
        return self.run("show", "faulty"), [0], "faulty"

    def bad_argument(self):
        return self.run(*self.random.choice([["lint"], ["login", "faulty"], ["call", "faulty", "x"]]), "--nope"), [2], "nope"

    def missing_argument(self):
        return self.run("login"), [2], "error"

    def unknown_provider(self):
        return self.run("show", "nobody"), [1, 2], "nobody"

    def help(self):
        return self.home.run("login", "--help"), [0], "USAGE"

    def login(self):
        result = self.home.login("--account", "ada", "--json")
        self.is_signed_in = result.status == 0
        return result, [0], "ada"

    def login_refused(self):
        self.provider.break_at("/token", answer(400, '{"error":"invalid_client"}'))
        result = self.home.login("--account", "bob", "--json")
        self.provider.break_at(None, None)
        return result, [1], "invalid_client"

    def login_interrupted(self):
        process = self.home.start("login", "faulty", "--no-browser")
        while not process.stderr.readline().startswith(b"http"):
            pass
        process.send_signal(signal.SIGINT)
        return finish(process, time.monotonic()), [130], ""

    def call_interrupted(self):
        self.provider.break_at("/api", hang)
        process = self.home.start("call", "faulty", self.provider.issuer + "/api", "--timeout", "20")
        time.sleep(self.random.uniform(0.02, 0.3))
        process.send_signal(signal.SIGINT)
        result = finish(process, time.monotonic())
        self.provider.interrupt()
        self.provider.break_at(None, None)
        # Before the command handles signals, the signal has its default action.
        return result, [130, -signal.SIGINT], ""

    def interrupted_anywhere(self):
        process = self.home.start("profile", "faulty", "--json")
        time.sleep(self.random.uniform(0, 0.25))
        for _ in range(self.random.choice([1, 2])):
            process.send_signal(self.random.choice([signal.SIGINT, signal.SIGTERM]))
        return finish(process, time.monotonic()), [0, 130, 143, -signal.SIGINT, -signal.SIGTERM], ""

    def server_terminated(self):
        process = self.home.start(*self.random.choice([["sandbox"], ["demo", "--port", str(free_port())]]))
        process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        return finish(process, time.monotonic()), [143], ""

    def broken_pipe(self):
        reader, writer = os.pipe()
        process = self.home.start(*self.random.choice([["providers"], ["show", "faulty"], ["call", "faulty", self.provider.issuer + "/api"]]), stdout=writer)
        os.close(writer)
        os.close(reader)
        return finish(process, time.monotonic()), [0], ""

    def full_disk(self):
        with open("/dev/full", "wb") as full:
            process = self.home.start(*self.random.choice([["providers"], ["profile", "faulty"]]), stdout=full)
        return finish(process, time.monotonic()), [3], "cannot be written"

    def call(self):
        return self.run("call", "faulty", self.provider.issuer + "/api"), [0], "items"

    def profile(self):
        return self.run("profile", "faulty"), [0], "ada@acme.example"

    def refresh(self):
        return self.run("refresh", "faulty"), [0], "expires"

    def token(self):
        return self.run("token", "faulty", "--raw"), [0], "access-"

    def logout(self):
        self.is_signed_in = False
        return self.run("logout", "faulty", *self.random.choice([[], ["--revoke"]])), [0], "ada"

    OFFLINE = [
        "lint", "lint_bad", "try_sandbox", "show", "bad_argument", "missing_argument", "unknown_provider", "help",
        "login_interrupted", "server_terminated",
    ]
    ONLINE = ["call", "profile", "refresh", "token", "call_interrupted", "interrupted_anywhere", "broken_pipe", "full_disk"]

    def step(self, number):
        # The connections of these have TLS state when the process ends.
        sending = ["login_refused", "call", "profile", "refresh", "logout"]
        if not self.is_signed_in:
            kind = "login"
        elif self.exits.options.slow:
            kind = sending[number % len(sending)]
        else:
            kind = self.random.choice(self.OFFLINE + self.ONLINE * 2 + sending)
        result, statuses, text = getattr(self, kind)()
        self.exits.check(kind, result, statuses, text)


class Exits:
    def __init__(self, options):
        self.options, self.carnet = options, os.path.abspath(options.carnet)
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="carnet-exits-"))
        certificate, key = self.root / "certificate.pem", self.root / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "1",
             "-subj", "/CN=carnet test", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, stderr=subprocess.DEVNULL)
        # As many authorities as systems have: freeing them is most of the work at the end.
        certificates = self.root / "certificates.pem"
        system = pathlib.Path("/etc/ssl/certs/ca-certificates.crt")
        certificates.write_text(certificate.read_text() + (system.read_text() if system.exists() else ""))
        self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self.context.load_cert_chain(certificate, key)
        self.environment = {"SSL_CERT_FILE": str(certificates)}
        # The pages of a sign-in are opened by this process.
        os.environ.update(self.environment)
        if options.slow:
            (self.root / "slow.c").write_text(SLOW)
            library = self.root / "slow.so"
            subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-o", library, self.root / "slow.c", "-ldl"], check=True)
            self.environment.update({"LD_PRELOAD": str(library), "MALLOC_PERTURB_": "165"})
        self.lock = threading.Lock()
        self.begun, self.failures, self.kinds = 0, [], collections.Counter()

    def check(self, kind, result, statuses, text):
        problem = None
        if result.status not in statuses:
            problem = "the exit status is none of %s" % statuses
        elif text not in result.out + result.err:
            problem = "the output has no %r" % text
        elif result.status == 0 and result.out.startswith("{"):
            try:
                json.loads(result.out)
            except ValueError:
                problem = "stdout is not one JSON document"
        with self.lock:
            self.kinds[kind] += 1
            if problem:
                self.failures.append(kind)
                print("FAILED %s: %s\n  %s" % (kind, problem, result), flush=True)

    def work(self, number):
        worker = Worker(self, number)
        while True:
            with self.lock:
                if self.begun == self.options.count:
                    return
                self.begun += 1
                step = self.begun
            worker.step(step)

    def run(self):
        start = time.monotonic()
        with concurrent.futures.ThreadPoolExecutor(self.options.workers) as pool:
            for future in [pool.submit(self.work, number) for number in range(self.options.workers)]:
                future.result()
        shutil.rmtree(self.root, ignore_errors=True)
        failed = collections.Counter(self.failures)
        for kind, count in sorted(self.kinds.items()):
            print("%-22s %6d %6d" % (kind, count, failed[kind]))
        print("%-22s %6d %6d   in %.0f s" % ("all", sum(self.kinds.values()), len(self.failures), time.monotonic() - start))
        return 1 if self.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--carnet", default=built("carnet"), help="the command (default: %(default)s)")
    parser.add_argument("--count", type=int, default=1000, help="how many commands (default: %(default)s)")
    parser.add_argument("--workers", type=int, default=4, help="how many at a time (default: %(default)s)")
    parser.add_argument("--slow", action="store_true", help="force the overlap, with commands that send requests")
    # A shell lets what it starts in the background ignore SIGINT, and the commands would inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(Exits(parser.parse_args()).run())


if __name__ == "__main__":
    main()
