import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

private let openIDPath = "/.well-known/openid-configuration"
private let oauthPath = "/.well-known/oauth-authorization-server"

@Suite("Discovery")
struct DiscoveryTests {
    private let provider = ScriptedProvider()

    private var discoveries: Int { provider.count(openIDPath) }

    // DISC-16.
    @Test("Is asked for once an hour")
    func isAskedForOnceAnHour() async throws {
        let client = try provider.client(Fixture.discovered)
        for _ in 0..<10 { _ = try await client.beginSignIn() }
        #expect(discoveries == 1)
        provider.clock.advance(by: .seconds(3599))
        _ = try await client.beginSignIn()
        #expect(discoveries == 1)
        provider.clock.advance(by: .seconds(1))
        _ = try await client.beginSignIn()
        #expect(discoveries == 2)
    }

    @Test("Is not asked for where the descriptor says all")
    func isNotAskedForWhereTheDescriptorSaysAll() async throws {
        _ = try await provider.signIn(try provider.client())
        #expect(discoveries == 0)
    }

    // DISC-17.
    @Test("Hundred first uses share one request")
    func hundredFirstUsesShareOneRequest() async throws {
        let client = try provider.client(Fixture.discovered)
        let gate = Gate()
        provider.on(openIDPath) { provider, form in
            await gate.pass()
            return try await provider.reply(openIDPath, form)
        }
        async let outcomes = concurrently(100) { _ in try await client.beginSignIn() }
        await gate.arrival()
        await settle()
        gate.open()
        #expect(await outcomes.allSatisfy { (try? $0.get()) != nil })
        #expect(discoveries == 1)
    }

    // DISC-17, CONC-02.
    @Test("Caller that is cancelled fails no other")
    func callerThatIsCancelledFailsNoOther() async throws {
        let client = try provider.client(Fixture.discovered)
        let gate = Gate()
        provider.on(openIDPath) { provider, form in
            await gate.pass()
            try Task.checkCancellation()
            return try await provider.reply(openIDPath, form)
        }
        let first = Task { try await client.beginSignIn() }
        await gate.arrival()
        let second = Task { try await client.beginSignIn() }
        await settle()
        first.cancel()
        gate.open()
        _ = try await second.value
        #expect(discoveries == 1)
    }

    // DISC-01: nothing else is asked of a server that says it is another.
    @Test("Wrong issuer ends it there")
    func wrongIssuerEndsItThere() async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, response: .json(ScriptedProvider.metadata(issuer: "https://evil.example")))
        await expectError(.discovery, .issuerMismatch) { try await client.beginSignIn() }
        #expect(provider.requests.count == 1)
    }

    // DISC-03.
    @Test("Other well known form is tried", arguments: [404, 403])
    func otherWellKnownFormIsTried(_ status: Int) async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, response: .json("{}", status: status))
        provider.on(oauthPath, response: .json(ScriptedProvider.metadata()))
        _ = try await client.beginSignIn()
        #expect(provider.count(oauthPath) == 1)
    }

    // DISC-04: the first response is reported.
    @Test("None of the forms is an error of the first")
    func noneOfTheFormsIsAnErrorOfTheFirst() async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, response: .json(#"{"error":"first"}"#, status: 404))
        provider.on(oauthPath, response: .json(#"{"error":"second"}"#, status: 404))
        let error = await expectError(.discovery, .serverError) { try await client.beginSignIn() }
        #expect(error?.server?.code == "first")
        #expect(error?.status == 404)
    }

    // DISC-04, DISC-07, DISC-14, INT-29: what is no metadata leads to the other place, and a redirect is not followed.
    @Test("Other well known form is tried after anything else", arguments: [500, 302, 200])
    func otherWellKnownFormIsTriedAfterAnythingElse(_ status: Int) async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, response: .canned("<html>", status: status, type: "text/html"))
        provider.on(oauthPath, response: .json("{}", status: 404))
        let error = await #expect(throws: OAuthError.self) { try await client.beginSignIn() }
        #expect(error?.step == .discovery)
        #expect(error?.status == status, "the first response is reported")
        #expect(provider.requests.map(\.head.path) == [openIDPath, oauthPath])
        provider.on(oauthPath, response: .json(ScriptedProvider.metadata()))
        provider.clock.advance(by: .seconds(10))
        _ = try await client.beginSignIn()
    }

    @Test(
        "Metadata may come as a file without a type of its own", arguments: ["text/plain", "application/octet-stream"])
    func staticFile(type: String) async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, response: .canned(ScriptedProvider.metadata(), status: 200, type: type))
        _ = try await client.beginSignIn()
    }

    @Test("A byte order mark before the metadata is ignored")
    func byteOrderMark() async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, response: .json("\u{FEFF}" + ScriptedProvider.metadata()))
        _ = try await client.beginSignIn()
    }

    // DISC-23: a first failure is remembered for ten seconds, however many ask; then the next attempt may succeed.
    @Test("Failure is kept for a moment")
    func failureIsKeptForAMoment() async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, fail: .connection)
        let error = await expectError(.discovery, .transport) { try await client.beginSignIn() }
        #expect(error?.disposition == .tryLater)
        provider.restore(openIDPath)
        provider.clock.advance(by: .milliseconds(9_999))
        let again = await expectError(.discovery, .transport) { try await client.beginSignIn() }
        #expect(again == error)
        #expect(discoveries == 1)
        provider.clock.advance(by: .milliseconds(1))
        _ = try await client.beginSignIn()
        #expect(discoveries == 2)
    }

    // DISC-23: a clock that is set back does not make a failure last.
    @Test("Failure ends when the clock is set back")
    func failureEndsWhenTheClockIsSetBack() async throws {
        let client = try provider.client(Fixture.discovered)
        provider.on(openIDPath, fail: .connection)
        await expectError(.discovery, .transport) { try await client.beginSignIn() }
        provider.restore(openIDPath)
        provider.clock.advance(by: .seconds(-86_400))
        _ = try await client.beginSignIn()
    }

    // DISC-16: for each of the callers, and without asking again at once.
    @Test("Copy that cannot be refreshed stays in use")
    func copyThatCannotBeRefreshedStaysInUse() async throws {
        let client = try provider.client(Fixture.discovered)
        _ = try await client.beginSignIn()
        provider.clock.advance(by: .seconds(3600))
        let gate = Gate()
        provider.on(openIDPath) { _, _ in
            await gate.pass()
            return .json("{}", status: 500)
        }
        async let outcomes = concurrently(20) { _ in try await client.beginSignIn() }
        await gate.arrival()
        await settle()
        gate.open()
        #expect(await outcomes.allSatisfy { (try? $0.get()) != nil })
        _ = try await client.beginSignIn()
        #expect(discoveries == 2)
        provider.restore(openIDPath)
        provider.clock.advance(by: .seconds(10))
        _ = try await client.beginSignIn()
        #expect(discoveries == 3)
    }

    // DISC-16.
    @Test("Changed issuer on refresh is rejected and the copy kept")
    func changedIssuerOnRefreshIsRefusedAndTheCopyKept() async throws {
        let client = try provider.client(Fixture.discovered)
        _ = try await client.beginSignIn()
        provider.clock.advance(by: .seconds(3600))
        provider.on(openIDPath, response: .json(ScriptedProvider.metadata(issuer: "https://evil.example")))
        let request = try await client.beginSignIn()
        #expect(request.url.hasPrefix("https://id.acme.example/authorize?"))
    }

    @Test("Preferred metadata may be missing")
    func preferredMetadataMayBeMissing() async throws {
        let client = try provider.client(Fixture.openID + "discovery: preferred\n")
        provider.on(openIDPath, fail: .connection)
        _ = try await client.beginSignIn()
        _ = try await client.beginSignIn()
        #expect(discoveries == 1)
        let required = try provider.client(Fixture.openID + "discovery: required\n")
        await expectError(.discovery, .transport) { try await required.beginSignIn() }
    }

    // ARES-06.
    @Test("Announced issuer parameter is required of callbacks")
    func announcedIssuerParameterIsDemandedOfCallbacks() async throws {
        let announcing =
            ScriptedProvider.metadata().dropLast() + #","authorization_response_iss_parameter_supported":true}"#
        provider.on(openIDPath, response: .json(String(announcing)))
        let client = try provider.client(Fixture.discovered)
        let request = try await client.beginSignIn()
        await expectError(.callback, .missingIssuer) {
            try await client.completeSignIn(provider.callback(request), for: request.pending)
        }
        #expect(provider.count("/token") == 0)
    }
}
