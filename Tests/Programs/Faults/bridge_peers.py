#!/usr/bin/env python3
"""Clients of other implementations, in the place of `carnet mcp`: `python3 bridge_peers.py sdk|fastmcp URL FOLDER`.

Like the bridge, a process reads messages from stdin and writes a response to each. It calls the tools of the server through
the client of the protocol's Python SDK (`sdk`) or of FastMCP (`fastmcp`), which stores the account in the folder. Both are
configured as their documentation says (Docs/comparison.md). If a call fails, the next one connects again, as a host would.
"""

import asyncio
import contextlib
import http.server
import json
import os
import pathlib
import sys
import threading
import urllib.parse
import webbrowser


class FileStorage:
    """The four methods of the SDK's `TokenStorage`, with a file for each record that is replaced as a whole."""

    def __init__(self, folder):
        self.folder = folder

    def load(self, name, model):
        file = self.folder / name
        return model.model_validate_json(file.read_text()) if file.exists() else None

    def save(self, name, record):
        new = self.folder / f"{name}.{os.getpid()}"
        new.write_text(record.model_dump_json(exclude_none=True))
        new.replace(self.folder / name)

    async def get_tokens(self):
        from mcp.shared.auth import OAuthToken
        return self.load("tokens.json", OAuthToken)

    async def set_tokens(self, tokens):
        self.save("tokens.json", tokens)

    async def get_client_info(self):
        from mcp.shared.auth import OAuthClientInformationFull
        return self.load("client.json", OAuthClientInformationFull)

    async def set_client_info(self, client_info):
        self.save("client.json", client_info)


class Callback(http.server.ThreadingHTTPServer):
    """The redirect URI of a process that uses the SDK, which leaves the two handlers to its host."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), CallbackHandler)
        self.loop, self.parameters = asyncio.get_running_loop(), asyncio.Queue()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/callback"

    async def open(self, url):
        while not self.parameters.empty():
            self.parameters.get_nowait()
        webbrowser.open(url)

    async def wait(self):
        from mcp.client.auth import AuthorizationCodeResult
        values = await self.parameters.get()
        return AuthorizationCodeResult(code=values["code"], state=values["state"], iss=values.get("iss"))


class CallbackHandler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *arguments):
        pass

    def do_GET(self):
        values = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(self.path).query))
        self.server.loop.call_soon_threadsafe(self.server.parameters.put_nowait, values)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()


def sdk(url, folder):
    import httpx2
    from mcp import Client
    from mcp.client.auth import OAuthClientProvider
    from mcp.client.streamable_http import streamable_http_client
    from mcp.shared.auth import OAuthClientMetadata

    callback = Callback()

    @contextlib.asynccontextmanager
    async def connect():
        provider = OAuthClientProvider(
            server_url=url, storage=FileStorage(folder),
            client_metadata=OAuthClientMetadata(client_name="bridges", redirect_uris=[callback.url]),
            redirect_handler=callback.open, callback_handler=callback.wait)
        async with httpx2.AsyncClient(auth=provider, follow_redirects=True) as network:
            async with Client(streamable_http_client(url, http_client=network)) as client:
                yield client
    return connect


def fastmcp(url, folder):
    from cryptography.fernet import Fernet
    from fastmcp import Client
    from fastmcp.client.auth import OAuth
    from key_value.aio.stores.filetree import (
        FileTreeStore, FileTreeV1CollectionSanitizationStrategy, FileTreeV1KeySanitizationStrategy)
    from key_value.aio.wrappers.encryption import FernetEncryptionWrapper

    def connect():
        files = FileTreeStore(
            data_directory=folder, key_sanitization_strategy=FileTreeV1KeySanitizationStrategy(folder),
            collection_sanitization_strategy=FileTreeV1CollectionSanitizationStrategy(folder))
        storage = FernetEncryptionWrapper(key_value=files, fernet=Fernet(os.environ["OAUTH_STORAGE_ENCRYPTION_KEY"]))
        return Client(url, auth=OAuth(token_storage=storage))
    return connect


async def main(kind, url, folder):
    folder.mkdir(parents=True, exist_ok=True)
    connect = {"sdk": sdk, "fastmcp": fastmcp}[kind](url, folder)
    reader = asyncio.StreamReader()
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    stack, client = contextlib.AsyncExitStack(), None
    while line := await reader.readline():
        message = json.loads(line)
        response = {"jsonrpc": "2.0", "id": message["id"]}
        try:
            if client is None:
                client = await stack.enter_async_context(connect())
            if message["method"] == "tools/call":
                await client.call_tool(message["params"]["name"], {})
            response["result"] = {}
        except Exception as error:
            response["error"] = {"code": -32603, "message": f"{type(error).__name__}: {error}"}
            client, old, stack = None, stack, contextlib.AsyncExitStack()
            with contextlib.suppress(Exception):
                await old.aclose()
        print(json.dumps(response), flush=True)
    await stack.aclose()


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3])))
