#!/usr/bin/env python3
"""The client that https://github.com/modelcontextprotocol/conformance tests: `carnet`, with a host and a browser around it.

    npx @modelcontextprotocol/conformance@0.2.0-alpha.11 client --suite auth \\
      --command "python3 Tests/Conformance/Suite/resources.py"

The suite appends the URL of its server, and names the scenario in MCP_CONFORMANCE_SCENARIO. The host sends `initialize`, or the
messages of the revision in MCP_CONFORMANCE_PROTOCOL_VERSION, then lists the tools and calls the first. The browser follows
redirects: the suite's users agree to everything. CARNET is the path of the command, by default the built one.
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Support"))
from built import built  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[3]
CARNET = os.environ.get("CARNET") or built("carnet")
SCENARIO = os.environ.get("MCP_CONFORMANCE_SCENARIO", "").removeprefix("auth/")
CONTEXT = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
REVISION = os.environ.get("MCP_CONFORMANCE_PROTOCOL_VERSION", "2025-11-25")
# The suite's own, which needs no response: its server knows what would be in it.
DOCUMENT = "https://conformance-test.local/client-metadata.json"
BROWSER = """#!/bin/sh
exec python3 - "$1" <<'END'
import sys, urllib.request
urllib.request.build_opener(urllib.request.ProxyHandler({})).open(sys.argv[1], timeout=20).read()
END
"""
SECONDS = 25


def home(folder, url):
    """The environment of a user with this client, whose browser agrees."""
    programs = folder / "bin"
    programs.mkdir()
    (programs / "xdg-open").write_text(BROWSER)
    (programs / "xdg-open").chmod(0o755)
    configuration = folder / ".config/carnet/providers"
    configuration.mkdir(parents=True)
    descriptor = f"carnet: 1\nid: suite\nname: Suite\nresource: {url}\n"
    if SCENARIO.startswith("dpop"):
        descriptor += "client: { dpop_bound_access_tokens: true }\n"
    (configuration / "suite.yaml").write_text(descriptor)
    environment = {"HOME": str(folder), "PATH": f"{programs}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
    if "client_id" in CONTEXT:
        environment["CARNET_SUITE_CLIENT_ID"] = CONTEXT["client_id"]
    if "client_secret" in CONTEXT:
        environment["CARNET_SUITE_CLIENT_SECRET"] = CONTEXT["client_secret"]
    if "private_key_pem" in CONTEXT:
        environment["CARNET_SUITE_CLIENT_KEY"] = CONTEXT["private_key_pem"]
    return environment


def run(environment, *arguments, **more):
    return subprocess.run([CARNET, *arguments], env={**environment, **more}, timeout=SECONDS, text=True,
                          stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)


def without_user(environment, url):
    """A token of a grant without a user. -> Whether the scenario is one of these."""
    if SCENARIO.startswith("client-credentials"):
        done = run(environment, "call", "suite", url, "--client-credentials", "--resource", url)
    elif SCENARIO == "wif-jwt-bearer":
        done = run(environment, "call", "suite", url, "--jwt-bearer", "--assertion-env", "ASSERTION", "--resource", url,
                   ASSERTION=CONTEXT["valid_jwt"])
    elif SCENARIO == "enterprise-managed-authorization":
        # The command exchanges tokens of an account only: this scenario is for hosts that use the library.
        sys.exit("not a scenario of the command; see ResourceScenarioTests")
    else:
        return False
    print(done.stdout)
    return True


def messages():
    if REVISION >= "2026":
        meta = {"io.modelcontextprotocol/protocolVersion": REVISION, "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/clientInfo": {"name": "carnet", "version": "1"}}
    else:
        meta = None
        yield {"method": "initialize", "id": 0, "params": {
            "protocolVersion": REVISION, "capabilities": {}, "clientInfo": {"name": "carnet", "version": "1"}}}
        yield {"method": "notifications/initialized"}
    extra = {"_meta": meta} if meta else {}
    tools = yield {"method": "tools/list", "id": 1, "params": extra}
    names = [tool["name"] for tool in (tools or {}).get("result", {}).get("tools", [])]
    yield {"method": "tools/call", "id": 2, "params": {"name": names[0] if names else "test", "arguments": {}, **extra}}


def host(environment, url):
    name = "suite" if len(CONTEXT) or SCENARIO.startswith("dpop") else url
    process = subprocess.Popen([CARNET, "mcp", name, "--client-id-document", DOCUMENT], env=environment, text=True,
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=1)
    failed = False
    plan = messages()
    message, response = next(plan), None
    while True:
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        if "id" in message:
            while "id" not in (response := json.loads(process.stdout.readline() or '{"id": null, "error": "ended"}')):
                pass
            print(json.dumps(response))
            failed |= "error" in response
        try:
            message = plan.send(response)
        except StopIteration:
            break
    process.stdin.close()
    return process.wait(SECONDS) != 0 or failed


def main():
    url = sys.argv[-1]
    with tempfile.TemporaryDirectory(prefix="carnet-suite-") as folder:
        environment = home(pathlib.Path(folder), url)
        if not without_user(environment, url) and host(environment, url):
            sys.exit(1)


if __name__ == "__main__":
    main()
