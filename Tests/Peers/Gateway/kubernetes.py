#!/usr/bin/env python3
"""Proves the manifests of Docs/gateway/kubernetes.md without a cluster.

  kubernetes.py [--carnet PROGRAM]

It compares the manifests with the schemas of Kubernetes, starts the gateway with the arguments, variables and files of the
Deployment, as its user and with a file system that it cannot write, asks its probes, and signs in through the real Traefik with
the objects that the command makes of the page's gateway file. The folder of the proxies has the schemas."""

import argparse
import os
import pathlib
import re
import secrets
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True

import people  # noqa: E402
from people import ROOT, Failure, rig  # noqa: E402

PAGE = (ROOT / "Docs/gateway/kubernetes.md").read_text()
VERSIONS = ["1.30", "1.37"]


def blocks(language):
    return re.findall(rf"^```{language}\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def validate(text):
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text)
        file.flush()
        for version in VERSIONS:
            done = subprocess.run([rig.VENV + "/bin/kubernetes-validate", "--strict", "-k", version, file.name],
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if done.returncode != 0 or "ERROR" in done.stdout:
                raise SystemExit(f"kubernetes: {version}: {done.stdout}")


def one(objects, kind):
    return next(o for o in objects if o["kind"] == kind)


class Pod:
    """The container of the Deployment, as far as a process without a cluster can be it."""

    def __init__(self, carnet, deployment, maps, folder):
        spec = deployment["spec"]["template"]["spec"]
        container, user = spec["containers"][0], spec["securityContext"]["runAsUser"]
        volume = spec["volumes"][0]["projected"]
        mounted = folder / "files"
        for source in volume["sources"]:
            kind = next(iter(source))
            content = maps[kind, source[kind]["name"]]
            for key, path in [(i["key"], i["path"]) for i in source[kind].get("items", [])] or [(k, k) for k in content]:
                place = mounted / path
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_text(content[key])
                if os.geteuid() == 0:
                    os.chown(place, 0, spec["securityContext"]["fsGroup"])
                place.chmod(volume["defaultMode"])
        environment = {"PATH": "/usr/bin:/bin"}
        for variable in container["env"]:
            place = variable["valueFrom"]["secretKeyRef"]
            environment[variable["name"]] = maps["secret", place["name"]][place["key"]]
        at = container["volumeMounts"][0]["mountPath"]
        arguments = [word.replace(at, str(mounted)) for word in container["args"]]
        if arguments[-2:] != ["--bind", "0.0.0.0"]:
            raise SystemExit(f"kubernetes: the gateway of a pod must be found from outside: {arguments}")
        command = [os.path.abspath(carnet), *arguments[:-1], "127.0.0.1", "--port", "0"]
        if os.geteuid() == 0:
            # All of the file system can be read only, but for the store, which stands for the database.
            shell = f'mount --make-rprivate / && mount --bind "{folder}/store" "{folder}/store" && mount -o remount,bind,ro / && exec setpriv --reuid {user} --regid {user} --clear-groups --no-new-privs "$@"'
            command = ["unshare", "--mount", "sh", "-c", shell, "sh", *command]
        self.log = open(folder / "gateway.log", "w+")
        self.process = subprocess.Popen(command, cwd="/", text=True, stdout=subprocess.PIPE, stderr=self.log, env=environment)
        line = self.process.stdout.readline().strip()
        if not line:
            self.log.seek(0)
            raise SystemExit(f"kubernetes: the gateway does not start:\n{self.log.read()}")
        self.port = int(line.rsplit(":", 1)[1])
        for probe in ("readinessProbe", "livenessProbe"):
            path = container[probe]["httpGet"]["path"]
            reply = rig.send(self.port, rig.build(path, host=f"10.0.0.7:{self.port}"))
            if reply.status != 200:
                raise SystemExit(f"kubernetes: {path}: status {reply.status}")

    def stop(self, seconds):
        self.process.terminate()
        if self.process.wait(timeout=seconds) != 0:
            raise SystemExit("kubernetes: the gateway did not end with status 0")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--carnet", default=people.built("carnet"))
    options = parser.parse_args()
    manifests = blocks("yml")[0]
    validate(manifests)
    objects = rig.yaml(manifests)
    deployment, service = one(objects, "Deployment"), one(objects, "Service")
    container = deployment["spec"]["template"]["spec"]["containers"][0]
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    if not labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]:
        raise SystemExit("kubernetes: the labels differ")
    port = service["spec"]["ports"][0]
    if (port["port"], port["targetPort"]) != (4180, container["ports"][0]["name"]) or container["ports"][0]["containerPort"] != 4180:
        raise SystemExit("kubernetes: the ports differ")
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        folder.chmod(0o755)
        (folder / "store").mkdir(mode=0o777)
        (folder / "store").chmod(0o777)
        # A provider of this process takes the place of Google.
        provider = people.Provider()
        descriptor = people.DESCRIPTOR.format(base=provider.base).replace("id: storm", "id: google")
        contents = {"google-secret": secrets.token_hex(16), "session-key": secrets.token_hex(32), "proxy-secret": rig.SECRET,
                    "store": f"files:{folder}/store/sessions"}
        maps = {("configMap", "carnet-gateway"): {"gateway.yaml": blocks("yaml")[0], "providers/google.yaml": descriptor}, ("secret", "carnet-gateway"): contents}
        container["args"] += ["--providers", container["volumeMounts"][0]["mountPath"] + "/providers"]
        container["args"].sort(key=lambda word: word in ("--bind", "0.0.0.0"))
        pod = Pod(options.carnet, deployment, maps, folder)
        generated = folder / "traefik-kubernetes"
        generated.mkdir()
        # The page's own command, in a folder with the page's files.
        command = re.search(r"^\$ carnet (gateway proxy traefik-kubernetes (?:.*\\\n)*.*)", PAGE, re.MULTILINE)[1].replace("\\\n", "").split()
        subprocess.run([os.path.abspath(options.carnet), *command, "--output", str(generated)], cwd=folder / "files", check=True,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        made = (generated / "carnet-secret.yaml").read_text()
        if rig.yaml(made) != [rig.TraefikKubernetes.secret_object()]:
            raise SystemExit(f"kubernetes: the Middleware with the secret is {made}")
        wiki, notes = rig.Recorder(rig.program), rig.Recorder(rig.program)
        proxy = rig.TraefikKubernetes(pod.port, wiki.port, notes.port, str(generated))
        proxy.start()
        try:
            host, started = "wiki.apps.example", time.monotonic()
            browser = people.Browser(proxy.port)
            if browser.send("/page", host=host).status != 302:
                raise Failure("the page leads to no sign-in")
            provider.next = ["alice"]
            browser.sign_in("google", host, "/page")
            wiki.take()
            reply = browser.send("/page", host=host, fields=[("X-Auth-User", "forged"), ("X_Auth_User", "forged")])
            seen = wiki.take()
            if reply.status != 200 or len(seen) != 1 or seen[0].all("X-Auth-User") != ["google:alice"] or "forged" in str(seen[0].headers):
                raise Failure(f"the page has status {reply.status}, and the program got {[r.headers for r in seen]}")
            print(f"kubernetes: signed in through {proxy.name} in {time.monotonic() - started:.1f} s")
        finally:
            proxy.stop()
            pod.stop(deployment["spec"]["template"]["spec"]["terminationGracePeriodSeconds"])


if __name__ == "__main__":
    main()
