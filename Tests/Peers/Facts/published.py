"""Print the facts of an OpenAPI document as rows of published.tsv.

    python3 published.py ID FILE --operation "GET /user" --origin "REPOSITORY PATH" --date 2026-08-21

The rows have the endpoints and scopes of the document's OAuth flows, and for the operation its URL, its required
headers and parameters, and the pointers of the members of its response. Needs PyYAML for YAML documents.
"""

import argparse
import json
import sys
from urllib.parse import urljoin

KEYS = {
    "authorizationUrl": "authorization_endpoint",
    "tokenUrl": "token_endpoint",
    "refreshUrl": "refresh_endpoint",
}
DEPTH = 5


def read(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if path.endswith(".json"):
        return json.loads(text)
    import yaml

    class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
        pass

    Loader.add_constructor("tag:yaml.org,2002:timestamp", lambda loader, node: node.value)
    return yaml.load(text, Loader=Loader)


class Document:
    def __init__(self, body):
        self.body = body

    def resolve(self, node):
        while isinstance(node, dict) and "$ref" in node:
            reference = node["$ref"]
            if not reference.startswith("#/"):
                return {}
            node = self.body
            for name in reference[2:].split("/"):
                name = name.replace("~1", "/").replace("~0", "~")
                node = node[int(name)] if isinstance(node, list) else node.get(name, {})
        return node or {}

    def flows(self):
        schemes = self.body.get("components", {}).get("securitySchemes") or self.body.get("securityDefinitions") or {}
        for scheme in map(self.resolve, schemes.values()):
            if scheme.get("type") != "oauth2":
                continue
            flows = scheme.get("flows") or {scheme.get("flow"): scheme}
            for name in ("authorizationCode", "accessCode", "implicit"):
                if name in flows:
                    yield name, flows[name]

    def servers(self):
        if "servers" in self.body:
            for server in self.body["servers"]:
                url = server["url"]
                for name, variable in server.get("variables", {}).items():
                    url = url.replace("{" + name + "}", str(variable.get("default", "")))
                yield url
        elif "host" in self.body:
            yield "https://" + self.body["host"] + self.body.get("basePath", "")

    def members(self, schema, pointer="", depth=0, seen=()):
        """Yield the pointers of all members; a member without a closed schema yields its pointer and /*."""
        schema = self.resolve(schema)
        if depth > DEPTH or id(schema) in seen:
            return
        seen += (id(schema),)
        for key in ("allOf", "anyOf", "oneOf"):
            for part in schema.get(key, []):
                yield from self.members(part, pointer, depth, seen)
        properties = schema.get("properties")
        for name, member in (properties if isinstance(properties, dict) else {}).items():
            place = pointer + "/" + name.replace("~", "~0").replace("/", "~1")
            yield place
            yield from self.members(member, place, depth + 1, seen)
        if isinstance(schema.get("items"), dict):
            yield from self.members(schema["items"], pointer + "/0", depth + 1, seen)
        if schema.get("additionalProperties"):
            yield pointer + "/*"


def operation_rows(document, operation):
    method, path = operation.split(" ", 1)
    item = document.body["paths"][path]
    found = document.resolve(item[method.lower()])
    server = next(document.servers(), "")
    yield "profile_operation", method + " " + server.rstrip("/") + path
    for parameter in map(document.resolve, item.get("parameters", []) + found.get("parameters", [])):
        if parameter.get("required") and parameter.get("in") in ("header", "query"):
            yield "profile_" + parameter["in"], parameter["name"]
    for status in ("200", "201", "default"):
        response = document.resolve(found.get("responses", {}).get(status, {}))
        content = response.get("content", {})
        kind = next((kind for kind in content if "json" in kind), next(iter(content), None))
        schema = content[kind].get("schema") if kind else response.get("schema")
        members = sorted(set(document.members(schema))) if schema else []
        if members:
            yield "profile_members", " ".join(members)
            return


def rows(document, operation):
    scopes = set()
    for name, flow in document.flows():
        for key, fact in KEYS.items():
            if flow.get(key) and name != "implicit":
                yield fact, urljoin(next(document.servers(), ""), flow[key])
        scopes |= set(flow.get("scopes") or {})
    if scopes:
        yield "scopes", " ".join(sorted(scopes))
    if operation:
        yield from operation_rows(document, operation)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("id")
    parser.add_argument("file")
    parser.add_argument("--operation")
    parser.add_argument("--origin", required=True)
    parser.add_argument("--date", required=True)
    options = parser.parse_args()
    for key, value in dict.fromkeys(rows(Document(read(options.file)), options.operation)):
        sys.stdout.write("\t".join([options.id, key, value, options.origin, options.date]) + "\n")
