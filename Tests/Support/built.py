"""Where SwiftPM puts the programs that it builds: each of its build systems has other folders."""

import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]


def folder(configuration="debug", *options):
    command = ["swift", "build", "--configuration", configuration, "--show-bin-path", *options]
    return pathlib.Path(subprocess.run(command, cwd=ROOT, text=True, check=True, stdout=subprocess.PIPE).stdout.strip())


def built(name, configuration="debug"):
    return str(folder(configuration) / name)
