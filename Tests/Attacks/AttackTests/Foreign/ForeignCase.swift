import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import Foundation
import Testing

/// One report of another client's tracker: what the server did, and the right outcome. A file of `Tests/Attacks/ForeignCases`.
struct ForeignCase: Sendable, CustomTestStringConvertible {
    struct Problem: Error, CustomStringConvertible {
        let description: String
    }

    let name: String
    var flow = Flow.signIn
    /// What the server does instead of what a good one does, in the order of the file.
    private var changes: [@Sendable (inout Script) throws -> Void] = []
    /// The kind of the right error; nothing if the flow succeeds.
    private(set) var kind: OAuthError.Kind?
    private(set) var step: OAuthError.Step?
    /// What the message and the next step say, and what they do not say.
    private(set) var says: [String] = []
    private(set) var hides: [String] = []
    /// What the lines of `--verbose` show.
    private(set) var shows: [String] = []
    /// The number of requests to a path.
    private(set) var requests: [String: Int] = [:]
    /// Whether a refresh at the good server succeeds afterwards, with the last refresh token.
    private(set) var refreshesAfterwards = false

    var testDescription: String { name }

    static let folder = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../ForeignCases").standardizedFileURL

    static let all: [Result<ForeignCase, Problem>] = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".yaml") }.sorted().flatMap { name -> [Result<ForeignCase, Problem>] in
            do {
                return try read(name).map { .success($0) }
            } catch {
                return [.failure(Problem(description: "\(name): \(error)"))]
            }
        }
    }()

    private static func read(_ name: String) throws -> [ForeignCase] {
        let document = YAMLReader().read(try SourceFile(readingFrom: folder.appending(path: name).path))
        guard document.diagnostics.isEmpty, let entries = document.root?.entries else {
            throw Problem(description: "\(document.diagnostics)")
        }
        return try entries.map { entry in
            do {
                return try ForeignCase(name: entry.key, entry.value)
            } catch {
                throw Problem(description: "\(entry.key): \(error)")
            }
        }
    }

    private init(name: String, _ node: YAMLNode) throws {
        self.name = name
        var hasReport = false
        var outcome: String?
        for member in node.entries ?? [] {
            let value = member.value
            switch member.key {
            case "report": hasReport = !texts(value).isEmpty
            case "server": break
            case "flow": flow = try Self.flow(text(value))
            case "descriptor": flow = flow.adding(try text(value))
            case "callback":
                let query = try text(value)
                changes.append { $0.rawCallback = query }
            case "id_token": try changeToken(value)
            case "right": outcome = try text(value)
            case "step": step = OAuthError.Step(rawValue: try text(value))
            case "says": says = texts(value)
            case "hides": hides = texts(value)
            case "shows": shows = texts(value)
            case "requests": for entry in value.entries ?? [] { requests[entry.key] = Int(try text(entry.value)) }
            case "afterwards": refreshesAfterwards = try text(value) == "refresh"
            default: try change(member.key, value)
            }
        }
        guard hasReport, let outcome else { throw Problem(description: "report or right is missing") }
        guard outcome != "accepted" else { return }
        kind = OAuthError.Kind(rawValue: outcome)
        guard kind != nil else { throw Problem(description: "there is no kind \(outcome)") }
    }

    private static func flow(_ name: String) throws -> Flow {
        let flows: [String: Flow] = [
            "sign-in": .signIn, "plain-sign-in": .plainSignIn, "profile": .profile, "refresh": .refresh, "call": .call,
            "sign-out": .signOut, "device": .device, "client-credentials": .clientCredentials, "register": .register,
            "dpop": Flow.plainSignIn.adding("client: { dpop_bound_access_tokens: true }"),
        ]
        guard let flow = flows[name] else { throw Problem(description: "there is no flow \(name)") }
        return flow
    }

    private mutating func change(_ endpoint: String, _ node: YAMLNode) throws {
        let places: [String: WritableKeyPath<Script, ServerResponse> & Sendable] = [
            "metadata": \.metadata, "server_metadata": \.serverMetadata, "keys": \.keys, "token": \.token,
            "refresh": \.refresh, "userinfo": \.userinfo, "revocation": \.revocation, "pushed": \.pushed,
            "device": \.device, "registration": \.registration, "resource": \.resource,
            "introspection": \.introspection,
        ]
        if let place = places[endpoint] {
            let make = try responses(node)
            changes.append { script in script[keyPath: place] = make(script[keyPath: place]) }
        } else if endpoint.hasPrefix("https://") {
            let make = try responses(node)
            changes.append { script in script.elsewhere[endpoint] = make(Script().metadata) }
        } else {
            throw Problem(description: "there is no member \(endpoint)")
        }
    }

    /// One response, or a list: each for one request, the last for all further ones. `good` is that of a good server.
    private func responses(_ node: YAMLNode) throws -> @Sendable (ServerResponse) -> ServerResponse {
        guard let elements = node.elements else { return try response(node) }
        let makers = try elements.map(response)
        return { good in
            var first = makers[0](good)
            first.later = makers.dropFirst().map { $0(good) }
            return first
        }
    }

    private func response(_ node: YAMLNode) throws -> @Sendable (ServerResponse) -> ServerResponse {
        if node.scalar?.text == "good" { return { $0 } }
        var changes: [@Sendable (inout ServerResponse) -> Void] = []
        for member in node.entries ?? [] {
            switch member.key {
            case "status":
                let status = Int(try text(member.value)) ?? 0
                changes.append { $0.status = status }
            case "type":
                let type = try text(member.value)
                changes.append { $0.headers = type.isEmpty ? [] : [("Content-Type", type)] }
            case "headers":
                for header in member.value.entries ?? [] {
                    let (name, value) = (header.key, try text(header.value))
                    changes.append { $0.headers.append((name, value)) }
                }
            case "body":
                let body = Array(try text(member.value).utf8)
                changes.append { $0.bytes = body }
            case "json":
                let json = try JSONValue(parsing: try text(member.value))
                changes.append { $0.json = json }
            case "set":
                guard let members = try JSONValue(parsing: try text(member.value)).object?.members else {
                    throw Problem(description: "set is no object")
                }
                changes.append { response in
                    // A member "-name" is left out.
                    for member in members {
                        let name = member.name
                        if name.hasPrefix("-") {
                            response[String(name.dropFirst())] = nil
                        } else {
                            response[name] = member.value
                        }
                    }
                }
            case "fails":
                let failures: [String: ServerResponse.TransportFailure] = [
                    "connection": .connection, "timeout": .timeout, "interrupted": .interrupted, "tls": .tls,
                    "closed": .closed,
                ]
                let failure = failures[try text(member.value)]
                changes.append { $0.failure = failure }
            default: throw Problem(description: "a response has no member \(member.key)")
            }
        }
        let all = changes
        return { good in
            var response = good
            response.later = []
            for change in all { change(&response) }
            return response
        }
    }

    private mutating func changeToken(_ node: YAMLNode) throws {
        for member in node.entries ?? [] {
            let source = try text(member.value)
            guard member.key != "raw" else {
                changes.append { $0.idToken.rawClaims = source }
                continue
            }
            let members = try JSONValue(parsing: source).object?.members ?? []
            let isHeader = member.key == "header"
            changes.append { script in
                for member in members {
                    let isAbsent = member.name.hasPrefix("-")
                    let name = isAbsent ? String(member.name.dropFirst()) : member.name
                    let value: JSONValue? = isAbsent ? Optional.none : member.value
                    if isHeader { script.idToken.header[name] = value } else { script.idToken.claims[name] = value }
                }
            }
        }
    }

    func apply(_ script: inout Script) throws {
        for change in changes { try change(&script) }
    }
}

private func text(_ node: YAMLNode) throws -> String {
    guard let scalar = node.scalar else { throw ForeignCase.Problem(description: "a string was expected") }
    return scalar.text
}

private func texts(_ node: YAMLNode) -> [String] {
    node.elements?.compactMap(\.scalar?.text) ?? [node.scalar?.text].compactMap { $0 }
}
