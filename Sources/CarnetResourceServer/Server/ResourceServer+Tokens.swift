import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

extension ResourceServer {
    func validated(_ token: Secret, from sender: String?) async throws(AccessProblem) -> ValidatedToken {
        do {
            guard ReceivedAccessToken.hasForm(token) else { return try await introspected(token, from: sender) }
            return try await states.accepted(token, at: clock.now) {
                let received = try ReceivedAccessToken(token)
                guard let issuer = issuer(of: received) else {
                    throw OAuthError(
                        .accessToken, .issuerMismatch,
                        "the access token has the issuer \"\(received.issuer.quotable())\", which is not accepted")
                }
                return ValidatedToken(
                    try await issuer.client.validate(received, naming: audiences(of: issuer)), of: issuer)
            }
        } catch let error as OAuthError {
            throw AccessProblem(error)
        } catch {
            throw .unavailable(OAuthError(.accessToken, .transport, "the validation was cancelled"))
        }
    }

    /// The provider that validates a token: the issuer's name is compared as bytes. An issuer with a place for a tenant has
    /// no fixed name.
    private func issuer(of received: ReceivedAccessToken) -> TokenIssuer? {
        if let position = positions[ByteKey(received.issuer)], received.isIssued(by: issuers[position].client.provider)
        {
            return issuers[position]
        }
        return issuers.first { received.isIssued(by: $0.client.provider) }
    }

    private func audiences(of issuer: TokenIssuer) -> [String] {
        issuer.audiences.isEmpty ? [resource.text] : issuer.audiences
    }

    private func introspected(_ token: Secret, from sender: String?) async throws -> ValidatedToken {
        guard let issuer = opaqueIssuer else {
            throw OAuthError(.accessToken, .malformedToken, "the access token is not a JWT, and no issuer introspects")
        }
        let audiences = audiences(of: issuer)
        return try await states.state(of: token, from: sender, at: clock.now) {
            do {
                let token = try await issuer.client.validate(opaque: token, naming: audiences)
                return .success(ValidatedToken(token, of: issuer))
            } catch let error as OAuthError where error.step == .accessToken {
                return .failure(error)
            }
        }.get()
    }

    // MARK: - Senders

    /// Whether the sender has the key that the token is bound to.
    func checkSender(
        of token: AccessToken, _ presented: PresentedToken, _ request: HTTPRequest, _ certificate: [UInt8]?
    ) async throws(AccessProblem) {
        func unbound(_ reason: String) -> AccessProblem {
            .invalidToken(OAuthError(.accessToken, .unauthorized, reason))
        }
        switch token.confirmation {
        case .none:
            // RFC 9449, section 7.1: with this scheme the token must be bound.
            guard !presented.isDPoP else {
                throw unbound("the access token is not bound to a key, but has the scheme DPoP")
            }
        case .certificate(let thumbprint):
            guard !presented.isDPoP, let certificate,
                ClientCertificate.thumbprint(of: certificate).isSameBytes(as: thumbprint)
            else { throw unbound("the access token is bound to another client certificate") }
        case .key(let thumbprint):
            guard presented.isDPoP, let proof = presented.proof else {
                throw unbound("the access token is bound to a key, and the request has no proof of it")
            }
            try await check(proof, of: thumbprint, presented.token, request)
        }
    }

    private func check(
        _ text: Secret, of thumbprint: String, _ token: Secret, _ request: HTTPRequest
    ) async throws(AccessProblem) {
        let now = clock.now
        let path = (request.path ?? "/").utf8.prefix { $0 != UInt8(ascii: "?") }
        let target = "\(resource.scheme)://\(resource.authority)\(String(Substring(path)))"
        let proof: DPoPProof
        do throws(OAuthError) {
            proof = try DPoPProof(
                validating: text, method: request.method.rawValue, target: target, accessToken: token, now: now)
        } catch {
            throw .invalidProof(error)
        }
        guard proof.thumbprint.isSameBytes(as: thumbprint) else {
            throw .invalidProof(
                OAuthError(.accessToken, .badSignature, "the DPoP proof is signed with another key than the token's"))
        }
        if let nonces, !nonces.accepts(proof.nonce, at: now) { throw .wantsNonce }
        let isFirst: Bool
        do {
            isFirst = try await usedProofs.use("\(thumbprint) \(proof.id)", until: proof.expiresAt, now: now)
        } catch {
            throw .unavailable(OAuthError(.storage, .storage, "used DPoP proofs cannot be remembered"))
        }
        guard isFirst else {
            throw .invalidProof(OAuthError(.accessToken, .alreadyUsed, "the DPoP proof was used before"))
        }
    }
}
