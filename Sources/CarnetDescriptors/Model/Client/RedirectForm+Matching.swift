import CarnetFoundation

extension RedirectForm {
    /// Lint's finding, the engine's warning and that of a trial about a scheme that other applications are likely to claim
    /// (RFC 8252, section 7.1). `nil` for https, http, and a reversed domain name.
    package static func remark(onScheme scheme: some StringProtocol) -> String? {
        ["https", "http"].contains(scheme.lowercased()) || scheme.contains(".")
            ? nil : "the scheme \"\(scheme)\" is not a reversed domain name"
    }

    /// Whether the form itself states this scheme.
    package func names(scheme: some StringProtocol) -> Bool {
        guard case .literal(let text)? = template.parts.first else { return false }
        return text.lowercased().hasPrefix(scheme.lowercased() + ":")
    }

    /// Whether a redirect URI has this form.
    ///
    /// A name in braces stands for one or more characters other than `/`, `?` and `#`, `{port}` for digits. A `/{path}` at
    /// the end stands for any path, also none. In the place of a scheme a name is no `https` or `http`, which have forms of
    /// their own. `:{port}` may be absent (RFC 8252, section 7.3).
    package func matches(_ uri: String) -> Bool {
        let uri = Array(uri.utf8)
        return matches(template.parts[...], uri[...], isStart: true)
            || matches(partsWithoutPort[...], uri[...], isStart: true)
    }

    private static func isWeb(_ scheme: ArraySlice<UInt8>) -> Bool {
        ["https", "http"].contains(String(decoding: scheme, as: UTF8.self).lowercased())
    }

    private var partsWithoutPort: [Template.Part] {
        var parts = template.parts
        guard let index = parts.firstIndex(of: .input("port")), index > 0,
            case .literal(let before) = parts[index - 1], before.hasSuffix(":")
        else { return parts }
        parts[index - 1] = .literal(String(before.dropLast()))
        parts.remove(at: index)
        return parts
    }

    private func matches(_ parts: ArraySlice<Template.Part>, _ text: ArraySlice<UInt8>, isStart: Bool) -> Bool {
        guard let part = parts.first else { return text.isEmpty }
        let rest = parts.dropFirst()
        switch part {
        case .literal(let literal) where rest == [.input("path")] && text.elementsEqual(literal.dropLast().utf8):
            return literal.hasSuffix("/")
        case .literal(let literal):
            guard text.starts(with: literal.utf8) else { return false }
            return matches(rest, text.dropFirst(literal.utf8.count), isStart: false)
        case .input("path") where rest.isEmpty:
            return !text.contains { "?#".utf8.contains($0) }
        case .input(let name):
            var end = text.startIndex
            while end < text.endIndex, !"/?#".utf8.contains(text[end]), name != "port" || ASCII.isDigit(text[end]) {
                end += 1
                let value = text[..<end]
                if isStart, value.contains(UInt8(ascii: ":")) || Self.isWeb(value) { continue }
                if matches(rest, text[end...], isStart: false) { return true }
            }
            return false
        case .late: return false
        }
    }
}
