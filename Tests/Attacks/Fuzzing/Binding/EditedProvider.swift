import CarnetDescriptors
import CarnetFoundation

/// A provider as it is found after a sign-in: its descriptor, the one that this extends, and what the issuer says of itself.
/// Any of them may be another than at the sign-in.
struct EditedProvider: Sendable {
    /// The descriptor `acme`, the descriptor `base`, and the metadata of the issuer.
    var documents: JSONValue

    /// Where refresh tokens, ID tokens, codes and what authenticates the client go before anything is edited.
    static let servers: Set = [
        "https://id.acme.example:443", "https://token.acme.example:443", "https://exchange.acme.example:443",
    ]
    /// Where access tokens go, besides.
    static let resources: Set = [
        "https://me.acme.example:443", "https://api.acme.example:443", "https://files.acme.example:443",
        "https://one.shops.acme.example:443",
    ]

    static let original = EditedProvider(documents: (try? JSONValue(parsing: text)) ?? .null)

    init(documents: JSONValue) {
        self.documents = documents
    }

    /// - Returns: `nil` for what is no input of this kind.
    init?(_ bytes: [UInt8]) {
        guard let documents = try? JSONValue(parsing: bytes), documents.object != nil else { return nil }
        self.documents = documents
    }

    var bytes: [UInt8] { Array(documents.jsonText(.indented).utf8) }

    /// The metadata as the issuer serves it.
    var metadata: String { documents["metadata"]?.jsonText() ?? "{}" }

    /// Whether the registration says where the client's secret belongs.
    var isRegistrationBound: Bool { documents["origins"]?.bool ?? false }

    /// `nil` if the edit left no descriptor.
    var descriptor: ProviderDescriptor? {
        var registry = ProviderRegistry()
        for name in ["base", "acme"] {
            guard let document = documents[name] else { continue }
            registry.add([SourceFile(path: "\(name).yaml", text: document.jsonText())], origin: .folder("edited"))
        }
        return try? registry.descriptor("acme")
    }

    private static let text = """
        {
          "base": {
            "carnet": 1, "id": "base", "name": "Base",
            "issuer": "https://id.acme.example",
            "discovery": "preferred",
            "endpoints": {
              "authorization": "https://id.acme.example/authorize",
              "token": "https://token.acme.example/token",
              "jwks": "https://id.acme.example/jwks",
              "userinfo": "https://me.acme.example/userinfo"
            },
            "scopes": { "default": ["openid", "email"] },
            "id_token": { "algorithms": ["ES256"] }
          },
          "acme": {
            "carnet": 1, "id": "acme", "name": "Acme", "extends": "base",
            "trusted_hosts": ["*.shops.acme.example"],
            "token": {
              "response": { "capture": { "api": { "from": "/api", "example": "https://one.shops.acme.example" } } }
            },
            "exchange": {
              "long": {
                "url": "https://exchange.acme.example/token",
                "parameters": { "token": "{token.access_token}", "secret": "{client.secret}" },
                "after_refresh": true
              }
            },
            "connection": {
              "lookups": {
                "site": {
                  "url": "https://api.acme.example/sites", "root": "/sites", "value": "/id", "choose": "first",
                  "sample": { "sites": [{ "id": 1 }] }
                }
              },
              "on_connect": ["https://api.acme.example/hello"],
              "on_disconnect": ["https://api.acme.example/bye"]
            },
            "profile": { "requests": [{ "url": "https://api.acme.example/emails", "claims": { "email": "/email" } }] },
            "api": { "hosts": ["files.acme.example"] },
            "resources": [
              { "id": "me", "title": "Me", "scope": "openid", "url": "https://api.acme.example/me" },
              { "id": "things", "title": "Things", "scope": "openid", "url": "{token.api}/things" }
            ],
            "refresh": { "expiry_from": "expires_in" }
          },
          "metadata": {
            "issuer": "https://id.acme.example",
            "authorization_endpoint": "https://id.acme.example/authorize",
            "token_endpoint": "https://token.acme.example/token",
            "jwks_uri": "https://id.acme.example/jwks",
            "revocation_endpoint": "https://token.acme.example/revoke",
            "introspection_endpoint": "https://token.acme.example/introspect",
            "end_session_endpoint": "https://id.acme.example/logout"
          }
        }
        """
}
