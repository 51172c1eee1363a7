import CarnetCrypto
import CarnetDescriptors
package import CarnetFoundation
import HTTPTypes

extension PreparedRequest {
    /// The request with a DPoP proof (RFC 9449, section 4.2). Each attempt needs a new proof.
    ///
    /// - Parameters:
    ///   - accessToken: The access token in the request, for a resource.
    ///   - nonce: The latest nonce of the server.
    /// - Throws: `OAuthError` if the proof cannot be made.
    package func proving(
        _ key: DPoPKey, accessToken: Secret? = nil, nonce: String? = nil, random: any RandomSource, now: Date
    ) throws(OAuthError) -> PreparedRequest {
        var claims = JSONObject()
        claims["jti"] = .string(try random.secret().reveal())
        claims["htm"] = .string(outgoing.head.method.rawValue)
        claims["htu"] = .string(targetURI)
        claims["iat"] = .number(String(Int(now.timeIntervalSince1970)))
        if let accessToken {
            claims["ath"] = .string(Base64URL.encode(SHA256.hash(Array(accessToken.reveal().utf8))))
        }
        if let nonce { claims["nonce"] = .string(nonce) }
        let header: JSONValue = ["typ": "dpop+jwt", "alg": "ES256", "jwk": key.publicJWK]
        let input =
            Base64URL.encode(header.jsonText().utf8) + "."
            + Base64URL.encode(JSONValue.object(claims).jsonText().utf8)
        guard let signature = try? key.key.signature(for: SHA256.hash(Array(input.utf8))),
            let name = HTTPField.Name("DPoP")
        else { throw OAuthError(step, .unsupported, "the DPoP proof could not be signed") }
        var outgoing = outgoing
        outgoing.head.headerFields[name] = input + "." + Base64URL.encode(signature.rawRepresentation)
        return proving(outgoing, in: "DPoP")
    }

    /// The URL without query and fragment, normalized as servers do before they compare it (RFC 9449, section 4.3).
    private var targetURI: String {
        let scheme = (outgoing.head.scheme ?? "https").lowercased()
        var authority = (outgoing.head.authority ?? "").lowercased()
        let defaultPort = scheme == "https" ? ":443" : ":80"
        if authority.hasSuffix(defaultPort) { authority.removeLast(defaultPort.count) }
        let path = String((outgoing.head.path ?? "/").prefix { $0 != "?" })
        return "\(scheme)://\(authority)\(path)"
    }
}

extension IncomingResponse {
    /// The nonce that the server requires in the next proof (RFC 9449, sections 8 and 9); `nil` without a valid one.
    package var dpopNonce: String? {
        guard let name = HTTPField.Name("DPoP-Nonce"), let value = head.headerFields[name] else { return nil }
        // RFC 9449, section 8.1: the characters of a scope token.
        return !value.isEmpty && value.utf8.count <= ReceivedLimit.dpopNonce && ScopeRules.isToken(value) ? value : nil
    }

    /// Whether the request was rejected only because that nonce was missing. The code says so, at any status: authorization
    /// servers and resources share the code that sends it.
    package var demandsDPoPNonce: Bool {
        guard dpopNonce != nil else { return false }
        let code = "use_dpop_nonce"
        return BearerChallenge(self)["error"] == code || serverError(ErrorFields(), hiding: [])?.code == code
    }
}

extension TokenSet {
    /// Whether the tokens work only with the key that they are bound to.
    package var isSenderConstrained: Bool { tokenType.lowercased() == "dpop" }
}
