import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes
import Logging
import Testing

/// A web site that signs in at the hostile server.
struct Site {
    static let origin = "https://app.example"

    let web: WebSignIn
    let scenario: Scenario
    let clients: [OAuthClient]

    init(
        _ descriptors: [String] = [Flow.openID], scenario: Scenario = Scenario(),
        keys: KeyRing? = nil, pendingStore: (any PendingStore)? = nil, acceptsInitiatedSignIn: Bool = false
    ) throws {
        clients = try descriptors.map { text in
            let descriptor = try Fixture.descriptor(text)
            return try OAuthClient(
                descriptor,
                registration: ClientRegistration(
                    clientID: Scenario.clientID, credentials: .secret(Secret(Scenario.clientSecret)),
                    redirectURI: "\(Self.origin)/sign-in/\(descriptor.id.rawValue)/callback"),
                transport: scenario, store: scenario.store, clock: scenario.clock, observer: scenario.output,
                logger: scenario.output.logger)
        }
        web = try WebSignIn(
            ProviderClients(clients), origin: Self.origin,
            keys: try keys ?? KeyRing(EncryptionKey([UInt8](repeating: 7, count: 32))), pendingStore: pendingStore,
            acceptsInitiatedSignIn: acceptsInitiatedSignIn, clock: scenario.clock, logger: scenario.output.logger)
        self.scenario = scenario
    }
}

/// A browser at the site: keeps cookies, and sends what browsers send.
struct Browser {
    let site: Site
    private(set) var cookies: [String: String] = [:]
    private(set) var attributes: [String: String] = [:]

    static let session = "__Host-carnet-session"

    init(_ site: Site) {
        self.site = site
    }

    mutating func plant(_ name: String, _ value: String?) { cookies[name] = value }

    func request(_ method: HTTPRequest.Method = .get, _ path: String = "/") -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "https", authority: "app.example", path: path)
        if !cookies.isEmpty {
            request.headerFields[.cookie] = cookies.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
                .joined(separator: "; ")
        }
        return request
    }

    /// - Parameter fields: Header fields besides the cookies.
    mutating func send(
        _ method: HTTPRequest.Method, _ path: String, form: String = "", fields: [String: String] = [:]
    ) async throws -> WebReply {
        var request = request(method, path)
        for (name, value) in fields { request.headerFields[try #require(HTTPField.Name(name))] = value }
        let reply = try #require(await site.web.respond(to: request, body: Array(form.utf8)))
        for cookie in reply.head.headerFields[values: .setCookie] { take(cookie) }
        return reply
    }

    mutating func get(_ path: String) async throws -> WebReply { try await send(.get, path) }

    mutating func post(_ path: String, form: String = "", from: String = "same-origin") async throws -> WebReply {
        try await send(
            .post, path, form: form,
            fields: ["Sec-Fetch-Site": from, "Content-Type": "application/x-www-form-urlencoded"])
    }

    private mutating func take(_ cookie: String) {
        let parts = cookie.split(separator: ";", maxSplits: 1)
        let pair = parts[0].split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        attributes[pair[0]] = parts.count > 1 ? String(parts[1]) : ""
        cookies[pair[0]] = pair[1].isEmpty ? nil : pair[1]
    }

    /// Begins a sign-in; gives the path of the callback of a user who consents.
    mutating func begin(_ provider: String = "acme", form: String = "") async throws -> String {
        let reply = try await post("/sign-in/\(provider)", form: form)
        let location = try #require(reply.head.headerFields[.location], "\(reply.head.status)")
        return "/sign-in/\(provider)/callback?\(site.scenario.callbackQuery(ofURL: location))"
    }

    mutating func signIn(_ provider: String = "acme", form: String = "") async throws -> WebReply {
        try await get(try await begin(provider, form: form))
    }

    var session: WebSession? { site.web.session(of: request()) }
}
