package import CarnetDescriptors
package import CarnetFoundation
package import CarnetProtocol
import Crypto
import Foundation
import HTTPTypes

/// An OpenID Connect provider that does the minimum: it signs an ID token with ES256 for every code, which is the nonce.
package struct SigningProvider: Sendable {
    package let issuer: String
    private let key = P256.Signing.PrivateKey()

    package init(issuer: String) { self.issuer = issuer }

    /// The descriptor that signs in to it.
    package var descriptor: ProviderDescriptor {
        get throws {
            let text = """
                carnet: 1
                id: acme
                name: Acme
                issuer: \(issuer)
                id_token: { algorithms: [ES256] }
                scopes: { default: [openid, profile, email] }

                """
            guard let descriptor = DescriptorDocument(SourceFile(path: "acme.yaml", text: text)).descriptor else {
                throw BenchmarkFailure(reason: "the benchmark's descriptor is broken")
            }
            return descriptor
        }
    }

    package var metadata: String {
        let document: JSONValue = [
            "issuer": .string(issuer), "authorization_endpoint": .string(issuer + "/authorize"),
            "token_endpoint": .string(issuer + "/token"), "jwks_uri": .string(issuer + "/keys"),
            "response_types_supported": ["code"], "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
        ]
        return document.jsonText()
    }

    package var keys: String {
        let raw = key.publicKey.rawRepresentation
        let jwk: JSONValue = [
            "kty": "EC", "crv": "P-256", "kid": "1", "alg": "ES256", "x": .string(Base64URL.encode(raw.prefix(32))),
            "y": .string(Base64URL.encode(raw.suffix(32))),
        ]
        return (["keys": [jwk]] as JSONValue).jsonText()
    }

    /// The response to a token request with this body.
    package func tokens(for body: some Collection<UInt8>, now: Date) throws -> String {
        let nonce = Query.value(of: "code", in: String(decoding: body, as: UTF8.self)) ?? ""
        let seconds = Int(now.timeIntervalSince1970)
        let claims: JSONValue = [
            "iss": .string(issuer), "sub": "248289761001", "aud": "client", "nonce": .string(nonce),
            "iat": .number("\(seconds)"), "exp": .number("\(seconds + 3600)"), "name": "Jane Doe",
            "email": "janedoe@example.com", "email_verified": true,
        ]
        let message =
            Base64URL.encode(Array(#"{"alg":"ES256","kid":"1","typ":"JWT"}"#.utf8)) + "."
            + Base64URL.encode(Array(claims.jsonText().utf8))
        let signature = try key.signature(for: Data(message.utf8)).rawRepresentation
        let response: JSONValue = [
            "access_token": "2YotnFZFEjr1zCsicMWpAA", "token_type": "Bearer", "expires_in": 3600,
            "refresh_token": "tGzv3JOkF0XG5Qx2TlKWIA", "scope": "openid profile email",
            "id_token": .string(message + "." + Base64URL.encode(signature)),
        ]
        return response.jsonText()
    }

    /// The same provider as a transport, for work without a network.
    package func response(to request: OutgoingRequest, now: Date) throws -> IncomingResponse {
        let path = request.head.path ?? ""
        let text =
            path.hasSuffix("/token")
            ? try tokens(for: request.body, now: now) : path.hasSuffix("/keys") ? keys : metadata
        return IncomingResponse(
            head: HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), body: Array(text.utf8))
    }
}

/// The values of a query or form, by bytes: what a benchmark does itself must not weigh on what it measures.
enum Query {
    static func value(of name: String, in text: String) -> String? {
        let wanted = "\(name)="
        var rest = text.utf8[...]
        while !rest.starts(with: wanted.utf8) {
            guard let separator = rest.firstIndex(where: { $0 == UInt8(ascii: "&") || $0 == UInt8(ascii: "?") }) else {
                return nil
            }
            rest = rest[rest.index(after: separator)...]
        }
        return String(Substring(rest.dropFirst(wanted.utf8.count).prefix { $0 != UInt8(ascii: "&") }))
    }
}

package struct BenchmarkFailure: Error, CustomStringConvertible {
    package let reason: String
    package var description: String { reason }

    package init(reason: String) { self.reason = reason }
}
