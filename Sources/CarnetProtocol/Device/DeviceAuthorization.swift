package import CarnetDescriptors
public import CarnetFoundation

/// A sign-in that waits for the user at another device (RFC 8628, section 3.2).
public struct DeviceAuthorization: Sendable {
    let deviceCode: Secret
    /// The code that the user enters at the page. It contains printable characters only.
    public let userCode: String
    /// The page to show. The client never opens it by itself (RFC 8628, section 5.4).
    public let verificationURI: String
    /// The page with the code in its URL, for a QR code (RFC 8628, section 3.3.1).
    public let verificationURIComplete: String?
    public package(set) var expiresAt: Date
    /// The interval between two token requests, in seconds.
    package let interval: TimeInterval
    /// The requested scopes.
    package let scopes: [String]
    /// The resource servers that the tokens are for (RFC 8707).
    package let resources: [String]
}

extension DeviceAuthorization {
    /// Requests the codes (RFC 8628, section 3.1).
    ///
    /// - Parameter scopes: The scopes to request; `nil` for the registration's, else the descriptor's default.
    /// - Returns: The request, and the scopes and resource servers in it.
    /// - Throws: `OAuthError` at step `deviceAuthorization`.
    package static func request(
        scopes: [String]? = nil, isOffline: Bool = true, resources: [String] = [],
        in context: RequestContext<FilledProvider>
    ) throws(OAuthError) -> (request: PreparedRequest, scopes: [String], resources: [String]) {
        let provider = context.provider
        let wanted = provider.requestedScopes(scopes ?? context.registration.scopes, isOffline: isOffline)
        let resources = provider.resourceServers(resources)
        let rules = provider.device.request
        var parameters = RequestParameters(.deviceAuthorization, .device, rules)
        if !wanted.isEmpty || provider.scopes.whenEmpty == .send {
            try parameters.add(.scope, try provider.scopes.joined(wanted))
        }
        try parameters.add(.resource, each: try ResourceIndicator.checked(resources, at: .deviceAuthorization))
        let request = try TokenRequest.send(parameters, in: context, rules: rules)
        return (request, wanted, resources)
    }

    /// Validates the response with the codes.
    ///
    /// - Throws: `OAuthError` at step `deviceAuthorization`.
    package init(
        validating response: IncomingResponse, to request: PreparedRequest, scopes: [String], resources: [String] = [],
        from provider: FilledProvider, now: Date
    ) throws(OAuthError) {
        let rules = provider.device.response
        try response.requireSuccess(
            request.step, key: request.descriptorKey, fields: rules.errors, hiding: request.secrets)
        let body = try response.value(rules.format, .deviceAuthorization, key: "device.response.format")
        if let serverError = response.serverError(rules.errors, hiding: request.secrets) {
            throw OAuthError(
                request.step, .serverError, "the server refused the request", descriptorKey: request.descriptorKey,
                status: response.status, server: serverError)
        }
        let fields = DeviceFieldReader(root: body[rules.root] ?? .null, request: request)
        deviceCode = try fields.code("device_code", rules.fields.deviceCode)
        userCode = try fields.code("user_code", rules.fields.userCode).reveal()
        verificationURI = try fields.required(
            "verification_uri", try fields.page("verification_uri", rules.fields.verificationURI)?.text)
        // The page without the code serves as well.
        verificationURIComplete =
            (try? fields.page("verification_uri_complete", rules.fields.verificationURIComplete))?.text
        let lifetime = try fields.required("expires_in", try fields.seconds("expires_in", rules.fields.expiresIn))
        guard lifetime > 0 else { throw fields.wrongType("expires_in", "a positive number of seconds", .number("0")) }
        // A program must not wait for more than a day.
        expiresAt = now.addingTimeInterval(min(lifetime, 86_400))
        // RFC 8628, section 3.2: the default is five seconds. The client never polls without a pause.
        interval = min(max(try fields.seconds("interval", rules.fields.interval) ?? 5, 1), 300)
        self.scopes = scopes
        self.resources = resources
    }
}

/// Reads the fields of a device authorization response.
private struct DeviceFieldReader {
    let root: JSONValue
    let request: PreparedRequest

    private func key(_ name: String) -> String { "device.response.fields.\(name)" }

    func required<Value>(_ name: String, _ value: Value?) throws(OAuthError) -> Value {
        guard let value else {
            throw OAuthError(
                .deviceAuthorization, .missingField, "the response has no \(name)" + request.members(of: root),
                descriptorKey: key(name), status: 200)
        }
        return value
    }

    func wrongType(_ name: String, _ expected: String, _ value: JSONValue? = nil) -> OAuthError {
        .wrongType(.deviceAuthorization, name, expected, value.map(request.shown), key: key(name), status: 200)
    }

    /// A code: printable ASCII (RFC 8628, sections 3.2 and 6.1).
    func code(_ name: String, _ pointers: PointerList) throws(OAuthError) -> Secret {
        let value = try required(name, root.first(of: pointers.pointers))
        guard let text = value.string, !text.isEmpty, text.utf8.count <= ReceivedLimit.deviceCode,
            text.hasOnly(0x20...0x7E)
        else { throw wrongType(name, "a code") }
        return Secret(text)
    }

    /// A page that may be shown: https, or http on loopback.
    func page(_ name: String, _ pointers: PointerList) throws(OAuthError) -> WebURL? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        guard let text = value.string else { throw wrongType(name, "a URL") }
        // The reason is omitted: it may quote the URL, which may repeat a secret.
        guard let url = try? WebURL(text) else { throw wrongType(name, "a URL with https, or with http on loopback") }
        return url
    }

    func seconds(_ name: String, _ pointers: PointerList) throws(OAuthError) -> TimeInterval? {
        guard let value = root.first(of: pointers.pointers) else { return nil }
        guard let number = value.double ?? value.string.flatMap(Double.init), (0...315_576_000).contains(number) else {
            throw wrongType(name, "a number of seconds", value)
        }
        return number
    }
}
