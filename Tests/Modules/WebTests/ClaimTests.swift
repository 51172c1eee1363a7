import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("Claims and groups in sessions")
struct ClaimTests {
    /// A provider's network: counts the requests for the profile, changes its groups, and can fail.
    private final class Network: Transport {
        struct State {
            var groups: String?
            var isDown = false
            var rejectsProfile = false
            var profiles = 0
            var refreshes = 0
        }

        let state = Lock(State())
        private let inner: SandboxTransport

        init(_ inner: SandboxTransport) { self.inner = inner }

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            let isProfile = request.head.path?.contains("userinfo") ?? false
            let isRefresh = String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token")
            let (isDown, isRejected, groups) = state.withLock { state in
                if isProfile { state.profiles += 1 }
                if isRefresh { state.refreshes += 1 }
                return (state.isDown, isProfile && state.rejectsProfile, state.groups)
            }
            guard !isDown else { throw TransportError(.connection, "the network is down") }
            guard !isRejected else { return IncomingResponse(head: HTTPResponse(status: .unauthorized)) }
            var response = try await inner.send(request, limits: limits)
            if isProfile, let groups {
                let text = String(decoding: response.body, as: UTF8.self).replacing("first-group", with: groups)
                response = IncomingResponse(head: response.head, body: Array(text.utf8))
            }
            return response
        }
    }

    private static let acme = Site.acme + "profile: { claims: { groups: /groups } }\n"

    private static func user(_ groups: JSONValue, _ more: [String: JSONValue] = [:]) -> SandboxUser {
        SandboxUser(label: "Ada", claims: ["subject": "ada", "groups": groups].merging(more) { $1 })
    }

    private struct Stand {
        let site: Site
        let network: Network
        let log: RecordedLog

        init(_ users: [SandboxUser], claims: [String] = ["groups"], faults: Set<SandboxFault> = []) throws {
            let log = RecordedLog()
            var network: Network?
            site = try Site(
                [ClaimTests.acme], users: users, faults: faults, claims: claims,
                over: { inner in
                    let made = Network(inner)
                    network = made
                    return made
                }, logger: log.logger)
            self.network = try #require(network)
            self.log = log
        }

        func groups(_ browser: Browser) async throws -> JSONValue? {
            try await site.web.liveSession(of: browser.request)?.account()?.claims["groups"]
        }
    }

    @Test("The claims that a site names are kept with the tokens, and not in the cookie")
    func kept() async throws {
        let many = (0..<400).map { JSONValue.string("group-\($0)-of-a-large-company") }
        let stand = try Stand([Self.user(.array(many))])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        let requests = stand.network.state.withLock(\.profiles)
        #expect(try await stand.groups(browser) == .array(many))
        #expect(try #require(browser.cookies[Browser.sessionCookie]).utf8.count < 1200)
        #expect(stand.network.state.withLock(\.profiles) == requests, "they were read at the sign-in")
    }

    @Test("A site that names none keeps none, and asks for nothing")
    func none() async throws {
        let stand = try Stand([Self.user(["first-group"])], claims: [])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.site.clock.advance(by: .seconds(2 * 3600))
        #expect(try await stand.groups(browser) == nil)
        #expect(stand.network.state.withLock { $0.profiles == 1 && $0.refreshes == 0 })
    }

    @Test("A refresh of the tokens reads the claims again, once for all requests")
    func refreshed() async throws {
        let stand = try Stand([Self.user(["first-group"])])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.network.state.withLock { $0.groups = "second-group" }
        #expect(try await stand.groups(browser) == ["first-group"], "the tokens are the same")
        stand.site.clock.advance(by: .seconds(2 * 3600))
        let later = browser
        let found = try await withThrowingTaskGroup(of: JSONValue?.self) { group in
            for _ in 0..<50 { group.addTask { try await stand.groups(later) } }
            return try await group.reduce(into: [JSONValue?]()) { $0.append($1) }
        }
        #expect(found == Array(repeating: ["second-group"], count: 50))
        #expect(stand.network.state.withLock { $0.profiles == 2 && $0.refreshes == 1 })
    }

    @Test("A profile that rejects the token of a sign-in does not end its session")
    func rejectedProfile() async throws {
        let stand = try Stand([Self.user(["first-group"])])
        stand.network.state.withLock { $0.rejectsProfile = true }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == nil)
        stand.network.state.withLock { $0.rejectsProfile = false }
        stand.site.clock.advance(by: .seconds(11))
        #expect(try await stand.groups(browser) == ["first-group"])
    }

    @Test("While the provider is down, what was known stays, and the provider is not asked at each request")
    func providerDown() async throws {
        let stand = try Stand([Self.user(["first-group"])])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.site.clock.advance(by: .seconds(2 * 3600))
        stand.network.state.withLock { $0.isDown = true }
        for _ in 0..<5 { #expect(try await stand.groups(browser) == ["first-group"]) }
        #expect(stand.network.state.withLock(\.refreshes) == 1)
        #expect(stand.log.entries.contains { $0.contains("cannot be read again") })
        stand.network.state.withLock { ($0.isDown, $0.groups) = (false, "second-group") }
        stand.site.clock.advance(by: .seconds(11))
        #expect(try await stand.groups(browser) == ["second-group"])
    }

    @Test("A refresh that the provider refuses ends the session")
    func ended() async throws {
        let stand = try Stand([Self.user(["first-group"])], faults: [.refreshRevoked])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.site.clock.advance(by: .seconds(2 * 3600))
        #expect(try await stand.site.web.liveSession(of: browser.request) == nil)
    }

    @Test("A claim that is too large is left out, and the log says so")
    func tooLarge() async throws {
        let stand = try Stand([Self.user(.string(String(repeating: "g", count: 20_000)))])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == nil)
        #expect(stand.log.entries.contains { $0.contains("too large") && $0.contains("groups") })
    }
}
