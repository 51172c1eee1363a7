package import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension Profile {
    /// An additional request of the profile.
    package static func request(
        _ further: ProfileRequest, _ tokens: TokenSet, at provider: FilledProvider
    ) throws(OAuthError) -> PreparedRequest {
        let key = "profile.requests"
        return try request(
            further.request, tokens, in: further.tokenIn, at: provider, section: key, key: key
        ) { () throws(OAuthError) in
            if let url = further.url { return url }
            throw OAuthError(
                .profile, .valueMissing,
                "a value of the URL \(further.lateURL) is not known, or its host is not trusted", descriptorKey: key)
        }
    }

    /// A claim that the URL of a further request waits for, and this user does not have.
    package func claimMissing(for further: ProfileRequest) -> TemplateReference? {
        guard further.url == nil else { return nil }
        return further.lateURL.references.first { $0.origin == .claim && self[$0.name] == nil }
    }

    /// The claims that a further request is made for: those that are missing, if it says so. The verification of an address
    /// never comes from another response than the address.
    package func wanted(of further: ProfileRequest) -> [Named<ClaimPlace>] {
        guard further.isForMissing else { return further.claims }
        return further.claims.filter { claim in
            self[claim.name == "email_verified" ? "email" : claim.name] == nil
        }
    }

    /// The profile with the claims of an additional request.
    ///
    /// If the response has one of the request's claims, it decides all of them: an e-mail address and its
    /// verification always come from one response. The subject stays that of the first request.
    ///
    /// - Throws: `OAuthError` at step `profile`.
    package func adding(
        _ response: IncomingResponse, to request: PreparedRequest, for further: ProfileRequest,
        from provider: FilledProvider
    ) throws(OAuthError) -> Profile {
        try further.outcome.validate(status: response, to: request)
        let body = try response.value(further.format, .profile, key: request.descriptorKey)
        try further.outcome.validate(body, of: response, to: request)
        guard let holders = further.holders(in: body) else { return self }
        let wanted = wanted(of: further)
        let found = wanted.compactMap { claim in
            claim.name == "subject" ? nil : further.value(of: claim.value, in: holders).map { Named(claim.name, $0) }
        }
        guard !found.isEmpty else { return self }
        var profile = self
        if further.hasList, response.hasNextPage || holders.count > ProfileRequest.longestList {
            profile.failures.append(Self.incomplete(further, request, response))
        }
        // Who verified one address said nothing of another.
        let isOther = found.contains { $0.name == "email" && !$0.value.isAddress(self["email"]) }
        profile.claims.removeAll { claim in
            claim.name != "subject" && wanted.contains { $0.name == claim.name }
                || isOther && claim.name == "email_verified"
        }
        profile.claims += found.filter { $0.value.canBe($0.name) }
        return profile
    }

    /// A cut list is an error beside the list, so that a host can say why a group is missing.
    private static func incomplete(
        _ further: ProfileRequest, _ request: PreparedRequest, _ response: IncomingResponse
    ) -> OAuthError {
        let names = further.claims.filter(\.value.isList).map(\.name).joined(separator: ", ")
        return OAuthError(
            .profile, .unsupported,
            "the list \(names) is incomplete: only the first page and its first \(ProfileRequest.longestList) elements are read",
            descriptorKey: request.descriptorKey, status: response.status)
    }
}

extension OAuthError {
    /// A further request of the profile that is not sent, because the user has no value for its URL.
    package static func notSent(_ further: ProfileRequest, without claim: TemplateReference) -> OAuthError {
        OAuthError(
            .profile, .valueMissing,
            "the request for \(further.claims.map(\.name).joined(separator: ", ")) is not sent: "
                + "the user has no value for {\(claim)}",
            descriptorKey: "profile.requests.url")
    }

    /// A further request of the profile that is not sent, because the user granted none of its scopes.
    package static func notGranted(_ further: ProfileRequest, _ scopes: [String]) -> OAuthError {
        var error = OAuthError(
            .profile, .insufficientScope,
            "the request for \(further.claims.map(\.name).joined(separator: ", ")) needs a scope that was not granted",
            descriptorKey: "profile.requests.any_of")
        error.scopes = scopes
        return error
    }
}

extension IncomingResponse {
    /// Whether the list goes on at another URL (RFC 8288, section 3.3).
    fileprivate var hasNextPage: Bool {
        let link = HTTPField.Name("Link").flatMap { head.headerFields[$0] } ?? ""
        let field = link.prefix(ReceivedLimit.challenge).lowercased()
        return ["rel=\"next\"", "rel=next"].contains { field.contains($0) }
    }
}
