import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetSandbox
import CarnetTesting
import Foundation
import Testing

private let keys = """
    endpoints:
      authorization: https://odd.example/authorize
      token: https://odd.example/token
      device_authorization: https://odd.example/device

    """

private let openID = """
    carnet: 1
    id: acme
    name: Acme
    issuer: https://id.acme.example
    scopes: { default: [openid, email], offline: [offline_access] }

    """

/// Approves at the other device after a number of pauses.
struct ApprovingClock: WallClock {
    let clock: ManualClock
    let approveAfter: Int
    let approve: @Sendable () async throws -> Void

    var now: Date { clock.now }

    func sleep(for duration: Duration) async throws {
        try await clock.sleep(for: duration)
        if clock.sleeps.count == approveAfter { try await approve() }
    }
}

@Suite("Device")
struct DeviceTests {
    /// Signs in on another device; the user approves after a number of pauses.
    private func signIn(
        _ descriptor: ProviderDescriptor, approveAfter: Int = 2, faults: Set<SandboxFault> = [], resource: [String] = []
    ) async throws -> (session: Session, pauses: [Duration], fixture: SignInFixture) {
        let fixture = try SignInFixture(descriptor, faults: faults)
        let code = UserCode()
        let client = try fixture.client(
            descriptor,
            clock: ApprovingClock(clock: fixture.clock, approveAfter: approveAfter) {
                try await fixture.sandbox.approveDevice(userCode: await code.text)
            }
        )
        let device = try await client.beginDeviceSignIn(resource: resource)
        await code.set(device.userCode)
        return (try await client.completeDeviceSignIn(device), fixture.clock.sleeps, fixture)
    }

    private actor UserCode {
        var text = ""
        func set(_ text: String) { self.text = text }
    }

    @Test("A person confirms the code while the device waits")
    func aPersonConfirmsTheCodeWhile() async throws {
        let (session, pauses, fixture) = try await signIn(try descriptor(openID), approveAfter: 3)
        #expect(pauses == [.seconds(5), .seconds(5), .seconds(5)])
        #expect(try await session.storedTokens().scopes == ["openid", "email", "offline_access"])
        #expect(try await session.storedTokens().idToken != nil)
        #expect(session.key.account == "ada@example.com")
        #expect(try await session.refresh().refreshToken != nil)
        #expect(await fixture.requests(to: .deviceAuthorization).count == 1)
    }

    /// RFC 8628 has no ID token. The name of the account comes from the userinfo endpoint then.
    @Test("A server that sends no ID token to a device signs the person in all the same")
    func aServerThatSendsNoID() async throws {
        let (session, _, fixture) = try await signIn(try descriptor(openID), faults: [.missingIDToken])
        #expect(try await session.storedTokens().idToken == nil)
        #expect(await fixture.requests(to: .userinfo).count == 1)
        #expect(try await session.key.account == session.profile().subject)
        await #expect { try await signIn(try descriptor(openID), faults: [.expiredIDToken]) } throws: { error in
            (error as? OAuthError)?.kind == .expiredToken
        }
    }

    @Test("The requests are those of the standard, to the byte")
    func theRequestsAreThose() async throws {
        let (_, _, fixture) = try await signIn(try oddProvider(keys))
        #expect(
            await fixture.wire(.deviceAuthorization) == [
                "POST https://odd.example/device\nscope=read&client_id=client"
            ])
        let poll =
            "POST https://odd.example/token\ngrant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code"
            + "&device_code=d%2F%2B%26%3D%2541%20*&client_id=client"
        #expect(await fixture.wire(.token) == [poll, poll])
    }

    // RFC 8707, section 2.2.
    @Test("Each request of a sign-in on a device names the resource, a refresh included")
    func eachRequestNamesTheResource() async throws {
        let (session, _, fixture) = try await signIn(try oddProvider(keys), resource: ["https://api.odd.example/"])
        try await session.refresh()
        let sent = await fixture.wire(.deviceAuthorization) + fixture.wire(.token)
        #expect(sent.count == 4)
        for request in sent { #expect(request.contains("&resource=https%3A%2F%2Fapi.odd.example%2F"), "\(request)") }
    }

    @Test("A no ends the wait")
    func aNoEndsTheWait() async throws {
        await #expect { try await signIn(try oddProvider(keys), faults: [.denied]) } throws: { error in
            (error as? OAuthError)?.server?.code == "access_denied"
        }
    }

    @Test("A server that says slow down is asked ever more rarely, until the code ends")
    func aServerThatSaysSlowDown() async throws {
        let fixture = try SignInFixture(try oddProvider(keys), faults: [.slowDown])
        let client = try fixture.client(try oddProvider(keys), clock: fixture.clock)
        let device = try await client.beginDeviceSignIn()
        await #expect { try await client.completeDeviceSignIn(device) } throws: { error in
            (error as? OAuthError)?.kind == .expiredAttempt
        }
        #expect(fixture.clock.sleeps.prefix(4) == [.seconds(5), .seconds(10), .seconds(15), .seconds(20)])
        #expect(fixture.clock.now < device.expiresAt)
    }

    @Test("Codes that nobody confirms end")
    func codesThatNobodyConfirmsEnd() async throws {
        let fixture = try SignInFixture(try oddProvider(keys))
        let client = try fixture.client(try oddProvider(keys), clock: fixture.clock)
        let device = try await client.beginDeviceSignIn()
        await #expect { try await client.completeDeviceSignIn(device) } throws: { error in
            (error as? OAuthError)?.kind == .expiredAttempt
        }
        #expect(fixture.clock.sleeps.count == 119)
    }

    @Test("A server that cannot be reached is asked again, and a cancelled wait asks no more")
    func aServerThatCannotBeReached() async throws {
        let fixture = try SignInFixture(try oddProvider(keys), faults: [.token500])
        let sandbox = fixture.sandbox
        let client = try fixture.client(
            try oddProvider(keys),
            clock: ApprovingClock(clock: fixture.clock, approveAfter: 3) {
                await sandbox.setFaults([])
                withUnsafeCurrentTask { $0?.cancel() }
            }
        )
        let device = try await client.beginDeviceSignIn()
        let wait = Task { try await client.completeDeviceSignIn(device) }
        await #expect(throws: CancellationError.self) { try await wait.value }
        #expect(fixture.clock.sleeps == [.seconds(5), .seconds(10), .seconds(20)])
        #expect(await fixture.requests(to: .token).count == 2)
    }
}

@Suite("Token exchange")
struct TokenExchangeTests {
    @Test("An access token is exchanged for one with fewer scopes")
    func anAccessTokenIsExchanged() async throws {
        let fixture = try SignInFixture(try oddProvider("scopes: { default: [read, write] }"))
        let session = try await fixture.signIn()
        let subject = TokenExchange.TypedToken(try await session.tokens().accessToken)
        let (tokens, type) = try await fixture.client.exchange(
            TokenExchange(subject, audience: ["b"], scopes: ["read"]))
        #expect(tokens.scopes == ["read"] && tokens.refreshToken == nil && type == .accessToken)
        await #expect { try await fixture.client.exchange(TokenExchange(.init(Secret("unknown")))) } throws: { error in
            (error as? OAuthError)?.server?.code == "invalid_grant"
        }
    }
}

@Suite("Client credentials")
struct ClientCredentialsTests {
    @Test("A client has a token of its own until it ends")
    func aClientHasAToken() async throws {
        let fixture = try SignInFixture(try oddProvider(""), secret: "s")
        let first = try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"]))
        #expect(first.scopes == ["read"] && first.refreshToken == nil)
        #expect(try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"])) == first)
        #expect(
            try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"], resource: ["urn:a"])) != first)
        #expect(
            await fixture.wire(.token) == [
                "POST https://odd.example/token\ngrant_type=client_credentials&scope=read",
                "POST https://odd.example/token\ngrant_type=client_credentials&scope=read&resource=urn%3Aa",
            ])
        fixture.clock.advance(by: .seconds(3541))
        #expect(try await fixture.client.tokens(for: .clientCredentials(scopes: ["read"])) != first)
    }

    @Test("Many callers share one request")
    func manyCallersShareOneRequest() async throws {
        let fixture = try SignInFixture(try oddProvider(""), secret: "s")
        let client = fixture.client
        let tokens = try await withThrowingTaskGroup(of: TokenSet.self) { group in
            for _ in 0..<50 { group.addTask { try await client.tokens(for: .clientCredentials()) } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(tokens.count == 1)
        #expect(await fixture.requests(to: .token).count == 1)
    }
}
