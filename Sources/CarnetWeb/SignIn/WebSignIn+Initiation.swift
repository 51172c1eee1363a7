import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Sign-ins that another site begins (OpenID Connect Core, section 4).
extension WebSignIn {
    private static let initiationName = "initiate"
    /// The maximum length of each parameter, in bytes.
    private static let initiationLimit = 1024

    /// The `initiate_login_uri` of a provider. Register it there.
    package func initiationPath(of provider: ProviderID) -> String {
        "\(startPath(of: provider))/\(Self.initiationName)"
    }

    /// - Parameter names: The path behind the provider.
    func isInitiation(_ names: ArraySlice<String>, of client: OAuthClient) -> Bool {
        acceptsInitiatedSignIn && client.provider.issuer != nil && names.count == 1
            && names.allSatisfy { $0.isSameBytes(as: Self.initiationName) }
    }

    /// It signs nobody in and out: it sends the browser to the provider as the button does, and all checks of the callback
    /// apply.
    func initiate(_ client: OAuthClient, _ request: HTTPRequest, _ form: String) async -> WebReply {
        do throws(OAuthError) {
            guard isPageLoad(request) else {
                throw Self.refusal(.unsupported, "a page loaded the link in a frame, as an image or by a script")
            }
            let wanted = try initiation(request.method == .post ? form : request.query, of: client.provider)
            // A browser sends no session cookie with another site's form, and sends it after this redirect.
            guard request.method == .get else {
                return .redirect(
                    to: "\(initiationPath(of: client.provider.id))?\(PercentEncoding.encode(wanted.fields))")
            }
            let options = AuthorizationOptions(loginHint: wanted.loginHint, lifetime: signInLifetime)
            return await begin(client, options, returnTo: wanted.returnTo, request)
        } catch {
            return show(
                problem(
                    .badRequest, "The link to this page is not valid",
                    advice: "Nothing was changed. Open the sign-in page of this site and begin there.",
                    provider: client.provider.id, cause: error))
        }
    }

    /// Sends the browser to the only provider, without the page of providers.
    ///
    /// - Returns: `nil` with several providers, where the browser would not show the page, and after a sign-out: the provider
    ///   would sign the same person in again, without a question. A sign-out at another host leaves the session's cookie here.
    package func beginAtOnce(_ request: HTTPRequest, returningTo target: ReturnTarget) async -> WebReply? {
        let all = clients.all
        let received = receivedCookies(of: request)
        guard all.count == 1, let client = all.first, isPageLoad(request), !isRebound(request), !received.isAmbiguous,
            received[cookies.departure] == nil, session(of: request) == nil
        else { return nil }
        return await begin(client, AuthorizationOptions(lifetime: signInLifetime), returnTo: target, request)
    }

    /// The cookie of a browser that has signed out, for `beginAtOnce`. It lasts as long as a session.
    package var departureCookie: String? {
        cookies.cookie(cookies.departure, "1", seconds: Int(sessionLifetime))
    }

    private struct Initiation {
        let loginHint: String?
        let returnTo: ReturnTarget
        /// The parameters of it.
        let fields: [(name: String, value: String)]
    }

    /// - Parameter text: The parameters, encoded as a form.
    private func initiation(_ text: String, of provider: Provider) throws(OAuthError) -> Initiation {
        guard let fields = PercentEncoding.decodeForm(text) else {
            throw Self.refusal(.malformedBody, "the parameters are not encoded as a form")
        }
        var used: [(name: String, value: String)] = []
        func value(_ name: String) throws(OAuthError) -> String? {
            let values = fields.filter { $0.name.isSameBytes(as: name) }.map(\.value)
            guard values.count <= 1 else { throw Self.refusal(.duplicateParameter, "\(name) occurs more than once") }
            guard let value = values.first, !value.isEmpty else { return nil }
            guard value.utf8.count <= Self.initiationLimit else {
                throw Self.refusal(.malformedBody, "\(name) is longer than \(Self.initiationLimit) bytes")
            }
            used.append((name, value))
            return value
        }
        guard let issuer = try value("iss") else { throw Self.refusal(.missingField, "iss is missing") }
        guard provider.shared.acceptsIssuer(inCallback: issuer) else {
            throw Self.refusal(.issuerMismatch, "iss is \(issuer.quotable()) instead of \(provider.issuer ?? "")")
        }
        let loginHint = try value("login_hint")
        guard let target = try value("target_link_uri") else {
            return Initiation(loginHint: loginHint, returnTo: .home, fields: used)
        }
        guard let url = try? WebURL(target), url.origin == origin.origin, let own = ReturnTarget(url.target) else {
            throw Self.refusal(
                .redirectNotAccepted, "target_link_uri \(target.quotable()) is not a page of \(origin.text)")
        }
        return Initiation(loginHint: loginHint, returnTo: own, fields: used)
    }

    private static func refusal(_ kind: OAuthError.Kind, _ reason: String) -> OAuthError {
        OAuthError(.authorization, kind, "an initiated sign-in was refused: \(reason)")
    }

    /// Whether the browser shows the response as a page. Older browsers do not say so.
    func isPageLoad(_ request: HTTPRequest) -> Bool {
        [("Sec-Fetch-Dest", "document"), ("Sec-Fetch-Mode", "navigate")].allSatisfy { name, expected in
            let sent = HTTPField.Name(name).flatMap { request.headerFields[$0] }
            return sent?.isSameBytes(as: expected) ?? true
        }
    }
}
