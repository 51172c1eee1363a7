import Carnet
import CarnetDescriptors
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

/// Sign-ins whose response the server signs.
@Suite("Signed callback")
struct SignedCallbackTests {
    private static func provider(_ keys: String) -> String {
        "carnet: 1\nid: acme\nname: Acme\nissuer: https://id.acme.example\nscopes: { default: [openid] }\n\(keys)\n"
    }

    private func signIn(_ fixture: SignInFixture, _ options: AuthorizationOptions) async throws -> Session {
        let request = try await fixture.client.beginSignIn(options)
        let (url, form) = try await fixture.sandbox.callback(approving: request.url)
        #expect((url + (form ?? "")).contains("response=eyJ") && !url.contains("code="))
        let callback = form.map { AuthorizationCallback(postedTo: url, form: $0) } ?? AuthorizationCallback(url: url)
        return try await fixture.client.completeSignIn(callback, for: request.pending)
    }

    @Test("A response is signed in every way", arguments: ResponseMode.allCases.filter(\.isSigned))
    func aResponseIsSignedInEvery(mode: ResponseMode) async throws {
        let demanding = try SignInFixture(
            descriptor(Self.provider("authorization: { response_mode: \(mode.rawValue) }")))
        #expect(try await signIn(demanding, AuthorizationOptions()).tokens().idToken != nil)
        let open = try SignInFixture(descriptor(Self.provider("")))
        #expect(
            try await signIn(open, AuthorizationOptions(delivery: .init(responseMode: mode))).tokens().idToken != nil)
    }

    @Test("A response is signed with every algorithm", arguments: SignatureAlgorithm.allCases)
    func aResponseIsSignedWithEvery(algorithm: SignatureAlgorithm) async throws {
        let fixture = try SignInFixture(
            descriptor(
                Self.provider("authorization: { response_mode: jwt }\ncallback: { jwt: [\(algorithm.rawValue)] }")))
        #expect(try await signIn(fixture, AuthorizationOptions()).tokens().idToken != nil)
    }

    @Test("A response is encrypted for the client", arguments: KeyManagementAlgorithm.allCases)
    func aResponseIsEncrypted(algorithm: KeyManagementAlgorithm) async throws {
        let keys = """
            authorization: { response_mode: jwt }
            callback: { jwt: { encryption: { algorithm: \(algorithm.rawValue) } } }
            """
        let fixture = try SignInFixture(
            descriptor(Self.provider(keys)), decryptionKeys: [try ClientKey.generate(for: algorithm)])
        #expect(try await signIn(fixture, AuthorizationOptions()).tokens().idToken != nil)
        let unaware = try OAuthClient(
            descriptor(Self.provider("authorization: { response_mode: jwt }")),
            registration: fixture.client.registration, transport: SandboxTransport(fixture.sandbox),
            clock: fixture.clock)
        let request = try await unaware.beginSignIn()
        let url = try await fixture.sandbox.approve(authorizationURL: request.url)
        await #expect(throws: OAuthError.self) {
            try await unaware.completeSignIn(AuthorizationCallback(url: url), for: request.pending)
        }
    }

    @Test(
        "What is wrong with a plain response is wrong with a signed one",
        arguments: [
            (.wrongState, .stateMismatch), (.wrongIssuer, .issuerMismatch), (.denied, .serverError),
        ] as [(SandboxFault, OAuthError.Kind)])
    func whatIsWrongWithAPlain(
        fault: SandboxFault, kind: OAuthError.Kind
    ) async throws {
        let fixture = try SignInFixture(
            descriptor(Self.provider("authorization: { response_mode: jwt }")), faults: [fault])
        let error = await #expect(throws: OAuthError.self) {
            try await signIn(fixture, AuthorizationOptions())
        }
        #expect(error?.kind == kind && error?.step == .callback)
        #expect(await fixture.requests(to: .token).isEmpty)
    }

    @Test("A forged response costs the provider no request for its keys")
    func aForgedResponseCostsTheProvider() async throws {
        let fixture = try SignInFixture(descriptor(Self.provider("authorization: { response_mode: jwt }")))
        let request = try await fixture.client.beginSignIn()
        let other = try await fixture.client.beginSignIn()
        let url = try await fixture.sandbox.approve(authorizationURL: other.url)
        let error = await #expect(throws: OAuthError.self) {
            try await fixture.client.completeSignIn(AuthorizationCallback(url: url), for: request.pending)
        }
        #expect(error?.kind == .stateMismatch)
        #expect(await fixture.requests(to: .jwks).isEmpty)
    }

    @Test("Keys that changed meanwhile are fetched again")
    func keysThatChangedMeanwhileAreFetched() async throws {
        let fixture = try SignInFixture(descriptor(Self.provider("authorization: { response_mode: jwt }")))
        _ = try await signIn(fixture, AuthorizationOptions())
        try await fixture.sandbox.rotateKeys()
        #expect(try await signIn(fixture, AuthorizationOptions()).tokens().idToken != nil)
        #expect(await fixture.requests(to: .jwks).count == 2)
    }
}
