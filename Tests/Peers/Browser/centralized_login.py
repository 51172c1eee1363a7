"""The sample centralized-login: a JSON token request, a state, hello NAME, and one button that is Login or Logout."""

from stage import expect, play, sign_in


def centralized_login(stage):
    page = stage.page()
    page.goto(stage.site)
    card = page.locator("ul.cards li", has=page.get_by_role("heading", name="Auth0"))
    expect(card.get_by_role("button").all_inner_texts() == ["Sign in with Auth0"], "there is no login button")
    sign_in(stage, page, "Sign in with Auth0")
    page.wait_for_url(stage.site + "/accounts/auth0")
    expect(page.get_by_role("heading", level=1).inner_text() == "Hello, Ada Example", "nobody says hello")
    expect("ada@example.com" in page.locator("main").inner_text(), "the e-mail address does not show")

    page.get_by_role("link", name="Sign-in steps").click()
    stage.seen(page, "flow")
    page.locator("svg a", has_text="Authorization request").click()
    asked = page.locator("details[open]").inner_text()
    expect("state=[redacted]" in asked and "code_challenge_method=S256" in asked, asked)
    page.locator("summary", has_text="Token request").click()
    sent = page.locator("details[open]").last.inner_text()
    expect("application/json" in sent and '"grant_type":"authorization_code"' in sent.replace(" ", ""), sent)
    expect('"code_verifier":"[redacted]"' in sent.replace(" ", ""), sent)
    stage.seen(page, "flow-opened")

    page.goto(stage.site)
    expect(card.get_by_role("button").all_inner_texts()[0].startswith("Sign out"), "there is no logout button")
    stage.seen(page, "signed-in")
    card.get_by_role("button", name="Sign out").click()
    page.wait_for_url(stage.site + "/signed-out")
    expect(page.get_by_text("This site has deleted the tokens of Auth0.").is_visible(), "what was done is not told")
    stage.seen(page, "signed-out")
    page.goto(stage.site)
    expect(card.get_by_role("button").all_inner_texts() == ["Sign in with Auth0"], "the button is no login again")
    page.goto(stage.site + "/accounts/auth0")
    expect("/sign-in" in page.url, "the account's page still opens")

    # Everywhere: the provider's page ends its session and leads back.
    sign_in(stage, page, "Sign in with Auth0")
    page.wait_for_url(stage.site + "/accounts/auth0")
    page.get_by_label("Sign out of").select_option("everywhere")
    page.get_by_role("button", name="Sign out").click()
    # The state comes back with the browser.
    page.wait_for_url(lambda url: url.startswith(stage.site + "/signed-out?state="))
    told = page.locator("main").inner_text()
    expect("has revoked them" in told and "have returned from the sign-out page of Auth0" in told, told)
    stage.seen(page, "signed-out-everywhere")


if __name__ == "__main__":
    play(centralized_login)
