"""Decides about requests as OpenAPI documents say. It shares no code with Carnet, and was written from the specification.

    python3 Tests/Peers/openapi_requests.py < QUESTION    [{"text": TEXT, "accepted": [SCHEME], "elsewhere": [SCHEME]}, ...]

Prints, for each document, [{"method", "target", "host", "scopes", "allowed", "said", "line"}, ...]. Each operation is asked
for without a token (scopes is null), and with tokens that have just enough scopes, one too few, or none. "allowed" is what
the document says. "said" is false if a resource map has no words for the operation, so that it may refuse the request: a
method besides GET, POST, PUT, PATCH and DELETE, a parameter in a part of a segment, a path that differs from another one
only in its parameters, or a choice between several combinations of scopes. An operation without any security needs a token, as Docs/resource-server.md says.
"""

import itertools
import json
import re

import environments

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}
SAID = {"get", "put", "post", "delete", "patch"}
ALTERNATIVES, SERVERS = 64, 16


def load(text):
    if text.lstrip().startswith("{"):
        return json.loads(text)
    import yaml
    # Nothing but strings, lists and mappings: no value that matters here has another type.
    return yaml.load(text, Loader=getattr(yaml, "CBaseLoader", yaml.BaseLoader))


def at(document, reference):
    node = document
    for token in reference[2:].split("/"):
        token = re.sub("%([0-9A-Fa-f]{2})", lambda found: chr(int(found[1], 16)), token)
        node = node[token.replace("~1", "/").replace("~0", "~")]
    return node


def fields(document, item):
    """All fields of a path item, with those of the one that it refers to."""
    found = list(item.items())
    seen = set()
    while "$ref" in item and item["$ref"].startswith("#/") and item["$ref"] not in seen:
        seen.add(item["$ref"])
        item = at(document, item["$ref"])
        found += item.items()
    return found


def servers(entries):
    """(host or None, path) of each server, for each value of a variable in its path."""
    found = []
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        url, variables = entry.get("url", ""), entry.get("variables") or {}
        path = re.sub("^[^/]*://[^/]*", "", url) if "://" in url or url.startswith("/") else ""
        values = []
        for name, variable in variables.items():
            many = variable.get("enum") if "{%s}" % name in path else None
            values.append([(name, value) for value in (many or [variable.get("default", "")])])
        for choice in itertools.islice(itertools.product(*values), SERVERS):
            filled = url
            for name, value in choice:
                filled = filled.replace("{%s}" % name, value)
            whole = re.match("[^/]*://([^/?#]*)([^?#]*)", filled)
            host, rest = (whole[1], whole[2]) if whole else (None, filled)
            rest = re.sub("^[.](?=/|$)", "", rest).rstrip("/")
            if rest == "" or rest.startswith("/"):
                found.append((host, rest))
    return found[:SERVERS]


def parse(document):
    """(method, path, bases, security, said) of each operation; security is None if there is none."""
    if "swagger" in document:
        default = [(document.get("host"), document.get("basePath", "").rstrip("/"))]
    else:
        default = servers(document.get("servers") or []) or [(None, "")]
    hosts = {host for host, _ in default}
    for path, item in (document.get("paths") or {}).items():
        if not path.startswith("/") or not isinstance(item, dict):
            continue
        all_fields = fields(document, item)
        of_path = next((value for name, value in all_fields if name == "servers"), None)
        operations = [(name, value) for name, value in all_fields if name in METHODS]
        for name, value in all_fields:
            if name == "additionalOperations":
                operations += value.items()
        for method, operation in operations:
            if not isinstance(operation, dict) or "$ref" in operation:
                continue
            own = operation.get("servers", of_path)
            bases = (servers(own) if own else None) or default
            security = operation.get("security", document.get("security"))
            said = method in SAID and all(
                re.fullmatch("[{][^{}]+[}]|[^{}]*", part) for part in path.split("/")) and not set("?#;") & set(path)
            yield method.upper(), path, [(host if host not in hosts else None, base) for host, base in bases], security, said


def alternatives(security, accepted, elsewhere):
    """The sets of scopes of which a token needs one; None for a request that needs nothing."""
    if not security or {} in security:
        return None
    found = []
    for requirement in security[:ALTERNATIVES]:
        needed = {name: scopes for name, scopes in requirement.items() if name not in elsewhere}
        # Scopes that are no list are none that a token could have.
        if needed and set(needed) <= set(accepted) and all(isinstance(scopes, list) for scopes in needed.values()):
            found.append(frozenset(itertools.chain(*needed.values())))
    return found


def is_choice(sets):
    """Whether a token needs some scopes, and one of others: no more can be said in a map."""
    least = [one for one in set(sets) if not any(other < one for other in sets)]
    common = frozenset.intersection(*least) if least else frozenset()
    return len(least) < 2 or all(len(one - common) == 1 for one in least)


def shape(method, host, path):
    """The same for requests that a resource map cannot tell apart."""
    parts = ["{}" if set("{}") & set(part) else part for part in re.sub("[?#].*", "", path).rstrip("/").split("/")]
    return "GET" if method == "HEAD" else method, host, "/".join(parts)


def requests(question):
    document = load(question["text"])
    accepted, elsewhere = question["accepted"], question.get("elsewhere", [])
    schemes = document.get("securityDefinitions") or (document.get("components") or {}).get("securitySchemes") or {}
    found = []
    operations = list(parse(document))
    needs = {}
    for method, path, bases, security, _ in operations:
        for host, base in bases:
            needs.setdefault(shape(method, host, base + path), []).append(security)
    for method, path, bases, security, said in operations:
        sets = [frozenset()] if security is None else alternatives(security, accepted, elsewhere)
        if sets is not None:
            # No token has a scope with a space (RFC 6749, section 3.3).
            sets = [one for one in sets if all(re.fullmatch(r'[!#-\[\]-~]+', scope) for scope in one)]
        asked = [None, frozenset()]
        for one in (sets or [])[:6]:
            asked.append(one)
            asked += [one - {scope} for scope in sorted(one)[:3]]
        for host, base in bases:
            target = re.sub("[?#].*", "", re.sub("[{][^{}]*[}]", "v7x", base + path)) or "/"
            if re.search("[ \"<>^`{|}\\\\]|//|/[.]{1,2}(/|$)|[^ -~]", target):
                continue
            others = needs[shape(method, host, base + path)]
            for token in dict.fromkeys(asked):
                allowed = sets is None or token is not None and any(one <= token for one in sets)
                found.append({
                    "method": method, "target": target, "host": host, "path": path,
                    "scopes": None if token is None else sorted(token), "allowed": allowed,
                    "said": said and (sets is None or is_choice(sets)) and all(other == security for other in others),
                })
    return found


if __name__ == "__main__":
    environments.reply("yaml", lambda questions: [requests(question) for question in questions])
