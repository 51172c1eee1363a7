import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The authorization endpoint (RFC 6749, section 3.1).
    mutating func authorization(_ request: ServerRequest) -> Reply {
        do throws(AuthorizationRefusal) {
            switch request.method {
            case .get: return try authorize(request)
            case .post: return try decideConsent(request)
            default: return .methodNotAllowed(request.method, allowed: "GET")
            }
        } catch {
            switch error {
            case .shown(let problem):
                let page = HTMLPage(
                    title: "\(provider.name) cannot continue",
                    content: "<p role=\"alert\">\(problem)</p>",
                    color: provider.display.color
                )
                return .html(page, status: .badRequest)
            case .returned(let error, let target):
                let own = provider.callback.errors.codes.items.first { $0.value == error.code }?.name
                let fields = [(name: "error", value: own ?? error.code), ("error_description", error.description)]
                return callback(fields, to: target)
            }
        }
    }

    private mutating func authorize(_ request: ServerRequest) throws(AuthorizationRefusal) -> Reply {
        let received: ReceivedParameters
        do throws(OAuthError) {
            received = try ReceivedParameters(form: request.url.query ?? "")
        } catch {
            throw .shown(error.description)
        }
        let checked: AuthorizationRequest
        if let pushed = try pushedRequest(received) {
            checked = pushed
        } else {
            let parameters: ReceivedParameters
            do throws(OAuthError) {
                parameters = try unsigned(received)
            } catch {
                throw .shown("\(error.code): \(error.description)")
            }
            checked = try check(parameters)
        }
        if has(.denied) { throw Self.denial(of: checked) }
        switch options.approval {
        case .automatic(let user):
            return approve(checked, scopes: checked.scopes, user: user)
        case .page:
            if checked.prompt == "none" {
                throw .returned(
                    OAuthError("login_required", "nobody is signed in, and prompt=none allows no page"),
                    to: checked.target
                )
            }
            let ticket = seams.randomText()
            consents[ticket] = PendingConsent(request: checked, endsAfter: seams.now().secondsSince1970 + 600)
            return .html(ConsentPage(server: self, request: checked, ticket: ticket).page)
        }
    }

    /// The form of the consent page. Its ticket is valid once, so that nobody else can decide for the user.
    private mutating func decideConsent(_ request: ServerRequest) throws(AuthorizationRefusal) -> Reply {
        guard request.mediaType == "application/x-www-form-urlencoded",
            let form = try? ReceivedParameters(form: request.body)
        else { throw .shown("The response is not a form.") }
        guard let ticket = form["ticket"], let pending = consents[ticket] else {
            throw .shown("This form was sent before, or belongs to no sign-in.")
        }
        consents[ticket] = nil
        guard seams.now().secondsSince1970 <= pending.endsAfter else { throw .shown("This page has expired.") }
        guard form["decision"] == "allow" else { throw Self.denial(of: pending.request) }
        guard let index = form["user"].flatMap({ Int($0) }), options.users.indices.contains(index) else {
            throw .shown("No user was chosen.")
        }
        if options.offersFaults {
            chosenFault = form["fault"].flatMap(SandboxFault.init).flatMap { faultsOfOneSignIn.contains($0) ? $0 : nil }
        }
        let kept = form.pairs.filter { $0.name == "scope" }.map(\.value)
        let scopes = pending.request.scopes.filter { kept.contains($0) || isFixed($0) }
        return approve(pending.request, scopes: scopes, user: options.users[index], status: .seeOther)
    }

    /// Whether a person cannot take a scope out of a request.
    func isFixed(_ scope: String) -> Bool {
        scope == "openid" || provider.scopes.required.contains(scope)
    }

    private static func denial(of request: AuthorizationRequest) -> AuthorizationRefusal {
        .returned(OAuthError("access_denied", "the user denied access"), to: request.target)
    }

    private mutating func approve(
        _ request: AuthorizationRequest, scopes: [String], user: SandboxUser, status: HTTPResponse.Status = .found
    ) -> Reply {
        let now = seams.now()
        let grantID = seams.randomText()
        let droppedOfflineScope = provider.scopes.offline.contains {
            request.scopes.contains($0) && !scopes.contains($0)
        }
        ledger.grants[grantID] = Grant(
            clientID: request.client.clientID,
            user: user,
            scopes: scopes,
            requestedScopes: request.scopes,
            isOffline: request.isOffline && !droppedOfflineScope,
            nonce: request.nonce,
            audience: request.audience,
            authTime: has(.weakSignIn) ? now.addingTimeInterval(-86_400) : now,
            resources: request.resources,
            details: request.details,
            acr: has(.weakSignIn) ? nil : request.acr,
            keyThumbprint: request.keyThumbprint,
            chosenFault: chosenFault
        )
        // Legal, and broken by every encoder that is not right (RFC 6749, appendix A.11).
        let code = "4/+&=%41 " + seams.randomText()
        ledger.codes[code] = AuthorizationCode(
            grantID: grantID,
            redirectURI: request.redirectURI,
            state: request.state,
            challenge: request.challenge,
            end: now.addingTimeInterval(Double(options.codeLifetime))
        )
        let acquaintance = "\(request.client.clientID)/\(Identity(user, at: provider).subject)"
        let isFirst = ledger.acquaintances[acquaintance] == nil
        ledger.acquaintances[acquaintance] = now
        var fields = [(name: "code", value: code)]
        if provider.scopes.grantedFrom == .callback {
            let separator = provider.token.response.scopeSeparator ?? provider.scopes.separator
            fields.append((name: "scope", value: scopes.joined(separator: separator)))
        }
        return callback(
            fields, to: request.target, for: request.client, adding: sampleFields, isFirst: isFirst, of: user,
            status: status)
    }

    /// What the sample of a callback has beyond the standard's parameters, by the provider's names.
    private var sampleFields: [(name: String, value: String)] {
        let standard = ["code", "state", "scope", "iss", "error", "error_description", "error_uri"]
        let taken = standard.map { provider.callback.rename[$0] ?? $0 } + [provider.stateParameter]
        return (provider.samples.callback?.items ?? []).compactMap { item in
            guard !taken.contains(item.name), item.name != provider.callback.verification?.parameter else { return nil }
            return item.value.scalarText.map { (item.name, $0) }
        }
    }

    /// The redirect to the client (RFC 6749, section 4.1.2; RFC 9207).
    private mutating func callback(
        _ fields: [(name: String, value: String)],
        to target: CallbackTarget,
        for client: SandboxClient? = nil,
        adding others: [(name: String, value: String)] = [],
        isFirst: Bool = false,
        of user: SandboxUser? = nil,
        status: HTTPResponse.Status = .found
    ) -> Reply {
        var fields = fields
        let redirectURI = target.redirectURI
        if let state = target.state {
            fields.append((provider.stateParameter, has(.wrongState) ? seams.randomText() : state))
        }
        if has(.wrongIssuer) {
            fields.append(("iss", "https://attacker.example"))
        } else if provider.issuer != nil, !has(.missingIssuer) {
            fields.append(("iss", tokenIssuer))
        }
        fields = fields.map { (provider.callback.rename[$0.name] ?? $0.name, $0.value) } + others
        fields = completed(
            fields, for: client ?? (clients.count == 1 ? clients.first : nil), isFirst: isFirst, of: user)
        if target.mode.isSigned {
            guard let token = try? signed(fields, for: target.clientID ?? "") else {
                return .json(["error": "server_error"], status: .internalServerError)
            }
            fields = [("response", token)]
        }
        if target.mode.isPosted { return .html(.posting(fields, to: redirectURI)) }
        if target.mode == .fragmentJWT {
            return .redirect(to: "\(redirectURI)#\(PercentEncoding.encode(fields))", status: status)
        }
        let separator = redirectURI.contains("?") ? "&" : "?"
        return .redirect(to: redirectURI + separator + PercentEncoding.encode(fields), status: status)
    }
}
