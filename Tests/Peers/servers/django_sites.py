import pathlib
import urllib.parse

from browser import sign_in_by_forms
from servers import PASSWORD, SECRET, USER

FRONT = pathlib.Path(__file__).resolve().parent.parent / "django_front.py"


class DjangoSite:
    """A library for Django behind a front that decides nothing. All of them share an environment."""

    programs, environment, tokens_per_second = "django", {}, None
    client_id = "carnet-tests"
    consent, device, logout = {"allow": "Authorize"}, {"action": "accept"}, {"allow": "Logout"}

    def __init__(self, programs, scratch, port):
        import django_front

        self.issuer = f"http://127.0.0.1:{port}"
        self.command = [programs / "python", FRONT, self.name, str(port), scratch]
        self.site = django_front.SITES[self.name](scratch, port)
        self.site.set_up(USER, PASSWORD)

    def register(self, client, metadata):
        self.site.register(client, self.client_id, SECRET)
        return self.client_id, SECRET

    def sign_in(self, browser, url):
        user = {"username": USER["sub"], "login": USER["sub"], "password": PASSWORD}
        path, _, query = url.partition("?")
        if not path.removesuffix("/").endswith("/device"):
            return sign_in_by_forms(browser, url, user | self.consent)
        code = dict(urllib.parse.parse_qsl(query))
        return sign_in_by_forms(browser, url, user | self.device | code, last_page="Device Authorized")

    def sign_out(self, browser, url):
        return sign_in_by_forms(browser, url, self.logout)


class OAuthToolkit(DjangoSite):
    name, device_client_id = "django-oauth-toolkit", f"{DjangoSite.client_id}-device"


class Allauth(DjangoSite):
    name, device_client_id = "django-allauth", f"{DjangoSite.client_id}-device"
    consent, device, logout = {"action": "grant"}, {"action": "confirm"}, {"action": "logout"}


class OIDCProvider(DjangoSite):
    name = "django-oidc-provider"
    logout = {"allow": "Yes"}
