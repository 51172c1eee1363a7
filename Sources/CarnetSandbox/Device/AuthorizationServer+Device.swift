import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

/// A device that waits for the user's decision (RFC 8628).
struct Device: Sendable {
    enum Decision {
        case none
        case denied
        case granted(grantID: String)
    }

    let clientID: String
    let scopes: [String]
    let isOffline: Bool
    let audience: String?
    /// The resource servers that the tokens are for (RFC 8707).
    let resources: [String]
    let end: Date
    var interval: Int
    /// The earliest time of the next request for the tokens.
    var nextPoll: Date
    var decision = Decision.none
    var isUsed = false
}

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
            let sent = try clientRequest(
                request, TokenRequestBody(request, endpoint: url), provider.device.request, mayRepeat: ["resource"],
                isNaming: true)
            let scopes = try checkScopes(sent.parameters, sent.names)
            let now = seams.now()
            let code = "d/+&=%41 " + seams.randomText()
            let letters = seams.randomBytes(8).map { Self.userCodeLetters[Int($0) % Self.userCodeLetters.count] }
            let userCode = String(letters[..<4]) + "-" + String(letters[4...])
            ledger.devices[code] = Device(
                clientID: sent.client.clientID, scopes: scopes,
                isOffline: provider.scopes.offline.allSatisfy(scopes.contains),
                audience: try checkResources(sent.parameters, sent.names),
                resources: sent.parameters.values(named: sent.names["resource"]),
                end: now.addingTimeInterval(Double(Self.deviceLifetime)), interval: options.deviceInterval,
                nextPoll: now.addingTimeInterval(Double(options.deviceInterval)))
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
        for (list, value) in values {
            if let place = list.pointers.below(rules.root).first { body.set(value, at: place) }
        }
        return rules.format == .form ? .form(body) : .json(body)
    }

    private func deviceErrorReply(_ error: OAuthError) -> Reply {
        let rules = provider.device.response
        var body = JSONValue.object(JSONObject())
        let code = rules.errors.codes.name(of: error)
        for (pointers, text) in [(rules.errors.code, code), (rules.errors.message, error.description)] {
            if let place = pointers.pointers.first { body.set(.string(text), at: place) }
        }
        if let reply = Reply(error, statuses: rules.errors.statuses) { return reply }
        let status: HTTPResponse.Status = error.code == "invalid_client" ? .unauthorized : .badRequest
        return rules.format == .form ? .form(body, status: status) : .json(body, status: status)
    }

    /// The device code grant (RFC 8628, sections 3.4 and 3.5).
    mutating func deviceTokens(_ sent: ClientRequest) throws(OAuthError) -> JSONValue {
        let code = try sent.parameters.require("device_code", sent.names)
        guard var device = ledger.devices[code], device.clientID.isSameBytes(as: sent.client.clientID), !device.isUsed
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
            try checkResources(sent.parameters, sent.names, of: grant)
            ledger.devices[code]?.isUsed = true
            ledger.grants[grantID]?.keyThumbprint = sent.keyThumbprint
            return try issue(grantID, grant)
        }
    }

    // MARK: - The page

    /// The page at which a person enters or confirms the code (RFC 8628, section 3.3).
    mutating func verification(_ request: ServerRequest) -> Reply {
        switch request.method {
        case .get: return showDevice(request)
        case .post: return decideDevice(request)
        default: return .methodNotAllowed(request.method, allowed: "GET")
        }
    }

    private mutating func showDevice(_ request: ServerRequest) -> Reply {
        guard let userCode = request.query?["user_code"] else {
            let form: HTML =
                "<form><label>The code on your device <input name=\"user_code\"></label><button>Continue</button></form>"
            return .html("Sign in on a device with \(provider.name)", form)
        }
        guard let (code, device) = ledger.device(userCode: userCode), isOpen(device) else { return unknownDevice }
        if has(.denied) { return deny(code) }
        switch options.approval {
        case .automatic(let user): return approve(code, scopes: device.scopes, user: user)
        case .page:
            let ticket = seams.randomText()
            ledger.deviceTickets[ticket] = code
            return .html(
                "Sign in on a device with \(provider.name)",
                """
                <p>This sandbox simulates \(provider.name). No real account is used.</p>
                <p>A device with the code <code>\(userCode)</code> requests a sign-in for the client
                <code>\(device.clientID)</code>. Is it yours?</p>
                \(choiceForm(ticket, of: device.scopes))
                """)
        }
    }

    private mutating func decideDevice(_ request: ServerRequest) -> Reply {
        guard let form = request.form, let ticket = form["ticket"], let code = ledger.deviceTickets[ticket],
            let device = ledger.devices[code], isOpen(device)
        else { return unknownDevice }
        ledger.deviceTickets[ticket] = nil
        guard form["decision"] == "allow" else { return deny(code) }
        guard let choice = choice(in: form, of: device.scopes) else { return unknownDevice }
        return approve(code, scopes: choice.scopes, user: choice.user)
    }

    private func isOpen(_ device: Device) -> Bool {
        if case .none = device.decision { seams.now() < device.end } else { false }
    }

    private mutating func approve(_ code: String, scopes: [String], user: SandboxUser) -> Reply {
        guard let device = ledger.devices[code] else { return unknownDevice }
        let grantID = seams.randomText()
        ledger.grants[grantID] = Grant(
            clientID: device.clientID, user: user,
            scopes: device.scopes.isEmpty ? provider.sampleScopes : scopes, requestedScopes: device.scopes,
            authTime: seams.now(), isOffline: device.isOffline, audience: device.audience,
            resources: device.resources, extensionGrant: .deviceCode)
        ledger.devices[code]?.decision = .granted(grantID: grantID)
        return .html("Done", "<p>You can go back to your device.</p>")
    }

    private mutating func deny(_ code: String) -> Reply {
        ledger.devices[code]?.decision = .denied
        return .html("Denied", "<p>The device gets no access.</p>")
    }

    private var unknownDevice: Reply {
        let text: HTML = "<p role=\"alert\">No device waits for this code. Codes expire after ten minutes.</p>"
        return .html("\(provider.name) cannot continue", text, status: .notFound)
    }
}
