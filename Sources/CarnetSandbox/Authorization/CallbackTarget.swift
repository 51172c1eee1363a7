import CarnetDescriptors
import CarnetFoundation

/// Where the response to an authorization request goes, and how.
struct CallbackTarget: Sendable {
    let redirectURI: String
    let state: String?
    let clientID: String?
    let mode: ResponseMode
}

extension AuthorizationRequest {
    var target: CallbackTarget {
        CallbackTarget(redirectURI: redirectURI, state: state, clientID: client.clientID, mode: responseMode)
    }
}

extension AuthorizationServer {
    /// How the response to a request goes: as the descriptor says, or else as the client wants. Signed ones take an
    /// issuer.
    func responseMode(_ received: ReceivedParameters, _ names: ParameterNames) throws(OAuthError) -> ResponseMode {
        let only = provider.authorization.responseMode
        let sent = try only == nil ? received[names["response_mode"]] : received.require("response_mode", names)
        let mode = ResponseMode(rawValue: sent ?? ResponseMode.query.rawValue)
        guard let mode, responseModes.contains(mode) else {
            throw .invalidRequest(
                "the response mode is \"\(sent ?? "")\"; only "
                    + "\(responseModes.map(\.rawValue).joined(separator: ", ")) are supported")
        }
        return mode
    }

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
