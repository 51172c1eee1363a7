import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Testing

/// ID tokens that are encrypted for the client.
@Suite("Encrypted ID token")
struct EncryptedIDTokenTests {
    private static func provider(_ encryption: String?) -> String {
        """
        carnet: 1
        id: acme
        name: Acme
        issuer: https://acme.example
        scopes: { default: [openid] }

        """ + (encryption.map { "id_token: { encryption: { \($0) } }\n" } ?? "")
    }

    private static let combinations = KeyManagementAlgorithm.allCases.flatMap { algorithm in
        ContentEncryption.allCases.map { (algorithm, $0) }
    }

    @Test("Are opened and validated", arguments: combinations)
    func areOpenedAndValidated(algorithm: KeyManagementAlgorithm, content: ContentEncryption) async throws {
        let fixture = try SignInFixture(
            descriptor(
                Self.provider("algorithm: \(algorithm.rawValue), content: \(content.rawValue)")),
            decryptionKeys: [try ClientKey.generate(for: algorithm)])
        let tokens = try await fixture.signIn().tokens()
        let token = try #require(tokens.idToken).reveal()
        #expect(token.split(separator: ".").count == 3, "what is kept is the signed token")
        #expect(try IDToken(storedAfterValidation: Secret(token)).issuer == "https://acme.example")
    }

    @Test("Are rejected if they are encrypted otherwise than registered")
    func areRefusedIfTheyAreEncrypted() async throws {
        let key = try ClientKey.generate(for: .ecdhES)
        let fixture = try SignInFixture(
            descriptor(Self.provider("algorithm: ECDH-ES, content: A256GCM")), decryptionKeys: [key])
        for (encryption, kind) in [
            ("algorithm: ECDH-ES, content: A128GCM", OAuthError.Kind.unsupportedAlgorithm),
            ("algorithm: ECDH-ES+A128KW, content: A256GCM", .unsupportedAlgorithm),
        ] {
            #expect(await failure(fixture, keys: [key], encryption) == kind)
        }
    }

    @Test("Do not open with another key, nor without one")
    func doNotOpenWithAnotherKey() async throws {
        let fixture = try SignInFixture(
            descriptor(Self.provider("algorithm: RSA-OAEP-256")),
            decryptionKeys: [try ClientKey.generate(for: .rsaOAEP256)])
        let other = try ClientKey.generate(for: .rsaOAEP256)
        #expect(await failure(fixture, keys: [other], nil) == .decryptionFailed)
        #expect(await failure(fixture, keys: [], nil) == .missingClientKey)
    }

    @Test("Are rejected where nothing says that they may be encrypted, and plain ones where they must be")
    func areRefusedWhereNothingSays()
        async throws
    {
        let plain = try SignInFixture(descriptor(Self.provider(nil)))
        let key = try ClientKey.generate(for: .ecdhES)
        #expect(await failure(plain, keys: [key], "algorithm: ECDH-ES") == .malformedToken)
        let encrypted = try SignInFixture(
            descriptor(Self.provider("algorithm: ECDH-ES")), decryptionKeys: [key])
        let client = try OAuthClient(
            descriptor(Self.provider(nil)),
            registration: ClientRegistration(
                clientID: "client", credentials: .available(decryptionKeys: [key]),
                redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(encrypted.sandbox), clock: encrypted.clock)
        #expect(await failure(client, encrypted.sandbox) == .unsupportedAlgorithm)
    }

    @Test("With a broken signature inside are rejected as any")
    func withABrokenSignatureInside() async throws {
        let fixture = try SignInFixture(
            descriptor(Self.provider("algorithm: ECDH-ES+A256KW")),
            decryptionKeys: [try ClientKey.generate(for: .ecdhESA256KW)], faults: [.badSignature])
        #expect(await failure(fixture.client, fixture.sandbox) == .badSignature)
    }

    private func failure(
        _ fixture: SignInFixture, keys: [ClientKey], _ encryption: String?
    ) async -> OAuthError.Kind? {
        let client = try? OAuthClient(
            encryption.map { try descriptor(Self.provider($0)) } ?? fixture.client.descriptor,
            registration: ClientRegistration(
                clientID: "client", credentials: .available(decryptionKeys: keys),
                redirectURI: SignInFixture.redirectURI),
            transport: SandboxTransport(fixture.sandbox), clock: fixture.clock)
        guard let client else { return nil }
        return await failure(client, fixture.sandbox)
    }

    private func failure(_ client: OAuthClient, _ sandbox: Sandbox) async -> OAuthError.Kind? {
        let error = await #expect(throws: OAuthError.self) {
            let request = try await client.beginSignIn()
            let callback = try await sandbox.approve(authorizationURL: request.url)
            _ = try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        }
        return error?.kind
    }
}
