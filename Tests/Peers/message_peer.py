"""Servers and a host of the Model Context Protocol that share no code with Carnet: the protocol's own Python SDK, and FastMCP.

    python3 Tests/Peers/message_peer.py serve sdk|fastmcp|sse|open-sse|time PORT
        a server at http://127.0.0.1:PORT/mcp that requires a sign-in. Everybody is signed in without being asked. `sse` is the
        SDK with the transport of revision 2024-11-05, at /sse; `open-sse` requires no sign-in. `time` is mcp-server-time, which
        speaks stdio only, behind FastMCP's proxy.

    python3 Tests/Peers/message_peer.py host legacy|auto COMMAND...
        a host: starts the command, uses its tools, and prints what came of it as one line of JSON. `legacy` begins with
        `initialize`, `auto` with `server/discover` (revision 2026-07-28).

    python3 Tests/Peers/message_peer.py time CARNET
        signs in at `serve time` with `CARNET mcp URL`, and uses its tools in both revisions. Prints what came of it as one
        line of JSON. The status is 1 if it is wrong.
"""

import asyncio
import datetime
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent


def sdk(provider, settings, port, transport="streamable-http", path="/mcp"):
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.mcpserver import Context, MCPServer

    protection = {} if provider is None else {"auth_server_provider": provider, "auth": AuthSettings(
        issuer_url=f"http://127.0.0.1:{port}", resource_server_url=f"http://127.0.0.1:{port}{path}",
        validate_token_resource=False, **settings)}
    server = MCPServer("peer", **protection)
    tools(server, Context)
    server.run(transport=transport, host="127.0.0.1", port=port)


def sse(provider, settings, port):
    sdk(provider, settings, port, "sse", "/sse")


def open_sse(provider, settings, port):
    sdk(None, settings, port, "sse", "/sse")


def fastmcp(provider, settings, port):
    from fastmcp import Context, FastMCP

    server = FastMCP("peer", auth=provider)
    tools(server, Context)
    server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)


def time(provider, settings, port):
    from fastmcp.client.transports import StdioTransport
    from fastmcp.server import create_proxy

    server = create_proxy(StdioTransport(sys.executable, ["-m", "mcp_server_time"]), name="time", auth=provider)
    server.run(transport="http", host="127.0.0.1", port=port, show_banner=False)


def tools(server, context):
    @server.tool()
    async def add(a: int, b: int) -> int:
        return a + b

    async def count(to: int, ctx) -> int:
        for number in range(to):
            await ctx.report_progress(number, to)
            await asyncio.sleep(0.05)
        return to
    count.__annotations__["ctx"] = context
    server.tool()(count)


def serve(kind, port):
    from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
    from mcp.server.auth.settings import ClientRegistrationOptions, RevocationOptions

    settings = {
        "client_registration_options": ClientRegistrationOptions(enabled=True, valid_scopes=["read", "write"]),
        "revocation_options": RevocationOptions(enabled=True),
        "required_scopes": ["read"],
    }
    provider = InMemoryOAuthProvider(base_url=f"http://127.0.0.1:{port}", **settings)
    kinds = {"sdk": sdk, "fastmcp": fastmcp, "sse": sse, "open-sse": open_sse, "time": time}
    kinds[kind](provider, settings, port)


async def host(mode, command):
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    parameters = StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ))
    progress = []

    async def take(done, total, message):
        progress.append(done)

    async with Client(parameters, mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        counted = await client.call_tool("count", {"to": 3}, progress_callback=take)
        sums = await asyncio.gather(*[client.call_tool("add", {"a": n, "b": 1}) for n in range(20)])
        unknown = await client.call_tool("nothing", {})
        print(json.dumps({
            "tools": names, "counted": counted.content[0].text, "progress": progress,
            "sums": [result.content[0].text for result in sums], "unknown": unknown.is_error,
            "revision": str(client.protocol_version)}), flush=True)


async def ask_time(carnet, url, environment, mode):
    """-> what the tools returned, and what is wrong with it."""
    from mcp import Client
    from mcp.client.stdio import StdioServerParameters

    began = datetime.datetime.now(datetime.timezone.utc).replace(microsecond=0)
    async with Client(StdioServerParameters(command=carnet, args=["mcp", url], env=environment), mode=mode) as client:
        names = sorted(tool.name for tool in (await client.list_tools()).tools)
        current = await client.call_tool("get_current_time", {"timezone": "Asia/Tokyo"})
        converted = await client.call_tool("convert_time", {
            "source_timezone": "Asia/Tokyo", "time": "21:30", "target_timezone": "Asia/Kolkata"})
        unknown = await client.call_tool("get_current_time", {"timezone": "Nowhere/Else"})
    came = {"mode": mode, "tools": names, "current": json.loads(current.content[0].text)["datetime"],
            "converted": json.loads(converted.content[0].text)["target"]["datetime"], "unknown": unknown.is_error}
    now = datetime.datetime.fromisoformat(came["current"])
    is_right = (names == ["convert_time", "get_current_time"] and came["unknown"]
                and began <= now <= datetime.datetime.now(datetime.timezone.utc)
                and now.utcoffset() == datetime.timedelta(hours=9)
                # Neither place changes its clocks in the year.
                and came["converted"].endswith("T18:00:00+05:30"))
    return came, is_right


def use_time(carnet):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}/mcp"
    server = subprocess.Popen(
        [sys.executable, __file__, "serve", "time", str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        if not any("Uvicorn running" in line for line in server.stderr):
            sys.exit("the server did not start")
        try:
            urllib.request.urlopen(urllib.request.Request(url, b"{}", {"Content-Type": "application/json"}))
            sys.exit("the server requires no sign-in")
        except urllib.error.HTTPError as error:
            if error.code != 401:
                raise
        with tempfile.TemporaryDirectory() as home:
            browser = pathlib.Path(home, "xdg-open")
            browser.write_text(f"#!{sys.executable} -I\nimport sys, urllib.request\n"
                               "urllib.request.urlopen(sys.argv[1], timeout=60).read()\n")
            browser.chmod(0o755)
            environment = {"HOME": home, "PATH": f"{home}:{os.environ['PATH']}", "LANG": "C.UTF-8"}
            results = [asyncio.run(ask_time(carnet, url, environment, mode)) for mode in ("legacy", "auto")]
    finally:
        server.terminate()
        server.wait()
    print(json.dumps([came for came, _ in results]))
    sys.exit(0 if all(is_right for _, is_right in results) else 1)


if __name__ == "__main__":
    # The packages are in an environment of their own.
    if os.environ.get("CARNET_MESSAGE_PEER") != "1":
        import environments
        python = environments.prepare("mcp") / "bin" / "python"
        os.environ["CARNET_MESSAGE_PEER"] = "1"
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    if sys.argv[1] == "serve":
        serve(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == "time":
        use_time(os.path.abspath(sys.argv[2]))
    else:
        asyncio.run(host(sys.argv[2], sys.argv[3:]))
