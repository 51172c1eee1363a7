import json
import pathlib
import sqlite3
import urllib.parse

from browser import SECONDS_TO_ANSWER, http_session
from servers import PASSWORD, SECRET, USER

SCHEMA = pathlib.Path("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3")
MODULES = pathlib.Path("/usr/lib/glewlwyd")
SCOPES = ["openid", "profile", "email", "offline_access"]


class Glewlwyd:
    """A server in C from Debian. It is set up by its API, which its login page, a program of JavaScript, calls too."""

    environment, tokens_per_second = {}, None

    def __init__(self, programs, scratch, port):
        self.base = f"http://127.0.0.1:{port}"
        self.api = f"{self.base}/api"
        self.issuer = f"{self.api}/oidc"
        self.health = f"{self.base}/config"
        with sqlite3.connect(scratch / "glewlwyd.sqlite") as database:
            database.executescript(SCHEMA.read_text())
        configuration = scratch / "glewlwyd.conf"
        modules = [f'{kind}_module_path = "{MODULES / folder}"' for kind, folder in
                   (("user", "user"), ("client", "client"), ("user_auth_scheme", "scheme"), ("plugin", "plugin"))]
        configuration.write_text("\n".join([
            f'port = {port}', 'bind_address = "127.0.0.1"', f'external_url = "{self.base}"', 'login_url = "login.html"',
            'api_prefix = "api"', 'log_mode = "console"', 'log_level = "INFO"', 'cookie_secure = 0',
            'session_expiration = 86400', 'session_key = "GLEWLWYD2_SESSION_ID"', 'admin_scope = "g_admin"',
            'profile_scope = "g_profile"', 'login_api_enabled = true', 'hash_algorithm = "SHA512"',
            'static_files_path = "/usr/share/glewlwyd/webapp"', *modules,
            f'database = {{ type = "sqlite3"; path = "{scratch / "glewlwyd.sqlite"}"; }};', '']))
        self.command = ["glewlwyd", "--config-file", configuration]

    def set_up(self):
        """Signs the administrator in, who makes the scopes, the user and the server's OpenID Connect part."""
        self.administrator = http_session()
        self.call("POST", "auth/", {"username": "admin", "password": "password"})
        for scope in SCOPES:
            is_there = scope == "openid"
            self.call("PUT" if is_there else "POST", "scope/openid" if is_there else "scope/", {
                "name": scope, "display_name": scope, "description": scope, "password_required": True,
                "password_max_age": 0, "scheme": {}})
        self.call("POST", "user/", {
            "username": USER["sub"], "name": USER["name"], "email": USER["email"], "password": PASSWORD,
            "enabled": True, "scope": [*SCOPES, "g_profile"]})
        self.call("POST", "mod/plugin/", {
            "module": "oidc", "name": "oidc", "display_name": "OIDC", "enabled": True, "parameters": self.parameters()})

    def parameters(self):
        from joserfc.jwk import ECKey, RSAKey  # come with the environment

        keys = [RSAKey.generate_key(2048).as_dict(private=True) | {"alg": "RS256", "kid": "rsa"},
                ECKey.generate_key("P-256").as_dict(private=True) | {"alg": "ES256", "kid": "ec"}]
        return {
            "iss": self.issuer, "jwks-private": json.dumps({"keys": keys}), "default-kid": "rsa", "jwks-show": True,
            "client-sign_kid-parameter": "sign_kid", "jwt-type": "rsa", "jwt-key-size": "256", "key": "", "cert": "",
            "access-token-duration": 3600, "refresh-token-duration": 1209600, "code-duration": 600,
            "refresh-token-rolling": True, "refresh-token-one-use": "always", "allow-non-oidc": True,
            "auth-type-client-enabled": True, "auth-type-code-enabled": True,
            "auth-type-code-revoke-replayed": True, "auth-type-implicit-enabled": False,
            "auth-type-password-enabled": False, "auth-type-refresh-enabled": True,
            "auth-type-device-enabled": True, "device-authorization-expiration": 600,
            "device-authorization-interval": 1, "allowed-scope": SCOPES,
            "name-claim": "mandatory", "email-claim": "mandatory", "scope-claim": "no",
            "address-claim": {"type": "no"}, "claims": [], "name-claim-scope": [], "email-claim-scope": [],
            "jwks-x5c": [], "scope": [], "additional-parameters": [], "pkce-scopes": [],
            "pkce-allowed": True, "pkce-method-plain-allowed": False, "pkce-required": True,
            "pkce-required-public-client": True, "introspection-revocation-allowed": True,
            "introspection-revocation-auth-scope": [], "introspection-revocation-allow-target-client": True,
            "request-parameter-allow": True, "request-parameter-ietf-strict": False, "request-maximum-exp": 3600,
            "request-uri-allow-https-non-secure": True, "subject-type": "public",
            "register-client-allowed": True, "register-client-auth-scope": [],
            "register-client-credentials-scope": ["openid"], "register-client-management-allowed": True,
            "register-resource-specify-allowed": False, "session-management-allowed": True,
            "session-cookie-name": "GLEWLWYD2_OIDC_SID", "session-cookie-expiration": 86400,
            "front-channel-logout-allowed": True, "back-channel-logout-allowed": True,
            "oauth-dpop-allowed": True, "oauth-dpop-iat-duration": 30, "oauth-dpop-nonce-mandatory": True,
            "oauth-dpop-nonce-counter": 3, "resource-allowed": False, "oauth-rar-allowed": False,
            "oauth-par-allowed": True, "oauth-par-required": False, "oauth-par-duration": 90,
            "oauth-par-request_uri-prefix": "urn:ietf:params:oauth:request_uri:", "oauth-ciba-allowed": False,
            "oauth-fapi-allow-jarm": True, "oauth-as-iss-id": True, "encrypt-out-token-allow": False,
            "client-pubkey-parameter": "pubkey", "client-jwks-parameter": "jwks",
            "client-jwks_uri-parameter": "jwks_uri", "client-alg-parameter": "alg",
            "client-enc-parameter": "enc", "client-alg_kid-parameter": "alg_kid",
            **{f"client-encrypt_{what}-parameter": f"encrypt_{what}"
               for what in ("code", "at", "userinfo", "id_token", "refresh_token")}}

    def register(self, client, metadata):
        client_id = "carnet-tests"
        self.call("POST", "client/", {
            "client_id": client_id, "name": client["client_name"], "enabled": True, "confidential": True,
            "client_secret": SECRET, "redirect_uri": client["redirect_uris"], "scope": ["openid"],
            "authorization_type": ["code", "refresh_token", "delete_token", "client_credentials",
                                   "device_authorization"],
            "token_endpoint_auth_method": ["client_secret_basic", "client_secret_post", "client_secret_jwt"],
            "post_logout_redirect_uri": client["post_logout_redirect_uris"][0],
            "backchannel_logout_uri": client.get("backchannel_logout_uri", "")})
        return client_id, SECRET

    def call(self, method, path, body):
        answer = self.administrator.request(method, f"{self.api}/{path}", json=body, timeout=SECONDS_TO_ANSWER)
        if not answer.ok:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text[:300]}")

    def sign_in(self, browser, url):
        """What the login page does: signs the user in, grants the scopes, and goes back to where it was called from."""
        page = browser.open(url)
        while not isinstance(page, int):
            query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(browser.url).query))
            if query.get("prompt") == "deviceComplete":
                return page.status_code
            if "callback_url" not in query:
                raise RuntimeError(f"the login page does not say where to go on: {browser.url}")
            user = {"username": USER["sub"], "password": PASSWORD}
            browser.session.post(f"{self.api}/auth/", json=user, timeout=SECONDS_TO_ANSWER).raise_for_status()
            if "client_id" in query:
                browser.session.put(f"{self.api}/auth/grant/{query['client_id']}/", timeout=SECONDS_TO_ANSWER,
                                    json={"scope": query.get("scope", "openid")}).raise_for_status()
            onward = query["callback_url"]
            page = browser.open(onward + ("&" if "?" in onward else "?") + "g_continue")
        return page

    def sign_out(self, browser, url):
        """What the page of JavaScript does: ends the session that it was opened for. It leads back to nobody."""
        page = browser.open(url)
        query = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(browser.url).query))
        for ended in (f"{self.issuer}/session/{query['sid']}/", f"{self.api}/auth/"):
            browser.session.delete(ended, timeout=SECONDS_TO_ANSWER).raise_for_status()
        return page.status_code
