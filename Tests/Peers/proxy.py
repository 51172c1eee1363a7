"""A real proxy on loopback that sends everything on to another proxy: a fixture for tests written in any language.

    python3 Tests/Peers/proxy.py PROXY PORT [--user NAME:PASSWORD] [--refuse HOST] [--trust FILE]

PROXY is squid or tinyproxy, both from Debian, or mitmproxy, whose Python environment is made; PORT is the port of the other
proxy on 127.0.0.1. Prints one line of JSON when it listens: port, and authority, the file with the authority with which
mitmproxy signs its certificates, else null. With --user it wants basic authentication; with --refuse it lets nobody reach
that host (squid and tinyproxy); with --trust mitmproxy trusts another authority. The end of standard input, a termination
signal or ten minutes end it.
"""

import argparse
import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time

import environments
from peer import LIFETIME, SECONDS_TO_START, end_with_parent, free_port, say, stop


def squid(folder, port, options):
    parent = f"cache_peer 127.0.0.1 parent {options.port} 0 no-query no-digest no-netdb-exchange default"
    lines = [f"http_port 127.0.0.1:{port}", parent, "never_direct allow all", "cache deny all", "access_log none",
             f"cache_log {folder / 'cache.log'}", "pid_filename none", f"coredump_dir {folder}", "pinger_enable off", "shutdown_lifetime 0 seconds",
             "visible_hostname proxy.example"]
    if options.refuse:
        lines += [f"acl refused dstdomain {options.refuse}", "http_access deny refused"]
    if options.user:
        name, _, password = options.user.partition(":")
        made = subprocess.run(["openssl", "passwd", "-apr1", "-stdin"], input=password, text=True, check=True,
                              capture_output=True)
        (folder / "users").write_text(f"{name}:{made.stdout}")
        lines += [f"auth_param basic program /usr/lib/squid/basic_ncsa_auth {folder / 'users'}",
                  "auth_param basic children 1 startup=1 idle=1", "acl known proxy_auth REQUIRED",
                  "http_access allow known"]
    else:
        lines += ["http_access allow all"]
    configuration = folder / "squid.conf"
    configuration.write_text("\n".join([*lines, "http_access deny all", ""]))
    return ["/usr/sbin/squid", "-N", "-f", configuration], None


def tinyproxy(folder, port, options):
    lines = [f"Port {port}", "Listen 127.0.0.1", f"Upstream http 127.0.0.1:{options.port}", "Timeout 60",
             "MaxClients 50"]
    if options.user:
        lines.append("BasicAuth " + options.user.replace(":", " "))
    if options.refuse:
        (folder / "refused").write_text(f"^{options.refuse.replace('.', chr(92) + '.')}$\n")
        lines.append(f'Filter "{folder / "refused"}"')
    configuration = folder / "tinyproxy.conf"
    configuration.write_text("\n".join([*lines, ""]))
    return ["tinyproxy", "-d", "-c", configuration], None


def mitmproxy(folder, port, options):
    command = [environments.prepare("mitmproxy") / "bin" / "mitmdump", "--quiet", "--set", f"confdir={folder}",
               "--mode", f"upstream:http://127.0.0.1:{options.port}", "--listen-host", "127.0.0.1",
               "--listen-port", str(port)]
    if options.user:
        command += ["--proxyauth", options.user]
    if options.trust:
        command += ["--set", f"ssl_verify_upstream_trusted_ca={options.trust}"]
    return command, folder / "mitmproxy-ca-cert.pem"


PROXIES = {"squid": squid, "tinyproxy": tinyproxy, "mitmproxy": mitmproxy}


def wait_for(port, process):
    deadline = time.monotonic() + SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"the proxy ended with status {process.returncode}")
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
            return
        time.sleep(0.02)
    raise RuntimeError(f"the proxy did not listen within {SECONDS_TO_START} s")


def serve(options):
    with tempfile.TemporaryDirectory(prefix="carnet-proxy-") as folder:
        folder = pathlib.Path(folder)
        # A superuser's squid goes on as another user.
        folder.chmod(0o777)
        port = free_port()
        command, authority = PROXIES[options.proxy](folder, port, options)
        log = folder / "log"
        with open(log, "wb") as output:
            process = subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                                       start_new_session=True, preexec_fn=end_with_parent)
        try:
            wait_for(port, process)
            say(port=port, authority=authority and str(authority))
            sys.stdin.read()
        except RuntimeError as error:
            raise RuntimeError(f"{error}\n{log.read_text(errors='replace')[-2000:]}") from error
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("proxy", choices=PROXIES)
    parser.add_argument("port", type=int, help="the port of the proxy that everything is sent on to")
    parser.add_argument("--user", metavar="NAME:PASSWORD")
    parser.add_argument("--refuse", metavar="HOST")
    parser.add_argument("--trust", metavar="FILE")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, stop)
    signal.alarm(LIFETIME)
    try:
        serve(options)
    except (environments.Failure, OSError, RuntimeError, subprocess.CalledProcessError) as failure:
        sys.exit(f"proxy.py: {failure}")


if __name__ == "__main__":
    main()
