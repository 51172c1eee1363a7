"""The sample MyGoogleInfo: sign in, see given name, family name and picture; renew; be signed in after a restart."""

from stage import answer_consent, ask, checks_policy, claims, expect, play, sign_in


def google_info(stage):
    page = stage.page()
    checks_policy(page.goto(stage.site), "the first page")
    stage.seen(page, "providers")
    page.get_by_role("button", name="Sign in with Google", exact=True).click()
    page.wait_for_selector("button[value=allow]")
    stage.seen(page, "consent")
    answer_consent(stage, page)
    page.wait_for_url(stage.site + "/accounts/google")
    check_profile(stage, page)
    stage.seen(page, "profile")

    page.get_by_role("button", name="Refresh the tokens").click()
    page.wait_for_url("**/accounts/google?tab=payload")
    page.goto(stage.site + "/flows/google")
    steps = page.locator("summary").all_inner_texts()
    expect(any("Refresh" in step and "refresh" in step for step in steps), f"no refresh among {steps}")
    page.locator("summary").last.click()
    expect("grant_type=refresh_token" in page.locator("details[open]").inner_text(), "the refresh request is not told")
    expect("refresh_token=[redacted]" in page.locator("details[open]").inner_text(), "the refresh token is told")
    stage.seen(page, "flow")

    ask("restart")
    page.goto(stage.site + "/accounts/google")
    check_profile(stage, page)
    page.get_by_role("link", name="Providers", exact=True).click()
    expect(page.get_by_text("Signed in as Ada Example").is_visible(), "nobody is signed in after the restart")
    stage.seen(page, "restored")


def check_profile(stage, page):
    shown = claims(page)
    expect(shown.get("Given name") == "Ada" and shown.get("Family name") == "Example", f"the profile is {shown}")
    picture = page.get_by_alt_text("The picture in the profile")
    expect(picture.evaluate("image => image.complete && image.naturalWidth > 0"), "the picture does not show")


if __name__ == "__main__":
    play(google_info)
