import CarnetDescriptors
import CarnetFoundation

/// The operation that returns the user who signed in, by the usual names of its path.
enum OpenAPIProfile {
    /// The last segments of such paths, the surest first.
    private static let names = [
        "userinfo", "me", "@me", "whoami", "myself", "users.identity", "getuser", "current_user", "current-user",
        "get_current_account", "current", "self", "auth.test",
    ]

    /// Those without a parameter in the path, the best first.
    static func candidates(among operations: OpenAPIOperations) -> [OpenAPIOperation] {
        operations.all.compactMap { operation -> (rank: (Int, Int, Int), operation: OpenAPIOperation)? in
            guard operation.node != nil, !operation.path.contains("{"),
                operation.path.oneLine(limit: 120) == operation.path
            else { return nil }
            let segments = operation.path.lowercased().split(separator: "/")
            var name = segments.last.map(String.init) ?? ""
            if name.hasSuffix(".json") { name = String(name.dropLast(5)) }
            let rank = segments == ["user"] ? names.count : names.firstIndex(of: name)
            guard let rank, operation.method == "GET" || operation.method == "POST" else { return nil }
            return ((rank, segments.count, operation.method == "GET" ? 0 : 1), operation)
        }.sorted { $0.rank < $1.rank }.map(\.operation)
    }

    /// The members of the response that usually have a claim.
    private static let members: [(claim: String, names: [String])] = [
        (
            "subject",
            ["sub", "id", "_id", "user_id", "userId", "uid", "uuid", "account_id", "accountId", "gid"]
        ),
        ("name", ["name", "display_name", "displayName", "full_name", "fullName", "handle"]),
        ("email", ["email", "mail", "email_address", "emailAddress"]),
    ]
    private static let wrappers = ["user", "me", "data", "profile", "account", "body", "response", "result"]

    /// The claims that the schema of the successful response has, with their places.
    static func claims(
        of operation: OpenAPIOperation, in document: OpenAPIDocument
    ) -> [(name: String, place: JSONPointer)] {
        let responses = operation.node?.entry("responses")?.value
        guard let written = ["200", "201", "2XX", "default"].lazy.compactMap({ responses?.entry($0)?.value }).first,
            let response = document.resolving(written)?.last
        else { return [] }
        let media = response.entry("content")?.value.entries?.first { $0.key.contains("json") }
        guard let schema = (media?.value ?? response).entry("schema")?.value else { return [] }
        return claims(at: [], in: document.properties(of: schema), document)
    }

    private static func claims(
        at path: [String], in properties: [String: YAMLNode], _ document: OpenAPIDocument
    ) -> [(name: String, place: JSONPointer)] {
        let found = members.compactMap { claim, names in
            names.first { properties[$0] != nil }.map { (name: claim, place: JSONPointer(tokens: path + [$0])) }
        }
        guard found.first?.name != "subject", path.count < 2 else { return found.first?.name == "subject" ? found : [] }
        for name in wrappers {
            guard let property = properties[name] else { continue }
            let inside = claims(at: path + [name], in: document.properties(of: property), document)
            if !inside.isEmpty { return inside }
        }
        return []
    }
}

extension OpenAPIDocument {
    /// The properties of a schema, with those that it is composed of.
    fileprivate func properties(of schema: YAMLNode, depth: Int = 0) -> [String: YAMLNode] {
        var all: [String: YAMLNode] = [:]
        for schema in resolving(schema) ?? [] {
            for entry in schema.entry("properties")?.value.entries ?? [] where all.count < 1000 {
                all[entry.key] = entry.value
            }
            guard depth < 4 else { continue }
            for key in ["allOf", "oneOf", "anyOf"] {
                let parts = schema.entry(key)?.value.elements ?? []
                // Of alternatives, the first.
                for part in parts.prefix(key == "allOf" ? 8 : 1) {
                    all.merge(properties(of: part, depth: depth + 1)) { first, _ in first }
                }
            }
        }
        return all
    }
}

/// The headers that every operation requires.
struct OpenAPIHeaders {
    private struct Header {
        let name: String
        let title: String
        let value: String?
    }

    private let all: [Header]

    /// Parts of names whose values differ from request to request, or that Carnet sends itself.
    private static let others = [
        "authorization", "accept", "content-", "host", "idempoten", "request-id", "correlation", "signature", "digest",
        "date", "nonce", "timestamp", "if-", "range", "cookie", "dpop",
    ]

    init(_ document: OpenAPIDocument, _ operations: OpenAPIOperations) {
        // By the places of the lists: many operations can have the same, by references.
        var known: [SourceSpan: [String: Header]] = [:]
        func headers(_ parameters: YAMLNode?) -> [String: Header] {
            guard let parameters else { return [:] }
            if let headers = known[parameters.span] { return headers }
            var headers: [String: Header] = [:]
            for element in (parameters.elements ?? []).prefix(100) {
                guard let header = document.resolving(element)?.last.flatMap(Self.header) else { continue }
                headers[header.name.lowercased()] = header
            }
            known[parameters.span] = headers
            return headers
        }
        var common: [String: Header]?
        for operation in operations.all {
            let own = headers(operation.node?.entry("parameters")?.value)
            let shared = headers(operation.parameters)
            guard common?.isEmpty != true else { break }
            let both = own.merging(shared) { first, _ in first }
            common = common.map { $0.filter { both[$0.key] != nil } } ?? both
        }
        all = (common ?? [:]).values.sorted { $0.name < $1.name }
    }

    var draft: [(name: String, title: String, value: String?)] { all.map { ($0.name, $0.title, $0.value) } }

    private static func header(_ node: YAMLNode) -> Header? {
        guard node.text("in") == "header", let name = node.text("name"), name.utf8.count <= 60,
            node.entry("required")?.value.scalar?.boolean == true,
            name.utf8.allSatisfy({ ASCII.isAlphanumeric($0) || $0 == UInt8(ascii: "-") }),
            name.utf8.first.map({ !ASCII.isDigit($0) }) == true,
            !others.contains(where: name.lowercased().contains)
        else { return nil }
        let schema = node.entry("schema")?.value ?? node
        let values = schema.entry("enum")?.value.elements ?? []
        let value = schema.text("const") ?? schema.text("default") ?? (values.count == 1 ? values[0].scalar?.text : nil)
        return Header(
            name: name, title: node.text("description")?.oneLine(limit: 60) ?? name,
            value: value.flatMap { $0.contains("{") ? nil : $0.oneLine(limit: 200) })
    }
}
