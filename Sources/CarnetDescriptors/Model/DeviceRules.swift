/// Signing in on another device (RFC 8628): the request for the codes, its response, and the request for the tokens.
package struct DeviceRules: Sendable {
    package internal(set) var request = RequestRules()
    package internal(set) var response = DeviceResponseRules()
    package internal(set) var token = GrantRules()

    init() {}
}

extension DeviceRules: DescriptorSection {
    static let keys: [Key<Self>] =
        RequestRules.keys.map { $0.lifted(to: \.request) } + [
            Key("response", \.response, "where the codes are in the response (RFC 8628, section 3.2)"),
            Key(
                "token", \.token,
                "the request for the tokens (RFC 8628, section 3.4); what it does not say is as in the section token"),
        ]
}

/// The response to a device authorization request.
package struct DeviceResponseRules: Sendable {
    package internal(set) var format = ResponseFormat.auto
    package internal(set) var root = JSONPointer(tokens: [])
    package internal(set) var fields = DeviceFields()
    package internal(set) var errors = ErrorFields()

    init() {}
}

extension DeviceResponseRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("format", \.format, "how the body is encoded; auto follows the content type"),
        Key("root", \.root, "the object that holds the fields, if it is not the whole body"),
        Key("fields", \.fields, "where a standard field is, below root"),
        Key("errors", \.errors, "where an error's words are, in the whole body"),
    ]
}

/// Where the fields of a device authorization response are (RFC 8628, section 3.2).
package struct DeviceFields: Sendable {
    package internal(set) var deviceCode = PointerList([JSONPointer(tokens: ["device_code"])])
    package internal(set) var userCode = PointerList([JSONPointer(tokens: ["user_code"])])
    package internal(set) var verificationURI = PointerList([JSONPointer(tokens: ["verification_uri"])])
    package internal(set) var verificationURIComplete = PointerList([
        JSONPointer(tokens: ["verification_uri_complete"])
    ])
    package internal(set) var expiresIn = PointerList([JSONPointer(tokens: ["expires_in"])])
    package internal(set) var interval = PointerList([JSONPointer(tokens: ["interval"])])

    init() {}
}

extension DeviceFields: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("device_code", \.deviceCode, "the code that is exchanged; /device_code if not said"),
        Key("user_code", \.userCode, "the code that the person enters"),
        Key("verification_uri", \.verificationURI, "the page to open; /verification_url at some providers"),
        Key("verification_uri_complete", \.verificationURIComplete, "the page with the code in its address"),
        Key("expires_in", \.expiresIn, "the lifetime of the codes in seconds"),
        Key("interval", \.interval, "how many seconds are between two requests for the tokens; 5 if not said"),
    ]
}

/// The device flow's rules with everything filled in.
package struct ResolvedDevice: Sendable {
    package let request: ResolvedRequest
    package let response: DeviceResponseRules
    package let token: ResolvedGrant
}

extension InputResolver {
    func device(_ rules: DeviceRules, inheriting token: RequestRules) throws(ResolutionError) -> ResolvedDevice {
        ResolvedDevice(
            request: try request(rules.request, key: "device"),
            response: rules.response,
            token: try grant(rules.token, key: "device.token", inheriting: token)
        )
    }
}
