import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// Samples as responses, each validated by the code for real ones.
extension Simulation {
    /// - Parameter isRefresh: Whether it is the response to a refresh.
    func validate(token sample: JSONValue, isRefresh: Bool = false) throws(OAuthError) -> TokenResponse {
        let rules = isRefresh ? provider.refreshResponse : provider.token.response
        return try TokenResponse(
            validating: Self.response(
                sample, status: rules.success.statuses.first?.code ?? 200,
                as: rules.format), to: try proved(isRefresh ? try refreshRequest() : try tokenRequest()),
            from: provider, refreshing: tokens)
    }

    /// The error of an error response; `nil` if none are found.
    func serverError(of sample: JSONValue) throws(OAuthError) -> ServerError? {
        let response = Self.response(sample, status: 400, as: provider.token.response.format)
        let request = try tokenRequest()
        do throws(OAuthError) {
            _ = try TokenResponse(validating: response, to: request, from: provider)
            return nil
        } catch {
            return error.server
        }
    }

    func validate(userinfo sample: JSONValue) throws(OAuthError) -> Profile {
        try Profile(
            validating: Self.response(sample, status: 200, as: provider.profile.format), to: try profileRequest(),
            from: provider, subject: nil)
    }

    /// The profile as a session completes it: with the claims of the further requests that have a sample, of the first
    /// callback, and those that are made of others.
    ///
    /// - Returns: also the claims that nobody knows, because a request without a sample brings them.
    func completed(_ first: Profile) -> (profile: Profile, unknown: Set<String>) {
        let (profile, unknown) = read(first, provider.profile.requests[...])
        guard provider.profile.callback != nil else { return (profile.derivingClaims(at: provider), unknown) }
        let collected = Self.collected(at: provider.discovered, as: registration, tokens)
        return (profile.adding(collected.values, from: provider).derivingClaims(at: provider), unknown)
    }

    /// A further request with the claims of the samples before it.
    ///
    /// - Returns: `nil` if they are not known.
    func filled(_ index: Int) -> ProfileRequest? {
        let further = provider.profile.requests[index]
        guard further.takesClaims else { return further }
        guard let first = firstProfile else { return nil }
        let profile = read(first, provider.profile.requests[..<index]).profile
        // A sample is one person's, who need not have each claim.
        guard further.takenClaims.allSatisfy({ profile[$0.name] != nil }) else { return nil }
        return profile.filled(further, at: provider)
    }

    /// The profile of the first response, as its sample has it.
    private var firstProfile: Profile? {
        switch Profile.source(at: provider) {
        case .userinfo: provider.samples.userinfo.flatMap { try? validate(userinfo: $0) }
        case .tokenResponse:
            provider.samples.token.flatMap { try? validate(token: $0) }.map { Profile($0, from: provider) }
        case .idToken:
            tokens.idToken.flatMap { JSONValue(claimsOf: $0.reveal()) }.flatMap { try? profile(ofClaims: $0) }
        }
    }

    private func read(_ first: Profile, _ requests: ArraySlice<ProfileRequest>) -> (
        profile: Profile, unknown: Set<String>
    ) {
        var profile = first
        var unknown = Set<String>()
        for further in requests where !profile.wanted(of: further).isEmpty {
            let further = profile.filled(further, at: provider)
            let names = further.claims.map(\.name)
            guard let sample = further.sample else {
                unknown.formUnion(names)
                continue
            }
            let response = Self.response(
                sample, status: further.outcome.success.statuses.first?.code ?? 200, as: further.format)
            guard let request = try? Profile.request(further, tokens, at: provider),
                let added = try? profile.adding(response, to: request, for: further, from: provider)
            else { continue }
            let isAnyFound =
                Self.stated(sample, as: further.format).flatMap(further.holders).map { holders in
                    further.claims.contains { further.value(of: $0.value, in: holders) != nil }
                } ?? false
            if isAnyFound { unknown.subtract(names) }
            profile = added
        }
        return (profile, unknown)
    }

    /// Whether the samples have a token only as a word in its place.
    func hasNoClaims(of token: TemplateReference) -> Bool {
        let held: Secret? =
            token.name == "id_token" ? tokens.idToken : token.name == "access_token" ? tokens.accessToken : nil
        return held.flatMap { JSONValue(claimsOf: $0.reveal()) } == nil
    }

    /// Whether a sample shows the claims of a token.
    func hasSampledClaims(of token: TemplateReference) -> Bool {
        switch token.name {
        case "id_token": Self.sampledJWT(\.idToken, at: provider) != nil
        case "access_token": Self.sampledJWT(\.accessToken, at: provider) != nil
        default: false
        }
    }

    /// The profile of the claims in an ID token.
    func profile(ofClaims claims: JSONValue) throws(OAuthError) -> Profile {
        try Profile(stored: claims.jsonText(), from: provider)
    }

    /// - Returns: `nil` if the step has no sample, or its request needs a value that has no example.
    func validate(_ step: Named<ExchangeStep>) throws(OAuthError) -> ExchangeResponse? {
        let requests = connectionRequests
        guard let sample = step.value.sample, let request = try? proved(requests.exchange(step)) else { return nil }
        let rules = step.value.response
        return try ExchangeResponse(
            validating: Self.response(
                sample, status: rules.success.statuses.first?.code ?? 200,
                as: rules.format), to: request, of: step, from: provider)
    }

    /// What a sample says. A string is read as the engine reads a body, or as a JWT.
    static func read(_ sample: JSONValue, as format: ResponseFormat, key: String) throws(OAuthError) -> JSONValue {
        guard let text = sample.string else { return sample }
        if let claims = JSONValue(claimsOf: text) { return claims }
        return try response(sample, status: 200, as: format).value(format, .profile, key: key)
    }

    /// The same; `nil` if it cannot be read.
    static func stated(_ sample: JSONValue?, as format: ResponseFormat) -> JSONValue? {
        sample.flatMap { try? read($0, as: format, key: "") }
    }

    /// A string is the body itself; anything else is encoded as the provider encodes.
    private static func response(_ sample: JSONValue, status: Int, as format: ResponseFormat) -> IncomingResponse {
        let pairs = (sample.object?.members ?? []).compactMap { member in
            member.value.scalarText.map { (name: member.name, value: $0) }
        }
        let isFlat = sample.string != nil || pairs.count == sample.object?.members.count
        let isForm = format == .form && isFlat
        let type = isForm ? "application/x-www-form-urlencoded" : "application/json"
        let encoded =
            switch format {
            case .form where isForm: PercentEncoding.encode(pairs)
            case .jsonp: "callback(\(sample.jsonText()));"
            case .guarded: "&&&START&&&" + sample.jsonText()
            case .auto, .json, .form: sample.jsonText()
            }
        let body = sample.string ?? encoded
        return IncomingResponse(
            head: HTTPResponse(status: HTTPResponse.Status(code: status), headerFields: [.contentType: type]),
            body: Array(body.utf8))
    }
}
