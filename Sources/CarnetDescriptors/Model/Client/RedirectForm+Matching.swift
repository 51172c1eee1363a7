import CarnetFoundation

extension RedirectForm {
    /// Whether a redirect URI has this form.
    ///
    /// A name in braces stands for one or more characters other than `/`, `?` and `#`, `{port}` for digits. A `/{path}` at
    /// the end stands for any path, also none. In the place of a scheme a name must contain a dot, because a private-use
    /// scheme is a reversed domain name (RFC 8252, section 7.1). `:{port}` may be absent (section 7.3).
    package func matches(_ uri: String) -> Bool {
        let uri = Array(uri.utf8)
        return matches(template.parts[...], uri[...], isStart: true)
            || matches(partsWithoutPort[...], uri[...], isStart: true)
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
                if isStart, !value.contains(UInt8(ascii: ".")) || value.contains(UInt8(ascii: ":")) { continue }
                if matches(rest, text[end...], isStart: false) { return true }
            }
            return false
        case .late: return false
        }
    }
}
