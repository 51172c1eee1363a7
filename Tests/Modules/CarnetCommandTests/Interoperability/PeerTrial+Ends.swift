import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Testing

/// What the server knows of tokens, and how they and the session end.
extension PeerTrial {
    mutating func tryIntrospection() async throws {
        guard has(.introspection) else {
            note(.introspection, .lacking("no endpoint"))
            return
        }
        let client = try client()
        let session = try await signIn(client).session
        do {
            let response = try await session.introspect()
            #expect(response.isActive)
            if let end = try JSONValue(parsing: try #require(transport.last).body)["exp"], end.integer == nil {
                note(.fractionalTimes)
            }
            #expect(try await client.introspect(Secret("no-token-at-all")).isActive == false)
            note(.introspection, .passed(response.expiresAt == nil ? "it does not tell the end" : nil))
        } catch let error as OAuthError where error.status != nil {
            note(.introspection, .refused(words(of: error)))
        }
    }

    mutating func tryRevocation() async throws {
        guard has(.revocation) else {
            note(.revocation, .lacking("no endpoint"))
            return
        }
        let session = try await signIn(try client()).session
        let tokens = try await session.storedTokens()
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.isRevoked, "\(outcome.failures)")
        let isOver = try await userinfoStatus(tokens.accessToken.reveal()) != 200
        note(.revocation, .passed(isOver ? nil : "the access token stays valid until its expiry"))
    }

    /// The user signs out at the server, which tells the client.
    mutating func tryBackChannelLogout(_ listener: LogoutListener) async throws {
        let isAnnounced = metadata["backchannel_logout_supported"]?.bool == true
        let client = try client()
        let session = try await signIn(client).session
        let page = try EndSessionRequest(
            for: try await session.storedTokens(), at: try await client.providerWithoutAccount(), as: registration,
            random: SystemRandomSource())
        _ = try await peer.endSession(at: page.url.reveal())
        while let token = try await listener.token(within: .seconds(10)) {
            guard try await client.endSessions(namedBy: token) == [session.key] else { continue }
            #expect(try await client.accounts().isEmpty)
            let claims = try segment(1, of: token)
            if claims["exp"] == nil { note(.logoutTokenWithoutEnd) }
            let remarks = [
                claims["sid"] == nil ? "it names the user" : "it names the session", isAnnounced ? nil : "unannounced",
            ]
            note(.backChannelLogout, .passed(remarks.compactMap { $0 }.joined(separator: ", ")))
            return
        }
        #expect(!isAnnounced, "none came")
        note(.backChannelLogout, .lacking("no request is sent"))
    }

    mutating func tryEndSession() async throws {
        guard has(.endSession) else {
            note(.endSession, .lacking("no endpoint"))
            return
        }
        let client = try client()
        let outcome = try await signIn(client).session.signOut(.everywhere)
        let landing = try await peer.endSession(at: try #require(outcome.endSessionURL).reveal())
        let isBack = EndSessionRequest.isReturn(
            AuthorizationCallback(url: landing), state: outcome.endSessionState, at: client.provider)
        let origin = try WebURL(peer.registration.issuer).origin
        #expect(isBack || landing.hasPrefix(origin), "\(landing)")
        note(.endSession, .passed(isBack ? "the browser returns with the state" : "the browser stays on its page"))
    }

    /// What the server said of a request that it refused.
    func words(of error: OAuthError) -> String {
        [error.status.map { "HTTP \($0)" }, error.server?.code].compactMap { $0 }.joined(separator: ", ")
    }
}
