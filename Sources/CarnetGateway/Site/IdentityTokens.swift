import Carnet
import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// Signs who sent a request, for the program behind the proxy (RFC 7519).
final class IdentityTokens: Sendable {
    private struct Entry {
        let token: String
        /// Afterwards a new one is made, so that each has at least half of its lifetime left.
        let until: Date
    }

    /// Of senders. More than half of it in half a lifetime cost a signature each.
    private static let limit = 20_000

    let header: HTTPField.Name
    let keySet: String
    private let rules: GatewayIdentityToken
    private let key: ClientKey?
    private let gateway: GatewayRules
    private let namedGroups: Set<ByteKey>
    private let entries = Lock(Recent<ByteKey, Entry>(limit: IdentityTokens.limit))

    init(_ rules: GatewayIdentityToken, _ keys: [ClientKey], _ gateway: GatewayRules) {
        self.rules = rules
        self.gateway = gateway
        namedGroups = gateway.namedGroups
        header = rules.header
        key = keys.first
        keySet = ClientKey.publicKeySet(keys).jsonText()
    }

    /// - Parameter origin: The origin of the request: the audience, if the file names none.
    /// - Throws: `OAuthError` without a key; `ClientKeyError` if the key cannot sign.
    func token(of identity: GatewayIdentity, for origin: String, now: Date) throws -> String {
        guard let key else {
            throw OAuthError(.configuration, .badRegistration, "identity_token has no key that can sign")
        }
        var claims = claims(of: identity, for: origin)
        // The claims name the sender and what is known now, so a change is another token.
        let name = ByteKey(JSONValue.object(claims).jsonText())
        if let entry = entries.withLock({ $0.value(of: name) }), entry.until > now { return entry.token }
        let seconds = Int(now.timeIntervalSince1970)
        claims["iat"] = .number(String(seconds))
        claims["exp"] = .number(String(seconds + rules.lifetime))
        let token = try key.signedToken(claims).reveal()
        let entry = Entry(token: token, until: now.addingTimeInterval(Double(rules.lifetime) / 2))
        entries.withLock { $0.keep(entry, for: name) }
        return token
    }

    private func claims(of identity: GatewayIdentity, for origin: String) -> JSONObject {
        var claims = JSONObject()
        claims["iss"] = .string(gateway.origin.site)
        let audiences = rules.audiences.isEmpty ? [origin] : rules.audiences
        claims["aud"] = audiences.count == 1 ? .string(audiences[0]) : .array(audiences.map { .string($0) })
        claims.set([
            "sub": identity.id, "provider": identity.provider.rawValue, "provider_issuer": identity.issuer,
            "provider_subject": identity.shownSubject, "name": identity.name, "email": identity.email,
        ])
        if identity.email != nil { claims["email_verified"] = identity.isEmailVerified.map { .bool($0) } }
        claims["client_id"] = identity.clientID.map { .string($0) }
        if identity.kind == .program { claims["scope"] = .string(identity.scopes.sorted().joined(separator: " ")) }
        if let provider = gateway.provider(identity.provider) {
            let groups = identity.shownGroups(provider, named: namedGroups)
            if !groups.isEmpty { claims["groups"] = .array(groups.map { .string($0) }) }
        }
        return claims
    }
}

extension JSONObject {
    /// Sets the members that have a value.
    mutating func set(_ texts: KeyValuePairs<String, String?>) {
        for (name, text) in texts { self[name] = text.map { .string($0) } }
    }
}
