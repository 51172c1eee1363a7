import Carnet
import CarnetSandbox
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// What each misbehaviour of the sandbox ends in. The control is `DroppedInProviderTests.fiveLines`: the same sign-in
/// without a fault.
@Suite("A provider that misbehaves")
struct HostileProviderTests {
    static let outcomes: [(SandboxFault, OAuthError.Step, OAuthError.Kind)] = [
        (.wrongState, .callback, .stateMismatch),
        (.missingIssuer, .callback, .missingIssuer),
        (.wrongIssuer, .callback, .issuerMismatch),
        (.denied, .callback, .serverError),
        (.wrongNonce, .idToken, .nonceMismatch),
        (.badSignature, .idToken, .badSignature),
        (.wrongAudience, .idToken, .audienceMismatch),
        (.expiredIDToken, .idToken, .expiredToken),
        (.missingIDToken, .tokenRequest, .missingField),
        (.tokenHTML, .tokenRequest, .unexpectedContentType),
        (.token500, .tokenRequest, .serverUnavailable),
        (.tokenDown, .tokenRequest, .transport),
    ]

    @Test("ends the sign-in with the specific error, and nothing is stored", arguments: outcomes)
    func signInFails(fault: SandboxFault, step: OAuthError.Step, kind: OAuthError.Kind) async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [fault])
        let error = try await #require(throws: OAuthError.self) { try await fixture.signIn() }
        #expect(error.step == step)
        #expect(error.kind == kind)
        #expect(await fixture.store.keys().isEmpty)
        if step == .callback { #expect(await fixture.requests(to: .token).isEmpty) }
    }

    @Test("rotates its key, and the next sign-in finds the new one")
    func rotatedKey() async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [.rotatedKey])
        _ = try await fixture.signIn()
        fixture.clock.advance(by: .seconds(61))
        _ = try await fixture.signIn()
        #expect(await fixture.requests(to: .jwks).count == 2)
    }

    @Test("gives the profile of another user, which is thrown away")
    func otherProfile() async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [.userinfoWrongSubject])
        let session = try await fixture.signIn()
        let error = try await #require(throws: OAuthError.self) { try await session.profile() }
        #expect(error.kind == .subjectMismatch)
    }

    @Test("refuses the access token once, and one refresh mends it")
    func expiredAccessToken() async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [.expiredAccessToken])
        let session = try await fixture.signIn()
        #expect(try await session.profile().subject != nil)
        #expect(await fixture.requests(to: .token).count == 2)
        #expect(await fixture.requests(to: .userinfo).count == 2)
    }

    @Test("is busy, and the next refresh waits until the time that it named")
    func busy() async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [.busy])
        let session = try await fixture.signIn()
        for _ in 0..<3 {
            let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
            #expect(error.kind == .tooManyRequests)
            #expect(error.retryAt == fixture.clock.now.addingTimeInterval(5))
        }
        #expect(await fixture.requests(to: .token).count == 2)
        fixture.clock.advance(by: .seconds(5))
        try await session.refresh()
        #expect(await fixture.requests(to: .token).count == 3)
    }

    @Test("is busy, and a call that may wait succeeds")
    func busyResource() async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [.busy])
        let session = try await fixture.signIn()
        _ = try await session.profile()
        let url = try #require(await fixture.requests(to: .userinfo).last?.url)
        let response = try await session.send(HTTPRequest(url: url), retryingWithin: .seconds(10))
        #expect(response.status == 200)
        #expect(fixture.clock.sleeps.count == 1)
        let error = try await #require(throws: OAuthError.self) { try await session.profile() }
        #expect(error.kind == .tooManyRequests)
    }

    @Test("revokes the refresh token, which ends the session")
    func revokedRefreshToken() async throws {
        let fixture = try SignInFixture(try descriptor(DroppedInProviderTests.acme), faults: [.refreshRevoked])
        let session = try await fixture.signIn()
        let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
        #expect(error.kind == .sessionEnded)
        #expect(error.disposition == .signInAgain)
        #expect(error.server?.code == "invalid_grant")
        #expect(await fixture.store.keys().isEmpty)
    }
}
