import HTTPTypes

/// The words of a `WWW-Authenticate` header (RFC 6750, section 3; RFC 9110, section 11.6.1), read tolerantly: real servers
/// leave out the scheme, quotes and commas.
enum BearerChallenge {
    static func words(in response: IncomingResponse, hiding secrets: [Secret] = []) -> ServerWords? {
        guard let header = response.head.headerFields[.wwwAuthenticate]?.prefix(4096) else { return nil }
        guard let code = parameter("error", in: header) else { return nil }
        return ServerWords(
            code: code,
            message: parameter("error_description", in: header),
            uri: parameter("error_uri", in: header),
            hiding: secrets
        )
    }

    /// The scopes that a 403 says are missing.
    static func scopes(in response: IncomingResponse) -> [String] {
        guard let header = response.head.headerFields[.wwwAuthenticate]?.prefix(4096) else { return [] }
        return parameter("scope", in: header)?.split(separator: " ").map(String.init) ?? []
    }

    private static func parameter(_ name: String, in header: Substring) -> String? {
        var rest = header
        while let found = rest.range(of: name + "=", caseInsensitive: true) {
            let isWhole =
                found.lowerBound == header.startIndex || " ,\t".contains(header[header.index(before: found.lowerBound)])
            rest = header[found.upperBound...]
            guard isWhole else { continue }
            guard rest.first == "\"" else { return String(rest.prefix { $0 != "," }) }
            var value = ""
            var isEscaped = false
            for character in rest.dropFirst() {
                if isEscaped {
                    value.append(character)
                    isEscaped = false
                } else if character == "\\" {
                    isEscaped = true
                } else if character == "\"" {
                    break
                } else {
                    value.append(character)
                }
            }
            return value
        }
        return nil
    }
}

extension Substring {
    fileprivate func range(of text: String, caseInsensitive: Bool) -> Range<Index>? {
        var start = startIndex
        while start < endIndex {
            if self[start...].prefix(text.count).lowercased() == text,
                let end = index(start, offsetBy: text.count, limitedBy: endIndex)
            {
                return start..<end
            }
            start = index(after: start)
        }
        return nil
    }
}
