"""Reads YAML texts with parsers that nobody here wrote.

    python3 Tests/Peers/read_yaml.py < QUESTION        [TEXT, ...]

Prints {READER: [{"value": JSON} or {"error": REASON}, ...]} for PyYAML (its pure Python loader, YAML 1.1), ruamel.yaml
(YAML 1.2), and js-yaml if Node.js finds it. A value that JSON lacks, such as a date, is {"?": "its type"}. A key that is
no string is written as the reader's language writes it. Prepares its Python environment itself.
"""

import json
import os
import shutil
import subprocess

import environments

JS = """
const yaml = require('js-yaml');
const plain = value =>
  Array.isArray(value) ? value.map(plain)
  : value instanceof Date ? {'?': 'date'}
  : value && typeof value === 'object'
    ? Object.fromEntries(Object.entries(value).map(([name, member]) => [name, plain(member)]))
  : value;
const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));
console.log(JSON.stringify(texts.map(text => {
  try { return {value: plain(yaml.load(text))}; } catch (error) { return {error: String(error.message)}; }
})));
"""


def plain(value):
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else {"?": "float"}
    if isinstance(value, list):
        return [plain(element) for element in value]
    if isinstance(value, dict):
        return {str(name): plain(member) for name, member in value.items()}
    return {"?": type(value).__name__}


def read(load, error, text):
    try:
        return {"value": plain(load(text))}
    except (error, ValueError, RecursionError) as reason:
        return {"error": " ".join(str(reason).split())}


def answers(texts):
    import ruamel.yaml
    import yaml
    modern = ruamel.yaml.YAML(typ="safe", pure=True)
    found = {
        "PyYAML": [read(yaml.safe_load, yaml.YAMLError, text) for text in texts],
        "ruamel.yaml": [read(modern.load, ruamel.yaml.error.YAMLError, text) for text in texts],
    }
    node = shutil.which("node")
    if node:
        paths = os.pathsep.join(filter(None, [os.environ.get("NODE_PATH"), "/usr/share/nodejs"]))
        done = subprocess.run([node, "-e", JS], input=json.dumps(texts), text=True, capture_output=True,
                              env=os.environ | {"NODE_PATH": paths})
        if done.returncode == 0:
            found["js-yaml"] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    environments.reply("yaml", answers)
