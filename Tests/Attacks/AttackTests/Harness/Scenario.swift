import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTesting
import Foundation
import HTTPTypes
import Testing

/// One hostile server and the client that meets it: what it says, what it was asked, and the time.
final class Scenario: Transport {
    static let issuer = "https://id.acme.example"
    static let clientID = "client"
    static let clientSecret = "the-secret-of-the-client-0123456789abcdef"
    static let redirectURI = "com.example.app:/callback"

    /// A request that came, in the order in which they came.
    struct Request: Sendable {
        var method: String
        /// Without the query.
        var url: String
        var path: String
        var query: String
        var headers: HTTPFields
        var body: String
        var form: [String: String]
        var time: Date
        /// The thumbprint of the client's certificate.
        var certificate: String?
    }

    struct State {
        var script = Script()
        var log: [Request] = []
        var responded: [String: Int] = [:]
        var nonces: [String: String] = [:]
        var lastNonce = ""
        var issued = 0
        /// How many requests came before the server turned hostile, and the access tokens that were stored then.
        var goodRequests = 0
        var tokensBefore: Set<Secret> = []
        var secrets: Set<String> = [Scenario.clientSecret]
        var published: Set<String> = []
    }

    let clock = ManualClock()
    let output = Output()
    let store: any TokenStore
    /// Stands before each response: holds it back, moves the clock.
    let gate: (@Sendable (Scenario, Request) async throws -> Void)?
    /// Takes the requests for real sockets of this machine.
    let wire: (any Transport)?
    let state = Lock(State())

    init(
        store: any TokenStore = MemoryTokenStore(),
        wire: (any Transport)? = nil,
        gate: (@Sendable (Scenario, Request) async throws -> Void)? = nil
    ) {
        self.store = store
        self.wire = wire
        self.gate = gate
        if let search = LeakSearch.current {
            search.add(self)
        } else {
            Issue.record("the suite has not the trait searchedForSecrets")
        }
    }

    // MARK: What it says

    var script: Script { state.withLock(\.script) }

    func change(_ body: (inout Script) throws -> Void) rethrows {
        try state.withLock { try body(&$0.script) }
    }

    /// Ends the time in which the server was good.
    func turnHostile() async throws {
        let stored = try await tokensStored()
        state.withLock { state in
            state.goodRequests = state.log.count
            state.tokensBefore = stored
            state.responded = [:]
        }
    }

    // MARK: What it saw

    /// What came since the server turned hostile.
    var hostileLog: [Request] { state.withLock { Array($0.log.dropFirst($0.goodRequests)) } }

    var tokensBefore: Set<Secret> { state.withLock(\.tokensBefore) }

    func isStoreEmpty() async throws -> Bool { try await store.keys().isEmpty }

    /// The access tokens in the store.
    func tokensStored() async throws -> Set<Secret> {
        var tokens: Set<Secret> = []
        for key in try await store.keys() {
            if let stored = try await store.load(key) { tokens.insert(stored.connection.tokens.accessToken) }
        }
        return tokens
    }

    var log: [Request] { state.withLock(\.log) }

    func requests(to path: String) -> [Request] { log.filter { $0.path == path } }

    func count(_ path: String) -> Int { requests(to: path).count }

    /// Everything secret that was sent or given.
    var secrets: Set<String> { state.withLock(\.secrets) }

    /// What everybody may see, though something secret begins alike.
    var published: Set<String> { state.withLock(\.published) }

    func publish(_ text: String) { state.withLock { _ = $0.published.insert(text) } }

    func remember(_ secrets: [String]) {
        state.withLock { $0.secrets.formUnion(secrets.filter { $0.utf8.count >= 8 && !$0.contains("{") }) }
    }

    // MARK: Transport

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let outgoing = request
        if let moment = limits.sendBefore, .now >= moment {
            throw TransportError(.tooLate, "the connection took too long; the request was not sent")
        }
        let request = logged(outgoing)
        if let wire, request.url.contains("://127.0.0.1:") || request.url.contains("://localhost:") {
            return try await wire.send(outgoing, limits: limits)
        }
        if let gate { try await gate(self, request) }
        let response = state.withLock { state in
            let number = state.responded[request.path, default: 0]
            state.responded[request.path] = number + 1
            return Self.response(of: state.script, to: request).reply(to: number)
        }
        if let failure = response.failure {
            var error = TransportError(failure.kind, "the hostile server says nothing")
            error.receivedNothing = failure == .closed
            throw error
        }
        var head = HTTPResponse(status: .init(code: response.status))
        for (name, value) in response.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let signed = try response.signed.map { Array(try compact($0, nonce: "", accessToken: "").utf8) }
        let body = try signed ?? response.bytes ?? Array(filled(response.json, for: request).jsonText().utf8)
        return IncomingResponse(head: head, body: body)
    }

    private func logged(_ request: OutgoingRequest) -> Request {
        let target = request.head.path ?? ""
        let path = String(target.prefix { $0 != "?" })
        let body = String(decoding: request.body, as: UTF8.self)
        let form = Dictionary(
            (PercentEncoding.decodeForm(body) ?? []).map { ($0.name, $0.value) }
        ) { $0 + "|" + $1 }
        let entry = Request(
            method: request.head.method.rawValue,
            url: "\(request.head.scheme ?? "")://\(request.head.authority ?? "")\(path)",
            path: path,
            query: String(target.dropFirst(path.count).dropFirst()),
            headers: request.head.headerFields,
            body: body,
            form: form,
            time: clock.now,
            certificate: request.certificate?.thumbprint
        )
        remember(["code", "code_verifier", "client_assertion", "device_code", "refresh_token"].compactMap { form[$0] })
        state.withLock { $0.log.append(entry) }
        return entry
    }

    private static func response(of script: Script, to request: Request) -> ServerResponse {
        if let response = script.elsewhere[request.url] { return response }
        guard request.url.hasPrefix("\(issuer)/") || request.url.hasPrefix("https://api.acme.example/") else {
            return .text("nobody is here", status: 599, type: "text/plain")
        }
        return switch request.path {
        case "/.well-known/openid-configuration": script.metadata
        case "/.well-known/oauth-authorization-server": script.serverMetadata
        case "/token": request.form["grant_type"] == "refresh_token" ? script.refresh : script.token
        case "/jwks": script.keys
        case "/userinfo": script.userinfo
        case "/revoke": script.revocation
        case "/par": script.pushed
        case "/device_authorization": script.device
        case "/register": script.registration
        case "/resource": script.resource
        case "/introspect": script.introspection
        default: .text("nothing is here", status: 404, type: "text/plain")
        }
    }
}

extension ServerResponse.TransportFailure {
    var kind: TransportError.Kind {
        switch self {
        case .connection: .connection
        case .timeout: .timeout
        case .interrupted, .closed: .interrupted
        case .tls: .tls
        case .responseTooLarge: .responseTooLarge
        }
    }
}
