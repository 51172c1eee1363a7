import CarnetDescriptors
import CarnetFoundation

/// Tells secrets from other texts, by their names and by their shapes.
enum SecretText {
    /// Whether a parameter or header of this name holds a secret.
    static func isSecretName(_ name: String) -> Bool {
        let name = name.lowercased()
        guard ["secret", "key", "pass", "pwd"].contains(where: name.holds) else { return false }
        let words = name.split { $0 == "_" || $0 == "-" || $0 == "." }.map(String.init)
        let joined = words.joined()
        let keys = ["apikey", "accesskey", "privatekey", "secretkey", "subscriptionkey"]
        return keys.contains(where: joined.hasSuffix)
            || words.contains { ["secret", "password", "passwd", "passphrase", "pwd"].contains($0) }
            || joined.hasSuffix("secret") || joined.hasSuffix("password")
    }

    /// Whether the text holds something that has the shape of a real credential.
    static func isCredential(_ text: String) -> Bool {
        guard text.utf8.count >= shortestToken else { return false }
        return text.withBytes(holdsToken) || text.holds("-----BEGIN ") && text.holds("PRIVATE KEY-----")
    }

    private static let shortestToken = 16

    private static func holdsToken(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
        var start = 0
        while start + shortestToken <= text.count {
            // From the end, so that most bytes of prose are never looked at.
            if let gap = (start..<start + shortestToken).last(where: { !isTokenByte(text[$0]) }) {
                start = gap + 1
                continue
            }
            var end = start + shortestToken
            while end < text.count, isTokenByte(text[end]) { end += 1 }
            if isSignedToken(text[start..<end]) || hasVendorPrefix(text[start..<end]) { return true }
            start = end + 1
        }
        return false
    }

    /// Whether the text is long and random enough to be a token.
    static func isRandom(_ text: String) -> Bool {
        guard text.utf8.count >= 24, text.utf8.allSatisfy(isTokenByte) else { return false }
        let hasDigit = text.contains(where: \.isNumber)
        let hasUpper = text.contains(where: \.isUppercase)
        let hasLower = text.contains(where: \.isLowercase)
        // Words joined by hyphens have long runs of letters; random texts switch all the time.
        let longestRun = text.split { !$0.isLetter || $0.isUppercase }.map(\.count).max() ?? 0
        return hasDigit && hasUpper && hasLower && Set(text).count >= 12 && longestRun < 8
    }

    /// Whether the author took the secret out and left a word in its place.
    static func isRedacted(_ text: String) -> Bool {
        let lowered = text.lowercased()
        let words = [
            "redacted", "example", "sample", "placeholder", "dummy", "your-", "your_", "changeme", "...", "…", "xxxx",
            "****",
            "<",
        ]
        return words.contains(where: lowered.holds)
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        ASCII.isUnreserved(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/") || byte == UInt8(ascii: "=")
    }

    /// A JWS in compact form: the base64url of `{"` starts header and claims.
    private static func isSignedToken(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard word.starts(with: "eyJ".utf8) else { return false }
        let parts = word.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count == 3 && parts.allSatisfy { $0.count >= 10 } && parts[1].starts(with: "eyJ".utf8)
    }

    /// Whether the text is a JWT without a signature, which no server accepts (RFC 7519, section 6.1).
    static func isUnsignedToken(_ text: String) -> Bool {
        text.hasPrefix("eyJ") && text.hasSuffix(".") && text.utf8.count { $0 == UInt8(ascii: ".") } == 2
    }

    /// The prefixes that issuers put before their tokens so that they are recognised in public places.
    private static func hasVendorPrefix(_ word: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        vendorPrefixes.contains { prefix in
            prefix.first == word.first && word.starts(with: prefix) && word.count >= prefix.count + 12
        }
    }

    private static let vendorPrefixes = [
        "ghp_", "gho_", "ghs_", "ghu_", "glpat-", "xoxb-", "xoxp-", "xoxa-", "sk_live_", "rk_live_", "AIza", "ya29.",
        "GOCSPX-", "AKIA", "SG.", "shpat_",
    ].map { Array($0.utf8) }
}
