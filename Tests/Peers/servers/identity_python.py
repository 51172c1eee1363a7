import pathlib

from browser import SECONDS_TO_ANSWER, http_session, sign_in_by_forms
from servers import PASSWORD, USER

FRONT = pathlib.Path(__file__).resolve().parent.parent / "idpyoidc_front.py"


class IdentityPython:
    """idpyoidc, a library for servers, behind a front that adds HTTP and a login page and decides nothing."""

    environment, tokens_per_second = {}, None

    def __init__(self, programs, scratch, port):
        self.issuer = f"http://127.0.0.1:{port}"
        self.command = [programs / "python", FRONT, str(port), scratch, USER["sub"], PASSWORD]

    def register(self, client, metadata):
        from cryptojwt.jwk.ec import new_ec_key  # comes with the environment

        # Version 5.0.0 cannot register a client without a key, and has a name of its own for the post-logout URI.
        key = new_ec_key("P-256", use="sig", alg="ES256").serialize() | {"kid": "unused"}
        request = client | {"jwks": {"keys": [key]}, "id_token_signed_response_alg": "ES256",
                            "post_logout_redirect_uri": client["post_logout_redirect_uris"][0]}
        answer = http_session().post(metadata["registration_endpoint"], json=request, timeout=SECONDS_TO_ANSWER)
        if not answer.ok:
            raise RuntimeError(f"the client was not registered: {answer.status_code} {answer.text[:300]}")
        return answer.json()["client_id"], answer.json()["client_secret"]

    def sign_in(self, browser, url):
        return sign_in_by_forms(browser, url, {"username": USER["sub"], "password": PASSWORD})

    def sign_out(self, browser, url):
        return sign_in_by_forms(browser, url, {"logout": "yes"})
