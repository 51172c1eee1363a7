"""A real browser for the tests: Debian's Chromium, driven by Playwright, which looks at everything that it is shown.

Every page that a script calls `seen` is photographed on a desktop and a telephone, light and dark, and checked by
axe-core. Whatever the script does, a request to a host that it did not name fails it, and so does a script or a style
that the page's own policy forbids.
"""

import argparse
import contextlib
import json
import os
import pathlib
import shutil
import sys
import traceback
import urllib.parse

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import environments  # noqa: E402

SECONDS_TO_ANSWER = 60
DESKTOP, PHONE = {"width": 1100, "height": 800}, {"width": 390, "height": 844}
LOOKS = [("desktop-light", DESKTOP, "light"), ("phone-light", PHONE, "light"),
         ("desktop-dark", DESKTOP, "dark"), ("phone-dark", PHONE, "dark")]


# The parts of a page that lie less than eight pixels below a part before them, where one of the two has an edge.
CROWDED = """
[...document.querySelectorAll("main, main section, main div, main li")].flatMap(whole => {
  const parts = [...whole.children].filter(part => part.getClientRects().length);
  const hasEdge = part => {
    const style = getComputedStyle(part);
    return part.tagName != "NAV" && (style.backgroundColor != "rgba(0, 0, 0, 0)" || style.borderTopWidth != "0px");
  };
  return parts.slice(1).flatMap((part, index) => {
    const [before, after] = [parts[index].getBoundingClientRect(), part.getBoundingClientRect()];
    const isBelow = after.top >= before.bottom - 1 && after.left < before.right && before.left < after.right;
    return isBelow && (hasEdge(parts[index]) || hasEdge(part)) && after.top - before.bottom < 8
      ? [`${part.tagName} ${part.textContent.trim().slice(0, 40)}`] : [];
  });
})
"""


class Failure(Exception):
    """What the browser saw that it should not, or did not see that it should."""


def expect(condition, complaint):
    if not condition:
        raise Failure(complaint)


class Stage:
    """One browser, its pages, and what was seen of them."""

    def __init__(self, options, playwright, profile=None):
        from axe_playwright_python.sync_playwright import Axe

        self.site, self.shots, self.axe = options.site, pathlib.Path(options.shots), Axe()
        self.number, self.complaints = 0, []
        executable = shutil.which("chromium") or sys.exit("there is no chromium (Debian: apt-get install chromium)")
        arguments = {"executable_path": executable, "args": ["--disable-dev-shm-usage"]}
        if profile:
            self.context = playwright.chromium.launch_persistent_context(profile, viewport=DESKTOP, **arguments)
        else:
            self.browser = playwright.chromium.launch(**arguments)
            self.context = self.new_context()
        self.watch(self.context)

    def new_context(self):
        """A browser window of its own, as a private one is: it shares no cookie with the others."""
        return self.browser.new_context(viewport=DESKTOP)

    def watch(self, context):
        context.set_default_timeout(SECONDS_TO_ANSWER * 1000)
        context.on("request", lambda request: self.note_request(request.url))
        context.on("console", lambda message: self.note_message(message.type, message.text))

    def note_request(self, url):
        # The site and the sandbox are on this machine; everything else is another party.
        if url.split(":")[0] not in ("data", "blob") and urllib.parse.urlsplit(url).hostname != "127.0.0.1":
            self.complaints.append(f"a request to another party: {url}")

    def note_message(self, kind, text):
        if "Content Security Policy" in text or (kind == "error" and "status of" not in text):
            self.complaints.append(f"the browser's console: {text}")

    def page(self):
        return self.context.new_page()

    def seen(self, page, name):
        """Photographs and checks a page."""
        self.number += 1
        for look, size, scheme in LOOKS:
            page.set_viewport_size(size)
            page.emulate_media(color_scheme=scheme)
            page.screenshot(path=self.shots / f"{self.number:02d}-{name}-{look}.png", full_page=True)
            width = page.evaluate("document.documentElement.scrollWidth")
            expect(width <= size["width"], f"{name} is {width} pixels wide, on {look}")
            crowded = page.evaluate(CROWDED)
            expect(not crowded, f"on {name}, {look}, a box touches what is beside it: {crowded}")
            if look in ("desktop-light", "phone-dark"):
                self.check_access(page, f"{name} on {look}")
        page.set_viewport_size(DESKTOP)
        page.emulate_media(color_scheme="light")

    def check_access(self, page, name):
        found = self.axe.run(page).response["violations"]
        told = [f"{rule['id']}: {rule['help']}: {[node['html'][:200] for node in rule['nodes'][:3]]}" for rule in found]
        expect(not found, f"{name} is not accessible: {'; '.join(told)}")

    def check(self):
        expect(not self.complaints, "; ".join(sorted(set(self.complaints))))


def checks_policy(response, name):
    """Whether a page's policy lets nothing in that is not said."""
    policy = response.headers.get("content-security-policy", "")
    expect(policy.startswith("default-src 'none'"), f"{name} has the policy {policy!r}")
    expect("unsafe" not in policy and "*" not in policy, f"{name} has the policy {policy!r}")


def claims(page):
    """What the profile on the page says."""
    return dict(zip(page.locator("main dt").all_inner_texts(), page.locator("main dd").all_inner_texts()))


def sign_in(stage, page, name, without=(), fault=None, decision="Allow", user=None):
    """Presses the sign-in button of a provider, and answers the sandbox's consent page."""
    page.get_by_role("button", name=name, exact=True).click()
    answer_consent(stage, page, without, fault, decision, user)


def answer_consent(stage, page, without=(), fault=None, decision="Allow", user=None):
    page.wait_for_selector("button[value=allow]")
    if user:
        page.get_by_label(user).check()
    for scope in without:
        page.locator(f"input[name=scope][value='{scope}']").uncheck()
    if fault:
        page.get_by_label("Fault to simulate").select_option(fault)
    page.get_by_role("button", name=decision, exact=True).click()


def ask(what):
    """Has the test do something, and waits until it is done."""
    print(json.dumps({"ask": what}), flush=True)
    return json.loads(sys.stdin.readline() or "null")


def play(scenario, needs_profile=None):
    """Runs a scenario in the environment of the browser, and ends with a word on what was wrong."""
    parser = argparse.ArgumentParser(description=scenario.__doc__)
    parser.add_argument("site")
    parser.add_argument("--shots", required=True, help="the folder for the photographs")
    options = parser.parse_args()
    environment = environments.prepare("chromium")
    if pathlib.Path(sys.prefix) != environment:
        python = environment / "bin" / "python"
        os.execv(python, [python, *sys.argv])
    from playwright.sync_api import sync_playwright

    shutil.rmtree(options.shots, ignore_errors=True)
    pathlib.Path(options.shots).mkdir(parents=True)
    with sync_playwright() as playwright:
        stage = Stage(options, playwright, needs_profile and needs_profile(options))
        try:
            scenario(stage)
            stage.check()
        except Exception as failure:
            for number, page in enumerate(stage.context.pages):
                with contextlib.suppress(Exception):
                    page.screenshot(path=stage.shots / f"failed-{number}.png", full_page=True)
                    print(f"at {page.url.split('?')[0]}: {page.inner_text('body')[:600]}", file=sys.stderr)
            if not isinstance(failure, Failure):
                traceback.print_exc()
            sys.exit(f"{scenario.__name__}: {failure}\n{stage.complaints}")
    print(json.dumps({"done": scenario.__name__, "shots": options.shots}), flush=True)
