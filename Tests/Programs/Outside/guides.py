"""Follows the guides from empty folders, as packages that depend on this one: `python3 Tests/Programs/Outside/guides.py [GUIDE...]`.

Each block after "Save as `PATH`" becomes that file, to the letter; only the URL of this package becomes its folder. The
packages are built in this package's build folder, whose modules they share, and then used as the guide says.
"""

import contextlib
import http.cookiejar
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("CARNET_BUILD", ROOT / ".build"))
SECONDS_TO_START = 60


def files(page):
    """The files that a guide says to save, by path."""
    found = {}
    text = (ROOT / "Docs/guides" / f"{page}.md").read_text()
    for match in re.finditer(r"((?:[^\n]+\n)+)\n```\w+\n(.*?)^```$", text, re.DOTALL | re.MULTILINE):
        paragraph, block = match.groups()
        named = re.findall(r"[Ss]ave\s(?:[\w ]+\s)?as\s+`([^`]+)`", paragraph)
        if named:
            found[named[-1]] = block
    return found


def write(page, folder):
    saved = files(page)
    blocks = (ROOT / "Docs/guides" / f"{page}.md").read_text().count("\n```swift\n")
    assert blocks == sum(path.endswith(".swift") for path in saved), f"{page} has Swift that is not saved to a file"
    assert "Package.swift" in saved, f"{page} has no Package.swift"
    for path, block in saved.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if path == "Package.swift":
            block, count = re.subn(r'\.package\(url: "https://github.com/OWNER/carnet", from: "[^"]+"\)',
                                   f'.package(name: "carnet", path: "{ROOT}")', block)
            assert count == 1, f"{page}: the manifest does not depend on this package"
        file.write_text(block)
    if "clients.yaml" in saved:
        (folder / "clients.yaml").chmod(0o600)
    if (ROOT / "Package.resolved").exists():
        shutil.copy(ROOT / "Package.resolved", folder)


def swift(folder, *arguments, check=True, **variables):
    options = [] if arguments[0] == "package" else os.environ.get("CARNET_BUILD_OPTIONS", "").split()
    command = ["swift", arguments[0], "--scratch-path", str(BUILD), *options, *arguments[1:]]
    environment = dict(os.environ, **variables)
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment)
    if check and done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed in {folder}:\n{done.stdout[-6000:]}")
    return done


def program(name):
    return str(BUILD / "debug" / name)


@contextlib.contextmanager
def running(folder, command, until, **variables):
    """A program that runs until the block ends; `until` is what its first lines say when it is ready."""
    environment = dict(os.environ, **variables)
    process = subprocess.Popen(command, cwd=folder, env=environment, text=True, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        if until:
            seen = []
            while not re.search(until, "".join(seen)):
                line = process.stdout.readline()
                assert line, f"{command[0]} ended: {''.join(seen)}"
                seen.append(line)
        yield process
    finally:
        process.terminate()
        process.wait(20)
        process.stdout.close()


class Browser:
    """Follows redirects and keeps cookies, and posts the first form of a page."""

    def __init__(self):
        jar = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(strict_ns_domain=0))
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar),
                                                  urllib.request.ProxyHandler({}))

    def request(self, url, form=None, origin=None):
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        request = urllib.request.Request(url, data, {"Accept": "text/html"})
        if origin:
            request.add_header("Origin", origin)
        with self.opener.open(request, timeout=60) as response:
            return response.geturl(), response.read().decode()


def wait_for(url):
    end = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            return Browser().request(url)
        except (urllib.error.URLError, ConnectionError):
            assert time.monotonic() < end, f"nothing answers at {url}"
            time.sleep(0.2)


def signs_in(site, providers, elsewhere=None):
    """Signs in at each provider of the site, whose page for members then greets the person, at another address as well."""
    wait_for(site)
    if elsewhere:
        wait_for(elsewhere)
    for provider in providers:
        browser = Browser()
        url, page = browser.request(f"{site}/members")
        assert f'action="/sign-in/{provider}"' in page, f"{url} offers no {provider}: {page[:500]}"
        url, page = browser.request(f"{site}/sign-in/{provider}", {"return_to": "/members"}, origin=site)
        assert page.startswith("Hello, "), f"{provider} led to {url}: {page[:500]}"
        print(f"  {provider}: {page}")
        if elsewhere:
            url, page = browser.request(f"{elsewhere}/members")
            assert page.startswith("Hello, "), f"the other process led to {url}: {page[:500]}"
            print(f"  the other process: {page}")


def background_worker(folder):
    swift(folder, "build")
    secrets = {"REPORTS_CLIENT_ID": "worker", "REPORTS_CLIENT_SECRET": "carnet-sandbox-secret"}
    sandbox = [program("carnet"), "sandbox", "reports", "--providers", "sandbox", "--port", "9000", "--client-id",
               "worker", "--client-secret-env", "REPORTS_CLIENT_SECRET", "--redirect-uri", "http://127.0.0.1/callback"]
    with running(folder, sandbox, "9000", **secrets):
        worker = running(folder, ["stdbuf", "-oL", program("worker")], r"200: \d+ bytes", PROVIDERS="sandbox",
                         REPORTS_API="http://127.0.0.1:9000", **secrets)
        with worker:
            print("  the worker called the API")


def command_line_tool(folder):
    swift(folder, "build")
    done = subprocess.run([program("mytool"), "logout"], cwd=folder, text=True, capture_output=True,
                          env=dict(os.environ, HOME=str(folder), GOOGLE_CLIENT_ID="id"))
    assert (done.returncode, done.stdout) == (0, "Signed out.\n"), done


def embed_descriptors(folder):
    source = folder / "Sources/hello/main.swift"
    first = swift(folder, "build").stdout
    assert "Checking 1 provider descriptors" in first, first
    # SwiftPM links the tool once more in the second build, and then runs it; nothing is compiled again.
    second, third = swift(folder, "build").stdout, swift(folder, "build").stdout
    assert "Compiling hello" not in second and "Emitting module hello" not in second, second
    assert "Checking" not in third, third
    print("  a build without a change compiles nothing, and lints nothing")
    program_text = source.read_text()
    for wrong in [".acme(region: .us)", '.acme(tenant: "contoso", region: .asia)', '.acme(tennant: "contoso")']:
        source.write_text(re.sub(r"inputs: \.acme\(.*\)\n", f"inputs: {wrong}\n", program_text))
        done = swift(folder, "build", check=False)
        assert done.returncode != 0 and "error:" in done.stdout, f"{wrong} compiles"
    source.write_text(program_text)
    print("  the compiler rejects missing, unknown and misspelled inputs")
    team = folder / "Sources/hello/providers/team.yaml"
    team.write_text("carnet: 1\nid: team\nname: Team\nextends: google\n")
    assert "Checking 2 provider descriptors" in swift(folder, "build").stdout
    team.unlink()
    assert "Checking 1 provider descriptors" in swift(folder, "build").stdout
    print("  a new file is noticed, and may extend a built-in one; a deleted one is noticed, too")
    descriptor = folder / "Sources/hello/providers/acme.yaml"
    descriptor.write_text(descriptor.read_text().replace("issuer:", "isuer:"))
    for command in [("build",), ("package", "lint-providers"), ("package", "lint-providers", "hello")]:
        done = swift(folder, *command, check=False)
        place = r"Sources/hello/providers/acme\.yaml:11:1: error: unknown key \"isuer\""
        assert done.returncode != 0 and re.search(place, done.stdout), done.stdout
        assert 'help: did you mean "issuer"?' in done.stdout, done.stdout
    descriptor.write_text(descriptor.read_text().replace("isuer:", "issuer:"))
    swift(folder, "package", "lint-providers")
    print("  a mistake in a descriptor fails the build, and swift package lint-providers, at its line")


def testing(folder):
    done = swift(folder, "test", "--disable-xctest")
    print("  " + done.stdout.strip().splitlines()[-1])


def site(folder, providers, sandbox, processes=1, **variables):
    swift(folder, "build")
    (folder / "data").mkdir(exist_ok=True)
    (folder / "providers").mkdir(exist_ok=True)
    secrets = {f"{provider.upper()}_{key}": value for provider in providers
               for key, value in [("CLIENT_ID", "development"), ("CLIENT_SECRET", "carnet-sandbox-secret")]}
    keys = {name: "A" * 43 + "=" for name in ["STORE_KEYS", "COOKIE_KEYS"]}
    command = [program("carnet"), "sandbox", *providers, "--providers", "sandbox", "--port", "9000", *sandbox]
    with running(folder, command, "9000", **secrets):
        with contextlib.ExitStack() as sites:
            ports = [8080 + number for number in range(processes)]
            for port in ports:
                sites.enter_context(running(folder, [program("site")], None, PROVIDERS="sandbox", PORT=str(port), **secrets,
                                            **keys, **variables))
            addresses = [f"http://127.0.0.1:{port}" for port in ports]
            signs_in(addresses[0], providers, *addresses[1:])


def hummingbird(folder):
    site(folder, ["google", "github"], ["--clients", "clients.yaml"])


def any_server(folder):
    site(folder, ["google"], ["--client-id", "development", "--client-secret-env", "GOOGLE_CLIENT_SECRET",
                              "--redirect-uri", "http://127.0.0.1:8080/sign-in/google/callback"])


def change(file, page, number):
    """Applies one of a page's blocks of changes: lines to remove, each time followed by the lines that replace them."""
    block = re.findall(r"^```diff\n(.*?)^```$", (ROOT / "Docs/guides" / f"{page}.md").read_text(), re.DOTALL | re.MULTILINE)
    text = file.read_text()
    for old, new in re.findall(r"((?:^-.*\n)+)((?:^\+.*\n)+)", block[number], re.MULTILINE):
        old, new = (re.sub(r"^[-+]", "", lines, flags=re.MULTILINE) for lines in (old, new))
        assert text.count(old) == 1, f"{page}: {file.name} does not have these lines once: {old}"
        text = text.replace(old, new)
    file.write_text(text)


@contextlib.contextmanager
def postgresql():
    """The connection string of a new database, on a server that ends with the block."""
    programs = sorted(pathlib.Path("/usr/lib/postgresql").glob("*/bin"))[-1]
    as_server = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] if os.geteuid() == 0 else []
    with tempfile.TemporaryDirectory(prefix="carnet-pg-", dir="/tmp") as folder:
        if as_server:
            shutil.chown(folder, "postgres")

        def run(*command):
            subprocess.run([*as_server, programs / command[0], "-D", f"{folder}/data", *command[1:]], check=True,
                           cwd=folder, stdout=subprocess.DEVNULL)
        run("initdb", "-A", "trust", "-U", "carnet", "-E", "UTF8", "--no-locale", "--no-sync")
        run("pg_ctl", "-l", f"{folder}/log", "-o", f"-k {folder} -c listen_addresses=''", "-w", "start")
        try:
            yield f"host={folder} user=carnet dbname=postgres"
        finally:
            run("pg_ctl", "-m", "fast", "-w", "stop")


def two_processes(folder):
    write("hummingbird", folder)
    change(folder / "Package.swift", "fleet", 0)
    change(folder / "Sources/site/main.swift", "fleet", 1)
    with postgresql() as database:
        site(folder, ["google", "github"], ["--clients", "clients.yaml"], processes=2, DATABASE_URL=database)


GUIDES = {"background-worker": background_worker, "command-line-tool": command_line_tool,
          "embed-descriptors": embed_descriptors, "testing": testing, "hummingbird": hummingbird,
          "two-processes": two_processes, "any-server": any_server}


def main(names):
    for name in names or GUIDES:
        started = time.monotonic()
        with tempfile.TemporaryDirectory(prefix=f"carnet-{name}-") as folder:
            if (ROOT / "Docs/guides" / f"{name}.md").exists():
                write(name, pathlib.Path(folder))
            GUIDES[name](pathlib.Path(folder))
        print(f"{name}: followed in {time.monotonic() - started:.0f} s", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
