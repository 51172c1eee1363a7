"""Servers and a host of the Model Context Protocol that share no code with Carnet: the protocol's own Python SDK, and FastMCP.

    python3 Tests/Peers/message_peer.py serve sdk|fastmcp PORT
        a server at http://127.0.0.1:PORT/mcp that requires a sign-in. Everybody is signed in without being asked.

    python3 Tests/Peers/message_peer.py host legacy|auto COMMAND...
        a host: starts the command, uses its tools, and prints what came of it as one line of JSON. `legacy` begins with
        `initialize`, `auto` with `server/discover` (revision 2026-07-28).
"""

import asyncio
import json
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def sdk(provider, settings, port):
    from mcp.server.auth.settings import AuthSettings
    from mcp.server.mcpserver import Context, MCPServer

    server = MCPServer("peer", auth_server_provider=provider, auth=AuthSettings(
        issuer_url=f"http://127.0.0.1:{port}", resource_server_url=f"http://127.0.0.1:{port}/mcp",
        validate_token_resource=False, **settings))
    tools(server, Context)
    server.run(transport="streamable-http", host="127.0.0.1", port=port)


def fastmcp(provider, settings, port):
    from fastmcp import Context, FastMCP

    server = FastMCP("peer", auth=provider)
    tools(server, Context)
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
    {"sdk": sdk, "fastmcp": fastmcp}[kind](provider, settings, port)


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


if __name__ == "__main__":
    # The packages are in an environment of their own.
    if os.environ.get("CARNET_MESSAGE_PEER") != "1":
        import environments
        python = environments.prepare("mcp") / "bin" / "python"
        os.environ["CARNET_MESSAGE_PEER"] = "1"
        os.execv(python, [str(python), __file__, *sys.argv[1:]])
    if sys.argv[1] == "serve":
        serve(sys.argv[2], int(sys.argv[3]))
    else:
        asyncio.run(host(sys.argv[2], sys.argv[3:]))
