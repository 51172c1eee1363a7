#!/usr/bin/env python3
"""Writes Docs/gateway/forwards.md from what measure.py measured: which path is decided and reaches the program."""

import json
import os

import rig
data = json.load(open(os.path.join(rig.HERE, "../../../../.build/measured.json")))
columns = [("nginx 1.22", "nginx 1.22 (Debian 12)"), ("nginx 1.31", "nginx 1.31 (PyPI)"), ("Caddy 2.6", "caddy 2.6 (Debian 12)"), ("Caddy 2.11", "caddy 2.11 (PyPI)"),
           ("Traefik 3.7", "traefik 3.7 (PyPI)"), ("HAProxy 2.6", "haproxy 2.6 (Debian 12)"), ("Apache 2.4", "apache 2.4 (Debian 12)")]


def cell(entry, sent):
    if not entry["decision"] and not entry["program"]:
        return f"refused ({entry['status']})" if entry["status"] > 0 else "closed"
    if not entry["program"]:
        # A request without the decision's headers went to the gateway's own pages.
        pages = not any(n.lower() == "x-forwarded-uri" for n, _ in entry["decision"][0]["headers"])
        return "gateway's page" if pages else f"decided, not sent ({entry['status']})"
    decided = [v for n, v in entry["decision"][0]["headers"] if n.lower() == "x-forwarded-uri"][0]
    got = " ".join(entry["program"][0]["line"].split(" ")[1:-1])
    assert decided == got, (decided, got)
    return "same" if got == sent else "rewritten"


def shown(text):
    text = "".join(c if 32 <= ord(c) < 127 else f"\\x{ord(c):02x}" for c in text)
    return "`` " + text.replace("|", "\\|") + " ``" if text else "(empty)"


def merged(cells):
    """One cell for each proxy: what all measured versions do, or each version's own."""
    proxies = {}
    for (column, _), cell in zip(columns, cells):
        name, version = column.split(" ")
        proxies.setdefault(name, []).append((version, cell))
    return [all_versions[0][1] if len({cell for _, cell in all_versions}) == 1
            else "; ".join(f"{version}: {cell}" for version, cell in all_versions) for all_versions in proxies.values()]


def table(first, rows):
    """A row for the names with the same results, then a line for each result that all proxies have."""
    common, different = {}, {}
    for name, cells in rows:
        if len(set(cells)) == 1:
            common.setdefault(cells[0], []).append(name)
        else:
            different.setdefault(tuple(merged(cells)), []).append(name)
    proxies = {}
    for column, _ in columns:
        proxies.setdefault(column.split(" ")[0], []).append(column.split(" ")[1])
    return [f"| {first} | " + " | ".join(f"{name} {', '.join(versions)}" for name, versions in proxies.items()) + " |",
            "|" + "---|" * (len(proxies) + 1),
            *(f"| {'; '.join(names)} | " + " | ".join(cells) + " |" for cells, names in different.items()), "",
            *(f"- All {result}: {', '.join(names)}" for result, names in common.items())]


requests = data[columns[0][1]]["example"]["requests"]
targets, others = [], []
for key in requests:
    entries = [data[n]["example"]["requests"][key] for _, n in columns]
    if key.startswith("target "):
        targets.append((shown(key[7:]), [cell(e, key[7:]).replace("|", "\\|") for e in entries]))
    elif key.startswith(("host ", "method ", "body", "websocket", "upgrade", "expect", "header of", "200 ", "HTTP/", "header with", "header folded")):
        others.append((key, [(f"{e['status']}" if e["status"] > 0 else "closed")
                             + (", program" if e["program"] else ", decided only" if e["decision"] else "") for e in entries]))

lines = ["# What each proxy forwards", "",
         "For operators who check that the gateway decides about the same request that the program receives. Measured with the configurations of",
         "[nginx](nginx.md), [Caddy](caddy.md), [Traefik](traefik.md), [HAProxy](haproxy.md) and [Apache](apache.md), by",
         "`Tests/Peers/Gateway/proxies/measure.py`.", "",
         "`same`: gateway and program receive the bytes that the client sent. `rewritten`: both receive the same other form. `refused`: neither",
         "receives anything. `gateway's page`: the request went to the gateway's own pages, and to no program.", "",
         *table("target", targets), "",
         "A number is the status that the client receives. `program`: the gateway allowed the request, and the program received it. `decided only`: the",
         "gateway was asked, and no program received the request. A number alone: the proxy responded itself.", "",
         *table("request", others)]
open(os.path.join(rig.HERE, "../../../../Docs/gateway/forwards.md"), "w").write("\n".join(lines) + "\n")
