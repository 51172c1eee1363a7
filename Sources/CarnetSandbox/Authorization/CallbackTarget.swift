import CarnetDescriptors
import CarnetFoundation

/// Where the response to an authorization request goes, and how.
struct CallbackTarget: Sendable {
    let redirectURI: String
    let state: String?
    let clientID: String
    let mode: ResponseMode
}

extension AuthorizationServer {
    /// Demands a supported mode, and the only one of a descriptor that has one.
    func checkResponseMode(_ received: ReceivedParameters, _ names: ParameterNames) throws(OAuthError) {
        let isDemanded = provider.authorization.responseMode != nil
        let sent = try isDemanded ? received.require("response_mode", names) : received[names["response_mode"]]
        let known = responseModes.map(\.rawValue)
        guard known.contains(sent ?? ResponseMode.query.rawValue) else {
            throw .invalidRequest(
                "the response mode is \"\(sent ?? "")\"; only \(known.joined(separator: ", ")) are supported")
        }
    }

    /// How responses may go: as the descriptor says, or else as the client wants. Signed ones take an issuer.
    var responseModes: [ResponseMode] {
        if let only = provider.authorization.responseMode { return [only] }
        return provider.issuer == nil ? [.query] : [.query, .jwt, .queryJWT, .formPostJWT, .fragmentJWT]
    }

    /// The parameters of a response as the JWT that it then is (JWT Secured Authorization Response Mode, section 2.1).
    mutating func signed(
        _ fields: [(name: String, value: String)], for clientID: String
    ) throws(OAuthError) -> String {
        var claims = JSONObject()
        for field in fields { claims[field.name] = .string(field.value) }
        claims["iss"] = .string(has(.wrongIssuer) ? "https://attacker.example" : tokenIssuer)
        claims["aud"] = .string(clientID)
        claims["exp"] = .number(String(seams.now().secondsSince1970 + 600))
        return try makeSignedResponse(.object(claims), type: "JWT", provider.callback.jwt, for: clientID)
    }
}
