"""What people and networks do to a sign-in: each ends at a page that says what happened and offers the way on."""

import re

from stage import answer_consent, ask, expect, play, sign_in


def says(stage, page, title, name):
    heading = page.get_by_role("heading", level=1).inner_text()
    expect(heading == title, f"the page says {heading!r}, not {title!r}")
    main = page.locator("main")
    expect(main.get_by_role("link", name="All providers").is_visible(), f"{title}: there is no way on")
    expect("Reference: " in main.inner_text(), f"{title}: there is no reference")
    reference = re.search("Reference: ([0-9a-f]+)", main.inner_text()).group(1)
    ask(f"logged {reference} {title}")
    if name:
        stage.seen(page, name)


def bad_input(stage):
    page = stage.page()

    # The person says no.
    page.goto(stage.site)
    sign_in(stage, page, "Sign in with Acme", decision="Deny")
    says(stage, page, "Acme denied the sign-in", "denied")

    # Answers that cannot be trusted, and a provider that is down; each offers to begin again.
    for fault, title in [("wrong-nonce", "The response of Acme was not valid"),
                         ("token-500", "Acme is unavailable now"), ("token-down", "Acme is unavailable now")]:
        page.get_by_role("button", name="Sign in with Acme").click()
        answer_consent(stage, page, fault=fault)
        says(stage, page, title, fault)
    page.get_by_role("link", name="Sign-in steps").click()
    expect(page.get_by_text("Token request").first.is_visible(), "the failed sign-in is not drawn")

    # One that is slow, or has a new key, works.
    page.goto(stage.site)
    sign_in(stage, page, "Sign in with Acme", fault="rotated-key", user="Björk Ångström")
    page.wait_for_url(stage.site + "/accounts/acme")
    expect(page.get_by_role("heading", level=1).inner_text() == "Hello, Björk Ångström", "another user is signed in")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in with Acme again").click()
    answer_consent(stage, page, fault="slow")
    page.wait_for_url(stage.site + "/accounts/acme")

    # The back button after a sign-in leads to the provider again. Who says yes there again is signed in already.
    page.go_back()
    page.reload()
    answer_consent(stage, page)
    says(stage, page, "You are already signed in", "back-button")
    page.get_by_role("link", name="Ada Example").click()
    expect(page.get_by_role("heading", level=1).inner_text() == "Hello, Ada Example", "the session is lost")

    # Another person signs in beside the first.
    page.goto(stage.site)
    page.get_by_role("button", name="Add an account of acme").click()
    answer_consent(stage, page, user="Björk Ångström")
    page.wait_for_url(stage.site + "/accounts/acme")
    page.goto(stage.site)
    expect(page.get_by_text("Signed in as").count() == 2, "the second account has taken the first one's place")
    stage.seen(page, "two-accounts-of-one-provider")
    page.get_by_role("link", name="Open Ada Example of acme").click()
    expect(page.get_by_role("heading", level=1).inner_text() == "Hello, Ada Example", "the first account is lost")
    page.get_by_role("button", name="Sign out").click()
    page.goto(stage.site + "/accounts/acme")

    # The provider ends the session: renewing says so, and leads to a new sign-in.
    page.goto(stage.site)
    page.get_by_role("button", name="Sign in with Globex").click()
    answer_consent(stage, page, fault="refresh-revoked")
    page.wait_for_url(stage.site + "/accounts/globex")
    page.get_by_role("button", name="Refresh the tokens").click()
    says(stage, page, "Your session with Globex has ended", "session-over")
    page.get_by_role("button", name="Sign in with Globex").click()
    answer_consent(stage, page)
    page.wait_for_url(stage.site + "/accounts/globex")
    page.get_by_role("button", name="Sign out").click()
    page.goto(stage.site + "/accounts/acme")

    # The callback is loaded again.
    callbacks = []
    page.on("request", lambda request: "/callback/" in request.url and callbacks.append(request.url))
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("button", name="Sign in with Acme again").click()
    answer_consent(stage, page)
    page.wait_for_url(stage.site + "/accounts/acme")
    page.goto(callbacks[-1])
    says(stage, page, "You are already signed in", "reloaded-callback")

    # Another browser opens it.
    stranger = stage.new_context()
    stage.watch(stranger)
    other = stranger.new_page()
    other.goto(callbacks[-1])
    says(stage, other, "There is no open sign-in for this page", "callback-of-another-browser")

    # Two tabs at once.
    first, second = stranger.new_page(), stranger.new_page()
    for tab, name in [(first, "Acme"), (second, "Globex")]:
        tab.goto(stage.site)
        tab.get_by_role("button", name=f"Sign in with {name}").click()
        tab.wait_for_selector("button[value=allow]")
    for tab, name in [(second, "globex"), (first, "acme")]:
        answer_consent(stage, tab)
        tab.wait_for_url(f"{stage.site}/accounts/{name}")
    second.goto(stage.site)
    expect(second.get_by_text("Signed in as").count() == 2, "one tab has ended the other's sign-in")
    stage.seen(second, "two-accounts")

    # A cookie that somebody changed is no session.
    for cookie in stranger.cookies():
        if cookie["name"] == "carnet-session":
            cookie["value"] = cookie["value"][:-2] + ("AA" if cookie["value"][-2:] != "AA" else "BB")
            stranger.add_cookies([cookie])
    second.goto(stage.site + "/accounts/acme")
    expect(second.get_by_role("heading", level=1).inner_text() == "Sign in first", "a changed cookie is taken")
    stage.seen(second, "sign-in-first")

    # The sign-in's cookie has expired, as after ten minutes.
    second.get_by_role("button", name="Sign in with Acme").click()
    second.wait_for_selector("button[value=allow]")
    stranger.clear_cookies(name="carnet-session")
    for cookie in stranger.cookies():
        if cookie["name"].startswith("carnet-pending-"):
            stranger.clear_cookies(name=cookie["name"])
    answer_consent(stage, second)
    says(stage, second, "There is no open sign-in for this page", "expired")
    expect("took too long" in second.locator("main").inner_text(), "the page does not say that time is over")
    stranger.close()


if __name__ == "__main__":
    play(bad_input)
