/// Hides the values of keys such as `client_secret`, and JWTs, in a line that a report quotes: reports end up in logs. A
/// descriptor has no such keys, so these values are mistakes of the author.
enum MaskedSecrets {
    private static let keys: Set<String> = [
        "secret", "clientsecret", "appsecret", "apisecret", "consumersecret", "password", "clientpassword", "apikey",
        "privatekey", "accesstoken", "refreshtoken", "initialaccesstoken", "registrationaccesstoken",
    ]

    /// The line with a `*` for each character of a secret, so that all columns stay the same.
    static func masking(_ line: String) -> String {
        guard line.contains(":") || line.contains("eyJ") else { return line }
        var characters = Array(line)
        var index = 0
        while let colon = characters[index...].firstIndex(of: ":") {
            index = colon + 1
            let key = Self.key(before: colon, in: characters)
            guard keys.contains(key), let value = value(after: colon, of: key, in: characters) else { continue }
            for place in value { characters[place] = "*" }
            index = value.upperBound
        }
        index = 0
        while let start = characters[index...].firstIndex(of: "e") {
            let word = characters[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
            index = max(word.endIndex, start + 1)
            guard word.starts(with: "eyJ"), word.contains(".") else { continue }
            for place in word.indices { characters[place] = "*" }
        }
        return String(characters)
    }

    /// The name that ends before a colon, without quotes, hyphens and underscores.
    private static func key(before colon: Int, in characters: [Character]) -> String {
        let name = characters[..<colon].reversed().prefix { $0.isLetter || "_-\"'".contains($0) }
        return String(name.reversed()).lowercased().filter(\.isLetter)
    }

    /// A shorter value is a name, as in `rename: { client_secret: key }`.
    private static let minimumLength = 6

    /// The scalar after a colon; `nil` for a mapping, a list, a template, a boolean, a JSON Pointer, or nothing.
    private static func value(after colon: Int, of key: String, in characters: [Character]) -> Range<Int>? {
        guard let start = characters[(colon + 1)...].firstIndex(where: { $0 != " " && $0 != "\t" }), start > colon + 1
        else { return nil }
        let quote = characters[start]
        guard quote != "\"", quote != "'" else {
            let end = characters[(start + 1)...].firstIndex(of: quote) ?? characters.endIndex
            let isTemplate = characters[start..<end].contains("{") || isPointer(characters[start + 1..<end], of: key)
            return isTemplate || end - start <= minimumLength ? nil : start + 1..<end
        }
        guard !"{[#|>&*".contains(quote) else { return nil }
        var end = characters[start...].firstIndex { ",}]#".contains($0) } ?? characters.endIndex
        while characters[end - 1] == " " || characters[end - 1] == "\r" { end -= 1 }
        return end - start < minimumLength || isPointer(characters[start..<end], of: key) ? nil : start..<end
    }

    /// A field of a response, which has the name of a token. A token without a digit is unlikely.
    private static func isPointer(_ value: ArraySlice<Character>, of key: String) -> Bool {
        key.hasSuffix("token") && value.first == "/" && value.allSatisfy { $0.isLetter || "/_-.~".contains($0) }
    }
}
