/// Tells secrets from other texts, by their names and by their shapes.
enum SecretText {
    /// Whether a parameter or header of this name holds a secret.
    static func isSecretName(_ name: String) -> Bool {
        let words = name.lowercased().split { $0 == "_" || $0 == "-" || $0 == "." }.map(String.init)
        let joined = words.joined()
        let isKey = ["apikey", "accesskey", "privatekey", "secretkey", "subscriptionkey"].contains {
            joined.contains($0)
        }
        return isKey || words.contains { ["secret", "password", "passwd", "passphrase", "pwd"].contains($0) }
            || joined.hasSuffix("secret") || joined.hasSuffix("password")
    }

    /// Whether the text holds something that has the shape of a real credential.
    static func isCredential(_ text: String) -> Bool {
        guard text.utf8.count >= 16 else { return false }
        if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") { return true }
        return text.split { !isTokenCharacter($0) }.contains { word in
            isSignedToken(word) || hasVendorPrefix(word)
        }
    }

    /// Whether the text is long and random enough to be a token.
    static func isRandom(_ text: some StringProtocol) -> Bool {
        guard text.utf8.count >= 24, text.allSatisfy(isTokenCharacter), !isRedacted(text) else { return false }
        let hasDigit = text.contains(where: \.isNumber)
        let hasUpper = text.contains(where: \.isUppercase)
        let hasLower = text.contains(where: \.isLowercase)
        // Words joined by hyphens have long runs of letters; random texts switch all the time.
        let runs = text.split { !$0.isLetter || $0.isUppercase }.map(\.count).max() ?? 0
        return hasDigit && hasUpper && hasLower && Set(text).count >= 12 && runs < 8
    }

    /// Whether the author took the secret out and left a word in its place.
    static func isRedacted(_ text: some StringProtocol) -> Bool {
        let lowered = text.lowercased()
        return [
            "redacted", "example", "sample", "placeholder", "dummy", "your-", "your_", "...", "…", "xxxx", "****", "<",
            "changeme",
        ]
        .contains { lowered.contains($0) }
    }

    private static func isTokenCharacter(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || "-._~+/=".contains(character))
    }

    /// A JWS in compact form whose header is JSON.
    private static func isSignedToken(_ word: Substring) -> Bool {
        let parts = word.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { $0.utf8.count >= 10 }
            && parts.prefix(2).allSatisfy { $0.hasPrefix("eyJ") }
    }

    /// The prefixes that issuers put before their tokens so that they are recognised in public places.
    private static func hasVendorPrefix(_ word: Substring) -> Bool {
        [
            "ghp_", "gho_", "ghs_", "ghu_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "sk_live_", "rk_live_",
            "AIza", "ya29.", "GOCSPX-", "AKIA", "SG.", "shpat_",
        ].contains { word.hasPrefix($0) && word.utf8.count >= $0.utf8.count + 12 }
    }
}
