"""Django with one of three libraries that make it an authorization server: every decision is the library's.

    django_front.py SERVER PORT FOLDER

runs the server whose key and database `Site.set_up` put into the folder; SERVER is a name of SITES. What is added is what
each library leaves to its site: a login page, the claims of a user and where the endpoints are.
"""

import functools
import json
import pathlib
import sys

LOGIN_PAGE = """<form method="post">{% csrf_token %}<input name="username"><input type="password" name="password">
<input type="hidden" name="next" value="{{ next }}"><button type="submit">Sign in</button></form>"""
SCOPES = ["openid", "profile", "email"]


class Site:
    """A Django site on loopback; a subclass is a library with the features that it leaves switched off turned on."""

    # The labels of its apps in the database, where they are not the last part of their names.
    apps, labels, middleware, login_path = (), (), (), "accounts/login/"

    def __init__(self, folder, port):
        self.folder, self.port, self.base = pathlib.Path(folder), port, f"http://127.0.0.1:{port}"

    def configure(self):
        import django
        from django.conf import settings

        settings.configure(
            SECRET_KEY="only for tests", ALLOWED_HOSTS=["127.0.0.1"], LOGIN_URL=f"/{self.login_path}", USE_TZ=True,
            INSTALLED_APPS=["django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions",
                            *self.apps],
            MIDDLEWARE=["django.contrib.sessions.middleware.SessionMiddleware",
                        "django.middleware.csrf.CsrfViewMiddleware",
                        "django.contrib.auth.middleware.AuthenticationMiddleware", *self.middleware],
            DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": self.folder / "site.sqlite",
                                   "OPTIONS": {"timeout": 30}}},
            # Tables are made from the models at once, and passwords are hashed at once: both make the tests faster.
            MIGRATION_MODULES={app.rpartition(".")[2]: None for app in
                               ("auth", "contenttypes", "sessions", *self.apps, *self.labels)},
            PASSWORD_HASHERS=["django.contrib.auth.hashers.MD5PasswordHasher"],
            TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "OPTIONS": {
                "context_processors": ["django.template.context_processors.request"],
                "loaders": [("django.template.loaders.locmem.Loader", {"registration/login.html": LOGIN_PAGE}),
                            "django.template.loaders.app_directories.Loader"]}}],
            **self.settings())
        django.setup()
        settings.ROOT_URLCONF = tuple(self.urls())

    @functools.cached_property
    def key(self):
        """The server's private key, which signs with RS256."""
        from cryptography.hazmat.primitives import serialization
        from cryptography.hazmat.primitives.asymmetric import rsa

        file = self.folder / "key.pem"
        if not file.exists():
            file.write_bytes(rsa.generate_private_key(65537, 2048).private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        return file.read_text()

    def set_up(self, user, password):
        """Makes the database and the user in it."""
        self.configure()
        from django.contrib.auth import get_user_model
        from django.core.management import call_command

        call_command("migrate", run_syncdb=True, verbosity=0)
        first, last = user["name"].split(" ")
        return get_user_model().objects.create_user(user["sub"], user["email"], password, first_name=first,
                                                    last_name=last)

    def run(self):
        self.configure()
        from django.core.servers.basehttp import run
        from django.core.wsgi import get_wsgi_application

        run("127.0.0.1", self.port, get_wsgi_application(), threading=True)


class OAuthToolkit(Site):
    """django-oauth-toolkit: its claims are the subject alone, until a site adds others."""

    apps = ("oauth2_provider",)

    def settings(self):
        return {"OAUTH2_PROVIDER": {
            "OIDC_ENABLED": True, "OIDC_RSA_PRIVATE_KEY": self.key, "SCOPES": {scope: scope for scope in SCOPES},
            "OAUTH2_VALIDATOR_CLASS": "django_front.validator", "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
            "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": True,
            "OAUTH_DEVICE_VERIFICATION_URI": f"{self.base}/device/",
            "OAUTH_DEVICE_VERIFICATION_URI_COMPLETE": lambda code: f"{self.base}/device/?user_code={code}",
            "DEVICE_FLOW_INTERVAL": 1, "DCR_ENABLED": True,
            "DCR_REGISTRATION_PERMISSION_CLASSES": ("oauth2_provider.dcr.AllowAllDCRPermission",)}}

    def urls(self):
        from django.contrib.auth.views import LoginView
        from django.urls import include, path

        return [path(self.login_path, LoginView.as_view()), path("", include("oauth2_provider.urls"))]

    def register(self, client, client_id, secret):
        from oauth2_provider.models import Application

        # A client has one grant.
        for made in (Application(client_id=client_id, client_secret=secret,
                                 client_type=Application.CLIENT_CONFIDENTIAL, algorithm=Application.RS256_ALGORITHM,
                                 authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE),
                     Application(client_id=f"{client_id}-device", client_type=Application.CLIENT_PUBLIC,
                                 authorization_grant_type=Application.GRANT_DEVICE_CODE)):
            made.name, made.redirect_uris = client["client_name"], " ".join(client["redirect_uris"])
            made.post_logout_redirect_uris = " ".join(client["post_logout_redirect_uris"])
            made.save()


def __getattr__(name):
    """The class that django-oauth-toolkit loads by its name, which cannot be made before Django is configured."""
    if name != "validator":
        raise AttributeError(name)
    from oauth2_provider.oauth2_validators import OAuth2Validator

    class Validator(OAuth2Validator):
        def get_additional_claims(self):
            return {"name": lambda request: request.user.get_full_name(), "email": lambda request: request.user.email}

    return Validator


class Allauth(Site):
    """django-allauth, which has login pages of its own."""

    apps = ("allauth", "allauth.account", "allauth.idp", "allauth.idp.oidc")
    labels = ("allauth_idp_oidc",)
    middleware = ("allauth.account.middleware.AccountMiddleware",)

    def settings(self):
        return {"AUTHENTICATION_BACKENDS": ["django.contrib.auth.backends.ModelBackend",
                                            "allauth.account.auth_backends.AuthenticationBackend"],
                "ACCOUNT_RATE_LIMITS": False, "ACCOUNT_EMAIL_VERIFICATION": "none",
                "IDP_OIDC_PRIVATE_KEY": self.key, "IDP_OIDC_RATE_LIMITS": False,
                "IDP_OIDC_DEVICE_CODE_INTERVAL": 1, "IDP_OIDC_INTROSPECTION_ENABLED": True,
                "IDP_OIDC_DCR_ENABLED": True, "IDP_OIDC_DCR_REQUIRES_INITIAL_ACCESS_TOKEN": False}

    def urls(self):
        from django.urls import include, path

        return [path("accounts/", include("allauth.account.urls")), path("", include("allauth.idp.urls"))]

    def set_up(self, user, password):
        made = super().set_up(user, password)
        from allauth.account.models import EmailAddress

        EmailAddress.objects.create(user=made, email=user["email"], verified=True, primary=True)

    def register(self, client, client_id, secret):
        from allauth.idp.oidc.models import Client

        # Version 65.21.1 lets public clients alone sign in with a device.
        for made, grants in ((Client(id=client_id), client["grant_types"]),
                             (Client(id=f"{client_id}-device", type=Client.Type.PUBLIC), [
                                 Client.GrantType.DEVICE_CODE, Client.GrantType.REFRESH_TOKEN])):
            made.name = client["client_name"]
            made.set_secret(secret)
            made.set_scopes(SCOPES)
            made.set_grant_types(grants)
            made.set_redirect_uris(client["redirect_uris"])
            made.save()


class OIDCProvider(Site):
    """django-oidc-provider."""

    apps = ("oidc_provider",)

    def settings(self):
        return {"SITE_URL": self.base, "OIDC_USERINFO": "django_front.claims"}

    def urls(self):
        from django.contrib.auth.views import LoginView
        from django.urls import include, path

        return [path(self.login_path, LoginView.as_view()), path("", include("oidc_provider.urls"))]

    def set_up(self, user, password):
        super().set_up(user, password)
        from oidc_provider.models import ResponseType, RSAKey

        RSAKey.objects.create(key=self.key)
        ResponseType.objects.create(value="code")

    def register(self, client, client_id, secret):
        from oidc_provider.models import Client, ResponseType

        made = Client(client_id=client_id, client_secret=secret, name=client["client_name"])
        # A client introspects the tokens whose audience is among its scopes.
        made.redirect_uris, made.scope = client["redirect_uris"], ["token_introspection", client_id]
        made.post_logout_redirect_uris = client["post_logout_redirect_uris"]
        made.save()
        made.response_types.add(ResponseType.objects.get(value="code"))


def claims(claims, user):
    return claims | {"name": user.get_full_name(), "email": user.email}


SITES = {"django-allauth": Allauth, "django-oauth-toolkit": OAuthToolkit, "django-oidc-provider": OIDCProvider}

if __name__ == "__main__":
    SITES[sys.argv[1]](sys.argv[3], int(sys.argv[2])).run()
