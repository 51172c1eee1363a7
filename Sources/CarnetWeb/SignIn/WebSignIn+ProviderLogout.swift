public import Carnet
import CarnetDescriptors
import CarnetProtocol
import HTTPTypes
import Logging

extension WebSignIn {
    private static let backChannelName = "back-channel-logout"
    private static let frontChannelName = "front-channel-logout"

    /// Where a provider posts its logout tokens (OpenID Connect Back-Channel Logout, section 2.5): to be registered there.
    public func backChannelLogoutPath(of provider: ProviderID) -> String {
        "\(startPath(of: provider))/\(Self.backChannelName)"
    }

    /// What a provider shows in a frame while the user signs out there (OpenID Connect Front-Channel Logout, section 2): to
    /// be registered as one that wants the session, `frontchannel_logout_session_required`. There is no such page unless the
    /// descriptor says `logout.front_channel`, and none with a store that has no index of sessions.
    public func frontChannelLogoutPath(of provider: ProviderID) -> String {
        "\(startPath(of: provider))/\(Self.frontChannelName)"
    }

    enum ProviderLogoutRoute {
        case backChannel(OAuthClient)
        case frontChannel(OAuthClient)
    }

    func providerLogoutRoute(of request: HTTPRequest) -> ProviderLogoutRoute? {
        let names = names(inSignInPath: request.pathOnly)
        guard names.count == 2, let client = clients[ProviderID(rawValue: names[0])] else { return nil }
        return switch names[1] {
        case Self.backChannelName: .backChannel(client)
        case Self.frontChannelName where client.provider.acceptsFrontChannelLogout: .frontChannel(client)
        default: nil
        }
    }

    /// Answers a provider. It needs neither a cookie nor a page of this site: who asks proves it by the token.
    func respond(to route: ProviderLogoutRoute, _ request: HTTPRequest, body: [UInt8]) async -> WebReply {
        switch route {
        case .backChannel(let client): await backChannelLogout(request, body, client)
        case .frontChannel(let client): await frontChannelLogout(request, client)
        }
    }

    private func backChannelLogout(_ request: HTTPRequest, _ body: [UInt8], _ client: OAuthClient) async -> WebReply {
        guard request.method == .post else { return .logout(.badRequest, "the logout is not posted") }
        do {
            let token = try BackChannelLogoutRequest.logoutToken(
                in: body, mediaType: request.headerFields[.contentType])
            let ended = try await client.endSessions(namedBy: token)
            logger.info(
                "Signed out by the provider",
                metadata: ["provider": "\(client.provider.id)", "sessions": "\(ended.count)"])
            return .logout(.ok)
        } catch {
            return refusal(error, client)
        }
    }

    private func frontChannelLogout(_ request: HTTPRequest, _ client: OAuthClient) async -> WebReply {
        guard request.method == .get else { return .logout(.badRequest, "the logout is not a page") }
        do {
            let provider = client.provider
            let address = AuthorizationCallback(url: origin.origin + (request.path ?? ""))
            try await client.endSessions(namedBy: FrontChannelLogout(judging: address, from: provider))
            // The provider's page shows this one in a frame.
            let frames = (try? WebURL(provider.issuer ?? ""))?.origin ?? "'none'"
            return .html("", policy: "default-src 'none'; frame-ancestors \(frames)")
        } catch {
            return refusal(error, client)
        }
    }

    /// Section 2.8: what is wrong with the token is the provider's fault, anything else may be tried again.
    private func refusal(_ error: any Error, _ client: OAuthClient) -> WebReply {
        let problem = error as? OAuthError
        logger.notice(
            "A provider's logout was refused",
            metadata: ["provider": "\(client.provider.id)", "cause": "\(problem?.description ?? "the store failed")"])
        guard let problem, problem.step == .logout else {
            return .logout(.serviceUnavailable, "the logout cannot be carried out now")
        }
        return .logout(.badRequest, problem.message)
    }
}

extension WebReply {
    /// An answer to a provider, which nobody keeps (OpenID Connect Back-Channel Logout, section 2.8).
    fileprivate static func logout(_ status: HTTPResponse.Status, _ problem: String? = nil) -> WebReply {
        var reply = WebReply(HTTPResponse(status: status, headerFields: [.cacheControl: "no-store"]))
        guard let problem else { return reply }
        let code = status == .badRequest ? "invalid_request" : "temporarily_unavailable"
        let body: JSONValue = ["error": .string(code), "error_description": .string(problem)]
        reply.head.headerFields[.contentType] = "application/json"
        reply.body = body.jsonText()
        return reply
    }
}
