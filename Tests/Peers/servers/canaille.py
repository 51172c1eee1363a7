import itertools
import os
import subprocess

from browser import sign_in_by_forms
from servers import PASSWORD, SECRET, USER

# Its commands take half a minute each beside other tests on two processors.
SECONDS_TO_RUN = 300


class Canaille:
    """Has a login page, a password page and a consent page, and keeps its users and clients in a database."""

    # Its access tokens are JWTs whose claims differ by their times alone, and it keeps no two that are equal.
    tokens_per_second = 1

    def __init__(self, programs, scratch, port):
        self.issuer = f"http://127.0.0.1:{port}"
        self.program = programs / "canaille"
        self.command = [self.program, "run", "--workers", "0", "--bind", f"127.0.0.1:{port}"]
        configuration = scratch / "canaille.toml"
        configuration.write_text(f"""
            SECRET_KEY = "only for tests"
            SERVER_NAME = "127.0.0.1:{port}"
            PREFERRED_URL_SCHEME = "http"
            [CANAILLE]
            DATABASE = "sql"
            JAVASCRIPT = false
            HTMX = false
            [CANAILLE_SQL]
            DATABASE_URI = "sqlite:///{scratch / 'canaille.sqlite'}"
            [CANAILLE_OIDC]
            DYNAMIC_CLIENT_REGISTRATION_OPEN = true
        """)
        self.environment = {"CANAILLE_CONFIG": str(configuration)}

    def register(self, client, metadata):
        client_id = "carnet-tests"
        # The client's home page lies outside the trusted domains, so that consent is asked for.
        self.create("client", client_id=client_id, client_secret=SECRET, client_name=client["client_name"],
                    client_uri="https://client.example", redirect_uris=client["redirect_uris"],
                    post_logout_redirect_uris=client["post_logout_redirect_uris"], response_types="code",
                    grant_types=client["grant_types"], scope=["openid", "profile", "email"],
                    token_endpoint_auth_method="client_secret_basic", id_token_signed_response_alg="RS256")
        # A client made on the command line has no audience, and its ID tokens are then for nobody.
        self.run("set", "client", client_id, audience=client_id)
        self.create("user", user_name=USER["sub"], password=PASSWORD, emails=USER["email"], given_name="Alice",
                    family_name="Liddell", formatted_name=USER["name"])
        return client_id, SECRET

    def create(self, what, **properties):
        self.run("create", what, **properties)

    def run(self, *command, **properties):
        options = [["--" + name.replace("_", "-"), value] for name, values in properties.items()
                   for value in ([values] if isinstance(values, str) else values)]
        done = subprocess.run([self.program, *command, *itertools.chain(*options)],
                              env=dict(os.environ, **self.environment), timeout=SECONDS_TO_RUN, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)
        if done.returncode != 0:
            raise RuntimeError(f"canaille {' '.join(command[:2])}: {done.stdout[-500:]} {done.stderr[-500:]}")

    def sign_in(self, browser, url):
        return sign_in_by_forms(browser, url, {"login": USER["sub"], "password": PASSWORD, "answer": "accept"})

    def sign_out(self, browser, url):
        return sign_in_by_forms(browser, url, {"answer": "logout"})
