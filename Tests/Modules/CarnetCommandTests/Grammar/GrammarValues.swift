import CarnetFoundation
import CarnetTestSupport

/// What is written for a key, by its place: addresses, names and texts as authors write them, with some that are hard to encode.
extension GrammarDescriptor {
    mutating func number(in range: ClosedRange<Int>, at path: [String]) -> Int {
        let usual: [Int] =
            switch path.last {
            case "statuses": [200, 201, 202, 204]
            case "lifetime", "expires_in", "default_expires_in", "default_refresh_token_expires_in":
                [30, 60, 600, 3600, 7200]
            case "margin": [0, 30, 120]
            default: [0, 1, 60, 300]
            }
        let fitting = usual.filter(range.contains)
        return fitting.isEmpty || dice.once(in: 15)
            ? dice.pick([range.lowerBound, range.upperBound]) : dice.pick(fitting)
    }

    /// The text of a key without a closed list of values.
    mutating func text(_ pattern: String?, at path: [String]) -> String {
        let key = path.last ?? ""
        if let pattern, pattern.hasPrefix("^(/") { return pointer(at: path) }
        if key == "color" { return "#2457a6" }
        if path.contains("trusted_hosts") { return dice.pick(["*.odd.example", "odd.example", "api.odd.example"]) }
        if path.first == "redirects" {
            return dice.pick([
                "http://127.0.0.1:{port}/{path}", "http://127.0.0.1/{path}", "http://localhost:{port}/{path}",
            ])
        }
        if key.hasPrefix("fragment") { return "/login" }
        if isAddress(path) { return address(at: path, takesValues: pattern?.contains("{") == true) }
        // A signature is not kept as a value.
        if path.contains("verify"), key == "parameter" { return "signature" }
        if let pattern, pattern.contains(#"\{"#) {
            let text = template(pattern, at: path)
            guard path.starts(with: ["connection", "derive"]) else { return text }
            // A sign-in ends if a value cannot be derived, and there are no scopes and no ID token in each.
            return text.replacing("client.scope", with: "client.id").replacing(
                "token.id_token", with: "token.access_token")
        }
        return plain(key, at: path)
    }

    private func isAddress(_ path: [String]) -> Bool {
        let names = ["url", "issuer", "jwks", "discovery_url", "resource", "docs", "link", "base_url", "any_of"]
        guard let last = path.last else { return false }
        return path.first == "endpoints" || path.contains("on_connect") && path.count == 2
            || path.contains("on_disconnect") && path.count == 2
            || names.contains(last) && !["assertion", "resources", "requests"].contains(path.dropLast().last ?? "")
            || last == "url" || path == ["issuer_match", "template"]
    }

    private mutating func address(at path: [String], takesValues: Bool) -> String {
        let key = path.last ?? ""
        if path == ["issuer_match", "template"] { return "https://odd.example/{tenantid}" }
        if ["issuer", "resource", "any_of"].contains(key) {
            return dice.pick([
                "https://odd.example", "https://odd.example/", "https://odd.example/tenant", "https://{host}",
            ])
        }
        let isAPI = path.first != "endpoints" || key == "userinfo"
        let host = isAPI ? "api.odd.example" : "odd.example"
        // Two keys with one address would be one endpoint of the sandbox.
        let name = key.replacing("_", with: "-") + (path.first == "endpoints" ? "" : "-\(dice.below(10_000))")
        var text = dice.pick([
            "https://\(host)/\(name)", "https://\(host)/\(name)?region=x", "https://\(host)/v1/\(name)/",
        ])
        if key == "base_url" { text = "https://\(host)" }
        if path.first != "endpoints", key != "base_url", dice.once(in: 4) { text = "/\(name)" }
        guard takesValues, dice.once(in: 3) else { return text }
        let place = "{\(reference(of: Self.originsOfURLs, inURL: true))}"
        return dice.pick([
            "https://\(host)/\(place)/\(name)", "https://\(host)/\(name)?who=\(place)", "https://\(place)/x", place,
        ])
    }

    private static let originsOfURLs = ["input", "input", "client", "callback", "token", "step", "connection"]

    private mutating func pointer(at path: [String]) -> String {
        if path.last == "root" { return dice.pick(["/data", "", "/user", "/items", "/data/0"]) }
        if path.contains("fields") {
            let name = path.last ?? ""
            // Each field has a place of its own: no response has two of them in one member.
            return dice.pick(["/\(name)", "/data/\(name)", "/token/\(name)"])
        }
        if path.contains("error") { return dice.pick(["/error", "/error/code", "/errors/0/type"]) }
        // A member that shows success is none that names the user: each user would need a value of its own in `equals`.
        if path.contains("success") { return dice.pick(["/ok", "/status", "/result/code"]) }
        return dice.pick([
            "/id", "/sub", "/user/id", "/name", "/email", "/0/id", "/data/id", "/uid", "/list", "/a~1b", "/status",
        ])
    }

    // MARK: Templates

    mutating func template(at path: [String]) -> String { template("client|callback|token", at: path) }

    private mutating func template(_ pattern: String, at path: [String]) -> String {
        if path.first == "scopes" || ["all_of", "any_of", "scope", "implies"].contains(path.last ?? "") {
            return dice.pick([
                "openid", "email", "profile", "read", "write", "offline_access", "a:b/c", "read.{input}",
                "x{client.id}",
            ])
            .replacing("{input}", with: "{\(reference(of: ["input"]))}")
        }
        if path.contains("hosts") { return dice.pick(["api.odd.example", "calls.odd.example"]) }
        if path.contains("assertion"), dice.once(in: 2) {
            return dice.pick([
                "client_id", "redirect_host", "issuer", "token_endpoint", "none", "https://odd.example/x",
            ])
        }
        let origins = ["client", "callback", "token", "step", "connection", "claim", "request"].filter(pattern.contains)
        switch dice.below(4) {
        case 0: return dice.text
        case 1: return "{\(reference(of: ["input"] + origins))}"
        case 2 where !origins.isEmpty: return "{\(call(origins))}"
        default:
            let fallback = origins.isEmpty ? "" : dice.pick(["", "", "|none", "|"])
            return "\(dice.text)-{\(reference(of: ["input"] + origins))\(fallback)}"
        }
    }

    /// A value that the descriptor so far declares; rarely one that it does not.
    private mutating func reference(of origins: [String], inURL: Bool = false) -> String {
        let origin = dice.pick(origins)
        func names(_ path: String...) -> [String] {
            var value: JSONValue? = root
            for name in path { value = value?[name] }
            return value?.object?.members.map(\.name) ?? []
        }
        var declared: [String] =
            switch origin {
            case "input": names("inputs")
            // Without scopes, `{client.scope}` is no value, and what needs it cannot be made.
            case "client": ["id", "secret", "redirect_uri"] + (names("scopes").contains("default") ? ["scope"] : [])
            case "callback": names("callback", "capture") + ["code"]
            case "token": names("token", "response", "capture") + ["access_token", "id_token", "scope"]
            case "step": names("exchange").flatMap { names("exchange", $0, "capture") }
            case "connection":
                names("connection", "lookups") + names("connection", "derive")
                    + names("connection", "lookups").flatMap { names("connection", "lookups", $0, "capture") }
            case "claim": ["subject", "name", "email"] + names("profile", "claims")
            default: ["body"]
            }
        // A list of scopes is no part of a URL.
        if inURL { declared.removeAll { $0 == "scope" } }
        let name = declared.isEmpty ? "tenant" : dice.pick(declared)
        return origin == "input" ? name : "\(origin).\(name)"
    }

    private mutating func call(_ origins: [String]) -> String {
        let value = reference(of: ["input"] + origins)
        let table = root["tables"]?.object?.members.first?.name ?? "hosts"
        return dice.pick([
            "base64(\(value))", "base64url(\(value))", "urlencode(\(value))", "sha256(\(value))", "lower(\(value))",
            "hmac_sha256(client.secret, \(value))", "now()", "now('ms')", "now('iso8601')", "random()", "random('16')",
            "uuid()",
            "join('-', \(value), client.id)", "jwt_claim(token.access_token, '/uid')",
            "jwt_claim(token.id_token, '/sub')",
            "capture(\(value), '(.+)')", "map(\(value), '\(table)')",
        ])
    }

    // MARK: Names and plain texts

    mutating func memberName(at path: [String]) -> String {
        switch path.last {
        case "inputs": return dice.pick(["tenant", "host", "key", "region"])
        case "environments": return "test"
        case "tables": return dice.pick(["hosts", "kinds"])
        case "capture", "lookups", "derive":
            return dice.pick(path.first == "profile" ? Self.claims : ["uid", "site", "base", "kind"])
        case "exchange": return dice.pick(["long", "wide"])
        case "token_sets": return dice.pick(["user", "team"])
        case "headers":
            return dice.pick(["X-Version", "X-Key", "Accept", "User-Agent", "Authorization", "Content-Type"])
        case "claims" where path.first == "issuer_match": return dice.pick(["tenantid"])
        case "claims": return path.contains("assertion") ? dice.pick(["team", "aud"]) : dice.pick(Self.claims)
        case "rename", "encode":
            return dice.pick(Self.parameters + ["x"])
        case "codes": return dice.pick(["invalidToken", "3", "denied"])
        case "statuses": return dice.pick(["403", "401", "429"])
        case "where": return dice.pick(["kind", "/is/main", "id"])
        case "callback": return dice.pick(["code", "state", "error", "scope"])
        case "extra": return dice.pick(["user_scope", "scope"])
        default:
            return dice.pick([
                "audience", "tenant", "kind", "a b", "scope", "prompt", "eu", "us", "nonce", "grant_type",
            ])
        }
    }

    private static let claims = [
        "subject", "name", "email", "username", "picture", "given_name", "email_verified", "team",
    ]
    private static let parameters = [
        "client_id", "client_secret", "code", "code_verifier", "redirect_uri", "grant_type", "scope", "state", "token",
        "refresh_token", "response_type", "nonce", "token_type_hint", "id_token_hint", "device_code", "assertion",
        "subject_token",
    ]

    private mutating func plain(_ key: String, at path: [String]) -> String {
        if path.contains("rename") { return dice.pick(["app", "key", "auth_code", "x", "code", "scope", "client_id"]) }
        if path.contains("omit") || path.contains("query_parameters") || key == "repeat" {
            return dice.pick(Self.parameters)
        }
        if path.contains("codes") || path.contains("statuses") {
            return dice.pick(["invalid_token", "access_denied", "invalid_grant", "temporarily_unavailable", "odd"])
        }
        switch key {
        case "date", "until", "retiring": return dice.pick(["2026-11-21", "2030-01-31"])
        case "about": return dice.pick(root.object?.members.map(\.name) ?? ["issuer"])
        case "pattern": return dice.pick(["[a-z0-9.-]+", ".+", "[0-9]+"])
        case "example", "default", "enum": return dice.pick(["acme", "42", "a.odd.example", "b c"])
        case "separator", "scope_separator": return dice.pick([" ", ",", ";", "+", "&"])
        case "scheme": return dice.pick(["Bearer", "OAuth", "token", "none"])
        case "header": return dice.pick(["X-Token", "X-Access-Token", "Authorization"])
        case "query", "body", "parameter", "from": return dice.pick(["access_token", "uid", "site", "key", "hmac"])
        case "response_type": return dice.pick(["code", "auth_code"])
        case "grant_type": return dice.pick(["own", "urn:odd:grant"])
        case "default_token_type", "accept_token_types": return dice.pick(["Bearer", "OAuth", "DPoP"])
        case "error": return dice.pick(["invalid_grant", "invalid_client"])
        case "scopes": return dice.pick(["openid", "read", "email"])
        default: return dice.text
        }
    }

    /// A response of the provider, or a value in one.
    mutating func body(at path: [String]) -> JSONValue {
        if path.contains("equals") || path.contains("claims") {
            let values: [JSONValue] = [true, 0, "ok", nil, "a@odd.example"]
            return dice.pick(values)
        }
        if path.contains("callback") { return "x" }
        if path.contains("token") || path.contains("refresh") || path.contains("exchange") {
            let tokens: JSONValue = ["access_token": "[redacted]", "token_type": "Bearer", "expires_in": 3600]
            let bodies: [JSONValue] = [
                tokens, tokens.with("refresh_token", "[redacted]"), tokens.with("scope", "read"),
                tokens.with("uid", "u-1"),
                ["data": tokens], tokens.with("id_token", "[redacted]"), ["access_token": "[redacted]"],
                ["id": 1, "uid": "7"],
                tokens.with("id", 1).with("name", "Ann").with("sub", "1"),
            ]
            return dice.pick(bodies)
        }
        if path.contains("error") {
            let bodies: [JSONValue] = [["error": "invalid_grant"], ["error": ["code": 3]], ["message": "no"]]
            return dice.pick(bodies)
        }
        let bodies: [JSONValue] = [
            ["sub": "1", "id": 1, "name": "Ann", "email": "ann@odd.example"], ["data": ["id": 1, "name": "Ann"]],
            ["user": ["id": "u-1", "name": "Ann"]], [["id": 1, "kind": "x"], ["id": 2, "kind": "y"]],
            ["id": 1, "uid": "7"],
            ["sub": "1"], ["items": [["id": 1, "uid": "9"]]], [:], [],
        ]
        return dice.pick(bodies)
    }
}

extension SplitMix64 {
    /// A value that is hard to encode, or a plain one.
    fileprivate var text: String {
        mutating get {
            pick(["x", "acme", "2", "a b", "1+1=2", "50%", "a&b", "\u{FC}ber", "none", "https://x.example/?a=b"])
        }
    }
}
