import json

from browser import SECONDS_TO_ANSWER, Forms, http_session, sign_in_by_forms
from servers import USER


class OIDCProviderMock:
    """Its login page asks for a subject and nothing else; clients register themselves."""

    environment, tokens_per_second = {}, None

    def __init__(self, programs, scratch, port):
        self.issuer = f"http://127.0.0.1:{port}"
        self.command = [programs / "oidc-provider-mock", "--host", "127.0.0.1", "--port", str(port),
                        "--require-registration", "true", "--require-nonce", "true", "--user-claims", json.dumps(USER)]

    def register(self, client, metadata):
        answer = http_session().post(metadata["registration_endpoint"], json=client, timeout=SECONDS_TO_ANSWER)
        answer.raise_for_status()
        return answer.json()["client_id"], answer.json()["client_secret"]

    def sign_in(self, browser, url):
        return sign_in_by_forms(browser, url, {"sub": USER["sub"]})

    def sign_out(self, browser, url):
        page = browser.open(url)
        # Its button has no name, so the form is sent as it is.
        return browser.fill_in(page, Forms(page.text).forms[0]["fields"])
