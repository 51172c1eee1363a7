"""HTTP and a login page in front of idpyoidc, a library for authorization servers: every decision is the library's.

    idpyoidc_front.py PORT FOLDER USER PASSWORD

Keys, the user's file and the page's template are put into the folder.
"""

import json
import os
import pathlib
import sys

from flask import Flask, make_response, redirect, request
from idpyoidc.message.oauth2 import ResponseMessage
from idpyoidc.message.oidc import AuthorizationRequest
from idpyoidc.server import Server
from idpyoidc.server.configure import OPConfiguration
from idpyoidc.server.exception import ClientAuthenticationError

AUTHENTICATION = ["client_secret_basic", "client_secret_post", "client_secret_jwt", "private_key_jwt"]
PAGE = """<form action="{{ action }}" method="post"><input type="hidden" name="token" value="{{ token }}">
<input name="username"><input type="password" name="password"><button type="submit">Sign in</button></form>"""
LOGOUT_PAGE = """<form action="/logged-out" method="post"><input type="hidden" name="sjwt" value="{}">
<button name="logout" value="yes" type="submit">Sign out</button></form>"""

# The path of each endpoint, the two names that the library has for it, its class there, and its options.
ENDPOINTS = [
    (".well-known/openid-configuration", "provider_info", "provider_config",
     "oidc.provider_config.ProviderConfiguration", {"client_authn_method": None}),
    ("registration", "registration", "registration", "oidc.registration.Registration", {"client_authn_method": None}),
    ("registration_api", "registration_api", "registration_read", "oidc.read_registration.RegistrationRead",
     {"client_authn_method": ["bearer_header"]}),
    ("introspection", "introspection", "introspection", "oauth2.introspection.Introspection",
     {"client_authn_method": AUTHENTICATION, "release": ["username"]}),
    ("revocation", "revocation", "token_revocation", "oauth2.token_revocation.TokenRevocation",
     {"client_authn_method": AUTHENTICATION}),
    ("par", "pushed_authorization", "pushed_authorization", "oauth2.pushed_authorization.PushedAuthorization",
     {"client_authn_method": AUTHENTICATION, "ttl": 90}),
    ("authorization", "authorization", "authorization", "oidc.authorization.Authorization",
     {"client_authn_method": None, "claims_parameter_supported": True, "request_parameter_supported": True,
      "request_uri_parameter_supported": True, "response_types_supported": ["code"],
      "response_modes_supported": ["query", "form_post"]}),
    ("token", "token", "token", "oidc.token.Token", {"client_authn_method": AUTHENTICATION}),
    ("userinfo", "userinfo", "userinfo", "oidc.userinfo.UserInfo", {"claim_types_supported": ["normal"]}),
    ("session", "end_session", "session", "oidc.session.Session",
     {"client_authn_method": None, "logout_verify_url": "verify_logout", "post_logout_uri_path": "post_logout",
      "signing_alg": "ES256", "frontchannel_logout_supported": True, "frontchannel_logout_session_supported": True,
      "backchannel_logout_supported": True, "backchannel_logout_session_supported": True}),
]


def keys(name, *kinds):
    return {"private_path": f"{name}.json", "read_only": False, "key_defs": list(kinds)}


def token(kind, seconds):
    return {"class": f"idpyoidc.server.token.{kind}", "kwargs": {"lifetime": seconds}}


def configuration(base):
    mints = ["access_token", "refresh_token", "id_token"]
    rsa, ec = {"type": "RSA", "use": ["sig"]}, {"type": "EC", "crv": "P-256", "use": ["sig"]}
    symmetric = [{"type": "OCT", "use": [use], "kid": use} for use in ("enc", "sig")]
    codes = [{"type": "oct", "bytes": 24, "use": ["enc"], "kid": kind} for kind in ("code", "refresh")]
    return {
        "issuer": base, "base_url": base, "template_dir": ".",
        "keys": keys("keys", rsa, ec) | {"uri_path": "jwks"},
        "preference": {"subject_types_supported": ["public"],
                       "grant_types_supported": ["authorization_code", "refresh_token"]},
        "add_on": {"pkce": {"function": "idpyoidc.server.oauth2.add_on.pkce.add_support",
                            "kwargs": {"essential": True}}},
        "authz": {"class": "idpyoidc.server.authz.AuthzHandling", "kwargs": {"grant_config": {
            "expires_in": 43200,
            "usage_rules": {"authorization_code": {"supports_minting": mints, "max_usage": 1}, "access_token": {},
                            "refresh_token": {"supports_minting": mints}}}}},
        "authentication": {"user": {
            "acr": "urn:oasis:names:tc:SAML:2.0:ac:classes:InternetProtocolPassword",
            "class": "idpyoidc.server.user_authn.user.UserPassJinja2",
            "kwargs": {"verify_endpoint": "verify/user", "template": "login.jinja2", "page_header": "",
                       "submit_btn": "", "user_label": "", "passwd_label": "",
                       "db": {"class": "idpyoidc.server.util.JSONDictDB", "kwargs": {"filename": "passwords.json"}}}}},
        "claims_interface": {"class": "idpyoidc.server.session.claims.ClaimsInterface", "kwargs": {}},
        "cookie_handler": {"class": "idpyoidc.server.cookie_handler.CookieHandler", "kwargs": {
            "keys": keys("cookie_keys", *symmetric),
            "name": {"session": "op", "register": "op_clients", "session_management": "op_sessions"}}},
        "endpoint": {name: {"path": path, "class": f"idpyoidc.server.{where}", "kwargs": options}
                     for path, name, _, where, options in ENDPOINTS},
        "token_handler_args": {
            "jwks_def": keys("token_keys", *codes), "code": {"kwargs": {"lifetime": 600}},
            "token": token("jwt_token.JWTToken", 3600), "refresh": token("jwt_token.JWTToken", 86400),
            "id_token": {"class": "idpyoidc.server.token.id_token.IDToken", "kwargs": {}}},
        "userinfo": {"class": "idpyoidc.server.user_info.UserInfo", "kwargs": {"db_file": "users.json"}},
    }


def application(server):
    app = Flask(__name__)
    for path, name, other_name, _, _ in ENDPOINTS:
        endpoint = server.get_endpoint(other_name)
        app.add_url_rule(f"/{path}", name, lambda endpoint=endpoint: answer(app, endpoint), methods=["GET", "POST"])
    # Version 5.0.0 expects a bearer token of every client, and a browser that signs out has none.
    server.get_endpoint("session").client_authentication = lambda *_, **__: {}

    @app.get("/jwks")
    def jwks():
        return server.get_context().keyjar.export_jwks()

    @app.post("/verify/user")
    def verify_user():
        method = server.get_context().authn_broker.get_method_by_id("user")
        fields = request.form.to_dict()
        user = method.verify(**fields)
        if not user:
            return "wrong password", 403
        begun = method.unpack_token(fields["token"])
        asked = AuthorizationRequest().from_urlencoded(begun["query"])
        endpoint = server.get_endpoint("authorization")
        session = endpoint.create_session(asked, user, begun["authn_class_ref"], begun["iat"], method)
        outcome = endpoint.authz_part2(request=asked, session_id=session)
        if isinstance(outcome, ResponseMessage) and "error" in outcome:
            return refusal(400, outcome["error"], outcome.get("error_description", ""))
        return respond(endpoint, request, outcome)

    @app.get("/verify_logout")
    def verify_logout():
        return LOGOUT_PAGE.format(request.args["sjwt"])

    @app.post("/logged-out")
    def logged_out():
        endpoint = server.get_endpoint("session")
        about = endpoint.unpack_signed_jwt(request.form["sjwt"])
        endpoint.do_verified_logout(alla=True, **about)
        response = redirect(about["redirect_uri"])
        set_cookies(response, endpoint.kill_cookies())
        return response

    return app


def answer(app, endpoint):
    headers = {name: value for name, value in request.headers.items(lower=True) if name not in ("cookie", "user-agent")}
    http = {"headers": headers, "method": request.method, "url": request.url,
            "cookie": [{"name": name, "value": value} for name, value in request.cookies.items()]}
    if request.method == "GET":
        received = request.args.to_dict()
    else:
        received = request.get_data(as_text=True) if request.is_json else request.form.to_dict()
    try:
        parsed = endpoint.parse_request(received, http_info=http)
        if isinstance(parsed, ResponseMessage) and "error" in parsed:
            return refusal(400, parsed["error"], parsed.get("error_description", ""))
        outcome = endpoint.process_request(parsed, http_info=http)
    except ClientAuthenticationError as error:
        return refusal(401, "invalid_client", str(error))
    except Exception as error:  # the library lets its own through
        app.logger.exception(endpoint.name)
        return refusal(400, "invalid_request", f"{type(error).__name__} {error}")
    if isinstance(outcome, ResponseMessage) and "error" in outcome:
        return refusal(400, outcome["error"], outcome.get("error_description", ""))
    if "redirect_location" in outcome:
        response = redirect(outcome["redirect_location"])
        set_cookies(response, outcome.get("cookie", []))
        return response
    if "http_response" in outcome:
        return make_response(outcome["http_response"], outcome.get("response_code", 200))
    return respond(endpoint, parsed, outcome)


def respond(endpoint, asked, outcome):
    made = endpoint.do_response(request=asked, **outcome)
    if made.get("response_placement", endpoint.response_placement) == "body":
        response = make_response(made["response"], made.get("response_code", 200))
    else:
        response = redirect(made["response"])
    for name, value in made["http_headers"]:
        response.headers[name] = value
    set_cookies(response, made.get("cookie", []))
    return response


def set_cookies(response, cookies):
    for cookie in cookies if isinstance(cookies, list) else [cookies]:
        options = {name: value for name, value in cookie.items() if name not in ("name", "secure", "samesite", "path")}
        response.set_cookie(cookie["name"], path="/", samesite="Lax", **options)


def refusal(status, error, description):
    return make_response({"error": error, "error_description": description}, status)


def main(port, folder, user, password):
    os.chdir(folder)
    about = {"sub": user, "name": "Alice Liddell", "email": "alice@example.org", "email_verified": True}
    for name, text in (("passwords.json", json.dumps({user: password})), ("users.json", json.dumps({user: about})),
                       ("login.jinja2", PAGE)):
        pathlib.Path(name).write_text(text)
    settings = OPConfiguration(conf=configuration(f"http://127.0.0.1:{port}"), base_path=folder, domain="127.0.0.1",
                               port=port)
    server = Server(settings, cwd=folder)
    for endpoint in server.endpoint.values():
        endpoint.server_get = getattr(endpoint, "upstream_get", None)
    application(server).run(host="127.0.0.1", port=port, threaded=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), *sys.argv[2:])
