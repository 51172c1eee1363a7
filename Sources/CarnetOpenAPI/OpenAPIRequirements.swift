import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// Reads the security requirements of a document (OpenAPI 3.2, section 4.30) as needs of a token.
struct OpenAPIRequirements {
    private let document: OpenAPIDocument
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
        _ document: OpenAPIDocument, _ operations: OpenAPIOperations, named: [String], checkedElsewhere: [String],
        _ findings: inout ImportFindings
    ) throws {
        self.document = document
        let schemes = Self.schemes(of: document, &findings)
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
            throw WritingError(
                "--scheme and --checked-elsewhere cannot name the same security scheme, \(name.quoted)")
        }
        let used = Set(Self.alternatives(document, operations).joined().map { ByteKey($0.key) }).subtracting(elsewhere)
        accepted =
            named.isEmpty ? Self.choice(schemes, used, besides: elsewhere) : named.compactMap { known[ByteKey($0)] }
        if let scheme = accepted.first(where: { !$0.isToken }) {
            throw WritingError("the security scheme \(scheme.name.quoted) is not for access tokens")
        }
        acceptedNames = Set(accepted.map(\.key))
        self.checkedElsewhere = elsewhere
        report(schemes.filter { used.contains($0.key) }, &findings)
        general = document.root.entry("security").map { need($0.value, &findings) }
        let hasSecurity = general != nil || operations.all.contains { $0.node?.entry("security") != nil }
        if !hasSecurity, let paths = document.root.entry("paths"), !operations.all.isEmpty {
            findings.add(
                .warning, "the document has no security: the map requires a token for each operation",
                at: paths.keySpan,
                help: "write security: [] into the document if anyone may send all requests")
            general = .anyToken
        }
    }

    // MARK: Schemes

    private static func schemes(of document: OpenAPIDocument, _ findings: inout ImportFindings) -> [OpenAPIScheme] {
        let path = document.isSwagger ? ["securityDefinitions"] : ["components", "securitySchemes"]
        return (document.root.node(at: path)?.entries ?? []).filter { !$0.key.hasPrefix("x-") }.map { entry in
            let node = document.resolving(entry.value)?.last
            if node == nil {
                findings.add(.error, "the security scheme \(document.missing(entry.value))", at: entry.value.span)
            }
            return OpenAPIScheme(
                entry.key, node ?? entry.value, at: entry.keySpan, isSwagger: document.isSwagger)
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
        guard let best = candidates.map(\.rank).min(), let first = candidates.first(where: { $0.rank == best }) else {
            return []
        }
        return [first] + tokens.filter { $0.key != first.key && $0.hasServer(of: first) }
    }

    /// What each scheme means for all operations that use it.
    private func report(_ used: [OpenAPIScheme], _ findings: inout ImportFindings) {
        for scheme in used where !acceptedNames.contains(scheme.key) && !checkedElsewhere.contains(scheme.key) {
            if case .other(let what) = scheme.kind {
                guard !what.isEmpty else { continue }
                findings.add(
                    .warning, "a map cannot require \(what): it refuses requests that have no other credential",
                    at: scheme.span,
                    help: "if another program checks it besides the token, add --checked-elsewhere "
                        + scheme.name.shellWord)
            } else {
                findings.add(
                    .warning, "the map does not accept tokens of this scheme", at: scheme.span,
                    help: "to accept them too, add --scheme "
                        + (accepted.prefix(20) + [scheme]).map(\.name.shellWord).joined(separator: " --scheme "))
            }
        }
        for scheme in accepted where scheme.kind == .authorizationKey {
            findings.add(
                .information, "the key in the Authorization header is taken for an access token", at: scheme.span)
        }
    }

    // MARK: Needs

    /// The need of an operation.
    mutating func need(of operation: OpenAPIOperation, _ findings: inout ImportFindings) -> AccessNeed {
        guard let node = operation.node else { return .nobody }
        let need: AccessNeed
        if let security = node.entry("security") {
            need = needs[security.value.span] ?? self.need(security.value, &findings)
            needs[security.value.span] = need
        } else if let general {
            need = general
        } else {
            findings.add(
                .warning, "neither the operation nor the document has security: the map requires a token",
                at: operation.place, help: "write security: [] into the operation if anyone may send the request")
            return .anyToken
        }
        if need.isClosed {
            findings.add(
                .warning, "no access token of the accepted schemes is enough: the map refuses the request",
                at: operation.place)
        }
        return need
    }

    private func need(_ security: YAMLNode, _ findings: inout ImportFindings) -> AccessNeed {
        guard let elements = security.elements else {
            findings.add(.error, "security is no list: the map refuses the request", at: security.span)
            return .nobody
        }
        if elements.count > AccessNeed.mostAlternatives {
            findings.add(
                .warning, "there are more than \(AccessNeed.mostAlternatives) alternatives: the others are left out",
                at: security.span)
        }
        if elements.isEmpty || elements.contains(where: { $0.entries?.isEmpty == true }) { return .anyone }
        return AccessNeed(
            elements.prefix(AccessNeed.mostAlternatives).compactMap { scopes(of: $0, &findings) })
    }

    /// The scopes of an alternative, of which all schemes are needed together.
    ///
    /// - Returns: `nil` if an access token cannot meet it.
    private func scopes(of alternative: YAMLNode, _ findings: inout ImportFindings) -> [String]? {
        guard let entries = alternative.entries else {
            findings.add(.error, "the alternative is no mapping: it is left out", at: alternative.span)
            return nil
        }
        let needed = entries.filter { !checkedElsewhere.contains(ByteKey($0.key)) }
        var scopes: [String] = []
        var isMet = !needed.isEmpty
        for entry in needed {
            guard let scheme = schemes[ByteKey(entry.key)] else {
                findings.add(
                    .error, "the document has no security scheme \(entry.key.quoted): the alternative is left out",
                    at: entry.keySpan)
                isMet = false
                continue
            }
            guard acceptedNames.contains(scheme.key) else {
                isMet = false
                continue
            }
            guard let elements = entry.value.elements else {
                findings.add(.error, "the scopes are no list: the alternative is left out", at: entry.value.span)
                isMet = false
                continue
            }
            for node in elements {
                let scope = node.scalar?.text ?? ""
                if scheme.absentScopes.contains(ByteKey(scope)) { continue }
                guard ScopeRules.isToken(scope) else {
                    findings.add(
                        .error, "\(scope.quoted) is no scope: the alternative is left out", at: node.span,
                        help: "write each scope as an element of its own (RFC 6749, section 3.3)")
                    isMet = false
                    continue
                }
                report(scope, of: scheme, at: node.span, &findings)
                scopes.append(scope)
            }
        }
        if !isMet, needed.contains(where: { acceptedNames.contains(ByteKey($0.key)) }), needed.count > 1 {
            findings.add(
                .warning, "the alternative needs more than an access token of the accepted schemes: it is left out",
                at: alternative.span)
        }
        return isMet ? scopes : nil
    }

    /// Scopes that the scheme does not list.
    private func report(
        _ scope: String, of scheme: OpenAPIScheme, at place: SourceSpan, _ findings: inout ImportFindings
    ) {
        if scheme.kind == .bearer || scheme.kind == .authorizationKey {
            findings.add(
                .information, "the scheme \(scheme.name.quoted) has no scopes: the map requires the names as scopes",
                at: place)
        } else if !scheme.scopes.isEmpty, !scheme.scopeIDs.contains(ByteKey(scope)) {
            findings.add(
                .information, "the scheme \(scheme.name.quoted) does not list the scope \(scope.quoted)", at: place)
        }
    }
}
