import CarnetDescriptors

/// Whether the name of a JSON member speaks of a secret: by its words, because `zip_code` and `encoded_account_id` do
/// not.
enum SecretName {
    static func isSecret(_ name: String) -> Bool {
        guard name.utf8.count <= 200 else { return true }
        var words = words(of: name)
        while words.count > 1, let last = words.last, forms.contains(last) || UInt64(last) != nil {
            words.removeLast()
        }
        // The last word says what the value is: `access_token` is a token, `access_token_expiration` is a time.
        guard let noun = words.last.map(singular) else { return false }
        if nouns.contains(noun) || endings.contains(where: noun.hasSuffix) { return true }
        let before = words.dropLast().last
        switch noun {
        case "code": return before.map { codes.contains($0) || codes.contains(singular($0)) } ?? true
        case "key": return before.map(keys.contains) ?? false
        case "id": return before == "session"
        default: return false
        }
    }

    /// What an object or list with a name is about: its last word; `nil` for one that only wraps others.
    static func owner(_ name: String) -> String? {
        guard name.utf8.count <= 200 else { return nil }
        return words(of: name).last { !wrappers.contains($0) && UInt64($0) == nil }
    }

    private static let wrappers = [
        "data", "result", "results", "response", "body", "payload", "attributes", "item", "items", "value", "values",
        "info", "details", "object", "return", "params", "parameters", "query", "content", "output", "message", "msg",
        "res",
        "resp", "reply", "callback", "redirect", "request", "json", "d",
    ]
    /// A word after the noun that does not change what the value is.
    private static let forms: Set<String> = ["value", "string", "text", "raw", "plain", "plaintext", "data"]
    private static let nouns: Set<String> = [
        "token", "jwt", "jws", "jwe", "bearer", "secret", "password", "passwd", "pwd", "passphrase", "passcode", "otp",
        "totp", "cookie", "session", "assertion", "verifier", "nonce", "credential", "sessionid",
    ]
    /// Names that are written as one word.
    private static let endings = ["token", "secret", "password", "apikey", "privatekey", "secretkey", "authcode"]
    private static let codes: Set<String> = [
        "auth", "authorization", "authorisation", "oauth", "access", "device", "user", "login", "exchange", "grant",
        "verification", "confirmation", "activation", "security", "recovery", "backup", "secret", "otp", "pin", "time",
        "mfa", "sms",
    ]
    private static let keys: Set<String> = [
        "api", "private", "secret", "access", "signing", "encryption", "shared", "master", "auth", "session",
    ]

    private static func singular(_ word: String) -> String {
        word.hasSuffix("s") && word.utf8.count > 3 ? String(word.dropLast()) : word
    }

    /// The words of `snake_case`, `kebab-case` and `camelCase`, in lower case.
    private static func words(of name: String) -> [String] {
        var words: [String] = []
        var word = ""
        let scalars = Array(name.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            let kind = Kind(scalar)
            let previous = index > 0 ? Kind(scalars[index - 1]) : .other
            // In `APIKey`, the last capital begins a word.
            let begins =
                kind == .upper
                ? previous != .upper || index + 1 < scalars.count && Kind(scalars[index + 1]) == .lower
                : (kind == .digit) != (previous == .digit)
            if begins || kind == .other, !word.isEmpty {
                words.append(word.lowercased())
                word = ""
            }
            if kind != .other { word.unicodeScalars.append(scalar) }
        }
        if !word.isEmpty { words.append(word.lowercased()) }
        return words
    }

    private enum Kind {
        case upper, lower, digit, other

        init(_ scalar: Unicode.Scalar) {
            switch scalar {
            case "A"..."Z": self = .upper
            case "a"..."z": self = .lower
            case "0"..."9": self = .digit
            default: self = scalar.isASCII ? .other : .lower
            }
        }
    }
}
