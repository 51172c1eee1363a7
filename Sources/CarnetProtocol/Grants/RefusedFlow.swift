import CarnetDescriptors
import CarnetFoundation

/// The flows that expose a user's password or tokens (RFC 9700, sections 2.1.2 and 2.4).
enum RefusedFlow {
    /// - Throws: `OAuthError` for the implicit and hybrid flows.
    static func check(responseType: String) throws(OAuthError) {
        guard responseType != "code",
            responseType.split(separator: " ").contains(where: { ["token", "id_token"].contains($0) })
        else { return }
        throw OAuthError(
            .authorization, .unsupported,
            "the implicit flow exposes tokens to the browser and is not supported (RFC 9700, section 2.1.2)",
            descriptorKey: "authorization.response_type", hint: "remove this key: the default is the code flow")
    }

    /// - Throws: `OAuthError` for the password grant.
    static func check(grantOf parameters: RequestParameters) throws(OAuthError) {
        let grantType = StandardParameter.grantType.rawValue
        let isPassword = parameters.items.contains {
            $0.value.isSameBytes(as: "password") && $0.standardName.isSameBytes(as: grantType)
        }
        guard isPassword else { return }
        throw OAuthError(
            parameters.step, .unsupported,
            "the password grant exposes a user's password to the client and is not supported (RFC 9700, section 2.4)",
            descriptorKey: "\(parameters.section).parameters.grant_type",
            hint: "use the code flow, or the device flow for programs without a browser")
    }
}
