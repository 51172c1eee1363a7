import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

/// A request at a server with a resource map, and the token that it has.
struct CheckedRequest {
    var method: String
    var target: String
    var host: String?
    /// `nil` without a token.
    var scopes: [String]?
    var claims = JSONObject()

    /// What a resource server decides. It has the same statuses: see Docs/resource-server.md.
    struct Decision {
        var status: Int
        var reason: String
        /// The position of the resource.
        var index: Int?
        var title: String?

        var isAllowed: Bool { status == 200 }
        var word: String { isAllowed ? "allowed" : "refused" }
    }

    func decision(by table: RouteTable, now: Date) -> Decision {
        // Without a host, the request is for the server itself.
        let own = "own.invalid"
        return switch table.match(method: method, authority: host ?? own, target: target, own: own) {
        case .malformed(let problem): Decision(status: 400, reason: "the path \(problem.reason)")
        case .badHost: Decision(status: 400, reason: "the host is invalid")
        case .unknownHost:
            Decision(
                status: 421, reason: "the map does not name the host; if it is the server's own, name it under hosts")
        case .none: Decision(status: 404, reason: "no resource has this path")
        case .ambiguous: Decision(status: 404, reason: "the path differs from a resource's only in its case")
        case .methods(let methods):
            Decision(status: 405, reason: "the methods are " + methods.map(\.rawValue).joined(separator: ", "))
        case .found(let route): decision(by: route, now: now)
        }
    }

    private func decision(by route: Route, now: Date) -> Decision {
        func decision(_ status: Int, _ reason: String) -> Decision {
            Decision(status: status, reason: reason, index: route.index, title: route.title)
        }
        if let reason = route.anonymous { return decision(200, "open to anyone: \(reason)") }
        guard let scopes else { return decision(401, "it needs a token") }
        let granted = Set(scopes.filter(ScopeRules.isToken))
        return switch route.shortfall(scopes: granted, claims: claims, now: now, skew: 60) {
        case nil: decision(200, route.needsNothing ? "any token is enough" : "the token is enough")
        case .scopes(let missing)?: decision(403, "missing scopes: " + missing.joined(separator: " "))
        case .claim(let name)?: decision(403, "the claim \(name) has none of the needed values")
        case .authentication?: decision(401, "the user must sign in again: acr or max_age")
        }
    }
}

/// A request of a file, with the decision that is expected.
struct ExpectedRequest {
    let request: CheckedRequest
    /// `allowed`, `refused` or a status.
    let expected: String
    let line: Int

    func isMet(by decision: CheckedRequest.Decision) -> Bool {
        expected == decision.word || expected == String(decision.status)
    }

    private static let keys = ["request", "host", "scopes", "claims", "token", "expect"]

    /// - Throws: `Failure` with file and line.
    static func all(in file: SourceFile) throws -> [Self] {
        let document = YAMLReader().read(file)
        if let mistake = document.diagnostics.first(where: { $0.severity == .error }) {
            throw Failure(.usage, "\(mistake)")
        }
        guard let elements = document.root?.elements else {
            throw Failure(.usage, "\(file.path) is not a list of requests")
        }
        return try elements.map { try Self($0, file.path) }
    }

    private init(_ node: YAMLNode, _ path: String) throws {
        func mistake(_ reason: String, _ node: YAMLNode) -> Failure {
            Failure(.usage, "\(path):\(node.span.start.line): \(reason)")
        }
        guard let entries = node.entries else { throw mistake("a request is a mapping with request and expect", node) }
        if let unknown = entries.first(where: { !Self.keys.contains($0.key) }) {
            throw mistake("unknown key \"\(unknown.key)\"", unknown.value)
        }
        func text(_ key: String) -> String? {
            node.entry(key)?.value.scalar.flatMap { $0.text.isEmpty ? nil : $0.text }
        }
        let parts = (text("request") ?? "").split(separator: " ").map(String.init)
        guard parts.count == 2 else { throw mistake("request is a method and a path, such as GET /accounts", node) }
        guard let expected = text("expect"), ["allowed", "refused"].contains(expected) || Int(expected) != nil else {
            throw mistake("expect is allowed, refused or a status", node)
        }
        var request = CheckedRequest(method: parts[0], target: parts[1], host: text("host"), scopes: [])
        if let scopes = node.entry("scopes")?.value {
            let list =
                scopes.elements?.compactMap(\.scalar?.text)
                ?? scopes.scalar?.text.split(separator: " ").map(String.init)
            request.scopes = list ?? []
        }
        for claim in node.entry("claims")?.value.entries ?? [] {
            request.claims[claim.key] = JSONValue(claim.value)
        }
        if node.entry("token")?.value.scalar?.boolean == false { request.scopes = nil }
        (self.request, self.expected, line) = (request, expected, node.span.start.line)
    }
}
