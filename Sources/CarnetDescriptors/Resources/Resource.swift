package import CarnetFoundation

/// A resource with its URL filled in.
public struct Resource: Sendable {
    public let id: String?
    public let title: String
    package let target: WebURL
    /// The granted scopes that it needs.
    package let requirement: ScopeRequirement
    package let method: ResourceMethod
    package let headers: [Named<String>]
    /// Whether the URL stands for several, so that it cannot be called.
    package internal(set) var isPattern = false

    /// The URL; with parameters in braces if it stands for several.
    public var url: String {
        isPattern ? target.text.replacing("%7B", with: "{").replacing("%7D", with: "}") : target.text
    }
}

extension Resource {
    /// Stands for a URL that the descriptor names elsewhere, so that the access token may go there.
    package init(declaring url: WebURL) {
        self.init(
            id: nil, title: url.text, target: url, requirement: ScopeRequirement(), method: .get, headers: [])
    }
}

/// A condition on the granted scopes: all of `allOf`, and one of `anyOf` if it is not empty.
package struct ScopeRequirement: Hashable, Sendable {
    package var allOf: [String]
    package var anyOf: [String]

    package init(allOf: [String] = [], anyOf: [String] = []) {
        self.allOf = allOf
        self.anyOf = anyOf
    }

    /// The scopes to ask for so that the requirement is met; empty if it is met. Of `anyOf`, the first is enough.
    ///
    /// Scopes are compared as whole, case-sensitive tokens (RFC 6749, section 3.3).
    package func missing(from granted: Set<String>) -> [String] {
        let all = allOf.filter { !granted.contains($0) }
        let any = anyOf.isEmpty || anyOf.contains(where: granted.contains) ? [] : [anyOf[0]]
        return all + any.filter { !all.contains($0) }
    }
}

extension ResourceEntry {
    /// The entry with a URL in which the parameters of its path are no places to fill, and whether it has any.
    ///
    /// - Parameter inputs: The inputs of the provider, which are filled.
    func showingParameters(besides inputs: [String]) -> (entry: ResourceEntry, isPattern: Bool) {
        var entry = self
        var isPattern = url.source.hasSuffix("/**")
        let parts = url.parts.map { part in
            guard case .input(let name) = part, name != Template.issuerName, !inputs.contains(name) else { return part }
            isPattern = true
            return Template.Part.literal("%7B\(name)%7D")
        }
        if isPattern { entry.url = Template(url.source, parts: parts) }
        return (entry, isPattern)
    }

    var requirement: ScopeRequirement {
        ScopeRequirement(allOf: (scope.map { [$0] } ?? []) + allOf, anyOf: anyOf)
    }

    func resolve(with resolver: InputResolver, key: String) throws(ResolutionError) -> LateResource {
        let entry = try fillingScopes(with: resolver, key: key)
        let whole = resolver.belowAPI(url)
        guard let filled = try resolver.lateURL(whole, key: "\(key).url") else {
            throw resolver.error(.missingInput, "\(key).url", "it uses an optional input that has no value")
        }
        let lateHeaders = try resolver.lateNamed(headers, key: "\(key).headers")
        let known = filled.isLate || !lateHeaders.isEmpty ? nil : try resolver.url(whole, key: "\(key).url")
        let fixed = try resolver.named(headers, key: "\(key).headers")
        return LateResource(entry: entry, url: filled, headers: fixed, lateHeaders: lateHeaders, knownURL: known)
    }
}
