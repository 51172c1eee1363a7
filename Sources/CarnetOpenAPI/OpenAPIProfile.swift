import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// The operation that returns the user who signed in, by the usual names of its path.
enum OpenAPIProfile {
    /// The last segments of such paths, without hyphens and underscores, the surest first.
    private static let names = [
        "userinfo", "me", "@me", "whoami", "myself", "users.identity", "getuser", "currentuser", "getcurrentaccount",
        "current", "self", "auth.test", "user",
    ]
    /// Those that need a sign of it besides.
    private static let others = ["useraccount", "account", "profile"]
    private static let signs = ["authenticated", "current user", "logged", "signed", "user account", "your"]
    /// Those that only read, also with POST.
    private static let reading = ["userinfo", "whoami", "users.identity", "getuser", "getcurrentaccount", "auth.test"]

    /// Those without a parameter in the path, the best first.
    static func candidates(among operations: OpenAPIOperations) -> [OpenAPIOperation] {
        let found = operations.all.compactMap { operation -> (rank: (Int, Int, Int), operation: OpenAPIOperation)? in
            guard let (name, depth) = name(of: operation.path), let rank = (names + others).firstIndex(of: name),
                name != "user" || depth == 1
            else { return nil }
            let isRead =
                operation.method == "POST" && reading.contains(name)
                && operation.node?.node(at: ["requestBody", "required"])?.scalar?.boolean != true
            return operation.method == "GET" || isRead ? ((rank, depth, isRead ? 1 : 0), operation) : nil
        }
        return found.sorted { $0.rank < $1.rank }.prefix(50).map(\.operation)
    }

    /// Whether the path, or the document, says that the operation returns the user.
    static func isOfUser(_ operation: OpenAPIOperation, _ document: OpenAPIDocument) -> Bool {
        guard let name = name(of: operation.path)?.name, others.contains(name) else { return true }
        let said = ["summary", "description"].compactMap { operation.node?.text($0)?.lowercased() }
        let words = " " + said.flatMap { $0.split { !$0.isLetter } }.joined(separator: " ") + " "
        return signs.contains { words.contains(" \($0) ") }
            || claims(of: operation, in: document).first?.name == "subject"
    }

    /// A path of such an operation that has none here.
    static func absent(among operations: OpenAPIOperations) -> String? {
        let paths = operations.others.lazy.map(\.path)
        return paths.first { name(of: $0).map { (names + others).contains($0.name) } ?? false }
    }

    private static func name(of path: String) -> (name: String, depth: Int)? {
        guard !path.contains("{"), path.oneLine(limit: 120) == path else { return nil }
        let segments = path.lowercased().split(separator: "/")
        let last = segments.last?.filter { $0 != "_" && $0 != "-" } ?? ""
        return (last.hasSuffix(".json") ? String(last.dropLast(5)) : last, segments.count)
    }

    private static let endpoints: [(key: String, method: String, names: [String])] = [
        ("issuer", "GET", ["openidconfiguration", "oauthauthorizationserver", "jwks"]),
        ("revocation", "POST", ["revoke", "revocation"]), ("introspection", "POST", ["introspect", "introspection"]),
        ("device_authorization", "POST", ["deviceauthorization", "deviceauth", "deviceauthorize", "devicecode"]),
    ]

    /// The operations that are endpoints of an authorization server, or say that it has an issuer, by their keys.
    static func endpoints(among operations: OpenAPIOperations) -> [(key: String, operation: OpenAPIOperation)] {
        operations.all.compactMap { operation in
            guard let last = name(of: operation.path)?.name else { return nil }
            let folders = operation.path.lowercased().split(separator: "/").dropLast()
            let isOAuth = folders.contains { $0.hasPrefix("oauth") || ["token", ".well-known"].contains($0) }
            let name = folders.last == "device" ? "device" + last : last
            let found = endpoints.first { $0.method == operation.method && $0.names.contains(name) }
            return isOAuth ? found.map { ($0.key, operation) } : nil
        }
    }

    /// The members of the response that usually have a claim.
    private static let members: [(claim: String, names: [String])] = [
        ("subject", ["sub", "id", "_id", "user_id", "userId", "uid", "uuid", "account_id", "accountId", "gid"]),
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
                // Of alternatives, the first.
                for part in (schema.entry(key)?.value.elements ?? []).prefix(key == "allOf" ? 8 : 1) {
                    all.merge(properties(of: part, depth: depth + 1)) { first, _ in first }
                }
            }
        }
        return all
    }
}

/// The headers that every operation requires.
struct OpenAPIHeaders {
    /// With the rules of an input for those whose values the host knows.
    private(set) var headers: [(name: String, value: String, rules: String?)] = []
    /// API keys that a descriptor cannot have.
    private(set) var managed: [String] = []

    /// Parts of names whose values differ from request to request, or that Carnet or a browser sends itself.
    private static let others = [
        "authorization", "accept", "content-", "host", "idempoten", "request-id", "correlation", "signature", "digest",
        "date", "nonce", "timestamp", "if-", "range", "cookie", "dpop", "user-agent", "http-method", "origin", "sec-",
    ]

    private static func isManaged(_ name: String) -> Bool { ManagedHeaders.names.contains(name.lowercased()) }

    /// - Parameter keys: The API keys that every token needs besides.
    init(_ document: OpenAPIDocument, _ operations: OpenAPIOperations, keys: [OpenAPIScheme]) {
        // By the places of the lists: many operations can have the same, by references.
        var known: [SourceSpan: [String: YAMLNode]] = [:]
        func headers(_ parameters: YAMLNode?) -> [String: YAMLNode] {
            guard let parameters else { return [:] }
            if let headers = known[parameters.span] { return headers }
            var headers: [String: YAMLNode] = [:]
            for element in (parameters.elements ?? []).prefix(100) {
                guard let node = document.resolving(element)?.last, node.text("in") == "header",
                    node.entry("required")?.value.scalar?.boolean == true, let name = node.text("name"),
                    Self.isName(name), !Self.isManaged(name), !Self.others.contains(where: name.lowercased().contains)
                else { continue }
                headers[name.lowercased()] = node
            }
            known[parameters.span] = headers
            return headers
        }
        var common: [String: YAMLNode]?
        for operation in operations.all {
            guard common?.isEmpty != true else { break }
            let both = headers(operation.node?.entry("parameters")?.value)
                .merging(headers(operation.parameters)) { first, _ in first }
            common = common.map { $0.filter { both[$0.key] != nil } } ?? both
        }
        for (name, node) in (common ?? [:]).sorted(by: { $0.key < $1.key }) {
            add(node.text("name") ?? name, [node] + (document.resolving(node.entry("schema")?.value ?? node) ?? []))
        }
        for key in keys {
            guard let name = key.header, Self.isName(name), common?[name.lowercased()] == nil else { continue }
            if Self.isManaged(name) { managed.append(name) } else { add(name, []) }
        }
    }

    private static func isName(_ name: String) -> Bool {
        name.utf8.count <= 60 && name.utf8.first.map(ASCII.isLetter) == true
            && name.utf8.allSatisfy { ASCII.isAlphanumeric($0) || "-_".utf8.contains($0) }
    }

    /// - Parameter nodes: What the document says about it; nothing for an API key.
    private mutating func add(_ name: String, _ nodes: [YAMLNode]) {
        func text(_ key: String) -> String? { nodes.lazy.compactMap { $0.text(key) }.first?.oneLine(limit: 200) }
        let listed = nodes.lazy.compactMap { $0.entry("enum")?.value.elements }.first ?? []
        let values = listed.prefix(50).compactMap { $0.scalar?.text.oneLine(limit: 200) }
        let value = text("const") ?? text("default") ?? (values.count == 1 ? values[0] : nil)
        if let value, !value.contains("{") { return headers.append((name, value, nil)) }
        let title = text("description")?.oneLine(limit: 60) ?? name
        let example = values.isEmpty ? text("example") : nil
        let rules: KeyValuePairs = ["type": "text", "title": title, "example": example]
        let isSecret = nodes.isEmpty || text("format") == "password"
        let remark = "every operation requires the header"
        headers.append((name, "", DraftURL.input(rules, values, isSecret: isSecret, remark)))
    }
}
