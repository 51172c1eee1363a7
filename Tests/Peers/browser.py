"""The user's browser: requests pages, fills in their forms, and ends at a redirect URI."""

import html.parser
import urllib.parse

SECONDS_TO_ANSWER = 30
MOST_PAGES = 12


def http_session():
    import requests  # comes with the environment

    session = requests.Session()
    session.trust_env = False  # no proxy between this program and loopback
    return session


class Browser:
    """A new one has no cookies: nobody is signed in yet."""

    def __init__(self, last_stop, requests_last_stop=True):
        self.session, self.last_stop, self.url = http_session(), last_stop, None
        self.requests_last_stop = requests_last_stop

    def open(self, url, method="GET", data=None):
        """The page that the URL leads to, or the status with which the last stop answered; 0 if nobody asked it."""
        for _ in range(MOST_PAGES):
            at_last_stop = url.partition("?")[0] == self.last_stop
            if at_last_stop and not self.requests_last_stop:
                self.url = url
                return 0
            page = self.session.request(method, url, data=data, headers={"Referer": self.url or url},
                                        timeout=SECONDS_TO_ANSWER, allow_redirects=False)
            self.url = url
            if at_last_stop:
                return page.status_code
            if not page.is_redirect:
                if not page.ok:
                    raise RuntimeError(f"{method} {url}: {page.status_code} {page.text[:300]}")
                return page
            method, url, data = "GET", urllib.parse.urljoin(url, page.headers["Location"]), None
        raise RuntimeError(f"more than {MOST_PAGES} redirects, the last one to {url}")

    def fill_in(self, page, answers):
        """Sends the first form of the page that the user has an answer to."""
        form, data = next(filled(Forms(page.text).forms, answers), (None, None))
        if form is None:
            raise RuntimeError(f"no form at {self.url} asks for {', '.join(answers)}: {page.text[:300]}")
        return self.open(urllib.parse.urljoin(self.url, form["action"]), form["method"], data)


class Forms(html.parser.HTMLParser):
    """The forms of a page: action, method, the fields to send with the values they have, and the buttons."""

    def __init__(self, page):
        super().__init__()
        self.forms, self.current = [], None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        attributes = {name: value or "" for name, value in attributes}
        kind = attributes.get("type", "submit" if tag == "button" else "text").lower()
        if tag == "form":
            method = attributes.get("method", "get").upper()
            self.current = {"action": attributes.get("action", ""), "method": method, "fields": {}, "buttons": []}
            self.forms.append(self.current)
        elif self.current is None or tag not in ("input", "button") or not attributes.get("name"):
            pass
        elif kind == "submit":
            self.current["buttons"].append((attributes["name"], attributes.get("value", "")))
        elif kind not in ("checkbox", "radio") or "checked" in attributes:
            fields, name, value = self.current["fields"], attributes["name"], attributes.get("value", "")
            # Boxes that share a name are sent one by one.
            fields[name] = [*fields[name], value] if kind == "checkbox" and name in fields else (
                [value] if kind == "checkbox" else value)

    def handle_endtag(self, tag):
        if tag == "form":
            self.current = None


def filled(forms, answers):
    """The forms that the user has an answer to, each with what the browser would send."""
    for form in forms:
        known = {name: answers[name] for name in form["fields"] if name in answers}
        pressed = dict(button for button in form["buttons"] if button in answers.items())
        if known or pressed:
            yield form, {**form["fields"], **known, **pressed}


def sign_in_by_forms(browser, url, answers, last_page=None):
    """Answers every page with what the user knows, until the browser is at its last stop or at a page with a text."""
    page = browser.open(url)
    for _ in range(MOST_PAGES):
        if isinstance(page, int):
            return page
        if last_page and last_page in page.text:
            return page.status_code
        page = browser.fill_in(page, answers)
    raise RuntimeError(f"more than {MOST_PAGES} pages, the last one {browser.url}")
