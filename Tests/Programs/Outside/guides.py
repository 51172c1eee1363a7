"""Follows the guides from empty folders, as packages that depend on this one: `python3 Tests/Programs/Outside/guides.py [GUIDE...]`.

Each block after "Save as `PATH`" becomes that file, to the letter; only the address of this package becomes its folder. The
packages are built in this package's build folder, whose modules they share, and then used as the guide says.
`--write-address` writes the address below into every page.
"""

import contextlib
import http.client
import http.cookiejar
import json
import os
import pathlib
import re
import resource
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import folder  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
BUILD = pathlib.Path(os.environ.get("CARNET_BUILD", ROOT / ".build"))
# How a host depends on Carnet. A release replaces it, and then runs this program with --write-address.
ADDRESS = '.package(path: "../carnet")'
ANY_ADDRESS = re.compile(r'\.package\((?:path: "[./]+/carnet"|url: "https://[^"]+/carnet", from: "[^"]+")\)')
BINARIES = folder("debug", "--scratch-path", str(BUILD))
SECONDS_TO_START = 60


def page_of(guide):
    return ROOT / "README.md" if guide == "README" else ROOT / "Docs/guides" / f"{guide}.md"


def files(guide):
    """The files that a guide says to save, by path."""
    found = {}
    for match in re.finditer(r"((?:[^\n]+\n)+)\n```\w+\n(.*?)^```$", page_of(guide).read_text(), re.DOTALL | re.MULTILINE):
        paragraph, block = match.groups()
        named = re.findall(r"[Ss]ave\s(?:[\w ]+\s)?as\s+`([^`]+)`", paragraph)
        if named:
            found[named[-1]] = block
    return found


def write(guide, folder):
    """Writes a guide's files into a folder, which has those of the guide before it if this one has no manifest."""
    saved = files(guide)
    lines = [file.read_text() for file in (ROOT / "Tests/Programs/Snippets").glob("*Lines/main.swift")]
    text = page_of(guide).read_text()
    # The lines that a page begins with are compiled there.
    blocks = text.count("\n```swift\n") - sum(f"\n```swift\n{block}```\n" in text for block in lines)
    assert blocks == sum(path.endswith(".swift") for path in saved), f"{guide} has Swift that is not saved to a file"
    assert "Package.swift" in saved or (folder / "Package.swift").exists(), f"{guide} has no Package.swift"
    for path, block in saved.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        if path == "Package.swift":
            assert block.count(ADDRESS) == 1, f"{guide}: the manifest does not depend on this package"
            block = block.replace(ADDRESS, f'.package(name: "carnet", path: "{ROOT}")')
        file.write_text(block)
    if "clients.yaml" in saved:
        (folder / "clients.yaml").chmod(0o600)
    if (ROOT / "Package.resolved").exists():
        shutil.copy(ROOT / "Package.resolved", folder)


def swift(folder, *arguments, check=True, **variables):
    options = os.environ.get("CARNET_BUILD_OPTIONS", "").split()
    command = ["swift", arguments[0], "--scratch-path", str(BUILD), *options, *arguments[1:]]
    # The compiler gets the traits of a package in the order of a Set, which otherwise differs from process to process. With
    # another order of arguments, SwiftPM compiles every module of the package again.
    environment = dict(os.environ, SWIFT_DETERMINISTIC_HASHING="1", **variables)
    done = subprocess.run(command, cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          env=environment)
    if check and done.returncode != 0:
        raise SystemExit(f"{' '.join(command)} failed in {folder}:\n{done.stdout[-6000:]}")
    modules = set(re.findall(r"Compiling (Carnet\w+)", done.stdout))
    if modules:
        print(f"  compiled {len(modules)} modules of Carnet")
    return done


def program(name):
    return str(BINARIES / name)


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
    """Follows redirects and keeps cookies. `port` is where the host app.example is, with the certificate of `authority`."""

    def __init__(self, port=None, authority=None):
        jar = http.cookiejar.CookieJar(http.cookiejar.DefaultCookiePolicy(strict_ns_domain=0))
        self.port = port
        self.authorities = ssl.create_default_context(cafile=authority) if authority else None
        browser = self

        class Hosts(urllib.request.HTTPSHandler):
            def https_open(self, request):
                return self.do_open(browser.connection, request)

        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar), Hosts(),
                                                  urllib.request.ProxyHandler({}))

    def connection(self, host, timeout):
        connection = http.client.HTTPSConnection(host, timeout=timeout, context=self.authorities)
        connection._create_connection = lambda address, *rest: socket.create_connection(
            ("127.0.0.1", self.port) if address[0] == "app.example" else address, *rest)
        return connection

    def request(self, url, form=None, origin=None, headers={}):
        data = urllib.parse.urlencode(form).encode() if form is not None else None
        request = urllib.request.Request(url, data, {"Accept": "text/html", **headers})
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


def browser_path(folder):
    """A search path on which a program that follows redirects is the system's browser."""
    opener = folder / "bin/xdg-open"
    opener.parent.mkdir()
    opener.write_text('#!/bin/sh\nexec curl --silent --location --output /dev/null "$1"\n')
    opener.chmod(0o755)
    return f"{opener.parent}:{os.environ['PATH']}"


def hello(folder):
    """Signs in as the README says: first in the same process, then over the network, with a program as the browser."""
    swift(folder, "build")
    done = subprocess.run([program("hello")], cwd=folder, text=True, capture_output=True)
    assert (done.returncode, done.stdout) == (0, "Hello, Ada Example\n"), done
    print("  " + done.stdout.strip())
    change(folder / "Sources/hello/main.swift", "README", 0)
    descriptor = folder / "providers/acme.yaml"
    descriptor.write_text(descriptor.read_text().replace("https://id.acme.example", "http://127.0.0.1:9000/acme"))
    browser = browser_path(folder)
    swift(folder, "build")
    sandbox = [program("carnet"), "sandbox", "acme", "--providers", "providers", "--port", "9000", "--client-id", "hello",
               "--redirect-uri", "http://127.0.0.1/callback"]
    with running(folder, sandbox, "9000"):
        done = subprocess.run([program("hello")], cwd=folder, text=True, capture_output=True, timeout=60,
                              env=dict(os.environ, PATH=browser))
    assert (done.returncode, done.stdout) == (0, "Hello, Ada Example\n"), done
    print("  the same over the network, with two other lines")


def client_credentials(folder):
    swift(folder, "build")
    secrets = {"CARNET_REPORTS_CLIENT_ID": "worker", "CARNET_REPORTS_CLIENT_SECRET": "carnet-sandbox-secret"}
    sandbox = [program("carnet"), "sandbox", "reports", "--providers", "sandbox", "--port", "9000"]
    with running(folder, sandbox, "9000", **secrets):
        worker = running(folder, ["stdbuf", "-oL", program("jobs")], r"200: \d+ bytes", PROVIDERS="sandbox",
                         REPORTS_API="http://127.0.0.1:9000", **secrets)
        with worker:
            print("  the worker called the API")


def command_line_tool(folder):
    swift(folder, "build")

    def tool(*arguments, **variables):
        done = subprocess.run([program("mytool"), *arguments], cwd=folder, text=True, capture_output=True, timeout=60,
                              env=dict(os.environ, HOME=str(folder), **variables))
        return done.returncode, done.stdout
    assert tool()[0] == 2, "the tool runs without a client id"
    client = {"CARNET_GOOGLE_CLIENT_ID": "carnet-sandbox"}
    assert tool("logout", **client) == (0, "Signed out.\n")
    change(folder / "Package.swift", "command-line-tool", 0)
    change(folder / "Sources/mytool/main.swift", "command-line-tool", 1)
    swift(folder, "build")
    with running(folder, [program("carnet"), "sandbox", "google", "--port", "9000"], "9000"):
        greeting = (0, "Hello, Ada Example <ada@example.com>\n")
        assert tool(**client, PATH=browser_path(folder)) == greeting
        # Without a browser: the tokens are in the store.
        assert tool(**client) == greeting
        assert tool("logout", **client) == (0, "Signed out.\n")
    print("  signed in, used the stored tokens, and signed out")


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
    wrong = ["region: .us", 'tenant: "contoso", region: .asia', 'tennant: "contoso"']
    calls = [f'_ = ClientRegistration(clientID: "", redirectURI: "", inputs: .acme({inputs}))\n' for inputs in wrong]
    source.write_text(program_text + "".join(calls))
    done = swift(folder, "build", check=False)
    for line in range(program_text.count("\n") + 1, program_text.count("\n") + 1 + len(calls)):
        assert re.search(rf"main\.swift:{line}:\d+: error:", done.stdout), f"line {line} compiles: {done.stdout[-3000:]}"
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
    done = swift(folder, "build", check=False)
    place = r"Sources/hello/providers/acme\.yaml:11:1: error: unknown key \"isuer\""
    assert done.returncode != 0 and re.search(place, done.stdout), done.stdout
    assert 'help: did you mean "issuer"?' in done.stdout, done.stdout
    descriptor.write_text(descriptor.read_text().replace("isuer:", "issuer:"))
    print("  a mistake in a descriptor fails the build at its line")


def testing(folder):
    done = swift(folder, "test", "--disable-xctest")
    result = done.stdout.strip().splitlines()[-1]
    assert re.search(r"Test run with [1-9]\d* tests? .*passed", result), result
    print("  " + result)


SECRET = "carnet-sandbox-secret"
KEY = "A" * 43 + "="


@contextlib.contextmanager
def sandbox(folder, providers, *options):
    """A sandbox for these providers, and the variables of a site that uses it."""
    secrets = {f"CARNET_{provider.upper()}_{key}": value for provider in providers
               for key, value in [("CLIENT_ID", "development"), ("CLIENT_SECRET", SECRET)]}
    keys = {name: KEY for name in ["STORE_KEYS", "COOKIE_KEYS", "CONNECTION_KEYS"]}
    command = [program("carnet"), "sandbox", *providers, "--providers", "sandbox", "--port", "9000", *options]
    with running(folder, command, "9000", **secrets):
        yield dict(secrets, **keys, PROVIDERS="sandbox")


def site(folder, providers, *options):
    """Builds a site, and signs in at it."""
    swift(folder, "build")
    for name in ["data", "providers"]:
        (folder / name).mkdir(exist_ok=True)
    with sandbox(folder, providers, *options) as variables:
        with running(folder, [program("site")], None, **variables):
            signs_in("http://127.0.0.1:8080", providers)


def any_server(folder):
    site(folder, ["google"], "--redirect-uri", "http://127.0.0.1:8080/sign-in/google/callback")


def hummingbird(folder):
    """Follows the guide, and then those that change its package: all of them together, in one further build."""
    site(folder, ["google", "github"], "--clients", "clients.yaml")
    deployed = files("deploy")
    has_libraries(program("site"), deployed["Dockerfile"])

    write("connect-accounts", folder)
    change(folder / "Sources/site/main.swift", "connect-accounts", 0)
    change(folder / "Sources/site/main.swift", "connect-accounts", 1)
    # Then the store of its sign-ins is on PostgreSQL; that of the connections stays in a file.
    manifest = folder / "Package.swift"
    product = '.product(name: "CarnetSQLite", package: "carnet"),\n'
    change(manifest, "fleet", 0)
    manifest.write_text(manifest.read_text().replace(
        product.replace("SQLite", "PostgreSQL"), product.replace("SQLite", "PostgreSQL") + " " * 16 + product))
    change(folder / "Sources/site/main.swift", "fleet", 1)
    main = folder / "Sources/site/main.swift"
    main.write_text("import CarnetSQLite\n" + main.read_text())
    swift(folder, "build")
    worker = folder / "worker"
    worker.mkdir()
    write("background", worker)
    # As long as the package of the build before is there, unchanged, SwiftPM takes its plan for that of this package.
    swift(worker, "build", "--disable-build-manifest-caching")
    with (folder / "clients.yaml").open("a") as clients:
        clients.write((folder / "connections.yaml").read_text())
    providers = ["google", "github", "gitlab", "dropbox"]
    with postgresql() as database:
        with contextlib.ExitStack() as sites:
            with sandbox(folder, providers, "--clients", "clients.yaml") as variables:
                variables["DATABASE_URL"] = database
                for port in ["8080", "8081"]:
                    sites.enter_context(running(folder, [program("site")], None, **variables, PORT=port))
                signs_in("http://127.0.0.1:8080", ["google", "github"], "http://127.0.0.1:8081")
                user = connects("http://127.0.0.1:8080")
                reports(folder, variables, "2 accounts; done: 2,")
            with sandbox(folder, providers, "--clients", "clients.yaml"):
                # This sandbox knows no token of the one before, like a provider where the users removed the access.
                reports(folder, variables, "2 accounts; done: 0, later: 0, needs the user: 2,")
                reports(folder, variables, "0 accounts;")
                page = user.request("http://127.0.0.1:8080/connections")[1]
                assert "GitLab (sandbox): Ada Example needs attention" in page, page
                page = user.request("http://127.0.0.1:8080/connections/gitlab", {}, origin="http://127.0.0.1:8080")[1]
                assert "GitLab (sandbox): connected as Ada Example" in page and "Show my issues" not in page, page
                reports(folder, variables, "1 account; done: 1,")
                print("  an account that ended needs attention, and works again with the same scopes after that")
        is_deployed(folder, deployed, dict(variables, DATABASE_URL=database))


def connects(site):
    """Connects accounts as two users, and returns the first one's browser."""
    first, second = Browser(), Browser()
    for browser, provider in [(first, "google"), (second, "github")]:
        browser.request(f"{site}/sign-in/{provider}", {"return_to": "/connections"}, origin=site)

    def page(browser, path="", form=None, origin=site):
        url, text = browser.request(f"{site}/connections{path}", form, origin=origin)
        assert url == f"{site}/connections" or path.endswith("/disconnect"), (url, text)
        return text

    assert page(first).count("not connected") == 2, page(first)
    assert "GitLab (sandbox): connected as Ada Example" in page(first, "/gitlab", {}), page(first)
    assert "Dropbox (sandbox): connected as Ada Example" in page(first, "/dropbox", {}), page(first)
    assert page(second).count("not connected") == 2, "another user sees the connection"
    try:
        page(second, "/gitlab", {}, origin="http://127.0.0.1:9999")
        raise AssertionError("a form of another site connects an account")
    except urllib.error.HTTPError as error:
        assert error.code == 403
    issues = f"{site}/issues"
    assert first.request(issues)[1].startswith("Connect GitLab"), "the resource opens without its scope"
    assert "Show my issues" in page(first)
    assert "Show my issues" not in page(first, "/gitlab?feature=issues", {}), page(first)
    assert not first.request(issues)[1].startswith("Connect GitLab")
    page(second, "/gitlab", {})
    assert "Disconnected." in page(second, "/gitlab/disconnect", {})
    assert page(second).count("not connected") == 2
    assert page(first).count("connected as") == 2, "a user disconnected another user's account"
    page(second, "/gitlab", {})
    page(second, "/gitlab?feature=issues", {})
    # A callback of the second user's attempt is of no use in the first user's browser.
    _, text = first.request(f"{site}/connections/gitlab/callback?code=forged&state=forged")
    assert "began in another browser" in text, text
    print("  connected accounts, granted a further scope, called the API, and disconnected an account")
    return first


def reports(folder, variables, expected):
    done = subprocess.run([program("worker")], cwd=folder, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          timeout=120, env=dict(os.environ, **variables, ONCE="1"))
    assert done.returncode == 0 and expected in done.stdout, done.stdout
    print("  " + done.stdout.strip().splitlines()[-1])


# What every Debian has. `products.py` measures the same.
BASE_LIBRARIES = re.compile(r"^(ld-linux|linux-vdso|lib(c|m|gcc_s|stdc\+\+|pthread|dl|util|rt)\.|lib(swift|dispatch|Blocks|_?Foundation))")


def has_libraries(binary, dockerfile):
    """The second stage of the Dockerfile installs the packages of all libraries that the program loads."""
    run = dockerfile.split("\nFROM ")[-1]
    installed = re.search(r"apt-get install --yes --no-install-recommends ([^&]+?)\s*\\?\n", run)[1].split()
    shown = subprocess.run(["readelf", "-d", binary], text=True, check=True, stdout=subprocess.PIPE).stdout
    needed = [name for name in re.findall(r"\(NEEDED\).*\[(.+?)\]", shown) if not BASE_LIBRARIES.match(name)]
    assert needed, shown
    # The transport loads libcurl at the first request.
    needed.append("libcurl.so.4")
    for name in needed:
        owners = subprocess.run(["dpkg", "-S", name], text=True, check=True, stdout=subprocess.PIPE).stdout
        packages = {line.split(":")[0] for line in owners.splitlines()}
        assert packages & set(installed), f"{name} is in {packages}, and the image has {installed}"
    print(f"  the image has the packages of {', '.join(needed)}")


def unit_variables(unit):
    return dict(word.split("=", 1) for line in re.findall(r"^Environment=(.*)$", unit, re.MULTILINE) for word in line.split())


def manifest_variables(manifest):
    code = "import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))"
    sys.path.insert(0, str(ROOT / "Tests/Peers"))
    import environments
    python = environments.prepare("yaml") / "bin/python"
    read = subprocess.run([python, "-c", code], input=manifest, text=True, check=True, stdout=subprocess.PIPE).stdout
    objects = {item["kind"]: item for item in json.loads(read)}
    pod = objects["Deployment"]["spec"]["template"]
    assert objects["Deployment"]["spec"]["selector"]["matchLabels"] == pod["metadata"]["labels"]
    assert objects["Service"]["spec"]["selector"] == pod["metadata"]["labels"]
    container = pod["spec"]["containers"][0]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert objects["Service"]["spec"]["ports"][0]["targetPort"] in ports
    probes = [container[kind]["httpGet"] for kind in ["readinessProbe", "livenessProbe"]]
    assert all(probe["port"] in ports for probe in probes)
    mounts, volumes = container["volumeMounts"], pod["spec"]["volumes"]
    assert {mount["name"] for mount in mounts} == {volume["name"] for volume in volumes}
    variables = {variable["name"]: variable["value"] for variable in container["env"]}
    assert all(value.startswith(mounts[0]["mountPath"]) for name, value in variables.items() if name.endswith("_FILE"))
    return variables, [probe["path"] for probe in probes]


def is_deployed(folder, deployed, settings):
    """Runs the site with the variables of the unit and of the manifest, and signs in through both proxies."""
    names = {"YOUR-GOOGLE-CLIENT-ID": "development", "YOUR-GITHUB-CLIENT-ID": "development"}
    secrets = {"store-keys": KEY, "cookie-keys": KEY, "google-secret": SECRET, "github-secret": SECRET,
               "database": settings["DATABASE_URL"]}
    credentials = folder / "credentials"
    credentials.mkdir()
    for name, value in secrets.items():
        (credentials / name).write_text(value + "\n")

    def real(variables, **places):
        for name, value in variables.items():
            for place, instead in {**names, **places}.items():
                value = value.replace(place, instead)
            yield name, value

    unit = deployed["site.service"]
    listed = set(re.findall(r"^LoadCredential=(\S+):", unit, re.MULTILINE))
    named = set(re.findall(r"%d/([\w-]+)", unit))
    assert listed == named and named <= set(secrets), (listed, named)
    verified = folder / "site.service"
    verified.write_text(unit.replace("/usr/local/bin/site", program("site")))
    run("systemd-analyze", "verify", "--man=no", verified)
    run("systemd-analyze", "security", "--offline=true", "--threshold=25", verified)
    of_unit = dict(real(unit_variables(unit), **{"%d": str(credentials), "%S/site": str(folder / "data")}))
    of_manifest, probes = manifest_variables(deployed["site.yaml"])
    of_manifest = dict(real(of_manifest, **{"/run/secrets/site": str(credentials)}))
    assert of_unit["SITE_ORIGIN"] == of_manifest["SITE_ORIGIN"] == "https://app.example"

    text = (folder / "clients.yaml").read_text().replace("http://127.0.0.1:8080", "https://app.example")
    (folder / "clients.yaml").write_text(text)
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    run("openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2", "-subj",
        "/CN=app.example", "-addext", "subjectAltName=DNS:app.example", "-keyout", key, "-out", certificate)
    others = {"PROVIDERS": "sandbox", "DATA": str(folder / "data"), "CONNECTION_KEYS": KEY, "DATABASE_URL_FILE": str(credentials / "database")}
    for name in ["GITLAB", "DROPBOX"]:
        others |= {f"CARNET_{name}_CLIENT_ID": "development", f"CARNET_{name}_CLIENT_SECRET": SECRET}
    with contextlib.ExitStack() as programs:
        programs.enter_context(sandbox(folder, ["google", "github"], "--clients", "clients.yaml"))
        for variables, port in [(of_unit, "8080"), (of_manifest, "8081")]:
            variables = {**variables, **others, "HOST": "127.0.0.1", "PORT": port}
            programs.enter_context(running(folder, [program("site")], None, **variables))
            wait_for(f"http://127.0.0.1:{port}")
            for path in probes:
                Browser().request(f"http://127.0.0.1:{port}{path}", headers={"Host": f"10.0.0.17:{port}"})
        authority = programs.enter_context(caddy(folder, deployed["Caddyfile"]))
        with certificate.open("a") as both:
            both.write(authority)
        programs.enter_context(nginx(folder, deployed["app.example.conf"], certificate, key))
        browser = Browser(port=8443, authority=certificate)
        for provider in ["google", "github"]:
            _, page = browser.request(f"https://app.example/sign-in/{provider}", {"return_to": "/members"},
                                      origin="https://app.example")
            assert page.startswith("Hello, Ada"), page
        large = "; ".join(f"other{number}={'x' * 3800}" for number in range(3))
        for port in [8443, 8444]:
            browser.port = port
            _, page = browser.request("https://app.example/members")
            # The second process is behind the other proxy. It knows the session, and keeps users of its own in memory.
            assert page.startswith("Hello, Ada" if port == 8443 else "Hello, "), page
            Browser(port, certificate).request("https://app.example/", headers={"Cookie": large})
    # What the guide says of nginx's defaults is why its file has three more lines.
    defaults = re.sub(r"\n *(large_client|proxy_buffer).*", "", deployed["app.example.conf"])
    with nginx(folder, defaults, certificate, key):
        try:
            Browser(8443, certificate).request("https://app.example/", headers={"Cookie": large})
            raise AssertionError("nginx accepts large cookies by default")
        except urllib.error.HTTPError as error:
            assert error.code == 400, error
    print("  signed in through nginx and Caddy, with the variables of the unit and of the manifest")


def run(*command):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))} failed:\n{done.stdout}")
    return done.stdout


@contextlib.contextmanager
def nginx(folder, text, certificate, key):
    """nginx with the guide's file; only its ports and the place of the certificate differ."""
    text = re.sub(r"ssl_certificate\s.*;", f"ssl_certificate {certificate};", text)
    text = re.sub(r"ssl_certificate_key\s.*;", f"ssl_certificate_key {key};", text)
    text = text.replace("listen 443 ", "listen 127.0.0.1:8443 ").replace("listen 80;", "listen 127.0.0.1:8082;")
    # All of one run's files are in its folder, which must be one that its workers can enter.
    place = pathlib.Path(tempfile.mkdtemp(prefix="nginx-"))
    user = "user root;" if os.geteuid() == 0 else ""
    paths = "".join(f"{name}_temp_path {place}/{name};" for name in ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"])
    main = place / "nginx.conf"
    main.write_text(f"{user} daemon off; pid {place}/pid; error_log {place}/error.log;\nevents {{}}\n"
                    f"http {{ access_log off; {paths}\n{text}}}\n")
    command = ["nginx", "-e", str(place / "error.log"), "-p", str(place), "-c", str(main)]
    try:
        assert "syntax is ok" in run(*command, "-t")
        with running(folder, command, None):
            wait_for_port(8443)
            yield
    finally:
        shutil.rmtree(place)


@contextlib.contextmanager
def caddy(folder, text):
    """Caddy with the guide's file, another port and an authority of its own, whose certificate is the result."""
    file = folder / "Caddyfile"
    file.write_text("{\n admin off\n http_port 8083\n https_port 8444\n local_certs\n skip_install_trust\n}\n"
                    + text.replace("127.0.0.1:8080", "127.0.0.1:8081"))
    places = {name: str(folder / "caddy") for name in ["XDG_DATA_HOME", "XDG_CONFIG_HOME"]}
    with running(folder, ["caddy", "run", "--config", str(file), "--adapter", "caddyfile"], None, **places):
        wait_for_port(8444)
        root = folder / "caddy/caddy/pki/authorities/local/root.crt"
        end = time.monotonic() + SECONDS_TO_START
        while not root.exists():
            assert time.monotonic() < end, "Caddy has made no certificate"
            time.sleep(0.1)
        yield root.read_text()


def wait_for_port(port):
    end = time.monotonic() + SECONDS_TO_START
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), 5).close()
        except OSError:
            assert time.monotonic() < end, f"nothing listens at port {port}"
            time.sleep(0.1)


def change(file, page, number):
    """Applies one of a page's blocks of changes: each time lines to remove or to find, followed by lines to add, and lines to find."""
    block = re.findall(r"^```diff\n(.*?)^```$", page_of(page).read_text(), re.DOTALL | re.MULTILINE)
    text = file.read_text()
    for hunk in re.findall(r"(?:^[- ].*\n)*(?:^\+.*\n)+(?:^ .*\n)*", block[number], re.MULTILINE):
        old, new = ("".join(line[1:] for line in hunk.splitlines(True) if line[0] != mark) for mark in "+-")
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


GUIDES = {"README": hello, "client-credentials": client_credentials, "command-line-tool": command_line_tool,
          "embed-descriptors": embed_descriptors, "testing": testing, "hummingbird": hummingbird, "any-server": any_server}
# Guides whose files are used with those of the Hummingbird guide.
ADDITIONS = {"connect-accounts": hummingbird, "background": hummingbird, "deploy": hummingbird}


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main(names):
    if names == ["--write-address"]:
        for page in [ROOT / "README.md", *(ROOT / "Docs").rglob("*.md")]:
            page.write_text(ANY_ADDRESS.sub(ADDRESS, page.read_text()))
        return
    for name in names or GUIDES:
        started, used = time.monotonic(), processor_time()
        with tempfile.TemporaryDirectory(prefix=f"carnet-{name}-") as folder:
            write(name, pathlib.Path(folder))
            GUIDES[name](pathlib.Path(folder))
        print(f"{name}: followed in {time.monotonic() - started:.0f} s, {processor_time() - used:.0f} s of processor time",
              flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
