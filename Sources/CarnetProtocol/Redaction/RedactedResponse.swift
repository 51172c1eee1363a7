package import CarnetDescriptors
import CarnetFoundation

/// A response as it may be shown and logged.
public struct RedactedResponse: Hashable, Sendable {
    package var status: Int
    package var contentType: String?
    package var body: String
}

extension RedactedResponse {
    /// The redacted form of the response to a request. It has no secret of the request and none that the descriptor
    /// finds in the response.
    ///
    /// If the response may contain tokens, only what is known to be harmless is shown: members of a standard, values
    /// that the descriptor names and does not call secret, and numbers. Elsewhere, members with names of secrets are
    /// hidden. A refused request has no token, so a response with an error status is shown as one without tokens, also if it
    /// is not JSON. Other bodies than JSON are only counted.
    ///
    /// - Parameter provider: `nil` for a response that no descriptor describes.
    package init(
        _ response: IncomingResponse, to request: PreparedRequest, at provider: (some ProviderStage)? = Provider?.none
    ) {
        status = response.status
        contentType = response.shownMediaType.map { Redactor(hiding: request.secrets).redact($0, limit: 100) }
        guard !response.body.isEmpty else {
            body = ""
            return
        }
        let isError = response.status >= 400
        guard let json = try? JSONValue(parsing: response.body) else {
            let start = String(decoding: response.body.prefix(Self.longestText), as: UTF8.self)
            let isText = isError && !start.utf8.contains(0)
            body =
                "(\(response.body.count) bytes that are not JSON)"
                + (isText
                    ? " " + response.quoted(start, limit: Self.longestText, hiding: request.secrets).withoutTokens : "")
            return
        }
        let places = provider.map { ResponsePlaces(of: request, at: $0) } ?? ResponsePlaces()
        let redactor = Redactor(hiding: request.secrets + places.secrets(in: json))
        let redaction = BodyRedaction(
            redactor: redactor, hidesUnknown: request.step.mayReturnTokens && !isError,
            hidesTokens: request.step.mayReturnTokens || isError, isError: isError)
        let text = redaction.shown(json, places.harmless).jsonText()
        let isShort = text.unicodeScalars.prefix(Self.maximumLength + 1).count <= Self.maximumLength
        // The second pass finds secrets in the names of members.
        body = redactor.redact(text, limit: Self.maximumLength) + (isShort ? "" : "…")
    }

    fileprivate static let maximumLength = 4096
    private static let longestText = 500
}

extension OAuthError.Step {
    /// Whether the response may contain tokens or other secrets under any name.
    fileprivate var mayReturnTokens: Bool {
        switch self {
        case .tokenRequest, .refresh, .revocation, .clientCredentials, .deviceAuthorization, .tokenExchange,
            .jwtBearer, .exchange, .connection, .introspection, .pushedAuthorization:
            true
        case .configuration, .discovery, .registration, .authorization, .callback, .keys, .idToken, .accessToken,
            .profile, .resource, .signOut, .logout, .storage:
            false
        }
    }
}

/// Replaces what may not be shown of a body.
private struct BodyRedaction {
    let redactor: Redactor
    let hidesUnknown: Bool
    /// Whether strings of unknown members lose what looks like a token.
    let hidesTokens: Bool
    /// Whether `code` is that of an error.
    let isError: Bool

    private enum Standing {
        case harmless, unknown, secret
    }

    func shown(_ value: JSONValue, _ places: [ResponsePlaces.Place]) -> JSONValue {
        shown(value, places, places.contains(where: \.isEmpty) ? .harmless : .unknown, of: nil)
    }

    /// - Parameter owner: What the value belongs to, for `code`, which says only with it what it is.
    private func shown(
        _ value: JSONValue, _ places: [ResponsePlaces.Place], _ standing: Standing, of owner: String?
    ) -> JSONValue {
        switch value {
        case .object(let object):
            .object(
                JSONObject(
                    members: object.members.map { member in
                        let below = ResponsePlaces.below(places, member: member.name)
                        let own = self.standing(of: member, at: below, in: standing, of: owner)
                        let isScalar = member.value.object == nil && member.value.array == nil
                        let next = isScalar ? nil : SecretName.owner(member.name) ?? owner
                        return JSONObject.Member(name: member.name, value: shown(member.value, below, own, of: next))
                    }))
        case .array(let elements):
            .array(
                elements.enumerated().map { index, element in
                    let below = ResponsePlaces.below(places, element: index)
                    let own = below.contains(where: \.isEmpty) ? .harmless : standing
                    return shown(element, below, own, of: owner)
                })
        case .string(let text):
            standing == .secret || standing == .unknown && hidesUnknown
                ? Self.mark
                : .string(standing == .unknown && hidesTokens ? redacted(text).withoutTokens : redacted(text))
        case .number(let text): standing == .secret || redacted(text) != text ? Self.mark : value
        case .bool: standing == .secret ? Self.mark : value
        case .null: value
        }
    }

    private func redacted(_ text: String) -> String { redactor.redact(text, limit: RedactedResponse.maximumLength) }

    private static let mark = JSONValue.string(Secret("").description)

    private func standing(
        of member: JSONObject.Member, at places: [ResponsePlaces.Place], in parent: Standing, of owner: String?
    ) -> Standing {
        let name = member.name
        if places.contains(where: \.isEmpty) { return .harmless }
        if parent == .secret { return .secret }
        if hidesUnknown, Self.harmlessNames.contains(ByteKey(name)) { return .harmless }
        // A short number is a status, as many bodies have it.
        let isShort = if case .number(let text) = member.value { text.utf8.count <= 3 } else { false }
        guard name.lowercased() == "code" else { return SecretName.isSecret(name) ? .secret : .unknown }
        // The code of an error or a country is none. Any other unknown member is shown, too.
        let isSecret = owner.map { SecretName.isSecret("\($0)_code") } ?? true
        return isSecret && !isError && !isShort ? .secret : .unknown
    }

    /// Members that RFC 6749, RFC 7662, RFC 8628, RFC 8693 and RFC 9126 define, without secrets and names of people.
    private static let harmlessNames: Set<ByteKey> = Set(
        [
            "token_type", "expires_in", "scope", "error", "error_description", "error_uri", "issued_token_type",
            "interval", "verification_uri", "client_id", "iss", "sub", "aud",
        ].map { ByteKey($0) })
}
