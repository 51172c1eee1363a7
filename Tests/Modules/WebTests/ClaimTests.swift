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
            /// Whether nothing comes back until `open`.
            var isClosed = false
            /// How many requests have begun to wait for `open`.
            var waiting = 0
            /// The status of the profile instead of its response.
            var profileStatus: HTTPResponse.Status?
            /// What the profile says instead.
            var members: [String: JSONValue?] = [:]
            var givesNoRefreshToken = false
            var profiles = 0
            var refreshes = 0
            var lists = 0
            /// The status of the list of teams instead of its response.
            var listStatus: HTTPResponse.Status?
            var retryAfter: String?
            /// The status of the list of roles instead of its response.
            var rolesStatus: HTTPResponse.Status?
            /// Whether the network itself responds, because the sandbox ends each access token after an hour.
            var isPlayed = false
        }

        let state = Lock(State())
        private let inner: SandboxTransport
        private let (opening, opener) = AsyncStream.makeStream(of: Void.self)

        init(_ inner: SandboxTransport) { self.inner = inner }

        func open() {
            state.withLock { $0.isClosed = false }
            opener.finish()
        }

        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            let path = request.head.path ?? ""
            let isProfile = path.contains("userinfo")
            let isRefresh = String(decoding: request.body, as: UTF8.self).contains("grant_type=refresh_token")
            let isList = path.contains("teams")
            let state = state.withLock { state in
                if isProfile { state.profiles += 1 }
                if isRefresh { state.refreshes += 1 }
                if isList { state.lists += 1 }
                if state.isClosed { state.waiting += 1 }
                return state
            }
            if state.isClosed { for await _ in opening {} }
            let groups = state.groups ?? "first-group"
            if isProfile, let status = state.profileStatus { return Self.failure(status, state) }
            if isList, let status = state.listStatus { return Self.failure(status, state) }
            if path.contains("roles") {
                return state.rolesStatus.map { Self.failure($0, state) } ?? .json(#"[{"id":"role of \#(groups)"}]"#)
            }
            if path.contains("phone") { return Self.failure(.serviceUnavailable, state) }
            if state.isPlayed, isProfile { return .json(#"{"id":"ada","email":"ada@acme.example"}"#) }
            if state.isPlayed, isList { return .json(#"[{"slug":"\#(groups)"}]"#) }
            guard !state.isDown else { throw TransportError(.connection, "the network is down") }
            var response = try await inner.send(request, limits: limits)
            let text = String(decoding: response.body, as: UTF8.self)
            if isProfile || isList { response.body = Array(text.replacing("first-group", with: groups).utf8) }
            if isProfile, !state.members.isEmpty, var body = try JSONValue(parsing: text).object {
                for (name, value) in state.members { body[name] = value }
                response.body = Array(JSONValue.object(body).jsonText().utf8)
            }
            if state.givesNoRefreshToken, path.contains("/token"), var body = try JSONValue(parsing: text).object {
                body["refresh_token"] = nil
                response.body = Array(JSONValue.object(body).jsonText().utf8)
            }
            return response
        }

        private static func failure(_ status: HTTPResponse.Status, _ state: State) -> IncomingResponse {
            var response = IncomingResponse(head: HTTPResponse(status: status))
            response.head.headerFields[.retryAfter] = state.retryAfter
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

        init(
            _ users: [SandboxUser], claims: [String] = ["groups"], faults: Set<SandboxFault> = [],
            providers: [String] = [ClaimTests.acme], lifetime: TimeInterval = 12 * 3600,
            patience: Duration = .seconds(60)
        ) throws {
            let log = RecordedLog()
            var network: Network?
            site = try Site(
                providers, users: users, faults: faults, sessionLifetime: lifetime, claims: claims,
                patience: patience,
                over: { inner in
                    let made = Network(inner)
                    network = made
                    return made
                }, logger: log.logger)
            self.network = try #require(network)
            self.log = log
        }

        func account(_ browser: Browser) async throws -> WebAccount? {
            try await site.web.liveSession(of: browser.request)?.account()
        }

        func groups(_ browser: Browser) async throws -> JSONValue? { try await account(browser)?.claims["groups"] }
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
        stand.network.state.withLock { $0.profileStatus = .unauthorized }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == nil)
        stand.network.state.withLock { $0.profileStatus = nil }
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

    @Test(
        "A provider that does not respond keeps nobody waiting who is known, also before the tokens expire",
        .timeLimit(.minutes(15)), arguments: [3590, 7200])
    func noResponse(after seconds: Int) async throws {
        let stand = try Stand([Self.user(["first-group"])], patience: .zero)
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.site.clock.advance(by: .seconds(seconds))
        stand.network.state.withLock { ($0.isClosed, $0.groups) = (true, "second-group") }
        for _ in 0..<3 { #expect(try await stand.groups(browser) == ["first-group"]) }
        #expect(stand.log.entries.contains { $0.contains("cannot be read again") })
        stand.network.open()
        while try await stand.groups(browser) != ["second-group"] { await Task.yield() }
        #expect(stand.network.state.withLock(\.refreshes) == 1)
    }

    @Test("Providers that do not respond are waited for at the same time", .timeLimit(.minutes(15)))
    func noResponses() async throws {
        let globex = Self.acme.replacing("acme", with: "globex").replacing("Acme", with: "Globex")
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.acme, globex])
        var browser = Browser(stand.site)
        for provider in ["acme", "globex"] { _ = try await browser.signIn(provider) }
        try #require(browser.session?.accounts.count == 2)
        stand.site.clock.advance(by: .seconds(7200))
        stand.network.state.withLock { $0.isClosed = true }
        let live = Task { [browser] in try await stand.site.web.liveSession(of: browser.request) }
        for _ in 0..<30_000 where stand.network.state.withLock(\.waiting) < 2 {
            try await Task.sleep(for: .milliseconds(1))
        }
        #expect(stand.network.state.withLock(\.waiting) == 2)
        stand.network.open()
        #expect(try await live.value?.accounts.map(\.provider) == ["globex", "acme"])
    }

    @Test("A refresh that fails before the tokens expire is not tried at each request")
    func earlyFailure() async throws {
        let stand = try Stand([Self.user(["first-group"])])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.site.clock.advance(by: .seconds(3590))
        stand.network.state.withLock { $0.isDown = true }
        for _ in 0..<3 { #expect(try await stand.groups(browser) == ["first-group"]) }
        #expect(stand.network.state.withLock(\.refreshes) == 1)
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
        let stand = try Stand([Self.user(.string(String(repeating: "g", count: 70_000)))])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == nil)
        #expect(stand.log.entries.contains { $0.contains("too large") && $0.contains("groups") })
    }

    /// A provider that lists the groups at a URL of their own, for a scope.
    private static let teams =
        Site.acme + """
            profile:
              requests:
                - url: https://api.acme.example/teams
                  any_of: [teams]
                  claims: { groups: { each: /slug } }

            """

    private static let withTeams = ["openid", "profile", "email", "teams"].map { (name: "scope", value: $0) }

    private func lists(_ stand: Stand) -> Int { stand.network.state.withLock(\.lists) }

    @Test("Groups come from a request of their own, if the scope was granted and the site names them")
    func furtherRequest() async throws {
        let stand = try Stand([Self.user(["first-group", "staff"])], providers: [Self.teams])
        var browser = Browser(stand.site)
        _ = try await browser.signIn("acme", Self.withTeams)
        #expect(try await stand.groups(browser) == ["first-group", "staff"])
        #expect(lists(stand) == 1)
        stand.network.state.withLock { $0.groups = "second-group" }
        stand.site.clock.advance(by: .seconds(2 * 3600))
        #expect(try await stand.groups(browser) == ["second-group", "staff"], "read again after a refresh")

        let other = try Stand([Self.user(["first-group"])], claims: ["department"], providers: [Self.teams])
        browser = Browser(other.site)
        _ = try await browser.signIn("acme", Self.withTeams)
        #expect(try await other.groups(browser) == nil)
        #expect(lists(other) == 0, "the site does not name them")
    }

    @Test("Without the scope, the request is not sent, and the log names the scope")
    func missingScope() async throws {
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.teams])
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == nil)
        #expect(lists(stand) == 0)
        #expect(stand.log.entries.contains { $0.contains("sign in with the scopes teams") }, "\(stand.log.entries)")
        #expect(try await stand.site.web.liveSession(of: browser.request)?.account()?.subject == "ada")
    }

    @Test("A list that the provider refuses is missing, and ends no session", arguments: [403, 404, 401] as [Int])
    func refusedList(status: Int) async throws {
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.teams])
        stand.network.state.withLock { $0.listStatus = HTTPResponse.Status(code: status) }
        var browser = Browser(stand.site)
        _ = try await browser.signIn("acme", Self.withTeams)
        #expect(try await stand.groups(browser) == nil)
        #expect(lists(stand) == 1, "it is read again after a refresh only")
        #expect(stand.log.entries.contains { $0.contains("are missing") && $0.contains("\(status)") })
        // Groups that the person had before are gone, too.
        stand.network.state.withLock { $0.listStatus = nil }
        stand.site.clock.advance(by: .seconds(2 * 3600))
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.network.state.withLock { $0.listStatus = HTTPResponse.Status(code: status) }
        stand.site.clock.advance(by: .seconds(2 * 3600))
        #expect(try await stand.groups(browser) == nil)
        #expect(try await stand.site.web.liveSession(of: browser.request)?.account()?.subject == "ada")
    }

    @Test("While only the list is unavailable, the known groups stay, and it is asked again after a pause")
    func unavailableList() async throws {
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.teams])
        stand.network.state.withLock { $0.listStatus = .serviceUnavailable }
        var browser = Browser(stand.site)
        _ = try await browser.signIn("acme", Self.withTeams)
        #expect(try await stand.groups(browser) == nil, "nothing is known yet")
        #expect(lists(stand) == 2)
        stand.network.state.withLock { $0.listStatus = nil }
        #expect(try await stand.groups(browser) == nil, "the pause is not over")
        stand.site.clock.advance(by: .seconds(11))
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.site.clock.advance(by: .seconds(2 * 3600))
        stand.network.state.withLock { $0.listStatus = .serviceUnavailable }
        for _ in 0..<3 { #expect(try await stand.groups(browser) == ["first-group"]) }
        #expect(lists(stand) == 4)
    }

    /// A provider whose tokens never expire.
    private static let lasting = """
        carnet: 1
        id: acme
        name: Acme
        endpoints:
          authorization: https://id.acme.example/authorize
          token: https://id.acme.example/token
          userinfo: https://id.acme.example/userinfo
        scopes: { default: [profile, teams] }
        profile:
          claims: { subject: /id }
          requests:
            - { url: 'https://api.acme.example/teams', any_of: [teams], claims: { groups: { each: /slug } } }
        samples:
          token: { access_token: "[redacted]", token_type: Bearer, scope: profile teams }

        """

    @Test("With tokens that never expire, the claims are read again after an hour")
    func tokensWithoutExpiry() async throws {
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.lasting])
        stand.network.state.withLock { $0.isPlayed = true }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.network.state.withLock { $0.groups = "second-group" }
        stand.site.clock.advance(by: .seconds(3599))
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.site.clock.advance(by: .seconds(1))
        #expect(try await stand.groups(browser) == ["second-group"])
        #expect(try await stand.groups(browser) == ["second-group"])
        #expect(stand.network.state.withLock { $0.lists == 2 && $0.profiles == 2 && $0.refreshes == 0 })
    }

    @Test("Nobody is verified by a statement that the descriptor switches off")
    func statementSwitchedOff() async throws {
        let stand = try Stand(
            [Self.user([], ["email": "ada@corp.example", "email_verified": true])],
            providers: [Site.acme + "profile: { claims: { email_verified: [] } }\n"])
        stand.network.state.withLock { $0.members = ["email_verified": true] }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        let account = try #require(try await stand.account(browser))
        #expect(account.email == "ada@corp.example" && account.isEmailVerified == nil)
    }

    @Test("An address of the profile is not verified by the ID token's statement about another")
    func addressesOfTwoSources() async throws {
        let stand = try Stand([Self.user([], ["email": "me@corp.example", "email_verified": true])])
        stand.network.state.withLock { $0.members = ["email": "ceo@corp.example", "email_verified": nil] }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        let account = try #require(try await stand.account(browser))
        #expect(account.email == "ceo@corp.example" && account.isEmailVerified == nil)
    }

    /// Somebody whose token never expires, an hour after the sign-in.
    private func lasting() async throws -> (Stand, Browser) {
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.lasting])
        stand.network.state.withLock { $0.isPlayed = true }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.site.clock.advance(by: .seconds(3601))
        return (stand, browser)
    }

    @Test("A profile that rejects a token which it accepted before ends the session")
    func revokedToken() async throws {
        let (stand, browser) = try await lasting()
        stand.network.state.withLock { $0.profileStatus = .unauthorized }
        #expect(try await stand.account(browser) == nil)
        #expect(try await stand.site.store.keys().isEmpty)
        stand.network.state.withLock { $0.profileStatus = nil }
        #expect(try await stand.account(browser) == nil, "it has ended for good")
    }

    @Test("A profile that is refused leaves nothing in use, and is read again after a pause", arguments: [403, 404])
    func refusedProfile(status: Int) async throws {
        let (stand, browser) = try await lasting()
        stand.network.state.withLock { $0.profileStatus = HTTPResponse.Status(code: status) }
        for _ in 0..<3 {
            let account = try #require(try await stand.account(browser))
            #expect(account.claims["groups"] == nil && account.email == nil)
        }
        #expect(stand.network.state.withLock(\.profiles) == 2)
        #expect(stand.log.entries.contains { $0.contains("refuses the profile") && $0.contains("\(status)") })
        stand.network.state.withLock { $0.profileStatus = nil }
        stand.site.clock.advance(by: .seconds(11))
        let account = try #require(try await stand.account(browser))
        #expect(account.claims["groups"] == ["first-group"] && account.email == "ada@acme.example")
    }

    @Test("Without a refresh token, a session ends twelve hours after its claims were read")
    func noRefreshToken() async throws {
        let stand = try Stand([Self.user(["first-group"])], lifetime: 30 * 24 * 3600)
        stand.network.state.withLock { $0.givesNoRefreshToken = true }
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.network.state.withLock { $0.groups = "second-group" }
        stand.site.clock.advance(by: .seconds(11 * 3600))
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.site.clock.advance(by: .seconds(3600))
        #expect(try await stand.account(browser) == nil)
    }

    @Test("What is known is in use for twelve hours, if the provider is down for longer")
    func longDown() async throws {
        let stand = try Stand([Self.user(["first-group"], ["email": "ada@acme.example"])], lifetime: 30 * 24 * 3600)
        var browser = Browser(stand.site)
        _ = try await browser.signIn()
        stand.network.state.withLock { $0.isDown = true }
        stand.site.clock.advance(by: .seconds(11 * 3600))
        #expect(try await stand.groups(browser) == ["first-group"])
        stand.site.clock.advance(by: .seconds(3600))
        let account = try #require(try await stand.account(browser))
        #expect(account.claims["groups"] == nil && account.email == nil)
        stand.network.state.withLock { $0.isDown = false }
        stand.site.clock.advance(by: .seconds(11))
        #expect(try await stand.groups(browser) == ["first-group"])
    }

    @Test("A provider that says until when to wait is not asked before")
    func retryAfter() async throws {
        let stand = try Stand([Self.user(["first-group"])], providers: [Self.teams])
        var browser = Browser(stand.site)
        _ = try await browser.signIn("acme", Self.withTeams)
        stand.site.clock.advance(by: .seconds(2 * 3600))
        stand.network.state.withLock { ($0.listStatus, $0.retryAfter) = (.tooManyRequests, "600") }
        #expect(try await stand.groups(browser) == ["first-group"])
        let before = lists(stand)
        stand.site.clock.advance(by: .seconds(599))
        #expect(try await stand.groups(browser) == ["first-group"])
        #expect(lists(stand) == before)
        stand.network.state.withLock { ($0.listStatus, $0.groups) = (nil, "second-group") }
        stand.site.clock.advance(by: .seconds(2))
        #expect(try await stand.groups(browser) == ["second-group"])
    }

    @Test("A failing request of the profile keeps no claims from a site but its own")
    func unavailablePart() async throws {
        let provider = Self.teams.replacing(
            "{ each: /slug } }\n",
            with: """
                { each: /slug } }
                    - { url: https://api.acme.example/roles, claims: { roles: { each: /id } } }
                    - { url: https://api.acme.example/phone, claims: { phone: /number } }

                """)
        let stand = try Stand([Self.user(["first-group"])], claims: ["groups", "roles"], providers: [provider])
        var browser = Browser(stand.site)
        _ = try await browser.signIn("acme", Self.withTeams)
        var claims = try #require(try await stand.account(browser)).claims
        #expect(claims["groups"] == ["first-group"] && claims["roles"] == ["role of first-group"])
        #expect(lists(stand) == 1, "the site has all that it names")
        stand.network.state.withLock { ($0.rolesStatus, $0.groups) = (.serviceUnavailable, "second-group") }
        stand.site.clock.advance(by: .seconds(2 * 3600))
        for _ in 0..<2 { claims = try #require(try await stand.account(browser)).claims }
        #expect(claims["groups"] == ["second-group"] && claims["roles"] == ["role of first-group"])
        stand.network.state.withLock { $0.rolesStatus = nil }
        stand.site.clock.advance(by: .seconds(11))
        claims = try #require(try await stand.account(browser)).claims
        #expect(claims["roles"] == ["role of second-group"])
    }
}
