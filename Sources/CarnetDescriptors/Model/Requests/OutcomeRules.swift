/// How the response to a request with the access token shows success, or an error.
package struct OutcomeRules: Sendable {
    package internal(set) var success = SuccessRules()
    package internal(set) var errors = ErrorFields()

    init() {}
}

extension OutcomeRules: DescriptorSection {
    static let keys: [Key<Self>] = [
        Key("success", \.success, "how to distinguish success from an error; default: by the status"),
        Key(
            "errors", \.errors,
            "the places of error code and message in the whole body; the code invalid_token means an expired access token"
        ),
    ]
}
