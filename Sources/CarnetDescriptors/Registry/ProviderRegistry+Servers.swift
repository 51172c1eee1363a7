package import CarnetFoundation

extension ProviderRegistry {
    /// A descriptor that contradicts what a server says of itself: one of these endpoints is at the origin of the descriptor's
    /// own, but the token endpoint is not, so another server would receive what the provider issues (mix-up; RFC 9700,
    /// section 4.4).
    ///
    /// - Parameters:
    ///   - endpoints: The endpoints that receive a request before the token endpoint receives its result.
    ///   - issuer: A descriptor with this issuer contradicts nothing: the provider itself named the endpoints.
    package func provider(
        contradicting endpoints: [WebURL], token: WebURL, issuer: String
    ) -> (id: ProviderID, endpoint: WebURL)? {
        let token = token.withoutDotAtEnd
        for url in endpoints.map(\.withoutDotAtEnd) where !url.origin.isSameBytes(as: token.origin) {
            let suffix = url.host.split(separator: ".").suffix(2).joined(separator: ".")
            let known = entries(mentioning: suffix).map(\.descriptor)
                .filter { $0.isFromNamedPlace && $0.issuer?.source.isSameBytes(as: issuer) != true }
                .compactMap { descriptor in descriptor.tokenOrigins(for: url).map { (descriptor.id, $0) } }
            guard let first = known.first, !known.contains(where: { $0.1.containsBytes(of: token.origin) })
            else { continue }
            return (first.0, url)
        }
        return nil
    }
}

extension WebURL {
    /// The same server in the form in which descriptors name it.
    fileprivate var withoutDotAtEnd: WebURL {
        guard host.hasSuffix(".") else { return self }
        let authority = HostName(host).text + (port.map { ":\($0)" } ?? "")
        return (try? WebURL("\(scheme)://\(authority)\(target)")) ?? self
    }
}

extension ProviderDescriptor {
    /// The origins of the token endpoints, in every environment, if another endpoint of the same environment is at the origin
    /// of a URL; `nil` if none is, or if they are unknown.
    fileprivate func tokenOrigins(for url: WebURL) -> [String]? {
        let origins = everyEnvironment.flatMap { descriptor -> [String] in
            let endpoints = descriptor.endpoints
            let first = [EndpointName.authorization, .deviceAuthorization, .pushedAuthorizationRequest].lazy
            guard let inputs = first.compactMap({ endpoints[$0]?.inputs(withOriginOf: url) }).first else { return [] }
            return [.token, .refresh, .deviceToken].compactMap { endpoints[$0]?.origin(with: inputs) }
        }
        return origins.isEmpty ? nil : origins
    }
}

extension Template {
    /// The parts of a URL before its path.
    private var originParts: [Part] {
        var (parts, slashes) = ([Part](), 0)
        for part in self.parts {
            guard case .literal(let text) = part else {
                parts.append(part)
                continue
            }
            let kept = text.prefix { character in
                if character == "/" { slashes += 1 }
                return slashes < 3 && character != "?"
            }
            parts.append(.literal(String(kept)))
            if kept.endIndex < text.endIndex { break }
        }
        return parts
    }

    /// The values of inputs with which the URL has the origin of another one; `nil` if there are none, or if an input could make
    /// every host.
    fileprivate func inputs(withOriginOf url: WebURL) -> [String: String]? {
        guard case (var start, let name, var end)? = Self.aroundInput(of: originParts) else { return nil }
        guard let name else { return (try? WebURL(start))?.origin.isSameBytes(as: url.origin) == true ? [:] : nil }
        guard end.contains(".") else { return nil }
        (start, end) = (start.lowercased(), end.lowercased())
        // An origin always has the port; a template rarely has.
        for text in [url.origin, "\(url.scheme)://\(url.host)"]
        where text.hasPrefix(start) && text.hasSuffix(end) && text.count > start.count + end.count {
            let inputs = [name: String(text.dropFirst(start.count).dropLast(end.count))]
            if origin(with: inputs)?.isSameBytes(as: url.origin) == true { return inputs }
        }
        return nil
    }

    fileprivate func origin(with inputs: [String: String]) -> String? {
        Template(source, parts: originParts).filled { inputs[$0] }.flatMap { try? WebURL($0) }?.origin
    }
}
