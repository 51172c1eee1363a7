package import CarnetDescriptors

extension Profile {
    /// A further request of the profile.
    package static func request(
        _ further: ProfileRequest,
        _ tokens: TokenSet,
        at provider: Provider
    ) throws(OAuthError) -> PreparedRequest {
        var parameters = RequestParameters(.profile, .profile, further.request)
        try parameters.addExtra(further.request.parameters, key: "profile.requests.parameters")
        return try PreparedRequest.make(
            parameters,
            to: further.url,
            key: "profile.requests",
            rules: further.request,
            token: try TokenCredential(tokens, in: provider.profileTokenPlacement, at: provider, for: .profile)
        )
    }

    /// The profile with the claims of a further request.
    ///
    /// If the answer has any of its claims, it decides all of them: an address and the word that it is verified always
    /// come from one place. The subject stays that of the first request.
    ///
    /// - Throws: `OAuthError` at step `profile`.
    package func adding(
        _ response: IncomingResponse,
        to request: PreparedRequest,
        for further: ProfileRequest
    ) throws(OAuthError) -> Profile {
        guard response.status == 200 else { throw OAuthError.bearer(response, to: request) }
        let body = try response.value(further.format, .profile, key: request.descriptorKey)
        let holder = further.holder(in: body)
        let found = further.claims.compactMap { claim in
            claim.name == "subject" ? nil : holder?.first(of: claim.value).map { Named(claim.name, $0) }
        }
        guard !found.isEmpty else { return self }
        var profile = self
        profile.claims.removeAll { claim in
            claim.name != "subject" && further.claims.contains { $0.name == claim.name }
        }
        profile.claims += found
        return profile
    }
}
