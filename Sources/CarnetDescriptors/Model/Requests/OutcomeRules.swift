/// How the response to a request with the access token shows success, or an error.
package struct OutcomeRules: DescriptorSection, Sendable {
    package internal(set) var success = SuccessRules()
    /// `nil` for those of `api`, which `inheriting(_:)` fills in.
    package internal(set) var errors: ErrorFields?

    static let keys: [Key<Self>] = [
        Key("success", \.success, "how to distinguish success from an error; default: by the status"),
        Key(
            "errors", \.errors,
            "the places of error code and message in the whole body; default: as in api; \(tokenCode)"),
    ]

    static let tokenCode =
        "the code invalid_token means an expired access token, and a body that is no JSON counts as a code"

    func inheriting(_ api: APIRules) -> OutcomeRules {
        var rules = self
        rules.errors = errors ?? api.errors
        return rules
    }
}
