#!/usr/bin/env python3
"""Runs plans of the OpenID Foundation's conformance suite against the command `carnet` and the site of Tests/Conformance/Site.

    python3 Tests/Conformance/Suite/suite.py --suite https://localhost.emobix.co.uk:8443 --ca-file suite.pem basic config

Each module's output goes to --logs as MODULE.log: the Foundation asks for it as evidence. With --token, the suite can be
www.certification.openid.net. The exit status is 1 if a module ends in another result than PASSED, WARNING, REVIEW or SKIPPED.
See Docs/certification.md.
"""
import argparse, base64, html, http.cookiejar, json, os, pathlib, re, secrets, ssl, subprocess, sys, threading, time
import urllib.error, urllib.parse, urllib.request

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1] / "Support"))
from built import folder  # noqa: E402
plans = json.loads((here / "plans.json").read_text())
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("plans", nargs="+", choices=sorted(plans), metavar="PLAN", help=", ".join(sorted(plans)))
parser.add_argument("--suite", required=True, help="the suite's origin")
parser.add_argument("--token", default=os.environ.get("CONFORMANCE_TOKEN"), help="an API token of the suite; none for a local one")
parser.add_argument("--ca-file", help="the certificate authority of a local suite")
parser.add_argument("--site", default="https://localhost.emobix.co.uk:9443", help="the public origin of the site")
parser.add_argument("--site-port", type=int, default=8080, help="where the site listens, behind its TLS")
parser.add_argument("--build", default=str(folder()), help="the folder of the built programs")
parser.add_argument("--logs", default="conformance-logs", help="a folder for the client's logs")
options = parser.parse_args()

tls = ssl.create_default_context(cafile=options.ca_file)
alias, callback = "carnet", "http://127.0.0.1:8765/callback"
issuer = f"{options.suite}/test/a/{alias}/"
work = pathlib.Path(options.logs).resolve()
work.mkdir(parents=True, exist_ok=True)
client = {"client_id": "carnet", "client_secret": secrets.token_hex(32)}


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def opener(*handlers):
    return urllib.request.build_opener(urllib.request.HTTPSHandler(context=tls), *handlers)


def api(method, path, body=None, **parameters):
    """One call of the suite's API."""
    url = f"{options.suite}/api/{path}" + ("?" + urllib.parse.urlencode(parameters) if parameters else "")
    headers = {"Content-Type": "application/json"}
    if options.token:
        headers["Authorization"] = f"Bearer {options.token}"
    data = json.dumps(body).encode() if body is not None else (b"" if method == "POST" else None)
    with opener().open(urllib.request.Request(url, data, headers, method=method), timeout=60) as response:
        return json.loads(response.read() or b"null")


def wait(module, states, seconds=120):
    """Waits until the module is in one of the states."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        info = api("GET", f"info/{module}")
        if info["status"] in states:
            return info
        time.sleep(0.5)
    raise TimeoutError(f"the module is {info['status']} after {seconds} seconds")


def keys():
    """A signing key and a certificate of the client, made anew."""
    subprocess.run(
        ["openssl", "req", "-x509", "-nodes", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-days", "2",
         "-subj", "/CN=carnet", "-keyout", "client.key", "-out", "client.crt"],
        cwd=work, check=True, capture_output=True)
    point = subprocess.run(
        ["openssl", "pkey", "-in", "client.key", "-pubout", "-outform", "DER"], cwd=work, check=True,
        capture_output=True).stdout[-64:]
    text = lambda part: base64.urlsafe_b64encode(part).rstrip(b"=").decode()
    return {"kty": "EC", "crv": "P-256", "kid": "carnet", "use": "sig", "alg": "ES256", "x": text(point[:32]), "y": text(point[32:])}


def prepare(name, plan):
    """Writes the descriptor and the registration, and returns the suite's configuration."""
    jwk = keys()
    providers = work / name / "providers"
    providers.mkdir(parents=True, exist_ok=True)
    (providers / "op.yaml").write_text(
        f"carnet: 1\nid: op\nname: OP\nissuer: {issuer}\nscopes: {{ default: [openid, profile, email] }}\n"
        f"resources: [{{ id: accounts, title: Accounts, scope: openid, url: '{options.suite}/test/a/{alias}/accounts' }}]\n"
        + plan.get("lines", "") + "\n")
    lines = [f"client_id: {client['client_id']}", f"redirect_uri: {callback}"]
    variant = plan["variant"]
    method = variant.get("client_auth_type", "client_secret_basic")
    if method == "client_secret_basic":
        lines.append(f"client_secret: {client['client_secret']}")
    if method == "private_key_jwt":
        lines += ["client_key_file: ../client.key", "client_key_id: carnet"]
    if "mtls" in (method, variant.get("sender_constrain")):
        lines += ["client_certificate_file: ../client.crt", "client_certificate_key_file: ../client.key"]
    clients = work / name / "clients.yaml"
    clients.write_text("op:\n" + "".join(f"  {line}\n" for line in lines))
    clients.chmod(0o600)
    registered = dict(client, redirect_uri=callback, scope="openid profile email", jwks={"keys": [jwk]})
    registered["certificate"] = (work / "client.crt").read_text()
    if "site" in plan:
        registered.update(
            redirect_uri=f"{options.site}/sign-in/op/callback",
            post_logout_redirect_uri=f"{options.site}/signed-out",
            backchannel_logout_uri=f"{options.site}/sign-in/op/back-channel-logout",
            frontchannel_logout_uri=f"{options.site}/sign-in/op/front-channel-logout",
            initiate_login_uri=f"{options.site}/sign-in/op/initiate")
    return {"alias": alias, "description": f"Carnet, {name}", "client": registered, "waitTimeoutSeconds": 2}


def environment(name):
    host = urllib.parse.urlsplit(options.suite).hostname
    reach = ["--allow-local", host] + (["--ca-file", options.ca_file] if options.ca_file else [])
    base = {key: value for key, value in os.environ.items() if not key.startswith("CARNET_")}
    return dict(base, CARNET_STORE=str(work / name / "store")), reach


def browse(url, follow=12):
    """Follows redirects as a browser without cookies, posts the forms that a page posts by itself, and returns the last URL."""
    browser = opener(NoRedirects)
    for _ in range(follow):
        try:
            with browser.open(url, timeout=30) as response:
                page = response.read().decode(errors="replace")
        except urllib.error.HTTPError as error:
            if not error.headers.get("Location"):
                return url
            url = urllib.parse.urljoin(url, error.headers["Location"])
            continue
        form = re.search(r'<form[^>]*action="([^"]+)"', page)
        if not form:
            return url
        fields = re.findall(r'<input[^>]*name="([^"]+)"[^>]*value="([^"]*)"', page)
        data = urllib.parse.urlencode([(html.unescape(a), html.unescape(b)) for a, b in fields]).encode()
        try:
            browser.open(html.unescape(form[1]), data, timeout=30).close()
        except urllib.error.HTTPError:
            pass
        return html.unescape(form[1])
    return url


def command(name, log, exposed):
    """Signs in, reads the profile and calls the resource with the command."""
    env, reach = environment(name)
    files = ["--providers", str(work / name / "providers"), "--clients", str(work / name / "clients.yaml")]
    login = subprocess.Popen(
        [f"{options.build}/carnet", "login", "op", "--no-browser", "--verbose", *files, *reach], env=env, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    # After a callback that is not its own, such as one with another state, the command waits for the right one.
    limit = threading.Timer(60, login.terminate)
    limit.start()
    for line in login.stdout:
        log.write(line)
        if line.strip().startswith(f"{options.suite}/") and "?" in line:
            browse(line.strip())
    limit.cancel()
    if login.wait() == 0:
        for rest in (["profile", "op"], ["call", "op", "accounts"] if "accounts_endpoint" in exposed else None):
            if rest:
                done = subprocess.run(
                    [f"{options.build}/carnet", *rest, *files, *reach], env=env, text=True, capture_output=True)
                log.write(done.stdout + done.stderr)


def visit_site(name, log, kind, module):
    """Drives the site as a browser with cookies; the kind says how."""
    env = dict(
        os.environ, SITE_ORIGIN=options.site, SITE_PROVIDERS=str(work / name / "providers"), PORT=str(options.site_port),
        COOKIE_KEY=base64.b64encode(secrets.token_bytes(32)).decode(),
        CARNET_OP_CLIENT_ID=client["client_id"], CARNET_OP_CLIENT_SECRET=client["client_secret"])
    if options.ca_file:
        env["SSL_CERT_FILE"] = options.ca_file
    site = subprocess.Popen([f"{options.build}/ConformanceSite"], env=env, stdout=log, stderr=log)
    browser = opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def post(path, **fields):
        request = urllib.request.Request(options.site + path, urllib.parse.urlencode(fields).encode(), {"Origin": options.site})
        with browser.open(request, timeout=30) as response:
            page = response.read().decode(errors="replace")
            log.write(f"POST {path} leads to {response.url}\n")
        for frame in re.findall(r'<iframe[^>]*src="([^"]+)"', page):
            browser.open(html.unescape(frame), timeout=30).close()

    try:
        for _ in range(100):
            try:
                browser.open(options.site + "/", timeout=5).close()
                break
            except OSError:
                time.sleep(0.2)
        if kind == "visit":
            for url in api("GET", f"runner/browser/{module}")["urls"]:
                api("POST", f"runner/browser/{module}/visit", url=url)
                browser.open(url, timeout=30).close()
        else:
            post("/sign-in/op", return_to="/")
            post("/sign-out", extent="everywhere", return_to="/")
    except urllib.error.HTTPError as error:
        log.write(f"the site or the suite returns {error.code}\n")
    finally:
        site.terminate()
        site.wait()


accepted = {"PASSED", "WARNING", "REVIEW", "SKIPPED"}
failed = []
for name in options.plans:
    plan = plans[name]
    created = api("POST", "plan", prepare(name, plan), planName=plan["plan"], variant=json.dumps(plan["variant"]))
    print(f"{name}: {options.suite}/plan-detail.html?plan={created['id']}")
    for entry in created["modules"]:
        module = api("POST", "runner", test=entry["testModule"], plan=created["id"], variant=json.dumps(entry.get("variant") or {}))["id"]
        wait(module, {"CONFIGURED", "WAITING", "FINISHED", "INTERRUPTED"})
        exposed = api("GET", f"runner/{module}").get("exposed", {})
        with open(work / name / f"{entry['testModule']}.log", "w", buffering=1) as log:
            try:
                visit_site(name, log, plan["site"], module) if "site" in plan else command(name, log, exposed)
                result = wait(module, {"FINISHED", "INTERRUPTED"}).get("result", "INTERRUPTED")
            except (TimeoutError, OSError) as error:
                result = f"no result: {error}"
            log.write(f"{result}\n")
        print(f"  {entry['testModule']}: {result}")
        if result not in accepted:
            failed.append(f"{name} {entry['testModule']}")
print("\n".join(["failed:", *failed]) if failed else "all modules passed")
sys.exit(1 if failed else 0)
