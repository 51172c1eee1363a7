"""A browser that keeps no cookies is told so, and can begin again."""

import json
import pathlib

from bad_input import says
from stage import expect, play, sign_in


def profile(options):
    folder = pathlib.Path(options.shots).with_name("profile-without-cookies")
    (folder / "Default").mkdir(parents=True, exist_ok=True)
    blocked = {"profile": {"default_content_setting_values": {"cookies": 2}}}
    (folder / "Default" / "Preferences").write_text(json.dumps(blocked))
    return str(folder)


def no_cookies(stage):
    page = stage.page()
    page.goto(stage.site)
    sign_in(stage, page, "Sign in with Acme")
    expect(not stage.context.cookies(), "the browser keeps cookies")
    expect("sent no cookie" in page.get_by_role("alert").inner_text(), page.locator("main").inner_text())
    says(stage, page, "There is no open sign-in for this page", "no-cookies")


if __name__ == "__main__":
    play(no_cookies, profile)
