import CarnetDescriptors
import CarnetFoundation
import CarnetSimulation
import CarnetTestSupport
import CarnetTesting
import HTTPTypes
import Testing

@testable import CarnetProtocol

@Suite("Client certificate")
struct ClientCertificateTests {
    private static let certificate = SimulatedCertificate.certificateText
    private static let key = SimulatedCertificate.keyText
    /// As `openssl x509 -outform DER | openssl dgst -sha256 -binary | basenc --base64url` says.
    private static let thumbprint = "bsKdUoecFiEoSR9wrRfezJ8r9NkJUeAtXVa_e-GaUt8"

    private static var identity: ClientCertificate {
        get throws { try ClientCertificate(pem: Secret(certificate + "\n" + key + "\n")) }
    }

    private static let bound =
        Fixture.openID.replacing(
            "redirects:",
            with: """
                  mtls_endpoint_aliases:
                    token: https://mtls.acme.example/token
                    userinfo: https://mtls.acme.example/userinfo
                client: { authentication: [tls_client_auth, none], tls_client_certificate_bound_access_tokens: true }
                redirects:
                """)

    private func registration(_ certificate: ClientCertificate?, secret: String? = nil) -> ClientRegistration {
        ClientRegistration(
            clientID: "client", credentials: .available(secret: secret.map { Secret($0) }, certificate: certificate),
            redirectURI: "com.example.app:/callback")
    }

    private func tokenRequest(
        at provider: FilledProvider, as registration: ClientRegistration
    ) throws(OAuthError) -> PreparedRequest {
        try TokenRequest.refresh(
            Secret("r"),
            in: RequestContext(at: provider, as: registration, random: SeededRandomSource(seed: 2), now: Attempt.now))
    }

    @Test("Thumbprint is that of the certificate")
    func thumbprintIsThatOfTheCertificate() throws {
        let identity = try Self.identity
        #expect(identity.thumbprint == Self.thumbprint)
        #expect(identity.chain.count == 1)
        #expect(!"\(identity)".contains("PRIVATE"))
        #expect(!String(reflecting: identity).contains("MIG"))
    }

    // RFC 7515, section 4.1.8; Entra ID demands the header.
    @Test("An assertion names the certificate of its key, and no other", arguments: [true, false])
    func assertionNamesTheCertificate(isOfKey: Bool) throws {
        let key = isOfKey ? try ClientKey(pem: Secret(Self.key)) : try ClientKey.generate(.ES256)
        let request = try TokenRequest.refresh(
            Secret("r"),
            in: RequestContext(
                at: Fixture.provider(Fixture.plain + "client: { authentication: [private_key_jwt] }\n"),
                as: ClientRegistration(
                    clientID: "client", credentials: .available(signingKey: key, certificate: try Self.identity),
                    redirectURI: "com.example.app:/callback"),
                random: SeededRandomSource(seed: 2), now: Attempt.now))
        let body = String(decoding: request.outgoing.body, as: UTF8.self)
        let assertion = try #require(body.firstMatch(of: /client_assertion=([^&.]+)/)?.1)
        let bytes = try #require(Base64URL.decode(Array(assertion.utf8)))
        let header = String(decoding: Array(bytes), as: UTF8.self)
        #expect(header.contains(#""x5t#S256":"\#(Self.thumbprint)""#) == isOfKey, "\(header)")
        #expect(header.contains("x5t") == isOfKey)
    }

    @Test("Key may stand elsewhere and a chain behind the certificate")
    func keyMayStandElsewhereAndAChainBehindTheCertificate() throws {
        let chain = Self.certificate + "\n" + Self.certificate
        let identity = try ClientCertificate(pem: Secret(chain), privateKeyPEM: Secret(Self.key))
        #expect(identity.chain.count == 2)
        #expect(identity.thumbprint == Self.thumbprint)
    }

    private static let refused: [(text: String, reason: String)] = {
        let damaged: String = certificate.replacing("-----END CERTIFICATE-----", with: "")
        let noBase64: String = "-----BEGIN CERTIFICATE-----\n!!!!\n-----END CERTIFICATE-----"
        let longChain: String = String(repeating: certificate + "\n", count: 11) + key
        let twoKeys: String = [certificate, key, key].joined(separator: "\n")
        return [
            ("", "contains no certificate in PEM form"), (key, "contains no certificate in PEM form"),
            (certificate, "contains a certificate, not a private key"), (damaged, "is truncated or damaged"),
            (noBase64, "is truncated or damaged"), (longChain, "contains more than 10 certificates"),
            (twoKeys, "contains more than one private key"),
        ]
    }()

    @Test("Text that cannot be used is rejected", arguments: 0..<7)
    func textThatCannotBeUsedIsRefused(number: Int) {
        let (text, reason) = Self.refused[number]
        let error = #expect(throws: ClientKeyError.self) { try ClientCertificate(pem: Secret(text)) }
        #expect(error?.reason == reason)
    }

    // MTLS-01: the client is named, and proves itself in the handshake.
    @Test("Certificate leaves the client ID alone")
    func certificateLeavesTheClientIDAlone() throws {
        let provider = try Fixture.provider(Self.bound)
        let request = try tokenRequest(at: provider, as: registration(try Self.identity))
        #expect(request.form == ["grant_type": "refresh_token", "refresh_token": "r", "client_id": "client"])
        #expect(request.header("Authorization") == nil)
        #expect(request.outgoing.head.authority == "id.acme.example")
    }

    // MTLS-01.
    @Test("Aliases stand in the place of their endpoints")
    func aliasesStandInThePlaceOfTheirEndpoints() throws {
        let provider = try Fixture.resolved(Self.bound).withoutMetadata.presentingCertificate(withTokens: true).bound
        let request = try tokenRequest(at: provider, as: registration(try Self.identity))
        #expect(request.outgoing.head.authority == "mtls.acme.example")
        #expect(provider.endpoints[.userinfo]?.text == "https://mtls.acme.example/userinfo")
        #expect(provider.endpoints[.revocation]?.text == "https://id.acme.example/revoke")
    }

    @Test("Bound tokens take a certificate")
    func boundTokensTakeACertificate() throws {
        let provider = try Fixture.provider(Self.bound)
        expectError(.configuration, .missingClientCertificate) {
            try tokenRequest(at: provider, as: registration(nil))
        }
    }

    @Test("Method takes a certificate")
    func methodTakesACertificate() throws {
        let provider = try Fixture.provider(
            Fixture.openID + "client: { authentication: [self_signed_tls_client_auth] }\n")
        expectError(.configuration, .missingClientCertificate) {
            try tokenRequest(at: provider, as: registration(nil))
        }
        let other = try Fixture.provider(Fixture.openID + "client: { authentication: [private_key_jwt] }\n")
        expectError(.configuration, .badRegistration) {
            try tokenRequest(at: other, as: registration(try Self.identity))
        }
    }

    /// A certificate for tokens alone goes with a secret for the client.
    @Test("Certificate goes with a secret")
    func certificateGoesWithASecret() throws {
        let provider = try Fixture.provider(
            Fixture.openID
                + "client: { authentication: [client_secret_basic], tls_client_certificate_bound_access_tokens: true }\n"
        )
        let request = try tokenRequest(at: provider, as: registration(try Self.identity, secret: "s"))
        #expect(request.header("Authorization")?.hasPrefix("Basic ") == true)
    }

    // MTLS-01: an alias is checked like any endpoint, and the descriptor's own endpoint has none from elsewhere.
    @Test("Aliases come from the metadata")
    func aliasesComeFromTheMetadata() throws {
        let provider = try Fixture.resolved(
            Fixture.discovered + "endpoints: { userinfo: https://id.acme.example/own }\n")
        func metadata(_ aliases: String) throws -> ProviderMetadata {
            try ProviderMetadata(
                validating: .json(
                    """
                    {"issuer":"https://id.acme.example","token_endpoint":"https://id.acme.example/token",\
                    "token_endpoint_auth_methods_supported":["tls_client_auth"],"mtls_endpoint_aliases":\(aliases)}
                    """),
                for: provider)
        }
        let merged = provider.merging(
            try metadata(
                #"{"token_endpoint":"https://mtls.acme.example/token","userinfo_endpoint":"https://mtls.acme.example/me"}"#
            ))
        #expect(merged.endpoints.mtls.mapValues(\.text) == [.token: "https://mtls.acme.example/token"])
        #expect(merged.client.authentication.contains(.tlsClientAuth))
        // One that cannot be requested is not replaced by what is for other clients, who are not disturbed.
        for bad in [
            #"{"token_endpoint":"http://mtls.acme.example/token"}"#, #"{"token_endpoint":"/token"}"#, "[]",
            #""https://mtls.acme.example""#, #"{"token_endpoint":7}"#,
        ] {
            let merged = provider.merging(try metadata(bad))
            #expect(try merged.endpoint(.token, for: .tokenRequest).text == "https://id.acme.example/token")
            expectError(.discovery, .badDescriptor) { try merged.presentingCertificate(withTokens: true) }
        }
    }
}
