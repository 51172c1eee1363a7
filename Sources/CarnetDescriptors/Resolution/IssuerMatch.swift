import CarnetFoundation

/// Which issuers count as a provider's own, with its inputs filled in. All are compared byte for byte.
package enum IssuerMatch: Hashable, Sendable {
    case exact
    case pattern(IssuerPattern)
    case anyOf([String])
    /// Any issuer that the metadata names; without metadata, only the descriptor's.
    case off
}

/// An issuer with places for claims of the ID token.
package struct IssuerPattern: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case literal(String)
        case place(name: String, claim: String)
    }

    let parts: [Part]
    /// What each place looks like.
    package let place: ValuePattern
    /// What the issuers that it can make look like.
    private let form: ValuePattern

    /// - Parameter place: The form of each place.
    init(parts: [Part], place: ValuePattern) {
        (self.parts, self.place) = (parts, place)
        form = Self.form(of: parts, place)
    }

    /// The claims that distinguish the tenants.
    package var claims: [String] {
        parts.compactMap { if case .place(_, let claim) = $0 { claim } else { nil } }
    }

    /// The pattern as it is written, places in braces: so it stands in the metadata of a server for many tenants.
    package var source: String { form.source }

    /// The issuer that a value for each place makes; `nil` if one is missing.
    package func filled(_ value: (_ place: String, _ claim: String) -> String?) -> String? {
        Self.text(of: parts, value)
    }

    private static func text(of parts: [Part], _ value: (_ place: String, _ claim: String) -> String?) -> String? {
        var output = ""
        for part in parts {
            switch part {
            case .literal(let text): output += text
            case .place(let name, let claim):
                guard let text = value(name, claim) else { return nil }
                output += text
            }
        }
        return output
    }

    /// Whether some names or JSON Pointers are those of all claims that distinguish the tenants.
    package func isChosen(by names: [String]) -> Bool {
        claims.allSatisfy { claim in
            names.contains {
                $0.isSameBytes(as: claim)
                    || (JSONPointer($0)?.tokens).map { $0.count == 1 && $0[0].isSameBytes(as: claim) } ?? false
            }
        }
    }

    /// Whether the claims of one sender make an issuer.
    package func makes(_ issuer: String, from claim: (String) -> String?) -> Bool {
        let expected = filled { _, name in
            claim(name).flatMap { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isUnreserved) ? $0 : nil }
        }
        return canMake(issuer) && expected.map { issuer.isSameBytes(as: $0) } ?? false
    }

    /// Whether some claims make the issuer from the pattern.
    func canMake(_ issuer: String) -> Bool { form.matches(issuer) }

    private static func form(of parts: [Part], _ place: ValuePattern) -> ValuePattern {
        var program: [PatternInstruction] = []
        for part in parts {
            switch part {
            case .literal(let text):
                program += text.unicodeScalars.map { .character(PatternCharacters(ranges: [$0.value...$0.value])) }
            case .place: program += place.part(at: program.count)
            }
        }
        return ValuePattern(source: text(of: parts) { name, _ in "{\(name)}" } ?? "", program: program + [.match])
    }
}

// Not for any stage: a generic function copies all sections to read one.
extension SharedSections {
    /// Whether the metadata may name an issuer (RFC 8414, section 3.3).
    package func acceptsIssuer(inMetadata issuer: String) -> Bool {
        if isOwn(issuer) { return true }
        switch sections.issuerMatch {
        case .exact: return false
        case .pattern(let pattern): return issuer.isSameBytes(as: pattern.source)
        case .anyOf(let issuers): return issuers.containsBytes(of: issuer)
        case .off: return true
        }
    }

    /// Whether a callback may name an issuer (RFC 9207, section 2.4). The ID token shows which tenant it is.
    package func acceptsIssuer(inCallback issuer: String) -> Bool {
        if isOwn(issuer) { return true }
        switch sections.issuerMatch {
        case .exact, .off: return false
        case .pattern(let pattern): return pattern.canMake(issuer)
        case .anyOf(let issuers): return issuers.containsBytes(of: issuer)
        }
    }

    /// Whether an ID token may be of an issuer (OpenID Connect Core, section 3.1.3.7).
    ///
    /// - Parameter claim: the text of a claim of the same token.
    package func acceptsIssuer(_ issuer: String, ofTokenWith claim: (String) -> String?) -> Bool {
        switch sections.issuerMatch {
        case .pattern(let pattern): return pattern.makes(issuer, from: claim)
        case .anyOf(let issuers): return isOwn(issuer) || issuers.containsBytes(of: issuer)
        case .exact, .off: return isOwn(issuer)
        }
    }

    /// Whether a sign-in of an earlier time may be of an issuer; always where nothing says which issuers are the
    /// provider's own.
    package func acceptsIssuer(ofStoredSignIn issuer: String) -> Bool {
        sections.issuer == nil || sections.issuerMatch == .off || acceptsIssuer(inCallback: issuer)
    }

    /// Where the issuer of an account is one of many: what distinguishes them. An account of the provider's own issuer is of the
    /// tenant that the inputs name.
    package func tenants(of issuer: String?) -> IssuerPattern? {
        guard case .pattern(let pattern) = sections.issuerMatch, !pattern.claims.isEmpty,
            !(issuer.map(isOwn) ?? false)
        else { return nil }
        return pattern
    }

    private func isOwn(_ other: String) -> Bool { sections.issuer.map { other.isSameBytes(as: $0) } ?? false }
}

extension InputResolver {
    /// - Parameter own: The provider's own issuer.
    func issuerMatch(_ rule: IssuerRule, own: String?) throws(ResolutionError) -> IssuerMatch {
        switch rule {
        case .exact: return .exact
        case .off: return .off
        case .anyOf(let templates):
            let issuers = try templates.enumerated().collect { index, template throws(ResolutionError) in
                try checkURL(template, key: "issuer_match.any_of.\(index)")
                return try fill(template, key: "issuer_match.any_of.\(index)")
            }
            return .anyOf(issuers)
        case .template(let template, let claims, let form):
            try checkURL(template, key: "issuer_match")
            let pattern = IssuerPattern(
                parts: template.parts.map { part in
                    switch part {
                    case .literal(let text): .literal(text)
                    case .input(let name):
                        values[name].map { .literal($0) } ?? .place(name: name, claim: claims[name] ?? name)
                    // A rule about issuers is filled with the inputs, so none is read.
                    case .late: .literal("")
                    }
                }, place: form ?? .unreserved)
            // An input can fix the tenant, if the descriptor says how one looks: otherwise `common` could be one.
            let isOne = (form != nil || pattern.claims.isEmpty) && own.map(pattern.canMake) ?? false
            return isOne ? .exact : .pattern(pattern)
        }
    }
}
