import Carnet
import CarnetSandbox
import Foundation
import Testing

/// Providers whose issuer is not one fixed text; the sandbox signs and publishes as they do.
@Suite("An issuer that differs")
struct IssuerMatchTests {
    private static let acme = DroppedInProviderTests.acme
    private static let tenants =
        acme + "\nissuer_match: { template: 'https://id.acme.example/{tenantid}', claims: { tenantid: tid } }\n"

    @Test("in the tenant is taken from the token's own claim")
    func template() async throws {
        let fixture = try SignInFixture(try descriptor(Self.tenants))
        let session = try await fixture.signIn()
        let issuer = try #require(await fixture.store.load(session.key)?.connection.issuer)
        #expect(issuer.hasPrefix("https://id.acme.example/"))
        #expect(issuer.count == "https://id.acme.example/".count + 36)
        _ = try await session.refresh()
    }

    @Test("in a list is one of the list")
    func anyOf() async throws {
        let list = Self.acme + "\nissuer_match: { any_of: [https://a.acme.example, id.acme.example] }\n"
        let session = try await SignInFixture(try descriptor(list)).signIn()
        #expect(try await session.tokens().idToken != nil)
    }

    @Test("from the metadata's is believed where the descriptor gives a reason")
    func off() async throws {
        let text = Self.acme + "\nissuer_match: { none: each region names itself }\n"
        let fixture = try SignInFixture(try descriptor(text))
        let session = try await fixture.signIn()
        #expect(await fixture.store.load(session.key)?.connection.issuer == "https://id.acme.example/other")
    }

    static let strangers = [
        "issuer_match: { template: 'https://id.acme.example/{tid}' }",
        "issuer_match: { any_of: [https://a.acme.example] }",
        "issuer_match: { none: each region names itself }",
    ]

    @Test("does not open the callback to strangers", arguments: strangers)
    func stranger(rule: String) async throws {
        let fixture = try SignInFixture(try descriptor("\(Self.acme)\n\(rule)\n"), faults: [.wrongIssuer])
        let error = try await #require(throws: OAuthError.self) { try await fixture.signIn() }
        #expect(error.step == .callback)
        #expect(error.kind == .issuerMismatch)
    }
}
