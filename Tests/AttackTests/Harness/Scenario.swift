import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation
import HTTPTypes
import Synchronization
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

    private struct State {
        var script = Script()
        var log: [Request] = []
        var answered: [String: Int] = [:]
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
    /// Stands before each answer: holds it back, moves the clock.
    let gate: (@Sendable (Scenario, Request) async throws -> Void)?
    /// Takes the requests for real sockets of this machine.
    let wire: (any Transport)?
    private let state = Mutex(State())

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
            state.answered = [:]
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
        let request = logged(outgoing)
        if let wire, request.url.contains("://127.0.0.1:") || request.url.contains("://localhost:") {
            return try await wire.send(outgoing, limits: limits)
        }
        if let gate { try await gate(self, request) }
        let answer = state.withLock { state in
            let number = state.answered[request.path, default: 0]
            state.answered[request.path] = number + 1
            return Self.answer(of: state.script, to: request).answer(to: number)
        }
        if let failure = answer.failure { throw TransportError(failure.kind, "the hostile server says nothing") }
        var head = HTTPResponse(status: .init(code: answer.status))
        for (name, value) in answer.headers {
            if let name = HTTPField.Name(name) { head.headerFields.append(HTTPField(name: name, value: value)) }
        }
        let signed = try answer.signed.map { Array(try compact($0, nonce: "", accessToken: "").utf8) }
        let body = try signed ?? answer.bytes ?? Array(filled(answer.json, for: request).jsonText().utf8)
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

    private static func answer(of script: Script, to request: Request) -> Answer {
        if let answer = script.elsewhere[request.url] { return answer }
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

    // MARK: Places in answers

    /// What looks random, and is the same in every run.
    private func unguessable() -> String {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        return base64URL(Data(SHA256.hash(data: Data("secret \(number)".utf8))))
    }

    private func filled(_ json: JSONValue, for request: Request) throws -> JSONValue {
        let number = state.withLock { $0.answered[request.path, default: 0] }
        var filled = Self.map(json) { text in
            text.replacingOccurrences(of: "{n}", with: String(number))
                .replacingOccurrences(of: "{secret}", with: text.contains("{secret}") ? unguessable() : "")
        }
        if filled["id_token"]?.string == "{id_token}" {
            let idToken = try token(for: request, with: filled["access_token"]?.string ?? "")
            filled = Self.map(filled) { $0 == "{id_token}" ? idToken : $0 }
        }
        remember(
            ["access_token", "refresh_token", "id_token", "device_code", "client_secret", "registration_access_token"]
                .compactMap { filled[$0]?.string })
        return filled
    }

    /// The ID token of an answer, signed or forged as the script says.
    func token(for request: Request, with accessToken: String) throws -> String {
        let (token, nonce) = state.withLock { state in
            (state.script.idToken, request.form["code"].flatMap { state.nonces[$0] } ?? state.lastNonce)
        }
        return try compact(token, nonce: nonce, accessToken: accessToken, code: request.form["code"] ?? "")
    }

    func compact(_ token: Token, nonce: String, accessToken: String, code: String = "") throws -> String {
        let now = Int(clock.now.timeIntervalSince1970)
        func hash(_ text: String) -> String { base64URL(Data(SHA256.hash(data: Data(text.utf8))).prefix(16)) }
        let claims = Self.map(.object(token.claims), numbers: true) { text in
            switch text {
            case "{nonce}": nonce
            case "{at_hash}": hash(accessToken)
            case "{c_hash}": hash(code)
            default: text.hasPrefix("{now") ? String(now + (Int(text.dropFirst(4).dropLast()) ?? 0)) : text
            }
        }
        let input = SigningKey.signingInput(
            JSONValue.object(token.header).jsonText(), token.rawClaims ?? claims.jsonText())
        let signature = try token.algorithm.map { try token.key.signature($0, over: Data(input.utf8)) } ?? Data()
        return try token.forge(input + "." + base64URL(signature))
    }

    /// The value with its texts changed; `{now...}` becomes a number.
    private static func map(_ json: JSONValue, numbers: Bool = false, _ change: (String) -> String) -> JSONValue {
        switch json {
        case .string(let text):
            return numbers && text.hasPrefix("{now") ? .number(change(text)) : .string(change(text))
        case .array(let elements): return .array(elements.map { map($0, numbers: numbers, change) })
        case .object(let object):
            var mapped = JSONObject()
            for member in object.members { mapped[member.name] = map(member.value, numbers: numbers, change) }
            return .object(mapped)
        default: return json
        }
    }

    /// What a token says, whoever signed it.
    static func claims(of token: String) -> [JSONObject.Member] {
        let payload = token.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode($0.utf8) }
        return payload.flatMap { try? JSONValue(parsing: $0) }?.object?.members ?? []
    }

    // MARK: The browser

    /// The callback that the authorization server sends the browser back with.
    func callback(_ request: AuthorizationRequest) -> AuthorizationCallback {
        AuthorizationCallback(url: "\(script.callbackLocation ?? Self.redirectURI)?\(callbackQuery(request))")
    }

    /// The parameters of the callback, encoded.
    func callbackQuery(_ request: AuthorizationRequest) -> String {
        callbackQuery(ofURL: request.url)
    }

    func callbackQuery(ofURL url: String) -> String {
        var query = PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
        if query.contains(where: { $0.name == "request_uri" }),
            let pushed = log.last(where: { $0.form["nonce"] != nil })
        {
            query += PercentEncoding.decodeForm(pushed.body) ?? []
        }
        if let object = query.first(where: { $0.name == "request" }) {
            query += Self.claims(of: object.value).compactMap { claim in claim.value.string.map { (claim.name, $0) } }
        }
        let nonce = query.first { $0.name == "nonce" }?.value ?? ""
        let code = unguessable()
        let script = state.withLock { state in
            state.nonces[code] = nonce
            state.lastNonce = nonce
            return state.script
        }
        let id = query.first { $0.name == "state" }?.value ?? ""
        remember(query.filter { ["state", "nonce", "code_challenge"].contains($0.name) }.map(\.value) + [code, id])
        func filled(_ text: String) -> String {
            text.replacingOccurrences(of: "{code}", with: code).replacingOccurrences(of: "{state}", with: id)
        }
        if let raw = script.rawCallback { return filled(raw) }
        if var response = script.response {
            for member in response.claims.members {
                if let text = member.value.string { response.claims[member.name] = .string(filled(text)) }
            }
            guard let token = try? compact(response, nonce: "", accessToken: "") else { return "" }
            remember([token])
            return "response=\(token)\(script.afterResponse)"
        }
        return script.callback
            .map { "\($0.name)=\(PercentEncoding.encode(filled($0.value)))" }.joined(separator: "&")
    }
}

extension Answer.TransportFailure {
    var kind: TransportError.Kind {
        switch self {
        case .connection: .connection
        case .timeout: .timeout
        case .interrupted: .interrupted
        case .tls: .tls
        case .responseTooLarge: .responseTooLarge
        }
    }
}
