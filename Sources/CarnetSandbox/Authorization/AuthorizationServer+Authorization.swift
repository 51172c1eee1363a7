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
                let content: HTML = "<p role=\"alert\">\(problem)</p>"
                return .html("\(provider.name) cannot continue", content, provider.display.color, status: .badRequest)
            case .returned(let error, let target):
                let code = provider.callback.errors.codes.name(of: error)
                return callback([(name: "error", value: code), ("error_description", error.description)], to: target)
            }
        }
    }

    private mutating func authorize(_ request: ServerRequest) throws(AuthorizationRefusal) -> Reply {
        let received = try translating(
            AuthorizationRefusal.shown, try ReceivedParameters(form: request.url.query ?? ""))
        let checked: AuthorizationRequest
        if let pushed = try pushedRequest(received) {
            checked = pushed
        } else {
            let parameters = try translating(
                { (error: OAuthError) in AuthorizationRefusal.shown("\(error.code): \(error.description)") },
                try unsigned(received))
            checked = try check(parameters)
        }
        if has(.denied) { throw Self.denial(of: checked) }
        switch options.approval {
        case .automatic(let user):
            return approve(checked, scopes: checked.scopes, user: user)
        case .page:
            if checked.prompt == "none" {
                let error = OAuthError("login_required", "nobody is signed in, and prompt=none allows no page")
                throw .returned(error, to: checked.target)
            }
            let ticket = seams.randomText()
            consents[ticket] = PendingRequest(request: checked, endsAfter: seams.now().secondsSince1970 + 600)
            return consentPage(for: checked, ticket: ticket)
        }
    }

    /// The form of the consent page. Its ticket is valid once, so that nobody else can decide for the user.
    private mutating func decideConsent(_ request: ServerRequest) throws(AuthorizationRefusal) -> Reply {
        guard let form = request.form else { throw .shown("The response is not a form.") }
        guard let ticket = form["ticket"], let pending = consents[ticket] else {
            throw .shown("This form was sent before, or belongs to no sign-in.")
        }
        consents[ticket] = nil
        guard seams.now().secondsSince1970 <= pending.endsAfter else { throw .shown("This page has expired.") }
        guard form["decision"] == "allow" else { throw Self.denial(of: pending.request) }
        guard let choice = choice(in: form, of: pending.request.scopes) else { throw .shown("No user was chosen.") }
        if options.offersFaults {
            chosenFault = form["fault"].flatMap(SandboxFault.init).flatMap { faultsOfOneSignIn.contains($0) ? $0 : nil }
        }
        return approve(pending.request, scopes: choice.scopes, user: choice.user, status: .seeOther)
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
            clientID: request.client.clientID, user: user,
            scopes: request.scopes.isEmpty ? provider.sampleScopes : scopes, requestedScopes: request.scopes,
            authTime: has(.weakSignIn) ? now.addingTimeInterval(-86_400) : now,
            isOffline: request.isOffline && !droppedOfflineScope, nonce: request.nonce, audience: request.audience,
            resources: request.resources, details: request.details, acr: has(.weakSignIn) ? nil : request.acr,
            keyThumbprint: request.keyThumbprint, chosenFault: chosenFault)
        // Legal, and broken by every encoder that is not right (RFC 6749, appendix A.11).
        let code = "4/+&=%41 " + seams.randomText()
        ledger.codes[code] = AuthorizationCode(
            grantID: grantID, redirectURI: request.target.redirectURI, state: request.target.state,
            challenge: request.challenge, end: now.addingTimeInterval(Double(options.codeLifetime)))
        let acquaintance = "\(request.client.clientID)/\(Identity(user, at: provider).subject)"
        let isFirst = ledger.acquaintances[acquaintance] == nil
        ledger.acquaintances[acquaintance] = now
        var fields = [(name: "code", value: code)]
        if provider.scopes.grantedFrom == .callback {
            let separator = provider.token.response.scopeSeparator ?? provider.scopes.separator
            fields.append(("scope", scopes.joined(separator: separator)))
        }
        return callback(
            fields, to: request.target, for: request.client, adding: sampleFields, grantID: grantID, isFirst: isFirst,
            of: user, status: status)
    }

    /// What the sample of a callback has beyond the standard's parameters and those that are kept, by the provider's names.
    private var sampleFields: [(name: String, value: String)] {
        let standard = ["code", "state", "scope", "iss", "error", "error_description", "error_uri"]
        let taken =
            standard.map { provider.callback.rename[$0] ?? $0 } + [provider.stateParameter]
            + provider.callback.capture.items.map(\.parameter)
        return (provider.samples.callback?.items ?? []).compactMap { item in
            guard !taken.contains(item.name), item.name != provider.callback.verification?.parameter else { return nil }
            return item.value.scalarText.map { (item.name, $0) }
        }
    }

    /// The redirect to the client (RFC 6749, section 4.1.2; RFC 9207).
    private mutating func callback(
        _ fields: [(name: String, value: String)], to target: CallbackTarget, for client: SandboxClient? = nil,
        adding others: [(name: String, value: String)] = [], grantID: String? = nil, isFirst: Bool = false,
        of user: SandboxUser? = nil, status: HTTPResponse.Status = .found
    ) -> Reply {
        var fields = fields
        let redirectURI = target.redirectURI
        if let state = target.state {
            fields.append((provider.stateParameter, has(.wrongState) ? seams.randomText() : state))
        }
        if has(.wrongIssuer) {
            fields.append(("iss", "https://attacker.example"))
        } else if provider.issuer != nil || provider.callback.requiresIssuer, !has(.missingIssuer) {
            // A server without metadata is known by its page.
            let isKnown = metadataIssuer != nil
            fields.append(("iss", isKnown ? tokenIssuer : endpoints[.authorization]?.origin ?? tokenIssuer))
        }
        fields = fields.map { (provider.callback.rename[$0.name] ?? $0.name, $0.value) } + others
        fields = completed(fields, of: redirectURI, for: client ?? onlyClient, isFirst: isFirst, of: user)
        if let grantID {
            for capture in provider.callback.capture.items {
                // A client keeps what only the first callback of an account has.
                let first =
                    capture.name == provider.profile.callback?.capture
                    ? Person(user, at: provider).value(of: capture) : nil
                let sent = fields.first { $0.name == capture.parameter }?.value
                ledger.grants[grantID]?.callbackValues[capture.name] = sent ?? first
            }
        }
        if target.mode.isSigned {
            guard let token = try? signed(fields, for: target.clientID) else { return .serverError }
            fields = [("response", token)]
        }
        if target.mode.isPosted { return .html("Back to the client", HTMLPage.form(fields, to: redirectURI)) }
        let separator = target.mode == .fragmentJWT ? "#" : redirectURI.contains("?") ? "&" : "?"
        return .redirect(to: redirectURI + separator + PercentEncoding.encode(fields), status: status)
    }
}
