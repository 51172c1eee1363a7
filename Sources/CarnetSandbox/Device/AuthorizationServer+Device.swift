import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    private static let deviceLifetime = 600
    /// Letters that are not taken for each other, and make no words (RFC 8628, section 6.1).
    private static let userCodeLetters = Array("BCDFGHJKLMNPQRSTVWXZ")

    /// The device authorization endpoint (RFC 8628, section 3.1).
    mutating func deviceAuthorization(_ request: ServerRequest) -> Reply {
        do throws(OAuthError) {
            guard let url = endpoints[.deviceAuthorization], let page = endpoints.verification else {
                throw .serverError("there is no such endpoint")
            }
            var received = try TokenRequestBody(request, endpoint: url)
            let rules = try filled(provider.device.request, for: request, received.parameters)
            try received.check(request, against: rules, mayRepeat: ["resource"])
            let names = ParameterNames(rules)
            if !names.omits("client_id") { _ = try received.parameters.require("client_id", names) }
            let client = try authenticateClient(request, received.parameters, names, rules)
            let scopes = try checkScopes(received.parameters, names)
            let now = seams.now()
            let code = "d/+&=%41 " + seams.randomText()
            let letters = seams.randomBytes(8).map { Self.userCodeLetters[Int($0) % Self.userCodeLetters.count] }
            let userCode = String(letters[..<4]) + "-" + String(letters[4...])
            ledger.devices[code] = Device(
                clientID: client.clientID,
                scopes: scopes,
                isOffline: provider.scopes.offline.allSatisfy(scopes.contains),
                audience: try checkResources(received.parameters, names),
                resources: received.parameters.values(named: names["resource"]),
                end: now.addingTimeInterval(Double(Self.deviceLifetime)),
                interval: options.deviceInterval,
                nextPoll: now.addingTimeInterval(Double(options.deviceInterval))
            )
            ledger.userCodes[userCode] = code
            return reply(code, userCode, page)
        } catch {
            return deviceErrorReply(error)
        }
    }

    private func reply(_ code: String, _ userCode: String, _ page: WebURL) -> Reply {
        let rules = provider.device.response
        let complete = page.appendingQuery(PercentEncoding.encode([(name: "user_code", value: userCode)]))
        let values: [(PointerList, JSONValue)] = [
            (rules.fields.deviceCode, .string(code)),
            (rules.fields.userCode, .string(userCode)),
            (rules.fields.verificationURI, .string(page.text)),
            (rules.fields.verificationURIComplete, .string(complete)),
            (rules.fields.expiresIn, .number(String(Self.deviceLifetime))),
            (rules.fields.interval, .number(String(options.deviceInterval))),
        ]
        var body = JSONValue.object(JSONObject())
        for (pointers, value) in values {
            guard let pointer = pointers.pointers.first else { continue }
            body.set(value, at: JSONPointer(tokens: rules.root.tokens + pointer.tokens))
        }
        return rules.format == .form ? .form(body) : .json(body)
    }

    private func deviceErrorReply(_ error: OAuthError) -> Reply {
        let rules = provider.device.response
        var body = JSONValue.object(JSONObject())
        let own = rules.errors.codes.items.first { $0.value == error.code }?.name
        for (pointers, text) in [(rules.errors.code, own ?? error.code), (rules.errors.message, error.description)] {
            if let place = pointers.pointers.first { body.set(.string(text), at: place) }
        }
        if let reply = Reply(error, statuses: rules.errors.statuses) { return reply }
        let status: HTTPResponse.Status = error.code == "invalid_client" ? .unauthorized : .badRequest
        return rules.format == .form ? .form(body, status: status) : .json(body, status: status)
    }

    /// The device code grant (RFC 8628, sections 3.4 and 3.5).
    mutating func deviceTokens(
        _ received: ReceivedParameters, _ names: ParameterNames, for client: SandboxClient,
        provedBy thumbprint: String?
    ) throws(OAuthError) -> JSONValue {
        let code = try received.require("device_code", names)
        guard var device = ledger.devices[code], device.clientID.isSameBytes(as: client.clientID), !device.isUsed
        else { throw .invalidGrant("there is no such device code for this client") }
        let now = seams.now()
        guard now < device.end else { throw OAuthError("expired_token", "the user did not decide in time") }
        let isTooSoon = now < device.nextPoll || has(.slowDown)
        if isTooSoon { device.interval += 5 }
        device.nextPoll = now.addingTimeInterval(Double(device.interval))
        ledger.devices[code] = device
        guard !isTooSoon else {
            throw OAuthError("slow_down", "from now on, wait \(device.interval) seconds between two requests")
        }
        switch device.decision {
        case .none: throw OAuthError("authorization_pending", "the user has not decided yet")
        case .denied: throw OAuthError("access_denied", "the user denied access")
        case .granted(let grantID):
            guard let grant = ledger.grants[grantID] else { throw .invalidGrant("the approval has expired") }
            try checkResources(received, names, of: grant)
            ledger.devices[code]?.isUsed = true
            ledger.grants[grantID]?.keyThumbprint = thumbprint
            return try issue(grantID, grant, scopes: grant.scopes, isRefresh: false, refreshToken: nil)
        }
    }
}

// MARK: - The page

extension AuthorizationServer {
    /// The page at which a person enters or confirms the code (RFC 8628, section 3.3).
    mutating func verification(_ request: ServerRequest) -> Reply {
        switch request.method {
        case .get: return showDevice(request)
        case .post: return decideDevice(request)
        default: return .methodNotAllowed(request.method, allowed: "GET")
        }
    }

    private mutating func showDevice(_ request: ServerRequest) -> Reply {
        let parameters = try? ReceivedParameters(form: request.url.query ?? "")
        guard let userCode = parameters?["user_code"] else {
            let form: HTML =
                "<form><label>The code on your device <input name=\"user_code\"></label><button>Continue</button></form>"
            return .html(HTMLPage(title: "Sign in on a device with \(provider.name)", content: form))
        }
        guard let (code, device) = ledger.device(userCode: userCode), isOpen(device) else { return unknownDevice }
        if has(.denied) { return deny(code) }
        switch options.approval {
        case .automatic(let user): return approve(code, scopes: device.scopes, user: user)
        case .page:
            let ticket = seams.randomText()
            ledger.deviceTickets[ticket] = code
            return .html(
                HTMLPage(
                    title: "Sign in on a device with \(provider.name)",
                    content: """
                        <p>This sandbox simulates \(provider.name). No real account is used.</p>
                        <p>A device with the code <code>\(userCode)</code> requests a sign-in for the client
                        <code>\(device.clientID)</code>. Is it yours?</p>
                        <form method="post">
                        <input type="hidden" name="ticket" value="\(ticket)">
                        <fieldset>
                        <legend>Who are you?</legend>
                        \(ConsentPage.users(of: self))\
                        </fieldset>
                        \(ConsentPage.scopes(device.scopes, at: self))
                        <button type="submit" name="decision" value="allow">Allow</button>
                        <button type="submit" name="decision" value="deny">Deny</button>
                        </form>
                        """
                )
            )
        }
    }

    private mutating func decideDevice(_ request: ServerRequest) -> Reply {
        guard request.mediaType == "application/x-www-form-urlencoded",
            let form = try? ReceivedParameters(form: request.body), let ticket = form["ticket"],
            let code = ledger.deviceTickets[ticket], let device = ledger.devices[code], isOpen(device)
        else { return unknownDevice }
        ledger.deviceTickets[ticket] = nil
        guard form["decision"] == "allow" else { return deny(code) }
        guard let index = form["user"].flatMap({ Int($0) }), options.users.indices.contains(index) else {
            return unknownDevice
        }
        let kept = form.pairs.filter { $0.name == "scope" }.map(\.value)
        let scopes = device.scopes.filter { kept.contains($0) || isFixed($0) }
        return approve(code, scopes: scopes, user: options.users[index])
    }

    private func isOpen(_ device: Device) -> Bool {
        if case .none = device.decision { seams.now() < device.end } else { false }
    }

    private mutating func approve(_ code: String, scopes: [String], user: SandboxUser) -> Reply {
        guard let device = ledger.devices[code] else { return unknownDevice }
        let grantID = seams.randomText()
        ledger.grants[grantID] = Grant(
            clientID: device.clientID,
            user: user,
            scopes: scopes,
            requestedScopes: device.scopes,
            isOffline: device.isOffline,
            nonce: nil,
            audience: device.audience,
            authTime: seams.now(),
            resources: device.resources
        )
        ledger.grants[grantID]?.extensionGrant = .deviceCode
        ledger.devices[code]?.decision = .granted(grantID: grantID)
        return .html(HTMLPage(title: "Done", content: "<p>You can go back to your device.</p>"))
    }

    private mutating func deny(_ code: String) -> Reply {
        ledger.devices[code]?.decision = .denied
        return .html(HTMLPage(title: "Denied", content: "<p>The device gets no access.</p>"))
    }

    private var unknownDevice: Reply {
        let text: HTML = "<p role=\"alert\">No device waits for this code. Codes expire after ten minutes.</p>"
        return .html(HTMLPage(title: "\(provider.name) cannot continue", content: text), status: .notFound)
    }
}
