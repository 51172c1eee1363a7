package import CarnetFoundation

/// Signing in on another device (RFC 8628): the request for the codes, its response, and the request for the tokens.
package struct DeviceRules: DescriptorSection, Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var response = DeviceResponseRules()
    package internal(set) var token = GrantRules()

    static func elsewhere(_ name: String) -> String? { NamesElsewhere.url(name, of: .deviceAuthorization) }

    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("response", \.response, "the places of the codes in the response (RFC 8628, section 3.2)"),
            Key(
                "token", \.token,
                "the request for the tokens (RFC 8628, section 3.4); missing keys are inherited from the section token"),
        ]
}

/// The response to a device authorization request.
package struct DeviceResponseRules: DescriptorSection, Sendable {
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var fields = DeviceFields()
    package internal(set) var errors = ErrorFields()

    static let keys: [Key<Self>] = [
        Key("format", \.format, ResponseFormat.summary),
        Key("root", \.root, "the object that contains the fields; default: the whole body"),
        Key("fields", \.fields, "standard field -> its place below root"),
        Key("errors", \.errors, "the places of error code and message in the whole body"),
    ]
}

/// Where the fields of a device authorization response are (RFC 8628, section 3.2).
package struct DeviceFields: DescriptorSection, Sendable {
    package internal(set) var deviceCode = PointerList([JSONPointer(tokens: ["device_code"])])
    package internal(set) var userCode = PointerList([JSONPointer(tokens: ["user_code"])])
    package internal(set) var verificationURI = PointerList([JSONPointer(tokens: ["verification_uri"])])
    package internal(set) var verificationURIComplete = PointerList([
        JSONPointer(tokens: ["verification_uri_complete"])
    ])
    package internal(set) var expiresIn = PointerList([JSONPointer(tokens: ["expires_in"])])
    package internal(set) var interval = PointerList([JSONPointer(tokens: ["interval"])])

    static let keys: [Key<Self>] = [
        Key("device_code", \.deviceCode, "the place of the device code; default: /device_code"),
        Key("user_code", \.userCode, "the place of the code that the user enters"),
        Key("verification_uri", \.verificationURI, "the place of the page's URL; some providers use /verification_url"),
        Key(
            "verification_uri_complete", \.verificationURIComplete, "the place of the page's URL that contains the code"
        ),
        Key("expires_in", \.expiresIn, "the place of the codes' lifetime in seconds"),
        Key("interval", \.interval, "the place of the polling interval in seconds; a missing value means 5"),
    ]
}

package struct ResolvedDevice: Sendable {
    package private(set) var request: ResolvedRequest
    package let response: DeviceResponseRules
    package private(set) var token: Resolved<GrantRules>

    init(_ rules: DeviceRules, with resolver: InputResolver, inheriting token: RequestRules) throws(ResolutionError) {
        request = try rules.request.resolve(with: resolver, key: "device")
        response = rules.response
        self.token = try Resolved(rules.token, with: resolver, key: "device.token", inheriting: token)
    }

    mutating func fill(_ values: TemplateValues) {
        request = request.filled(values)
        token.fill(values)
    }
}
