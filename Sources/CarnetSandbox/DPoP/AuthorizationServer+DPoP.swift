import CarnetCrypto
import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The nonce of the moment, where the server wants one in each proof.
    var dpopNonce: String? { has(.dpopNonce) ? "nonce-\(seams.now().secondsSince1970 / 300)" : nil }

    /// Checks the proof that a request brings (RFC 9449, sections 4.3, 5, 7.1, 8 and 9).
    ///
    /// - Parameter accessToken: The token that the request carries, at a resource.
    /// - Returns: The thumbprint of its key; `nil` if there is no proof.
    mutating func checkProof(_ request: ServerRequest, accessToken: String? = nil) throws(OAuthError) -> String? {
        guard let proof = request.header("DPoP") else { return nil }
        guard let token = JSONWebToken(proof) else { throw .invalidProof("the proof is not a JWT") }
        let (header, claims) = (token.header, token.claims)
        guard header["typ"]?.string == "dpop+jwt", header["alg"]?.string == "ES256", let jwk = header["jwk"],
            jwk["d"] == nil, let (x, y) = coordinates(jwk),
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y),
            let parsed = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
        else { throw .invalidProof("the proof's header is not one of a dpop+jwt with a public key for ES256") }
        guard key.isValidSignature(parsed, for: SHA256.hash(data: token.signed)) else {
            throw .invalidProof("the proof is not signed with its key")
        }
        guard claims["htm"]?.string == request.method.rawValue else { throw .invalidProof("htm is not the method") }
        // The URL that was requested, which may be an alias of the endpoint's.
        let url = (try? WebURL(Sandbox.url(of: request.head))) ?? request.url
        let path = url.path.isEmpty ? "/" : url.path
        let port = [nil, 443, 80].contains(url.port) ? "" : ":\(url.effectivePort)"
        let target = "\(url.scheme)://\(url.host)\(port)\(path)"
        guard claims["htu"]?.string == target else { throw .invalidProof("htu is not \(target)") }
        let now = seams.now().secondsSince1970
        guard let issued = claims["iat"]?.integer, abs(now - issued) <= 60 else {
            throw .invalidProof("iat is not now")
        }
        guard let id = claims["jti"]?.string, (16...256).contains(id.utf8.count), ledger.proofs[id] == nil else {
            throw .invalidProof("jti is missing, too short, or was used before")
        }
        ledger.proofs[id] = now
        if let accessToken {
            let hash = Base64URL.encode(SHA256.hash(data: Array(accessToken.utf8)))
            guard claims["ath"]?.string == hash else { throw .invalidProof("ath is not the hash of the access token") }
        }
        guard claims["nonce"]?.string == dpopNonce else {
            throw OAuthError("use_dpop_nonce", "the proof needs the server's nonce")
        }
        let canonical = #"{"crv":"P-256","kty":"EC","x":"\#(Base64URL.encode(x))","y":"\#(Base64URL.encode(y))"}"#
        return Base64URL.encode(SHA256.hash(data: Array(canonical.utf8)))
    }

    private func coordinates(_ jwk: JSONValue) -> (x: [UInt8], y: [UInt8])? {
        guard jwk["kty"]?.string == "EC", jwk["crv"]?.string == "P-256",
            let x = jwk["x"]?.string.flatMap({ Base64URL.decode($0) }),
            let y = jwk["y"]?.string.flatMap({ Base64URL.decode($0) }), x.count == 32, y.count == 32
        else { return nil }
        return (x, y)
    }

    /// The thumbprint of the key that tokens are to be bound to, at the token endpoint.
    mutating func tokenProof(_ request: ServerRequest) throws(OAuthError) -> String? {
        let thumbprint = try checkProof(request)
        guard thumbprint != nil || !provider.client.dpopBoundAccessTokens else {
            throw .invalidProof("the DPoP header is missing")
        }
        return thumbprint
    }
}

extension Reply {
    /// The same with the nonce for the next proof (RFC 9449, section 8.2).
    func offering(nonce: String?) -> Reply {
        guard let nonce, let name = HTTPField.Name("DPoP-Nonce") else { return self }
        var reply = self
        reply.headers[name] = nonce
        return reply
    }
}
