"""All pages of the demonstration, with the keyboard and without a script, and a real provider beside the sandboxes."""

from stage import ask, checks_policy, expect, play, sign_in


def tour(stage):
    page = stage.page()
    checks_policy(page.goto(stage.site), "the first page")
    page.get_by_label("Find a provider").fill("globe")
    page.get_by_role("button", name="Search").click()
    expect(page.get_by_role("button", name="Sign in with").count() == 1, "the search finds more than one provider")
    stage.seen(page, "search")

    # By the keyboard alone: the first stops of the tab key are the links and the search, then the button.
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent").startswith("Sign in with Globex"):
            break
    stage.seen(page, "focus")
    page.keyboard.press("Enter")
    consent = page.wait_for_selector("button[value=allow]")
    consent.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(stage.site + "/accounts/globex")
    expect(page.get_by_role("link", name="Token").count() == 0, "an opaque token has parts")
    page.goto(stage.site + "/accounts/globex?tab=payload")
    expect(page.get_by_text("This access token is opaque").is_visible(), "an opaque token is not said to be")
    stage.seen(page, "opaque-token")
    page.goto(stage.site + "/nothing")
    expect(page.get_by_text("There is no page at this address.").is_visible(), "what is not there is not said to be")
    stage.seen(page, "not-found")

    # A text is linted while it is typed.
    checks_policy(page.goto(stage.site + "/descriptor"), "the page of descriptors")
    text, summary = page.get_by_label("The descriptor, in YAML"), page.get_by_role("status")
    expect(summary.inner_text() == "No findings.", summary.inner_text())
    text.fill(text.input_value().replace("scopes:", "scope:").replace("https:", "http:"))
    summary.get_by_text("2 errors").wait_for()
    findings = page.locator("#findings")
    expect("K001" in findings.inner_text() and "did you mean" in findings.inner_text(), findings.inner_text())
    stage.seen(page, "lint")
    page.get_by_role("link", name="line 5").click()
    chosen = page.evaluate("text.value.slice(text.selectionStart, text.selectionEnd)")
    expect(chosen.startswith("scope: {") and "\n" not in chosen, f"the link of a finding selects {chosen!r}")
    page.get_by_role("button", name="Apply safe fixes (1)").click()
    summary.get_by_text("1 error").wait_for()
    expect("https:" in text.input_value(), "what is certain is not mended")
    text.fill(text.input_value().replace("scope:", "scopes:"))
    summary.get_by_text("No findings.").wait_for()
    page.get_by_role("button", name="Try it in a sandbox").click()
    page.get_by_text("Every step succeeded.").wait_for()
    stage.seen(page, "trial")

    # The same without a script.
    plain = stage.browser.new_context(java_script_enabled=False)
    stage.watch(plain)
    other = plain.new_page()
    other.goto(stage.site + "/descriptor")
    other.get_by_label("The descriptor, in YAML").fill("carnet: 1\nid: acme\nname: Acme\nscope: {}\n")
    other.get_by_role("button", name="Try it in a sandbox").click()
    other.get_by_text("Not tried: the descriptor has errors.").wait_for()
    plain.close()

    # A file that is dropped in is a provider; one with a mistake changes nothing, and is told.
    ask("drop in")
    page.goto(stage.site)
    page.get_by_role("button", name="Sign in with Initech").wait_for()
    ask("break")
    page.goto(stage.site)
    alert = page.get_by_role("alert").inner_text()
    expect("initech.yaml:" in alert and "K001" in alert, alert)
    stage.seen(page, "broken-file")
    sign_in(stage, page, "Sign in with Initech")
    page.wait_for_url(stage.site + "/accounts/initech")
    ask("remove")
    page.goto(stage.site)
    expect(page.get_by_role("heading", name="Initech").count() == 0, "a provider without a file is still there")

    # A provider that posts its answer from a page of its own.
    page.goto(stage.site)
    sign_in(stage, page, "Sign in with Posting")
    page.get_by_role("button", name="Continue").click()
    page.wait_for_url(stage.site + "/accounts/posting")
    page.get_by_role("link", name="Sign-in steps").click()
    expect(page.get_by_text("Token request").first.is_visible(), "a sign-in by a posted answer is not drawn")

    # The provider of the clients file is asked itself, not the sandbox that stands for the others.
    page.goto(stage.site)
    real = ask("real")
    card = page.locator("ul.cards li", has=page.get_by_role("heading", name="Umbrella"))
    expect("Real provider" in card.inner_text(), card.inner_text())
    card.get_by_role("button").click()
    page.wait_for_selector("button[value=allow]")
    expect(page.url.startswith(real + "/"), f"the browser is at {page.url}")
    expect("own-client" in page.locator("main").inner_text(), "the client is not that of the file")
    page.get_by_role("button", name="Allow").click()
    page.wait_for_url(stage.site + "/accounts/umbrella")


if __name__ == "__main__":
    play(tour)
