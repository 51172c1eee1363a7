"""Decides about requests as OpenAPI documents say. It shares no code with Carnet, and was written from the specification.

    python3 Tests/Peers/openapi_requests.py < QUESTION    [{"text": TEXT, "accepted": [SCHEME], "elsewhere": [SCHEME]}, ...]

Prints, for each document, [{"method", "target", "host", "scopes", "allowed", "said"}, ...]. Requests are for each path at each
server, at all hosts of the document and without a host (null), with values that are also segments of other paths. Each is
asked without a token (scopes is null), and with tokens that have just enough scopes, one too few, or none.

"allowed" is what the document says. All paths whose server may have the host are matched with the request: of two, the one
with a literal segment where the other has a parameter decides (OpenAPI 3.2, section 4.8.1). If that leaves several, the
specification lets each tool choose, and the request is allowed if all of them allow it. A relative server may have any
host. Without a host, a request is allowed if it is at all hosts of the document's own servers. An operation without any security needs a token, as
Docs/resource-server.md says.

"said" is false if a resource map has no words for an operation, so that it may refuse the request: a method besides GET,
POST, PUT, PATCH and DELETE, a parameter in a part of a segment, several paths that decide, or a choice between several
combinations of scopes. It is null if servers of the document differ about the request, or a path that decides has only
other methods, or another path has a segment in another case: a map may refuse it, and need not say so.
"""

import itertools
import json
import random
import re

import environments

METHODS = {"get", "put", "post", "delete", "options", "head", "patch", "trace", "query"}
SAID = {"get", "put", "post", "delete", "patch"}
MOST = 200


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
    """(host or None, path) of each server, for all values of its variables; None for a server at an unknown place."""
    found = []
    for entry in entries:
        if not isinstance(entry, dict):
            continue
        variables = entry.get("variables") or {}
        values = [[(name, value) for value in (variable.get("enum") or [variable.get("default", "")])]
                  for name, variable in variables.items()]
        for choice in itertools.product(*values):
            filled = re.sub("[{]([^{}]*)[}]", lambda place: dict(choice).get(place[1], place[0]), entry.get("url", ""))
            whole = re.match("[^/]*://([^/?#]*)([^?#]*)", filled)
            if whole:
                found.append((whole[1].lower(), whole[2].rstrip("/")))
            else:
                # Only an absolute path does not depend on the place of the document (RFC 3986, section 5.2).
                found.append((None, filled.rstrip("/")) if filled.startswith("/") else None)
    return found


def parse(document):
    """({(host, path): {method: security}} of all servers, the hosts of the document, whether a place is unknown)."""
    if "swagger" in document:
        default = [(document.get("host"), document.get("basePath", "").rstrip("/"))]
    else:
        default = servers(document.get("servers") or [{"url": "/"}])
    found, unknown = {}, None in default
    for path, item in (document.get("paths") or {}).items():
        if not path.startswith("/") or not isinstance(item, dict):
            continue
        all_fields = fields(document, item)
        of_path = next((value for name, value in all_fields if name == "servers"), None)
        operations = [(name, value) for name, value in all_fields if name in METHODS]
        for name, value in all_fields:
            if name == "additionalOperations":
                operations += value.items()
        for method, operation in operations or [(None, {})]:
            if not isinstance(operation, dict) or "$ref" in operation:
                continue
            own = operation.get("servers", of_path)
            for place in servers(own) if own else default:
                if place is None:
                    unknown = True
                    continue
                methods = found.setdefault((place[0], place[1] + re.sub("[?#].*", "", path).rstrip("/") or "/"), {})
                if method:
                    security = operation.get("security", document.get("security"))
                    methods.setdefault(method.upper(), []).append((security, path))
    return found, {place[0] for place in default if place}, unknown


def matches(path, target):
    """Whether a request is one of a path."""
    parts, values = path.split("/"), target.split("/")
    return len(parts) == len(values) and all(
        re.fullmatch("[^/]+".join(re.escape(text) for text in re.split("[{][^{}]*[}]", part)), value)
        for part, value in zip(parts, values))


def precedes(one, other):
    """Whether a path decides before another one, of the same requests."""
    pairs = [(re.sub("[{][^{}]*[}]", "{}", part), re.sub("[{][^{}]*[}]", "{}", of_other))
             for part, of_other in zip(one.split("/"), other.split("/"))]
    return any(part != of_other for part, of_other in pairs) and all(
        part == of_other or "{" not in part and "{" in of_other for part, of_other in pairs)


def deciding(places, target, host):
    """Those of places that may decide about a request: of several, the specification lets a tool choose."""
    found = [place for place in places if place[0] in (host, None) and matches(place[1], target)]
    return [place for place in found if not any(
        precedes(other[1], place[1]) and (other[0] == host or place[0] is None) for other in found)]


def targets(paths):
    """Requests of each path: with a value that no other path has, and with segments of others."""
    found = {}
    for path in paths:
        for other in [""] + paths:
            parts = path.split("/")
            values = other.split("/") if other.count("/") == path.count("/") else [""] * len(parts)
            filled = [value if part.startswith("{") and part.endswith("}") and value and not set("{}") & set(value)
                      else re.sub("[{][^{}]*[}]", "v7x", part) for part, value in zip(parts, values)]
            found["/".join(filled)] = None
    # Of these, no request has the normal form.
    return [target for target in found if not re.search("[ \"<>^`{|}\\\\]|//|/[.]{1,2}(/|$)|[^ -~]", target)]


def alternatives(security, accepted, elsewhere):
    """The sets of scopes of which a token needs one; None for a request that needs nothing."""
    if not security or {} in security:
        return None
    found = []
    for requirement in security:
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


def normal(target):
    """The form in which a request arrives (RFC 3986, section 6.2.2)."""
    def one(found):
        text = chr(int(found[1], 16))
        return text if re.fullmatch("[A-Za-z0-9._~-]", text) else found[0].upper()
    return re.sub("%([0-9A-Fa-f]{2})", one, target)


def requests(question):
    document = load(question["text"])
    accepted, elsewhere = question["accepted"], question.get("elsewhere", [])

    def sets(security):
        found = [frozenset()] if security is None else alternatives(security, accepted, elsewhere)
        # No token has a scope with a space (RFC 6749, section 3.3).
        return found and [one for one in found if all(re.fullmatch(r'[!#-\[\]-~]+', scope) for scope in one)]

    places, of_document, unknown = parse(document)
    places = {(host, normal(path)): methods for (host, path), methods in places.items()}
    hosts = sorted({host for host, _ in places if host})
    found = []
    for target in targets(sorted({path for _, path in places})):
        around = [place for place in places if matches(place[1], target)]
        # A map refuses a path that differs from another one only in the case of a segment.
        is_other_case = any(part.lower() == value.lower() and part != value
                            for _, path in places for part, value in zip(path.split("/"), target.split("/")))
        # A map has no words for a part of a segment.
        is_whole = len(around) == sum(matches(re.sub("[^/]*[{][^/]*", "{any}", path), target) for _, path in places)
        where = {}
        for host, path in around:
            where.setdefault(path, set()).add(host)
        for host in hosts + [None]:
            # Without a host, all servers of the document may be meant.
            servers_of_it = [host] if host else sorted(one for one in of_document if one) or [None]
            decisions = [deciding(places, target, one) for one in servers_of_it]
            everything = [place for decision in decisions for place in decision]
            for method in sorted({method for place in everything for method in places[place]}):
                choices = [[places[place][method] for place in decision if method in places[place]]
                           for decision in decisions]
                # Of a path with other methods only, the document says nothing about the request.
                if host and not choices[0]:
                    continue
                operations = [operation for choice in choices for several in choice for operation in several]
                needs = [sets(security) for security, _ in operations]
                asked = {None: None, frozenset(): None}
                for one in itertools.chain(*(need[:6] for need in needs if need)):
                    asked[one] = None
                    asked.update({one - {scope}: None for scope in sorted(one)[:3]})
                same = {"GET", "HEAD"} if method in ("GET", "HEAD") else {method}
                all_needs = [security for place in deciding([(None, path) for path in where], target, None)
                             for _, methods in places.items() if _[1] == place[1]
                             for name in same for security, _ in methods.get(name, [])]
                is_said = is_whole and method.lower() in SAID and all(
                    (need is None or is_choice(need)) and all(
                        re.fullmatch("[{][^{}]+[}]|[^{}]*", part) for part in path.split("/"))
                    and not set("?#;") & set(path) for need, (_, path) in zip(needs, operations)
                ) and all(other == operations[0][0] for other in all_needs)
                is_other_method = any(method not in places[place] for place in everything)
                if unknown or is_other_case or is_other_method or len({frozenset(one) for one in where.values()}) > 1 or not host and any(
                        one != of_document for one in where.values()):
                    is_said = None
                for token in asked:
                    found.append({
                        "method": method, "target": target, "host": host,
                        "scopes": None if token is None else sorted(token),
                        "allowed": all(need is None or token is not None and any(one <= token for one in need)
                                       for need in needs),
                        "said": is_said,
                    })
    return random.Random(question["text"]).sample(found, min(MOST, len(found)))


if __name__ == "__main__":
    environments.reply("yaml", lambda questions: [requests(question) for question in questions])
