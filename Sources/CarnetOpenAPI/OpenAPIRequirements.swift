import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Reads the security requirements of a document (OpenAPI 3.2, section 4.30) as needs of a token.
struct OpenAPIRequirements {
    private let document: OpenAPIDocument
    private var findings: ImportFindings { document.findings }
    private let schemes: [ByteKey: OpenAPIScheme]
    private let listed: [OpenAPIScheme]
    /// The schemes whose tokens the map accepts.
    let accepted: [OpenAPIScheme]
    private let acceptedNames: Set<ByteKey>
    private let checkedElsewhere: Set<ByteKey>
    /// The need of operations without a security of their own; `nil` if the document names none.
    private var general: AccessNeed?
    /// By the places of the lists: many operations can have the same, by references.
    private var needs: [SourceSpan: AccessNeed] = [:]

    /// - Parameters:
    ///   - operations: Which schemes are used decides which is accepted by default.
    ///   - named: The schemes whose tokens the map accepts; by default the first with an authorization server.
    /// - Throws: `WritingError` if there is no scheme with a name.
    init(
        _ document: OpenAPIDocument, _ operations: OpenAPIOperations, named: [String], checkedElsewhere: [String]
    ) throws {
        self.document = document
        let schemes = Self.schemes(of: document)
        let known = Dictionary(schemes.map { ($0.key, $0) }) { first, _ in first }
        (self.schemes, listed) = (known, schemes)
        for name in named + checkedElsewhere where known[ByteKey(name)] == nil {
            let nearest = nearestName(to: name, in: schemes.map(\.name))
            throw WritingError(
                "\(document.file.path) has no security scheme \(name.quoted)",
                next: [
                    nearest.map { "did you mean \($0)?" }
                        ?? "it has: " + schemes.prefix(20).map(\.name).joined(separator: ", ")
                ])
        }
        let elsewhere = Set(checkedElsewhere.map(ByteKey.init))
        if let name = named.first(where: { elsewhere.contains(ByteKey($0)) }) {
            throw WritingError("--scheme and --checked-elsewhere cannot name the same security scheme, \(name.quoted)")
        }
        let used = Set(Self.alternatives(document, operations).joined().map { ByteKey($0.key) }).subtracting(elsewhere)
        accepted =
            named.isEmpty ? Self.choice(schemes, used, besides: elsewhere) : named.compactMap { known[ByteKey($0)] }
        if let scheme = accepted.first(where: { !$0.isToken }) {
            throw WritingError("the security scheme \(scheme.name.quoted) is not for access tokens")
        }
        acceptedNames = Set(accepted.map(\.key))
        self.checkedElsewhere = elsewhere
        report(schemes.filter { used.contains($0.key) })
        general = document.root.entry("security").map { need($0.value) }
        let hasSecurity = general != nil || operations.all.contains { $0.node?.entry("security") != nil }
        if !hasSecurity, let paths = document.root.entry("paths"), !operations.all.isEmpty {
            findings.warn(
                paths.keySpan, "the document has no security: the map requires a token for each operation",
                help: "write security: [] into the document if anyone may send all requests")
            general = .anyToken
        }
    }

    // MARK: Schemes

    private static func schemes(of document: OpenAPIDocument) -> [OpenAPIScheme] {
        let path = document.isSwagger ? ["securityDefinitions"] : ["components", "securitySchemes"]
        return (document.root.node(at: path)?.entries ?? []).filter { !$0.key.hasPrefix("x-") }.map { entry in
            let node = document.resolving(entry.value)?.last
            if node == nil {
                document.findings.error(entry.value.span, "the security scheme \(document.missing(entry.value))")
            }
            return OpenAPIScheme(entry.key, node ?? entry.value, at: entry.keySpan, isSwagger: document.isSwagger)
        }
    }

    /// What each alternative of a list needs together.
    private static func alternatives(_ document: OpenAPIDocument, _ operations: OpenAPIOperations) -> [[YAMLEntry]] {
        var seen: Set<SourceSpan> = []
        return ([document.root.entry("security")] + operations.all.map { $0.node?.entry("security") }).flatMap { list in
            guard let list, seen.insert(list.value.span).inserted else { return [[YAMLEntry]]() }
            return (list.value.elements ?? []).map { $0.entries ?? [] }
        }
    }

    /// The scheme that a descriptor is about, with others of its authorization server.
    var draftSchemes: [OpenAPIScheme] {
        guard let first = accepted.min(by: { $0.rank < $1.rank }) else { return [] }
        return [first]
            + listed.filter { $0.key != first.key && $0.rank < 3 && ($0.hasServer(of: first) || $0.hasHost(of: first)) }
    }

    /// The API keys in headers that every token needs besides.
    func keys(_ operations: OpenAPIOperations) -> [OpenAPIScheme] {
        let needs = Self.alternatives(document, operations).map { Set($0.map { ByteKey($0.key) }) }
            .filter { !$0.isDisjoint(with: acceptedNames) }
        let keys = needs.isEmpty ? [] : listed.filter { $0.header != nil && !$0.isToken }.prefix(20)
        return keys.filter { key in needs.allSatisfy { $0.contains(key.key) } }
    }

    /// The first scheme of the best kind that is used, with those of the same authorization server.
    private static func choice(
        _ schemes: [OpenAPIScheme], _ used: Set<ByteKey>, besides others: Set<ByteKey>
    ) -> [OpenAPIScheme] {
        let tokens = schemes.filter { $0.isToken && !others.contains($0.key) }
        let candidates = tokens.contains { used.contains($0.key) } ? tokens.filter { used.contains($0.key) } : tokens
        // Of equals, the first.
        guard let first = candidates.min(by: { $0.rank < $1.rank }) else { return [] }
        return [first] + tokens.filter { $0.key != first.key && $0.hasServer(of: first) }
    }

    /// What each scheme means for all operations that use it.
    private func report(_ used: [OpenAPIScheme]) {
        for scheme in used where !acceptedNames.contains(scheme.key) && !checkedElsewhere.contains(scheme.key) {
            if case .other(let what) = scheme.kind {
                guard !what.isEmpty else { continue }
                findings.warn(
                    scheme.span, "a map cannot require \(what): it refuses requests that have no other credential",
                    help: "if another program checks it besides the token, add --checked-elsewhere "
                        + scheme.name.shellWord)
            } else {
                findings.warn(
                    scheme.span, "the map does not accept tokens of this scheme",
                    help: "to accept them too, add --scheme "
                        + (accepted.prefix(20) + [scheme]).map(\.name.shellWord).joined(separator: " --scheme "))
            }
        }
        for scheme in accepted where scheme.kind == .authorizationKey {
            findings.inform(scheme.span, "the key in the Authorization header is taken for an access token")
        }
    }

    // MARK: Needs

    mutating func need(of operation: OpenAPIOperation) -> AccessNeed {
        guard let node = operation.node else { return .nobody }
        let need: AccessNeed
        if let security = node.entry("security") {
            need = needs[security.value.span] ?? self.need(security.value)
            needs[security.value.span] = need
        } else if let general {
            need = general
        } else {
            findings.warn(
                operation.place, "neither the operation nor the document has security: the map requires a token",
                help: "write security: [] into the operation if anyone may send the request")
            return .anyToken
        }
        if need.isClosed {
            findings.warn(
                operation.place, "no access token of the accepted schemes is enough: the map refuses the request")
        }
        return need
    }

    private func need(_ security: YAMLNode) -> AccessNeed {
        guard let elements = security.elements else {
            findings.error(security.span, "security is no list: the map refuses the request")
            return .nobody
        }
        if elements.count > AccessNeed.mostAlternatives {
            findings.warn(
                security.span,
                "there are more than \(AccessNeed.mostAlternatives) alternatives: the others are left out")
        }
        if elements.isEmpty || elements.contains(where: { $0.entries?.isEmpty == true }) { return .anyone }
        return AccessNeed(elements.prefix(AccessNeed.mostAlternatives).compactMap { scopes(of: $0) })
    }

    /// The scopes of an alternative, of which all schemes are needed together.
    ///
    /// - Returns: `nil` if an access token cannot meet it.
    private func scopes(of alternative: YAMLNode) -> [String]? {
        guard let entries = alternative.entries else {
            findings.error(alternative.span, "the alternative is no mapping: it is left out")
            return nil
        }
        let needed = entries.filter { !checkedElsewhere.contains(ByteKey($0.key)) }
        var scopes: [String] = []
        var isMet = !needed.isEmpty
        for entry in needed {
            let scheme = schemes[ByteKey(entry.key)]
            guard let scheme, acceptedNames.contains(scheme.key), let elements = entry.value.elements else {
                isMet = false
                if scheme == nil {
                    findings.error(
                        entry.keySpan,
                        "the document has no security scheme \(entry.key.quoted): the alternative is left out")
                } else if acceptedNames.contains(ByteKey(entry.key)) {
                    findings.error(entry.value.span, "the scopes are no list: the alternative is left out")
                }
                continue
            }
            for node in elements {
                let scope = node.scalar?.text ?? ""
                if scheme.absentScopes.contains(ByteKey(scope)) { continue }
                guard ScopeRules.isToken(scope) else {
                    findings.error(
                        node.span, "\(scope.quoted) is no scope: the alternative is left out",
                        help: "write each scope as an element of its own (RFC 6749, section 3.3)")
                    isMet = false
                    continue
                }
                if [.bearer, .authorizationKey].contains(scheme.kind) {
                    findings.inform(
                        node.span,
                        "the scheme \(scheme.name.quoted) has no scopes: the map requires the names as scopes")
                } else if !scheme.scopes.isEmpty, !scheme.scopeIDs.contains(ByteKey(scope)) {
                    findings.inform(
                        node.span, "the scheme \(scheme.name.quoted) does not list the scope \(scope.quoted)")
                }
                scopes.append(scope)
            }
        }
        if !isMet, needed.contains(where: { acceptedNames.contains(ByteKey($0.key)) }), needed.count > 1 {
            findings.warn(
                alternative.span,
                "the alternative needs more than an access token of the accepted schemes: it is left out")
        }
        return isMet ? scopes : nil
    }
}
