import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes
import Logging

extension WebSignIn {
    /// Below the path of the provider: where it posts its logout tokens (OpenID Connect Back-Channel Logout, section 2.5).
    private static let backChannelName = "back-channel-logout"
    /// What it loads in a frame (OpenID Connect Front-Channel Logout, section 2), if the descriptor sets
    /// `logout.front_channel` and the store has an index of sessions.
    private static let frontChannelName = "front-channel-logout"

    func providerLogoutRoute(of request: HTTPRequest) -> (client: OAuthClient, isFrontChannel: Bool)? {
        let names = names(inSignInPath: request.pathOnly)
        guard names.count == 2, let client = clients[ProviderID(rawValue: names[0])] else { return nil }
        return switch names[1] {
        case Self.backChannelName: (client, false)
        case Self.frontChannelName where client.provider.logout.frontChannel: (client, true)
        default: nil
        }
    }

    /// Handles a provider's logout. It needs neither a cookie nor a page of this site: the token authenticates it.
    func logout(
        by client: OAuthClient, isFrontChannel: Bool, _ request: HTTPRequest, body: [UInt8]
    ) async -> WebReply {
        do {
            return try await isFrontChannel
                ? frontChannelLogout(request, client) : backChannelLogout(request, body, client)
        } catch {
            // Section 2.8: what is wrong with the token is the provider's fault, anything else may be tried again.
            let problem = error as? OAuthError
            logger.notice(
                "A provider's logout request was rejected",
                metadata: [
                    "provider": "\(client.provider.id)", "cause": "\(problem?.description ?? "the store failed")",
                ])
            guard let problem, problem.step == .logout else {
                return .logout(.serviceUnavailable, "the logout failed; try again later")
            }
            return .logout(.badRequest, problem.message)
        }
    }

    private func backChannelLogout(
        _ request: HTTPRequest, _ body: [UInt8], _ client: OAuthClient
    ) async throws -> WebReply {
        guard request.method == .post else { return .logout(.badRequest, "the logout request is not a POST") }
        let token = try BackChannelLogoutRequest.logoutToken(in: body, mediaType: request.headerFields[.contentType])
        let ended = try await client.endSessions(namedBy: token)
        logger.info(
            "Signed out by the provider", metadata: ["provider": "\(client.provider.id)", "sessions": "\(ended.count)"])
        report(.endedByProvider(client.provider.id, sessions: ended.count))
        return .logout(.ok)
    }

    private func frontChannelLogout(_ request: HTTPRequest, _ client: OAuthClient) async throws -> WebReply {
        guard request.method == .get else { return .logout(.badRequest, "the logout request is not a GET") }
        let provider = client.provider
        let address = AuthorizationCallback(url: origin.origin + (request.path ?? ""))
        let ended = try await client.endSessions(namedBy: FrontChannelLogout(validating: address, from: provider))
        report(.endedByProvider(provider.id, sessions: ended.count))
        // The provider's page shows this one in a frame.
        let frames = (try? WebURL(provider.issuer ?? ""))?.origin ?? "'none'"
        return .html("", policy: "default-src 'none'; frame-ancestors \(frames)")
    }
}

extension WebReply {
    /// A response to a provider, which nobody keeps (OpenID Connect Back-Channel Logout, section 2.8).
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
