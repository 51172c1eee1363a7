#!/usr/bin/env python3
"""Breaks the built command from outside: `python3 Tests/Programs/Faults/faults.py [--quick] [--only GROUP] [--carnet PATH]`.

Each case is one fault and one command. Expected of every case: it ends in time; its exit status is one that the
documentation names and that fits the fault; with --json its stdout is one JSON document; no output has a secret or a raw
control character; and the session is as it was or better. Python's standard library is all that it needs.
"""

import argparse
import collections
import concurrent.futures
import fcntl
import json
import os
import pathlib
import pty
import random
import re
import resource
import select
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
import urllib.error
import urllib.request

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from provider import EVIL, SERVER_FAULTS, Provider, SigningKey, hang

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import built  # noqa: E402

LIMIT = 45  # seconds for any command; the commands are told to wait 2
TIMEOUT = "2"
CLIENT_SECRET = "client-secret-0123456789abcdef"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
# What reverses text is a matter of a screen; in JSON it is data.
REVERSING = re.compile("[\u202a-\u202e\u2066-\u2069]")
# What a terminal may get: colours, and the line of progress that is cleared.
TERMINAL = re.compile("\x1b\\[[0-9;]*m|\r\x1b\\[K|\r\n")

DESCRIPTOR = """carnet: 1
id: faulty
name: Faulty
endpoints:
  authorization: {origin}/authorize
  token: {origin}/token
  userinfo: {origin}/userinfo
  revocation: {origin}/revoke
  introspection: {origin}/introspect
scopes: {{ default: [read] }}
profile: {{ claims: {{ subject: /sub, name: /name, email: /email }} }}
"""

OPENID = """carnet: 1
id: faulty
name: Faulty
issuer: {origin}
discovery: none
endpoints:
  authorization: {origin}/authorize
  token: {origin}/token
  jwks: {origin}/jwks
scopes: {{ default: [openid] }}
"""

METADATA = """carnet: 1
id: faulty
name: Faulty
issuer: {origin}
discovery_url: {origin}/.well-known/oauth-authorization-server
scopes: {{ default: [read] }}
"""


class Stay(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def open_page(url):
    """What a browser does: it follows redirects, to the command's port too."""
    opener = urllib.request.build_opener(Stay, urllib.request.ProxyHandler({}))
    for _ in range(5):
        try:
            opener.open(url, timeout=20).read()
            return
        except urllib.error.HTTPError as response:
            location = response.headers.get("Location")
            if response.code // 100 != 3 or not location:
                return
            url = location
        except OSError:
            return


class Result:
    def __init__(self, status, out, err, seconds):
        self.status, self.out, self.err, self.seconds = status, out, err, seconds

    def __str__(self):
        return "status %s after %.1f s\n  stdout: %r\n  stderr: %r" % (
            self.status, self.seconds, self.out[-600:], self.err[-900:])


class Home:
    """A user's home, signed in with a provider of its own."""

    def __init__(self, carnet, folder, provider, descriptor=DESCRIPTOR):
        self.carnet, self.folder, self.provider = carnet, pathlib.Path(folder), provider
        self.tokens = None
        self.write(".config/carnet/providers/faulty.yaml", descriptor.format(origin=provider.issuer))
        secret = "" if provider.key else ", client_secret: %s" % CLIENT_SECRET
        self.write(".config/carnet/clients.yaml", "faulty: { client_id: client%s }\n" % secret)
        provider.secrets.add(CLIENT_SECRET)

    def write(self, path, text):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        path.write_text(text)
        path.chmod(0o600)

    def environment(self):
        return {
            "HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder / ".config"), "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "LANG": "C.UTF-8", "TERM": "xterm",
            "CARNET_STORE": str(self.folder / "store"),
        }

    def start(self, *arguments, **options):
        environment = {**self.environment(), **options.pop("environment", {})}
        for name in options.pop("without", []):
            environment.pop(name, None)
        prefix = options.pop("prefix", [])
        options.setdefault("stdin", subprocess.DEVNULL)
        options.setdefault("stdout", subprocess.PIPE)
        options.setdefault("stderr", subprocess.PIPE)
        return subprocess.Popen([*prefix, self.carnet, *arguments], cwd=self.folder, env=environment, **options)

    def run(self, *arguments, **options):
        begun = time.monotonic()
        process = self.start(*arguments, **options)
        return finish(process, begun)

    def login(self, *arguments, **options):
        """Signs in as a person does who agrees to everything."""
        begun = time.monotonic()
        process = self.start("login", "faulty", "--no-browser", *arguments, **options)
        lines = []
        for line in process.stderr:
            lines.append(line)
            if line.startswith(b"http"):
                threading.Thread(target=open_page, args=[line.decode().strip()], daemon=True).start()
                break
        result = finish(process, begun)
        result.err = b"".join(lines).decode("utf-8", "surrogateescape") + result.err
        return result

    def keep(self):
        """Remembers the session, for `restore`."""
        self.snapshot = {path: path.read_bytes() for path in self.files()}
        self.latest = dict(self.provider.latest)

    def files(self):
        return [path for path in (self.folder / "store").rglob("*") if path.is_file() and path.name != "lock"]

    def restore(self):
        """The session is as it was when it was kept, here and at the provider."""
        store = self.folder / "store"
        subprocess.run(["umount", "-l", str(store)], stderr=subprocess.DEVNULL) if os.path.ismount(store) else None
        shutil.rmtree(store, ignore_errors=True)
        store.mkdir(mode=0o700)
        for path, data in self.snapshot.items():
            path.write_bytes(data)
            path.chmod(0o600)
        self.provider.latest = dict(self.latest)
        self.provider.revoked.clear()
        self.provider.uses.clear()
        self.provider.trapped = 0

    @property
    def record(self):
        return next(path for path in self.snapshot if path.name.endswith(".record"))

    def records(self):
        return [path for path in (self.folder / "store").glob("*.record")]


def finish(process, begun):
    try:
        out, err = process.communicate(timeout=LIMIT)
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        status = "none: it had not ended after %d s" % LIMIT
    decode = lambda data: (data or b"").decode("utf-8", "surrogateescape")
    return Result(status, decode(out), decode(err), time.monotonic() - begun)


class Report:
    def __init__(self):
        self.lock = threading.Lock()
        self.cases = collections.Counter()
        self.failures = []
        self.skipped = []
        self.notes = []

    def case(self, group, name, problems):
        with self.lock:
            self.cases[group] += 1
            if problems:
                self.failures.append((group, name, problems))
                print("FAILED %s: %s\n    %s" % (group, name, "\n    ".join(problems)), flush=True)

    def skip(self, group, reason):
        self.skipped.append((group, reason))

    def note(self, text):
        self.notes.append(text)
        print(text, flush=True)


def validated(result, provider, statuses, is_json=True, prints_token=False, terminal=False):
    """What is wrong with a run, whatever the fault."""
    problems = []
    if result.status not in statuses:
        problems.append("the exit status is none of %s" % sorted(statuses))
    out = result.out
    if is_json:
        try:
            document = json.loads(out, parse_int=str)
            if not isinstance(document, dict):
                problems.append("stdout is no JSON object")
            if result.status != 0 and "error" not in document and "damaged" not in document and "failures" not in document:
                problems.append("the document of a failure has no error")
        except ValueError:
            if result.status != 130 or out:
                problems.append("stdout is not one JSON document")
    text = result.err if prints_token and result.status == 0 else out + result.err
    for secret in provider.secrets:
        if secret in text or (len(secret) > 20 and secret[:20] in text and secret[:20] != "registration-"[:20]):
            problems.append("a secret is shown: %s..." % secret[:8])
    for stream in (out, result.err):
        found = CONTROL.search(TERMINAL.sub("", stream) if terminal else stream)
        if not found and not (is_json and stream is out):
            found = REVERSING.search(stream)
        if found:
            problems.append("a raw control character is shown: %r" % found.group())
        if any("\udc80" <= character <= "\udcff" for character in stream):
            problems.append("output is not UTF-8")
    if problems:
        problems.append(str(result))
    return problems


# The commands that send something, by where the fault is that they meet.
SENDING = {
    "login": ("/token", ["login"]),
    "login, profile": ("/userinfo", ["login"]),
    "refresh": ("/token", ["refresh", "faulty"]),
    "profile": ("/userinfo", ["profile", "faulty"]),
    "call": ("/userinfo", ["call", "faulty", "{origin}/userinfo"]),
    "token --introspect": ("/introspect", ["token", "faulty", "--introspect"]),
    "token --client-credentials": ("/token", ["token", "faulty", "--client-credentials"]),
    "logout --revoke": ("/revoke", ["logout", "faulty", "--revoke"]),
}
STORING = {
    "accounts": ["accounts"],
    "token": ["token", "faulty"],
    "token --raw": ["token", "faulty", "--raw"],
    "refresh": ["refresh", "faulty"],
    "profile": ["profile", "faulty"],
    "call": ["call", "faulty", "{origin}/userinfo"],
    "resources": ["resources", "faulty"],
}


class Faults:
    def __init__(self, options):
        self.options = options
        self.report = Report()
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="carnet-faults-"))
        self.random = random.Random(options.seed)

    def home(self, name, descriptor=DESCRIPTOR, key=None):
        folder = self.root / name
        folder.mkdir(mode=0o700)
        home = Home(self.options.carnet, folder, Provider(key), descriptor)
        result = home.login("--account", "ada", "--json")
        if result.status != 0:
            raise SystemExit("the sign-in that all begins with failed: %s" % result)
        home.keep()
        return home

    def arguments(self, home, words):
        wait = [] if words == ["accounts"] else ["--timeout", TIMEOUT]
        return [word.format(origin=home.provider.issuer) for word in words] + wait

    def still_signed_in(self, home, strict=True):
        """Without the fault, the session goes on, and nothing was used twice."""
        home.provider.break_at(None, None)
        result = home.run("refresh", "faulty", "--account", "ada", "--json", "--timeout", "20")
        if result.status != 0:
            return ["the session is lost: %s" % result]
        if home.provider.revoked:
            return ["a refresh token was used twice"]
        return []

    # MARK: Servers

    def servers(self):
        faults = SERVER_FAULTS
        commands = list(SENDING)
        if self.options.quick:
            names = ["hangs", "307", "429 in 7 s", "error that repeats the request", "token with a line break"]
            faults = [fault for fault in faults if fault[0] in names]
            commands = ["login", "refresh"]
        work = [(fault, command, as_json) for fault in faults for command in commands for as_json in (True, False)]
        if self.options.quick:
            work = [item for number, item in enumerate(work) if item[2] == (number // 2 % 2 == 0)]
        queue = collections.deque(work)

        def worker(number):
            home = self.home("server%d" % number)
            while True:
                try:
                    item = queue.popleft()
                except IndexError:
                    home.provider.close()
                    return
                self.server_case(home, *item)

        self.parallel(worker)

    def server_case(self, home, fault, command, as_json):
        name, fault, _ = fault
        # Statuses by which the server asks to wait.
        is_busy = name.startswith("429")
        ends_busy = is_busy and command in ("login", "refresh", "profile", "call", "token --client-credentials")
        statuses = {75} if ends_busy else {0, 1, 75} if is_busy else {0, 1}
        path, words = SENDING[command]
        home.restore()
        home.provider.break_at(path, fault)
        extra = ["--json"] if as_json else ["-v"]
        if words == ["login"]:
            account = [] if path == "/userinfo" else ["--account", "bob"]
            result = home.login(*extra, *account, "--timeout", "5")
        else:
            result = home.run(*self.arguments(home, words), *extra)
        home.provider.interrupt()
        prints = command == "call"
        if prints and result.status == 0 and not as_json:
            # A pipe gets the resource's body as it is.
            result.out = ""
        problems = validated(result, home.provider, statuses, as_json)
        if result.seconds > 30:
            problems.append("it took %.1f s" % result.seconds)
        if home.provider.trapped:
            problems.append("a redirect was followed")
        if command == "logout --revoke":
            if home.records():
                problems.append("the account is still there")
        else:
            if is_busy and command == "refresh":
                # The record has the time of the next refresh, and the refresh token that was sent is still there.
                sent = len(home.provider.uses)
                home.provider.break_at(None, None)
                again = home.run("refresh", "faulty", "--account", "ada", "--json", "--timeout", "20")
                if again.status != 75 or len(home.provider.uses) != sent:
                    problems.append("it did not wait: %s" % again)
                home.restore()
            problems += self.still_signed_in(home)
        self.report.case("server", "%s: %s%s" % (name, command, " --json" if as_json else ""), problems)

    # MARK: Metadata and registration

    def metadata(self):
        faults = SERVER_FAULTS[::20] if self.options.quick else SERVER_FAULTS
        queue = collections.deque((fault, command) for fault in faults for command in ("compare", "register"))

        def worker(number):
            folder = self.root / ("metadata%d" % number)
            folder.mkdir(mode=0o700)
            home = Home(self.options.carnet, folder, Provider(), METADATA)
            while True:
                try:
                    (name, fault, _), command = queue.popleft()
                except IndexError:
                    home.provider.close()
                    return
                if command == "compare":
                    home.provider.break_at("/.well-known/oauth-authorization-server", fault)
                    result = home.run("compare", "faulty", "--json")
                else:
                    home.provider.break_at("/register", fault)
                    target = folder / "registered.yaml"
                    target.unlink(missing_ok=True)
                    result = home.run(
                        "register", "faulty", "--output", str(target), "--json", "--timeout", TIMEOUT,
                        "--redirect-uri", "http://127.0.0.1/callback")
                home.provider.interrupt()
                problems = validated(result, home.provider, {0, 1, 75} if name.startswith("429") else {0, 1})
                if command == "register" and result.status == 1 and target.exists() and target.stat().st_size:
                    if "client_id" in target.read_text():
                        problems.append("a client was written that was not registered")
                self.report.case("metadata", "%s: %s" % (name, command), problems)

        self.parallel(worker)

    # MARK: Stores

    def stores(self):
        home = self.home("store")
        record = home.record
        key = home.folder / "store/key"
        good = home.snapshot[record]

        def change(data):
            return lambda: record.write_bytes(data)

        def replaced(make):
            def act():
                record.rename(home.folder / "moved")
                make()
            return act

        def mode(path, bits):
            return lambda: path.chmod(bits)

        store = home.folder / "store"
        faults = [
            ("record that others can read", mode(record, 0o644), {3}),
            ("record that others can write", mode(record, 0o666), {3}),
            ("record without rights for its owner", mode(record, 0o000), {0, 3}),
            ("record of another user", lambda: os.chown(record, 12345, 12345), {3}),
            ("record that is a link", replaced(lambda: record.symlink_to(home.folder / "moved")), {3}),
            ("record that is a folder", replaced(record.mkdir), {3}),
            ("record that is a pipe", replaced(lambda: os.mkfifo(record, 0o600)), {3}),
            ("empty record", change(b""), {3}),
            ("record of zeros", change(bytes(len(good))), {3}),
            ("record of 20 MB", change(good + bytes(20 << 20)), {3}),
            ("foreign record", change(b"#!/bin/sh\necho \x1b[31m\n"), {3}),
            ("record of another account", lambda: record.rename(store / ("0" * 64 + ".record")), {3}),
            ("5,000 foreign records", lambda: [(store / ("%064x.record" % n)).write_bytes(b"junk") for n in range(5000)], {0, 3}),
            ("store that others can use", mode(store, 0o755), {3}),
            ("store that is a file", lambda: (store.rename(home.folder / "was"), store.write_text("")), {3}),
            ("store that is gone", lambda: shutil.rmtree(store), {0, 1}),
            ("key that is gone", key.unlink, {0, 3}),
            ("empty key", lambda: key.write_bytes(b""), {0, 3}),
            ("short key", lambda: key.write_bytes(b"a" * 31), {0, 3}),
            ("another key", lambda: key.write_bytes(b"b" * 32), {0, 3}),
            ("key that others can read", mode(key, 0o644), {0, 3}),
            ("key that is a link", lambda: (key.rename(home.folder / "k"), key.symlink_to(home.folder / "k")), {0, 3}),
            ("key that is a folder", lambda: (key.unlink(), key.mkdir()), {0, 3}),
            ("lock that is a folder", lambda: ((store / "lock").unlink(missing_ok=True), (store / "lock").mkdir()), {0, 3}),
            ("lock that is a link", lambda: ((store / "lock").unlink(missing_ok=True), (store / "lock").symlink_to("/etc/passwd")), {0, 3}),
            ("left-over temporary files", lambda: [(store / (record.name + ".tmp")).write_bytes(b"x")], {0}),
        ]
        if os.geteuid() != 0:
            faults = [fault for fault in faults if "another user" not in fault[0]]
            self.report.skip("store", "a record of another user: needs root")
        if self.options.quick:
            faults = faults[::8]
        for name, act, statuses in faults:
            for command, words in self.storing():
                home.restore()
                (home.folder / "moved").unlink(missing_ok=True)
                (home.folder / "k").unlink(missing_ok=True)
                shutil.rmtree(home.folder / "was", ignore_errors=True)
                if store.is_file():
                    store.unlink()
                act()
                before = self.bytes_of(record)
                result = home.run(*self.arguments(home, words), "--json")
                prints = command in ("token --raw", "call") and result.status == 0
                problems = validated(result, home.provider, statuses, not prints, prints_token=prints)
                if result.status == 3 and '"next"' not in result.out and "lock" not in name and "store" not in name \
                        and "user" not in name and "another key" not in name:
                    problems.append("nothing says what repairs it\n" + str(result))
                if result.status not in (0,) and self.bytes_of(record) != before:
                    problems.append("the record was changed")
                if store.is_file():
                    store.unlink()
                self.report.case("store", "%s: %s" % (name, command), problems)
            # Before anyone is asked to sign in.
            home.restore()
            (home.folder / "moved").unlink(missing_ok=True)
            (home.folder / "k").unlink(missing_ok=True)
            shutil.rmtree(home.folder / "was", ignore_errors=True)
            act()
            result = home.login("--account", "ada", "--json", "--timeout", "20")
            problems = validated(result, home.provider, {0, 3})
            if result.status != 0 and "http://" in result.err:
                problems.append("the browser was opened for nothing\n" + str(result))
            if store.is_file():
                store.unlink()
            self.report.case("store", "%s: login" % name, problems)
        self.damage(home, good)
        self.full_disks(home)
        home.restore()
        home.provider.close()

    @staticmethod
    def bytes_of(path):
        try:
            return path.read_bytes() if path.is_file() else None
        except OSError:
            return None

    def damage(self, home, good):
        """Every byte of a record, one bit of each; and every length."""
        cases = [("byte %d" % n, good[:n] + bytes([good[n] ^ 1 << n % 8]) + good[n + 1:]) for n in range(len(good))]
        cases += [("cut to %d bytes" % n, good[:n]) for n in range(len(good))]
        if self.options.quick:
            cases = cases[:: len(cases) // 7]
        commands = list(STORING)
        for number, (name, data) in enumerate(cases):
            home.restore()
            home.record.write_bytes(data)
            command = commands[number % len(commands)]
            result = home.run(*self.arguments(home, STORING[command]), "--json")
            expected = {0, 3} if command == "accounts" else {3}
            # The header has the account's name: another name is another account's.
            problems = validated(result, home.provider, expected)
            if home.record.read_bytes() != data:
                problems.append("the damaged record was changed")
            if result.status == 3 and '"next"' not in result.out:
                problems.append("nothing says what repairs it\n" + str(result))
            self.report.case("damaged record", "%s: %s" % (name, command), problems)

    def full_disks(self, home):
        """A disk that is full after so many bytes, one that cannot be written, and a limit of the process."""
        store = home.folder / "store"

        def limited(size):
            return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        commands = {"refresh": ["refresh", "faulty"], "token": ["token", "faulty"], "profile": ["profile", "faulty"]}
        for size in ([0] if self.options.quick else [0, 1, 64, 500, 1000, 4096]):
            for command, words in commands.items():
                home.restore()
                result = home.run(*words, "--json", "--timeout", TIMEOUT, preexec_fn=limited(size))
                problems = validated(result, home.provider, {0, 3})
                problems += self.still_signed_in(home)
                self.report.case("full disk", "files of %d bytes at most: %s" % (size, command), problems)
        if self.options.quick:
            return
        if os.geteuid() != 0 or not shutil.which("mount"):
            return self.report.skip("full disk", "a small file system: needs root")
        for kind in ["full", "read-only"]:
            for command, words in [*commands.items(), ("login", None)]:
                home.restore()
                files = {path.name: path.read_bytes() for path in home.files()}
                if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64k,mode=700", "tmpfs", store],
                                  stderr=subprocess.DEVNULL).returncode != 0:
                    return self.report.skip("full disk", "a file system cannot be mounted here")
                try:
                    for name, data in files.items():
                        (store / name).write_bytes(data)
                        (store / name).chmod(0o600)
                    if kind == "full":
                        with open(store / "filler", "wb", buffering=0) as filler:
                            try:
                                while True:
                                    filler.write(bytes(512))
                            except OSError:
                                pass
                    else:
                        subprocess.run(["mount", "-o", "remount,ro", store], check=True)
                    if words:
                        result = home.run(*words, "--json", "--timeout", TIMEOUT)
                    else:
                        result = home.login("--account", "bob", "--json", "--timeout", "20")
                    problems = validated(result, home.provider, {0, 3})
                    if words is None and "http://" in result.err:
                        problems.append("the browser was opened for nothing\n" + str(result))
                    if kind == "full":
                        (store / "filler").unlink()
                    else:
                        subprocess.run(["mount", "-o", "remount,rw", store], check=True)
                    problems += self.still_signed_in(home)
                finally:
                    subprocess.run(["umount", "-l", store])
                self.report.case("full disk", "%s: %s" % (kind, command), problems)

    # MARK: Processes

    def kills(self):
        """kill -9 at random moments of a refresh, at a provider that forgives nothing."""
        for kind, descriptor in [("plain", DESCRIPTOR), ("with an ID token", OPENID)]:
            count = self.options.kills // 2
            key = SigningKey(1) if descriptor is OPENID else None
            queue = collections.deque(range(count))
            totals = collections.Counter()
            name = "kill %s %%d" % kind
            self.parallel(lambda number: self.kill_refreshes(self.home(name % number, descriptor, key), kind, queue, totals))
            self.report.note(
                "kill -9, %s: %d of %d sessions lost; the provider had got the request in %d, the command had reported in %d"
                % (kind, totals["lost"], count, totals["sent"], totals["reported"]))

    def kill_refreshes(self, home, kind, queue, totals):
        provider = home.provider
        begun = time.monotonic()
        for _ in range(3):
            home.run("refresh", "faulty")
        whole = (time.monotonic() - begun) / 3
        while True:
            try:
                number = queue.popleft()
            except IndexError:
                return provider.close()
            home.restore()
            process = home.start("refresh", "faulty", "--json")
            # Half of the moments are spread over the whole run, half begin when the provider has the request.
            if number % 2:
                self.wait_for_use(provider)
                time.sleep(self.random.uniform(0, 0.05))
            else:
                time.sleep(self.random.uniform(0, whole * 1.1))
            process.kill()
            out = process.communicate()[0]
            problems = []
            sent = bool(provider.uses)
            result = home.run("refresh", "faulty", "--json", "--timeout", "20")
            problems += validated(result, provider, {0, 1})
            if result.status != 0:
                if not provider.revoked:
                    problems.append("the session is lost, and no token was used twice: %s" % result)
                if out:
                    problems.append("the session is lost after the command said that it was refreshed")
            if list((home.folder / "store").glob("*.tmp")):
                problems.append("a temporary file is left")
            with self.report.lock:
                totals.update(sent=sent, reported=bool(out), lost=result.status != 0)
            self.report.case("kill -9", "%s, number %d" % (kind, number), problems)

    def kills_of_sign_ins(self):
        home = self.home("kill sign-in")
        for number in range(2 if self.options.quick else max(20, self.options.kills // 10)):
            home.restore()
            process = home.start("login", "faulty", "--no-browser", "--account", "bob", "--json")
            for line in process.stderr:
                if line.startswith(b"http"):
                    threading.Thread(target=open_page, args=[line.decode().strip()], daemon=True).start()
                    break
            time.sleep(self.random.uniform(0, 0.1))
            process.kill()
            out = process.communicate()[0]
            listed = home.run("accounts", "--json")
            problems = validated(listed, home.provider, {0})
            names = [account["account"] for account in json.loads(listed.out).get("accounts", [])]
            if "ada" not in names:
                problems.append("the other account is gone")
            if out and "bob" not in names:
                problems.append("the sign-in was reported and is not kept")
            self.report.case("kill -9", "sign-in, number %d" % number, problems)
        home.provider.close()

    def signals(self):
        """Asked to end, or stopped, after the refresh was sent."""
        home = self.home("signal")
        kinds = [(signal.SIGINT, {0, 130}), (signal.SIGTERM, {0, 143}), (signal.SIGHUP, {0, 129})]
        for number in range(1 if self.options.quick else 20):
            for kind, statuses in kinds:
                home.restore()
                home.provider.delay = 0.4
                begun = time.monotonic()
                process = home.start("refresh", "faulty", "--json")
                self.wait_for_use(home.provider)
                time.sleep(self.random.uniform(0, 0.3))
                process.send_signal(kind)
                result = finish(process, begun)
                home.provider.delay = 0
                problems = [] if result.status in statuses else ["status: %s" % result]
                problems += validated(result, home.provider, statuses) if result.out else []
                problems += self.still_signed_in(home)
                self.report.case("signal", "%s, number %d" % (kind.name, number), problems)
        for delay, pause in [(0.5, 1)] if self.options.quick else [(0.5, 1), (0.5, 4), (1.5, 4), (1.9, 6), (0.1, 8)]:
            for command in ["refresh"] if self.options.quick else ["refresh", "token --raw"]:
                home.restore()
                home.provider.delay = delay
                begun = time.monotonic()
                process = home.start("refresh", "faulty", "--json", "--timeout", TIMEOUT)
                self.wait_for_use(home.provider)
                process.send_signal(signal.SIGSTOP)
                if command == "token --raw":
                    other = home.run("refresh", "faulty", "--json", "--timeout", "1")
                    problems = validated(other, home.provider, {3})
                else:
                    problems = []
                time.sleep(pause)
                process.send_signal(signal.SIGCONT)
                result = finish(process, begun)
                home.provider.delay = 0
                problems += validated(result, home.provider, {0})
                problems += self.still_signed_in(home)
                self.report.case("signal", "stopped for %s s, %s beside it" % (pause, command), problems)
        home.provider.close()

    @staticmethod
    def wait_for_use(provider):
        end = time.monotonic() + 20
        while not provider.uses and time.monotonic() < end:
            time.sleep(0.005)

    def clocks(self):
        # The library alone changes the environment, in which Swift then does not find the arguments. A clock that is set
        # leaves the monotonic one as it was.
        if shutil.which("faketime") is None:
            return self.report.skip("clock", "faketime is not installed")
        home = self.home("clock")
        offsets = ["-10d"] if self.options.quick else [
            "-60y", "-10y", "-10d", "-25h", "-2h", "-90", "+90", "+2h", "+25h", "+10d", "+10y", "+60y"]
        for offset in offsets:
            for command, words in self.storing():
                home.restore()
                result = home.run(
                    *self.arguments(home, words), "--json", prefix=["faketime", "-f", offset],
                    environment={"DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"})
                prints = command in ("token --raw", "call")
                problems = validated(result, home.provider, {0}, not prints, prints_token=prints)
                if offset == "-10d" and command == "token --raw" and not home.provider.uses:
                    problems.append("a token that may have ended was given")
                problems += self.still_signed_in(home)
                self.report.case("clock", "%s: %s" % (offset, command), problems)
        home.provider.close()

    def surroundings(self):
        """No home, no terminal, a narrow one, channels that are closed."""
        home = self.home("surroundings")

        def closed(number):
            return lambda: os.close(number)

        full = open("/dev/full", "wb")
        cases = [
            ("no HOME", dict(without=["HOME"]), {0}),
            ("HOME that is not there", dict(environment={"HOME": "/nonexistent/home"}), {0, 3}),
            ("HOME that is a file", dict(environment={"HOME": "/etc/passwd"}), {0, 2, 3}),
            ("empty environment", dict(without=["HOME", "PATH", "LANG", "TERM"]), {0}),
            ("language that does not exist", dict(environment={"LANG": "xx_YY.KOI8-R", "LC_ALL": "tlh"}), {0}),
            ("no session and no terminal", dict(start_new_session=True), {0}),
            ("closed stdin", dict(preexec_fn=closed(0)), {0}),
            ("closed stdout", dict(preexec_fn=closed(1)), {0, 3}),
            ("closed stderr", dict(preexec_fn=closed(2)), {0, 3}),
            ("full stdout", dict(stdout=full), {3}),
            ("full stderr", dict(stderr=full), {0}),
            ("few files", dict(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (24, 24))), {0, 1, 3}),
        ]
        for name, options, statuses in cases[::4] if self.options.quick else cases:
            for command, words in self.storing():
                home.restore()
                result = home.run(*self.arguments(home, words), "--json", **options)
                prints = command in ("token --raw", "call")
                silent = "stdout" in name or prints and result.status == 0
                problems = validated(result, home.provider, statuses, not silent, prints_token=prints)
                problems += self.still_signed_in(home)
                self.report.case("surroundings", "%s: %s" % (name, command), problems)
        for columns in [20] if self.options.quick else [1, 2, 10, 20, 80, 1000]:
            for command, words in self.storing():
                home.restore()
                result = self.on_terminal(home, self.arguments(home, words), columns)
                prints = command in ("token --raw", "call")
                problems = validated(
                    result, home.provider, {0}, False, prints_token=prints, terminal=True) if not prints else []
                problems += self.still_signed_in(home)
                self.report.case("surroundings", "terminal of %d columns: %s" % (columns, command), problems)
        for arguments, statuses in [
            (["lint", "--format", EVIL.replace("\0", "")], {2}), (["--help"], {0}), (["show", "faulty", "--environment", "nope"], {2}),
            (["login", EVIL.replace("\0", "")], {2}), (["accounts", "--" + EVIL.replace("\0", "")], {2}),
            (["call", "faulty", "http://" + EVIL.replace("\0", "")], {1, 2}),
            (["token", "faulty", "--account", EVIL.replace("\0", "")], {2}),
        ]:
            home.restore()
            problems = validated(home.run(*arguments), home.provider, statuses, False)
            self.report.case("surroundings", "arguments: %s" % ascii(arguments), problems)
        home.restore()
        result = home.run("--help", stdout=full)
        self.report.case("surroundings", "help on a full stdout", validated(result, home.provider, {3}, False))
        result = home.run("lint", "-", preexec_fn=closed(0))
        problems = validated(result, home.provider, {2}, False)
        if "NSCocoa" in result.out + result.err:
            problems.append("an internal error is shown: %s" % result)
        self.report.case("surroundings", "lint of a closed stdin", problems)
        home.provider.close()

    def on_terminal(self, home, arguments, columns):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        begun = time.monotonic()
        process = home.start(*arguments, stdin=slave, stdout=slave, stderr=slave)
        os.close(slave)
        data = b""
        while time.monotonic() - begun < LIMIT:
            ready, _, _ = select.select([master], [], [], 0.1)
            if ready:
                try:
                    part = os.read(master, 65536)
                except OSError:
                    break
                if not part:
                    break
                data += part
        os.close(master)
        status = process.wait(timeout=LIMIT)
        return Result(status, data.decode("utf-8", "surrogateescape"), "", time.monotonic() - begun)

    # MARK: All of it

    def storing(self):
        commands = ["accounts", "token --raw", "refresh"] if self.options.quick else STORING
        return [(command, STORING[command]) for command in commands]

    def parallel(self, worker):
        count = 1 if self.options.quick else 4
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            for future in [pool.submit(worker, number) for number in range(count)]:
                future.result()

    GROUPS = ["servers", "metadata", "stores", "signals", "clocks", "surroundings", "kills", "kills_of_sign_ins"]

    def run(self):
        begun = time.monotonic()
        groups = self.options.only or self.GROUPS
        with concurrent.futures.ThreadPoolExecutor(4 if self.options.quick else 1) as pool:
            for future in [pool.submit(getattr(self, group)) for group in groups]:
                future.result()
        shutil.rmtree(self.root, ignore_errors=True)
        report = self.report
        failed = collections.Counter(group for group, _, _ in report.failures)
        print("\n%-16s %7s %7s" % ("group", "cases", "failed"))
        for group, count in report.cases.items():
            print("%-16s %7d %7d" % (group, count, failed[group]))
        print("%-16s %7d %7d   in %.0f s" % ("all", sum(report.cases.values()), len(report.failures), time.monotonic() - begun))
        for group, reason in report.skipped:
            print("skipped of %s: %s" % (group, reason))
        return 1 if report.failures else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--carnet", default=built("carnet"), help="the command (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help="a small part of each group, under 30 seconds")
    parser.add_argument("--only", action="append", choices=Faults.GROUPS, help="one group; repeatable")
    parser.add_argument("--kills", type=int, help="how often a refresh is killed (default: 1000, with --quick 4)")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    options.carnet = os.path.abspath(options.carnet)
    if options.kills is None:
        options.kills = 4 if options.quick else 1000
    sys.exit(Faults(options).run())


if __name__ == "__main__":
    main()
