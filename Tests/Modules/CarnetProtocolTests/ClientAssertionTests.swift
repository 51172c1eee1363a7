import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// What a client may authenticate with, and what is refused before anything is sent.
@Suite("Client assertion")
struct ClientAssertionTests {
    private func refresh(
        _ keys: String, secret: String? = nil, key: ClientKey? = nil, method: ClientAuthenticationMethod? = nil
    ) throws -> PreparedRequest {
        try TokenRequest.refresh(
            Secret("r"),
            in: RequestContext(
                at: Fixture.provider(Fixture.plain + keys),
                as: ClientRegistration(
                    clientID: "client", credentials: .available(secret: secret.map { Secret($0) }, signingKey: key),
                    redirectURI: Attempt.redirectURI, authenticationMethod: method),
                random: SeededRandomSource(seed: 1), now: Attempt.now))
    }

    private static let signed = "client: { authentication: [private_key_jwt, client_secret_post, none] }\n"

    @Test("A key is preferred to a secret, unless the registration says otherwise")
    func aKeyIsPreferred() throws {
        let key = try ClientKey.generate(.ES256)
        let signed = String(decoding: try refresh(Self.signed, key: key).outgoing.body, as: UTF8.self)
        #expect(signed.contains("client_assertion=") && !signed.contains("client_secret"))
        let both = try refresh(Self.signed, secret: "s", key: key, method: .clientSecretPost)
        #expect(String(decoding: both.outgoing.body, as: UTF8.self).hasSuffix("&client_id=client&client_secret=s"))
    }

    @Test("The assertion is not seen in what may be shown")
    func theAssertionIsNotSeen() throws {
        let request = try refresh(Self.signed, key: ClientKey.generate(.ES256))
        #expect(request.redacted.body.hasSuffix("&client_assertion=[redacted]"))
    }

    // CAUTH-07.
    @Test("A secret shorter than the hash is rejected", arguments: [("HS256", 32), ("HS384", 48), ("HS512", 64)])
    func aSecretShorterThanTheHash(algorithm: String, length: Int) throws {
        let keys = "client: { authentication: [client_secret_jwt], assertion: { algorithm: \(algorithm) } }\n"
        #expect(throws: Never.self) { try refresh(keys, secret: String(repeating: "s", count: length)) }
        expectError(.configuration, .badRegistration) {
            try refresh(keys, secret: String(repeating: "s", count: length - 1))
        }
    }

    @Test("A missing key, a superfluous one and one that does not fit are reported apart")
    func aMissingKeyASuperfluousOne() throws {
        let key = try ClientKey.generate(.ES256)
        let only = "client: { authentication: [private_key_jwt] }\n"
        expectError(.configuration, .missingClientKey) { try refresh(only) }
        expectError(.configuration, .missingClientKey) { try refresh(Self.signed, method: .privateKeyJWT) }
        expectError(.configuration, .badRegistration) { try refresh(only, secret: "s") }
        expectError(.configuration, .badRegistration) { try refresh("", key: key) }
        expectError(.configuration, .badRegistration) {
            try refresh("client: { authentication: [private_key_jwt], assertion: { algorithm: RS256 } }\n", key: key)
        }
    }

    @Test("A claim that is set anyway is rejected")
    func aClaimThatIsSetAnyway() throws {
        let keys = "client: { authentication: [private_key_jwt], assertion: { claims: { exp: '1' } } }\n"
        expectError(.configuration, .reservedParameter) { try refresh(keys, key: .generate(.ES256)) }
    }

    @Test("Metadata may add the method and choose among the key's algorithms")
    func metadataMayAddTheMethod() throws {
        let provider = try Fixture.resolved(Fixture.discovered)
        let metadata = try ProviderMetadata(
            validating: .json(
                """
                {"issuer":"https://id.acme.example","authorization_endpoint":"https://id.acme.example/a",\
                "token_endpoint":"https://id.acme.example/t","jwks_uri":"https://id.acme.example/k",\
                "token_endpoint_auth_methods_supported":["private_key_jwt"],\
                "token_endpoint_auth_signing_alg_values_supported":["PS256","ES256"]}
                """), for: provider)
        let merged = provider.merging(metadata)
        #expect(merged.client.authentication.last == .privateKeyJWT)
        let request = try TokenRequest.refresh(
            Secret("r"),
            in: RequestContext(
                at: merged.bound,
                as: ClientRegistration(
                    clientID: "client",
                    credentials: .available(signingKey: ClientKey(pem: Secret(SigningKey.rsaPEM), use: .signature)),
                    redirectURI: Attempt.redirectURI), random: SeededRandomSource(seed: 1), now: Attempt.now))
        let body = String(decoding: request.outgoing.body, as: UTF8.self)
        #expect(body.contains("&client_assertion=" + base64URL(Data(#"{"alg":"PS256","#.utf8)).dropLast(2)), "\(body)")
    }
}
