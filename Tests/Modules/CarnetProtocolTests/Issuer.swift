import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation

/// An issuer of ID tokens with a key set, and the client that validates them.
struct Issuer {
    var algorithms: [SignatureAlgorithm] = [.RS256]
    var keys: [JSONValue]
    var nonce: IDTokenExpectations.Nonce
    var accessToken = "at"
    var subject: String?

    static let claims: JSONValue = [
        "iss": "https://id.acme.example", "sub": "user-1", "aud": "client", "exp": 1_767_229_200, "iat": 1_767_225_600,
        "nonce": "the-nonce",
    ]

    init(keys: [JSONValue]? = nil) throws {
        self.keys = try keys ?? [SigningKey.rsa.jwk(["kid": "1"])]
        nonce = .exactly(Secret("the-nonce"))
    }

    var keySet: JSONWebKeySet {
        get throws {
            try JSONWebKeySet(validating: .json((["keys": .array(keys)] as JSONValue).jsonText()))
        }
    }

    func expectations() throws -> IDTokenExpectations {
        let names = algorithms.map(\.rawValue).joined(separator: ", ")
        return try IDTokenExpectations(
            from: try Fixture.provider(Fixture.openID + "id_token: { algorithms: [\(names)] }\n").discovered,
            as: ClientRegistration(clientID: "client", redirectURI: Attempt.redirectURI),
            nonce: nonce,
            accessToken: Secret(accessToken),
            subject: subject
        )
    }

    @discardableResult
    func validate(_ token: String, at now: Date = Attempt.now) throws -> IDToken {
        try IDToken(validating: Secret(token), with: try keySet, expecting: try expectations(), now: now)
    }

    /// Validates a well-signed token of claims changed from good ones; a claim of `nil` is left out.
    @discardableResult
    func validate(changing changes: [String: JSONValue?], at now: Date = Attempt.now) throws -> IDToken {
        try validate(SigningKey.rsa.token(Self.claims(changing: changes), algorithm: "RS256", keyID: "1"), at: now)
    }

    static func claims(changing changes: [String: JSONValue?]) -> JSONValue {
        var claims = Self.claims.object ?? JSONObject()
        for (name, value) in changes { claims[name] = value }
        return .object(claims)
    }
}
