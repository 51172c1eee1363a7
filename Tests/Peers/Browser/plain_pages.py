"""The pages that a server has without writing one: the choice of providers, what went wrong, and what a sign-out did."""

from stage import answer_consent, checks_policy, expect, play


def heading(page):
    return page.get_by_role("heading", level=1).inner_text()


def plain_pages(stage):
    page = stage.page()
    checks_policy(page.goto(stage.site + "/"), "the choice of providers")
    expect(heading(page) == "Sign in", heading(page))
    stage.seen(page, "choice")

    page.get_by_role("button", name="Sign in with Acme").click()
    answer_consent(stage, page, decision="Deny")
    expect(heading(page) == "Acme denied the sign-in", heading(page))
    expect("Reference: " in page.locator("main").inner_text(), "there is no reference")
    stage.seen(page, "denied")

    page.get_by_role("button", name="Try again with Acme").click()
    answer_consent(stage, page)
    page.wait_for_url(stage.site + "/")
    expect(page.inner_text("body") == "Hello, Ada Example", page.inner_text("body"))
    page.goto(stage.site + "/sign-in")
    expect(page.get_by_text("You are signed in as Ada Example.").is_visible(), "the choice does not say who is there")

    page.goto(stage.site + "/leave")
    page.get_by_role("button", name="Sign out").click()
    page.wait_for_url(stage.site + "/signed-out")
    expect(heading(page) == "You are signed out", heading(page))
    stage.seen(page, "signed-out")
    page.goto(stage.site + "/")
    expect(heading(page) == "Sign in", "the page still opens")


if __name__ == "__main__":
    play(plain_pages)
