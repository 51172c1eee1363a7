package import CarnetFoundation

extension TemplateValues {
    package func named(_ templates: [Named<Template>]) -> [Named<String>] {
        templates.compactMap { item in fill(item.value).map { Named(item.name, $0.text) } }
    }

    /// The members that an object must have; `nil` if the value of a condition is not known. Then no object meets them.
    package func conditions(_ templates: [Named<Template>]) -> [Named<String>]? {
        let known = named(templates)
        return known.count == templates.count ? known : nil
    }

    /// The names of those whose values must not be seen.
    package func secretNames(of templates: [Named<Template>]) -> Set<String> {
        Set(templates.filter { fill($0.value)?.isSecret ?? false }.map(\.name))
    }

    /// A URL of run-time values. Its host is in the descriptor or trusted by it: what a callback or a response says
    /// must not choose who gets a code or a token.
    ///
    /// - Parameter mayHoldTokens: Whether a secret may be in it: the caller keeps the URL out of sight.
    /// - Throws: `WebURLError` with what is missing or refused.
    package func url(
        _ template: Template, trusting hosts: [HostPattern], mayHoldTokens: Bool = false
    ) throws(WebURLError) -> WebURL {
        for (index, part) in template.parts.enumerated() {
            // A value at the start is a whole base URL; elsewhere it must not end the part of the URL that it is in.
            guard case .late(let expression, _) = part, index > 0,
                !expression.isClosed, let text = text(of: expression)
            else { continue }
            var isEncoded = false
            if case .urlencode = expression { isEncoded = true }
            let isPlain = text.utf8.allSatisfy { ASCII.isUnreserved($0) || isEncoded && $0 == UInt8(ascii: "%") }
            guard isPlain, ![".", "..", ""].contains(text) else {
                throw WebURLError(reason: "a value of it has characters that cannot stand in a URL as they are")
            }
        }
        guard let value = fill(template) else {
            let missing = template.references.first { known[$0] == nil }
            throw WebURLError(reason: "the value \(missing.map { "{\($0)}" } ?? "that it needs") is not known")
        }
        guard !value.isSecret || mayHoldTokens else {
            let secret = template.references.first { known[$0]?.isSecret == true }
            throw WebURLError(
                reason: "the value \(secret.map { "{\($0)}" } ?? "that it needs") is secret, and URLs are logged")
        }
        var text = value.text
        if case .late(let expression, let fallback) = template.parts.first,
            let base = self.text(of: expression) ?? fallback, base.hasSuffix("/"),
            text.dropFirst(base.count).hasPrefix("/")
        {
            text = String(base.dropLast()) + text.dropFirst(base.count)
        }
        let url = try WebURL(text)
        guard template.fixesHost || hosts.contains(where: { $0.matches(url) }) else {
            throw WebURLError(reason: "the host \(url.authority) is not among trusted_hosts")
        }
        return url
    }
}
