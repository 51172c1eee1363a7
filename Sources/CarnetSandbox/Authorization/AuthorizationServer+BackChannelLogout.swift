import CarnetDescriptors
import CarnetFoundation

/// The form that is posted to a client when a session ends (OpenID Connect Back-Channel Logout, section 2.5).
package struct SandboxLogout: Sendable {
    /// The client's back-channel logout URI.
    package let url: String
    package let body: [UInt8]

    package static let contentType = "application/x-www-form-urlencoded"
}

extension AuthorizationServer {
    private static let logoutEvent = "http://schemas.openid.net/event/backchannel-logout"

    /// A grant with its own session, if its client has a back-channel logout URI.
    mutating func withSession(_ grant: Grant, _ grantID: String) -> Grant {
        guard grant.sessionID == nil, grant.scopes.contains("openid"), let client = client(grant.clientID),
            client.backChannelLogoutURI != nil || frontChannelLogoutURI(of: client) != nil
        else { return grant }
        var grant = grant
        let id = seams.randomText()
        grant.sessionID = id
        ledger.grants[grantID]?.sessionID = id
        ledger.sessions[id] = grantID
        return grant
    }

    private func frontChannelLogoutURI(of client: SandboxClient) -> String? {
        provider.logout.frontChannel ? client.frontChannelLogoutURI : nil
    }

    /// Ends the session that an ID token names: its client gets a logout token, and its refresh tokens end unless they
    /// were requested to outlive it (OpenID Connect Back-Channel Logout, section 2.7).
    ///
    /// - Returns: The page of the client that is to be shown in a frame (OpenID Connect Front-Channel Logout, section
    ///   2).
    mutating func endSession(namedBy idToken: String?) throws(OAuthError) -> String? {
        guard let claims = idToken.flatMap({ JSONWebToken.claims(of: $0) }), let id = claims["sid"]?.string,
            let grantID = ledger.sessions[id], let grant = ledger.grants[grantID],
            let client = client(grant.clientID)
        else { return nil }
        ledger.sessions[id] = nil
        if !grant.isOffline { ledger.revoke(grant: grantID) }
        if let uri = client.backChannelLogoutURI {
            let token = try logoutToken(for: grant)
            logouts.append(
                SandboxLogout(
                    url: uri, body: Array(PercentEncoding.encode([(name: "logout_token", value: token)]).utf8)))
        }
        return frontChannelLogoutURI(of: client).map { uri in
            let query = PercentEncoding.encode([(name: "iss", value: tokenIssuer), (name: "sid", value: id)])
            return uri + (uri.contains("?") ? "&" : "?") + query
        }
    }

    /// Section 2.4.
    private mutating func logoutToken(for grant: Grant) throws(OAuthError) -> String {
        let now = seams.now().secondsSince1970
        var claims: JSONValue = [
            "iss": .string(tokenIssuer), "sub": .string(Identity(grant.user, at: provider).subject),
            "aud": .string(grant.clientID), "iat": .number(String(now)), "jti": .string(seams.randomText()),
            "events": [Self.logoutEvent: .object(JSONObject())],
        ]
        if provider.logout.missingEnd == nil {
            claims.set(.number(String(now + 120)), at: JSONPointer(tokens: ["exp"]))
        }
        for claim in tenantClaims { claims.set(.string(claim.value), at: JSONPointer(tokens: [claim.name])) }
        if let id = grant.sessionID { claims.set(.string(id), at: JSONPointer(tokens: ["sid"])) }
        // It is signed, and encrypted, as the client's ID tokens are.
        return try encrypt(
            try signedIDToken(claims, grant, type: "logout+jwt", with: keys().signer), as: provider.idToken.encryption,
            for: grant.clientID)
    }
}
