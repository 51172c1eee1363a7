"""The sample simple-pkce: an ephemeral sign-in, three tabs, a button for each granted scope, a changed title."""

from stage import ask, claims, expect, play, sign_in


def buttons(page):
    return page.locator("ul.cards li form button").all_inner_texts()


def simple_pkce(stage):
    page = stage.page()
    page.goto(stage.site)
    sign_in(stage, page, "Sign in with Cloudentity")
    page.wait_for_url(stage.site + "/accounts/cloudentity")

    page.get_by_role("link", name="Payload").click()
    payload = claims(page)
    expect({"email", "openid", "profile"} <= set(payload.get("scope", "").split()), f"the payload is {payload}")
    expect(page.get_by_text("Not verified").is_visible(), "the payload is shown as if it had been verified")
    stage.seen(page, "payload")
    page.get_by_role("link", name="Header").click()
    header = claims(page)
    expect(header.get("typ") == "at+jwt" and header.get("alg"), f"the header is {header}")
    stage.seen(page, "header")
    page.get_by_role("link", name="Resources").click()
    expect(buttons(page) == ["Transfer", "Balance", "Some name"], f"the buttons are {buttons(page)}")
    expect(page.get_by_text("Not granted: phone").is_visible(), "what phone would open is not told")
    stage.seen(page, "resources")
    page.get_by_role("button", name="Balance").click()
    answer = page.get_by_role("status")
    expect("Balance: 200" in answer.inner_text() and "email" in answer.inner_text(), answer.inner_text())
    stage.seen(page, "response")

    ask("rename")
    page.goto(stage.site + "/accounts/cloudentity?tab=resources")
    expect(buttons(page) == ["Transfer", "Balance of the day", "Some name"], f"the buttons are {buttons(page)}")
    ask("break")
    page.goto(stage.site + "/accounts/cloudentity?tab=resources")
    expect(buttons(page) == ["Transfer", "Balance of the day", "Some name"], "a broken map takes the resources away")
    page.goto(stage.site)
    expect("scopeData.json" in page.get_by_role("alert").inner_text(), "a broken map is not told")
    stage.seen(page, "broken-map")

    # Ephemeral: another window shares nothing, neither with the site nor with the provider.
    private = stage.new_context()
    stage.watch(private)
    other = private.new_page()
    other.goto(stage.site)
    sign_in(stage, other, "Sign in with Cloudentity", without=["email"])
    other.wait_for_url(stage.site + "/accounts/cloudentity")
    other.get_by_role("link", name="Resources").click()
    expect(buttons(other) == ["Transfer", "Some name"], f"without email the buttons are {buttons(other)}")
    other.get_by_role("button", name="Request these scopes").click()
    other.get_by_role("button", name="Allow").click()
    other.wait_for_url("**/accounts/cloudentity?tab=resources")
    expect(len(buttons(other)) == 4, f"after asking for more the buttons are {buttons(other)}")
    at_provider = [cookie for cookie in private.cookies() if not cookie["name"].startswith("carnet")]
    expect(not at_provider, f"the provider left cookies: {at_provider}")
    private.close()


if __name__ == "__main__":
    play(simple_pkce)
