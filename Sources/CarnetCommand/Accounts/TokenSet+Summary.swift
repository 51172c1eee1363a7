import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol

extension TokenSet {
    /// The properties of tokens that may be shown.
    var summary: JSONObject {
        [
            "token_type": .string(tokenType), "scopes": .list(scopes), "issued_at": .optional(issuedAt),
            "expires_at": .optional(expiresAt), "has_refresh_token": .bool(refreshToken != nil),
            "refresh_token_expires_at": .optional(refreshTokenExpiresAt), "has_id_token": .bool(idToken != nil),
        ]
    }

    /// The same for people.
    func rows(now: Date) -> [[String]] {
        [
            ["type", tokenType.printable],
            ["ends", Self.end(expiresAt, now)],
            ["scopes", scopes.isEmpty ? "none" : scopes.joined(separator: " ").printable],
            ["refresh token", refreshToken == nil ? "none" : "yes" + refreshTokenEnd(now)],
            ["ID token", idToken == nil ? "none" : "yes"],
        ]
    }

    /// The expiry of the refresh token, if it is known.
    private func refreshTokenEnd(_ now: Date) -> String {
        refreshTokenExpiresAt.map { ", ends " + Self.end($0, now) } ?? ""
    }

    private static func end(_ date: Date?, _ now: Date) -> String {
        guard let date else { return "unknown" }
        let seconds = Int(date.timeIntervalSince(now).rounded())
        let (count, unit): (Int, String) =
            switch abs(seconds) {
            case ..<120: (abs(seconds), "s")
            case ..<7200: (abs(seconds) / 60, "min")
            case ..<172_800: (abs(seconds) / 3600, "h")
            default: (abs(seconds) / 86_400, "days")
            }
        return "\(date.formatted(.iso8601)) " + (seconds >= 0 ? "(in \(count) \(unit))" : "(\(count) \(unit) ago)")
    }
}

extension ConnectionKey {
    var json: JSONObject { ["provider": .string(provider), "account": .string(account)] }
}
