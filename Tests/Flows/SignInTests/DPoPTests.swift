import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let bound = """
    carnet: 1
    id: acme
    name: Acme
    issuer: https://id.acme.example
    client: { dpop_bound_access_tokens: true }
    scopes: { default: [openid, email] }
    resources:
      - { scope: email, title: Mail, url: "https://api.acme.example/mail" }

    """

@Suite("DPoP")
struct DPoPTests {
    @Test(
        "Tokens are bound to a key from the sign-in to every call",
        arguments: [[], [SandboxFault.dpopNonce]] as [Set<SandboxFault>])
    func tokensAreBoundToAKey(_ faults: Set<SandboxFault>) async throws {
        let fixture = try SignInFixture(try descriptor(bound), faults: faults)
        let session = try await fixture.signIn()
        #expect(try await session.tokens().tokenType == "DPoP")
        #expect(try await session.profile().email == "ada@example.com")
        let mail = try #require(try await session.resources().first?.resource)
        #expect(try await session.call(mail).status == 200)
        try await session.refresh()
        #expect(try await session.call(mail).status == 200)
        let calls = await fixture.sandbox.requests.filter { $0.url.hasSuffix("/mail") }
        #expect(calls.last?.headers[.authorization]?.hasPrefix("DPoP ") == true)
    }

    // DPOP-04.
    @Test("A server's nonce costs one more request, and the next is known")
    func aServersNonceCostsOneMore() async throws {
        let fixture = try SignInFixture(try descriptor(bound), faults: [.dpopNonce])
        let session = try await fixture.signIn()
        #expect(await fixture.requests(to: .token).count == 2)
        try await session.refresh()
        #expect(await fixture.requests(to: .token).count == 3)
        fixture.clock.advance(by: .seconds(301))
        try await session.refresh()
        #expect(await fixture.requests(to: .token).count == 5)
    }

    @Test("The key is kept with the tokens")
    func theKeyIsKept() async throws {
        let descriptor = try descriptor(bound)
        let first = try SignInFixture(descriptor)
        let session = try await first.signIn()
        let key = try #require(await first.store.load(session.key)?.connection.dpopKey)
        #expect(await first.store.load(session.key)?.connection.dpopKey == key)
        let restarted = try first.client(descriptor, clock: first.clock)
        let restored = try #require(try await restarted.session(for: session.key.account))
        #expect(try await restored.refresh().tokenType == "DPoP")
    }

    @Test("A stolen token is worth nothing without its key")
    func aStolenTokenIsWorthNothing() async throws {
        let fixture = try SignInFixture(try descriptor(bound))
        let session = try await fixture.signIn()
        var stolen = try #require(await fixture.store.load(session.key)?.connection)
        stolen.dpopKey = try DPoPKey(random: SeededRandomSource(seed: 9)).encoded
        _ = try await fixture.store.save(stolen, replacing: nil)
        await #expect { try await session.profile() } throws: { error in
            (error as? OAuthError)?.server?.code == "invalid_dpop_proof"
        }
        stolen.dpopKey = nil
        _ = try await fixture.store.save(stolen, replacing: nil)
        await #expect(throws: OAuthError.self) { try await session.profile() }
    }

    @Test("A device's tokens are bound too")
    func aDevicesTokensAreBoundToo() async throws {
        let descriptor = try descriptor(bound)
        let fixture = try SignInFixture(descriptor)
        let client = try fixture.client(descriptor, clock: fixture.clock)
        let device = try await client.beginDeviceSignIn()
        try await fixture.sandbox.approveDevice(userCode: device.userCode)
        let session = try await client.completeDeviceSignIn(device)
        #expect(try await session.profile().email == "ada@example.com")
    }

    @Test("The key is named in a pushed request")
    func theKeyIsNamed() async throws {
        let fixture = try SignInFixture(try descriptor(bound))
        _ = try await fixture.signIn(AuthorizationOptions(delivery: .init(isPushed: true)))
        let pushed = try #require(await fixture.requests(to: .pushedAuthorizationRequest).first)
        #expect(pushed.bodyText.contains("&dpop_jkt="))
    }

    @Test("One registration can do without")
    func oneRegistrationCanDoWithout() async throws {
        let fixture = try SignInFixture(try descriptor(bound.replacing("true", with: "false")))
        #expect(try await fixture.signIn().tokens().tokenType == "Bearer")
    }
}
