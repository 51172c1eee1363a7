"""Makes access tokens, and says which of them a resource server must accept, with libraries that nobody here wrote.

    python3 Tests/Peers/access_tokens.py < QUESTION        {"issuer": URL, "audience": URL}

joserfc signs the tokens and checks the signatures; Authlib checks the claims (RFC 9068, section 4). Prints
{"now": SECONDS, "keys": JWKS, "tokens": [{"name": TEXT, "token": TEXT, "accepted": true or false}, ...]}. Prepares its
Python environment itself.
"""

import base64
import hmac
import json
import time

import environments


ALGORITHMS = ("RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384", "ES512", "EdDSA")


def answer(question):
    from authlib.oauth2.rfc9068.claims import JWTAccessTokenClaims
    from joserfc import jwt
    from joserfc.errors import JoseError
    from joserfc.jwk import ECKey, KeySet, OKPKey, RSAKey

    now = int(time.time())
    issuer, audience = question["issuer"], question["audience"]
    keys = {
        "rsa": RSAKey.generate_key(2048, {"kid": "rsa", "use": "sig"}),
        "p256": ECKey.generate_key("P-256", {"kid": "p256", "use": "sig"}),
        "p384": ECKey.generate_key("P-384", {"kid": "p384", "use": "sig"}),
        "p521": ECKey.generate_key("P-521", {"kid": "p521", "use": "sig"}),
        "ed": OKPKey.generate_key("Ed25519", {"kid": "ed", "use": "sig"}),
    }
    stranger = ECKey.generate_key("P-256", {"kid": "p256"})
    published = KeySet([RSAKey.import_key(keys["rsa"].as_dict(private=False))] + [
        type(key).import_key(key.as_dict(private=False)) for name, key in keys.items() if name != "rsa"])
    good = {"iss": issuer, "aud": audience, "sub": "user-1", "client_id": "client", "iat": now, "exp": now + 3600,
            "jti": "token-1", "scope": "read write"}
    options = {"iss": {"essential": True, "value": issuer}, "aud": {"essential": True, "value": audience},
               "exp": {"essential": True}}

    def key_of(algorithm):
        return keys[{"RS": "rsa", "PS": "rsa", "Ed": "ed"}.get(algorithm[:2]) or
                    {"ES256": "p256", "ES384": "p384", "ES512": "p521"}[algorithm]]

    def make(changes=(), algorithm="ES256", key=None, **header):
        claims = {**good, **dict(changes)}
        claims = {name: value for name, value in claims.items() if value is not None}
        key = key or key_of(algorithm)
        header = {"alg": algorithm, "typ": "at+jwt", "kid": key.kid, **header}
        header = {name: value for name, value in header.items() if value is not None}
        return jwt.encode(header, claims, key, algorithms=[algorithm])

    def is_accepted(token):
        try:
            decoded = jwt.decode(token, published, algorithms=list(ALGORITHMS))
            JWTAccessTokenClaims(decoded.claims, decoded.header, options).validate(now=now, leeway=60)
        except (JoseError, ValueError, TypeError, KeyError):
            return False
        return True

    def part(value):
        return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()

    head, body, signature = make().split(".")
    tokens = {f"signed with {algorithm}": make(algorithm=algorithm) for algorithm in ALGORITHMS}
    for name, changes in {
        "two audiences": {"aud": ["https://other.example", audience]},
        "an audience in a list": {"aud": [audience]},
        "another audience": {"aud": "https://other.example"},
        "other audiences": {"aud": ["https://other.example", "client"]},
        "no audience": {"aud": None},
        "another issuer": {"iss": "https://evil.example"},
        "an issuer with a slash": {"iss": issuer + "/"},
        "no issuer": {"iss": None},
        "expired": {"exp": now - 3600},
        "expired within the tolerance": {"exp": now - 30},
        "no end": {"exp": None},
        "not valid yet": {"nbf": now + 3600},
        "valid since a minute": {"nbf": now - 60},
        "issued in the future": {"iat": now + 3600},
        "more claims": {"auth_time": now - 5, "amr": ["pwd"], "acr": "gold", "groups": ["a"], "x": {"y": [1]}},
        "no scope": {"scope": None},
    }.items():
        tokens[name] = make(changes)
    for kind in ("at+jwt", "application/at+jwt", "AT+JWT", "JWT", "id_token+jwt", "logout+jwt"):
        tokens[f"of type {kind}"] = make(typ=kind)
    tokens["without a key id"] = make(kid=None)
    tokens["of an unknown key"] = make(kid="other")
    tokens["of a stranger's key"] = make(key=stranger)
    tokens["with a changed payload"] = f"{head}.{part({**good, 'sub': 'admin'})}.{signature}"
    tokens["with a changed header"] = f"{part({'alg': 'ES256', 'typ': 'at+jwt', 'kid': 'p256', 'x': 1})}.{body}.{signature}"
    tokens["with a cut signature"] = f"{head}.{body}.{signature[:-4]}"
    tokens["with no signature"] = f"{head}.{body}."
    tokens["of algorithm none"] = f"{part({'alg': 'none', 'typ': 'at+jwt'})}.{body}."
    tokens["with another algorithm's name"] = f"{part({'alg': 'ES384', 'typ': 'at+jwt', 'kid': 'p256'})}.{body}.{signature}"
    # joserfc makes no key of a public one, so Python's own HMAC signs.
    hashed = f"{part({'alg': 'HS256', 'typ': 'at+jwt', 'kid': 'rsa'})}.{body}"
    code = hmac.digest(keys["rsa"].as_pem(private=False), hashed.encode(), "sha256")
    tokens["signed with the public key as secret"] = f"{hashed}.{base64.urlsafe_b64encode(code).rstrip(b'=').decode()}"
    return {"now": now, "keys": published.as_dict(private=False),
            "tokens": [{"name": name, "token": token, "accepted": is_accepted(token)} for name, token in tokens.items()]}


if __name__ == "__main__":
    environments.reply("authlib", answer)
