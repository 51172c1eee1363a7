package import CarnetDescriptors
import CarnetFoundation

extension Profile {
    /// An additional request of the profile.
    package static func request(
        _ further: ProfileRequest,
        _ tokens: TokenSet,
        at provider: FilledProvider
    ) throws(OAuthError) -> PreparedRequest {
        var parameters = RequestParameters(.profile, .profile, further.request)
        try parameters.addExtra(
            further.request.parameters, key: "profile.requests.parameters", hidden: further.request.late.hidden)
        return try PreparedRequest.make(
            parameters,
            to: further.url,
            key: "profile.requests",
            rules: further.request,
            token: try TokenCredential(tokens, in: provider.profile.tokenIn, at: provider, for: .profile)
        )
    }

    /// The profile with the claims of an additional request.
    ///
    /// If the response has one of the request's claims, it decides all of them: an e-mail address and its
    /// verification always come from one response. The subject stays that of the first request.
    ///
    /// - Throws: `OAuthError` at step `profile`.
    package func adding(
        _ response: IncomingResponse,
        to request: PreparedRequest,
        for further: ProfileRequest,
        from provider: FilledProvider
    ) throws(OAuthError) -> Profile {
        try further.outcome.validate(status: response, to: request, unauthorized: provider.api.unauthorized)
        let body = try response.value(further.format, .profile, key: request.descriptorKey)
        try further.outcome.validate(body, of: response, to: request)
        let holder = further.holder(in: body)
        let found = further.claims.compactMap { claim in
            claim.name == "subject" ? nil : holder?.first(of: claim.value).map { Named(claim.name, $0) }
        }
        guard !found.isEmpty else { return self }
        var profile = self
        profile.claims.removeAll { claim in
            claim.name != "subject" && further.claims.contains { $0.name == claim.name }
        }
        profile.claims += found.filter { $0.value.canBe($0.name) }
        return profile
    }
}
