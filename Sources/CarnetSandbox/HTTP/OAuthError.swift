/// An error of RFC 6749, sections 4.1.2.1 and 5.2.
struct OAuthError: Error {
    var code: String
    var description: String

    init(_ code: String, _ description: String) {
        self.code = code
        // error_description may hold neither quotation marks nor backslashes (RFC 6749, section 5.2).
        self.description = String(
            description.unicodeScalars.map { scalar in
                switch scalar {
                case "\"": "'"
                case "\\": "/"
                case " "..."~": Character(scalar)
                default: "?"
                }
            }
        )
    }

    static func invalidRequest(_ description: String) -> Self { Self("invalid_request", description) }
    static func invalidGrant(_ description: String) -> Self { Self("invalid_grant", description) }
    static func invalidScope(_ description: String) -> Self { Self("invalid_scope", description) }
    static func invalidClient(_ description: String) -> Self { Self("invalid_client", description) }
    static func invalidProof(_ description: String) -> Self { Self("invalid_dpop_proof", description) }
    static func serverError(_ description: String) -> Self { Self("server_error", description) }
}

/// The result of a check, whose error becomes one of another kind.
func translating<Result, Found: Error, Failure: Error>(
    _ translate: (Found) -> Failure, _ check: @autoclosure () throws(Found) -> Result
) throws(Failure) -> Result {
    do throws(Found) { return try check() } catch { throw translate(error) }
}
