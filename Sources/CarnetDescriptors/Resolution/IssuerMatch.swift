/// Which issuers count as a provider's own, with its inputs filled in. All are compared byte for byte.
public enum IssuerMatch: Hashable, Sendable {
    case exact
    case pattern(IssuerPattern)
    case anyOf([String])
    /// Whatever the metadata names; until there is metadata, the descriptor's own alone.
    case off
}

/// An issuer with places for claims of the ID token.
public struct IssuerPattern: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case literal(String)
        case place(name: String, claim: String)
    }

    let parts: [Part]

    /// The pattern as it is written, places in braces: so it stands in the metadata of a server for many tenants.
    public var source: String { filled { name, _ in "{\(name)}" } ?? "" }

    /// The issuer that a value for each place makes; `nil` if one is missing.
    public func filled(_ value: (_ place: String, _ claim: String) -> String?) -> String? {
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

    /// Whether an issuer can come of the pattern, whatever the claims.
    func canMake(_ issuer: String) -> Bool {
        Self.matches(parts[...], Array(issuer.utf8)[...])
    }

    private static func matches(_ parts: ArraySlice<Part>, _ text: ArraySlice<UInt8>) -> Bool {
        switch parts.first {
        case nil: return text.isEmpty
        case .literal(let literal):
            guard text.starts(with: literal.utf8) else { return false }
            return matches(parts.dropFirst(), text.dropFirst(literal.utf8.count))
        case .place:
            let longest = text.prefix(while: ASCII.isUnreserved).endIndex
            guard text.startIndex < longest else { return false }
            return (text.startIndex + 1...longest).contains { matches(parts.dropFirst(), text[$0...]) }
        }
    }
}

extension Provider {
    /// Whether the metadata may name an issuer (RFC 8414, section 3.3).
    public func acceptsIssuer(inMetadata issuer: String) -> Bool {
        if isOwn(issuer) { return true }
        switch issuerMatch {
        case .exact: return false
        case .pattern(let pattern): return issuer.isSame(as: pattern.source)
        case .anyOf(let issuers): return issuers.contains(where: issuer.isSame)
        case .off: return true
        }
    }

    /// Whether a callback may name an issuer (RFC 9207, section 2.4). Which tenant it is, the ID token tells.
    public func acceptsIssuer(inCallback issuer: String) -> Bool {
        if isOwn(issuer) { return true }
        switch issuerMatch {
        case .exact, .off: return false
        case .pattern(let pattern): return pattern.canMake(issuer)
        case .anyOf(let issuers): return issuers.contains(where: issuer.isSame)
        }
    }

    /// Whether an ID token may be of an issuer (OpenID Connect Core, section 3.1.3.7).
    ///
    /// - Parameter claim: the text of a claim of the same token.
    public func acceptsIssuer(_ issuer: String, ofTokenWith claim: (String) -> String?) -> Bool {
        switch issuerMatch {
        case .pattern(let pattern):
            let expected = pattern.filled { _, name in
                claim(name).flatMap { !$0.isEmpty && $0.utf8.allSatisfy(ASCII.isUnreserved) ? $0 : nil }
            }
            return expected.map(issuer.isSame) ?? false
        case .anyOf(let issuers): return isOwn(issuer) || issuers.contains(where: issuer.isSame)
        case .exact, .off: return isOwn(issuer)
        }
    }

    private func isOwn(_ other: String) -> Bool { issuer.map(other.isSame) ?? false }
}

extension String {
    /// Unlike `==`, which takes two spellings of an accent for one.
    fileprivate func isSame(as other: String) -> Bool { utf8.elementsEqual(other.utf8) }
}

extension InputResolver {
    func issuerMatch(_ rule: IssuerRule) throws(ResolutionError) -> IssuerMatch {
        switch rule {
        case .exact: return .exact
        case .off: return .off
        case .anyOf(let templates):
            var issuers: [String] = []
            for (index, template) in templates.enumerated() {
                if let issuer = try fill(template, key: "issuer_match.any_of.\(index)") { issuers.append(issuer) }
            }
            return .anyOf(issuers)
        case .template(let template, let claims):
            return .pattern(
                IssuerPattern(
                    parts: template.parts.map { part in
                        switch part {
                        case .literal(let text): .literal(text)
                        case .input(let name):
                            values[name].map { .literal($0) } ?? .place(name: name, claim: claims[name] ?? name)
                        // A rule about issuers is filled with the inputs, so none is read.
                        case .late: .literal("")
                        }
                    }
                )
            )
        }
    }
}
