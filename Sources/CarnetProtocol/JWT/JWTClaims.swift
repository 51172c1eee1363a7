import CarnetDescriptors
import CarnetFoundation

/// The claims of a JWT, read by the policy of its type (RFC 7519, section 4.1). `null` counts as absent.
struct JWTClaims {
    let all: JSONObject
    let policy: JWTPolicy
    /// The claims that may have another JSON type.
    private let coerced: [CoercedClaim]

    /// - Throws: `OAuthError` of kind `malformedToken` if the payload is no JSON object.
    init(
        of signature: JSONWebSignature, _ policy: JWTPolicy, coercing coerced: [CoercedClaim] = []
    ) throws(OAuthError) {
        let malformed = "the claims of \(policy.name) are not a JSON object"
        let payload: JSONValue
        do throws(JSONError) {
            payload = try JSONValue(parsing: signature.payload)
        } catch {
            throw OAuthError(policy.step, .malformedToken, "\(malformed): \(error.description.quotable())")
        }
        guard let claims = payload.object else { throw OAuthError(policy.step, .malformedToken, malformed) }
        all = claims
        self.policy = policy
        self.coerced = coerced
    }

    /// A claim, converted to the standard's type if the descriptor allows another one.
    subscript(name: String) -> JSONValue? {
        guard let value = all[stated: name] else { return nil }
        guard !coerced.isEmpty, let rule = CoercedClaim(rawValue: name), coerced.contains(rule) else { return value }
        switch (rule, value) {
        case (.subject, .number(let digits)), (.audience, .number(let digits)):
            return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? .string(digits) : value
        case (.expires, .string(let text)), (.issued, .string(let text)), (.notBefore, .string(let text)):
            return (try? JSONValue(parsing: text)).flatMap { $0.double == nil ? nil : $0 } ?? value
        default: return value
        }
    }

    // MARK: - Single claims

    /// - Parameter longest: In bytes of UTF-8.
    func string(_ name: String, longest: Int) throws(OAuthError) -> String {
        guard let value = self[name] else { throw missing(name) }
        guard let string = value.string, (1...longest).contains(string.utf8.count) else {
            throw wrongType(name, "a string of 1 to \(longest) bytes")
        }
        return string
    }

    /// - Returns: `nil` if the claim is absent.
    func time(_ name: String) throws(OAuthError) -> Date? {
        guard let value = self[name] else { return nil }
        guard let time = value.time else { throw wrongType(name, "a time in seconds") }
        return time
    }

    func requiredTime(_ name: String) throws(OAuthError) -> Date {
        guard let time = try time(name) else { throw missing(name) }
        return time
    }

    // MARK: - Rules of every kind

    /// - Parameter isOwn: Whether an issuer is the expected one.
    /// - Returns: `nil` if the claim is absent and the policy allows that.
    func issuer(expected: String?, _ isOwn: (String) -> Bool) throws(OAuthError) -> String? {
        guard policy.issuer == .required || self["iss"] != nil else { return nil }
        let issuer = try string("iss", longest: ReceivedLimit.issuer)
        guard isOwn(issuer) else {
            throw OAuthError(
                policy.step, .issuerMismatch,
                "\(policy.name) has the issuer \"\(issuer.quotable())\" instead of \(expected ?? "the provider's")",
                descriptorKey: "issuer")
        }
        return issuer
    }

    /// A list is rejected if one value is not a string: its audience would be unclear.
    ///
    /// - Parameters:
    ///   - own: The accepted audiences.
    ///   - claim: The claim with the audience.
    /// - Returns: All audiences; empty if the claim is absent and the policy allows that.
    @discardableResult
    func audience(naming own: [String], in claim: String = "aud") throws(OAuthError) -> [String] {
        guard let value = self[claim] else {
            if policy.audience == .required { throw missing(claim) }
            return []
        }
        guard let names = value.strings else { throw wrongType(claim, "a string or a list of strings") }
        guard names.contains(where: { name in own.contains { name.isSameBytes(as: $0) } }) else {
            throw policy.audienceMismatch(names, in: claim, instead: own)
        }
        return names
    }

    /// - Parameters:
    ///   - skew: The tolerated difference between the clocks, in seconds.
    ///   - expiry: Computes a missing `exp` from `iat`, if the descriptor allows that.
    /// - Returns: The expiry, without `skew`.
    @discardableResult
    func checkTimes(
        at now: Date, skew: TimeInterval, expiry replacement: ((Date) -> Date)? = nil
    ) throws(OAuthError) -> Date? {
        let issued = policy.issuedAt == .required ? try requiredTime("iat") : try time("iat")
        var expiry = try time("exp")
        if expiry == nil {
            expiry = replacement.flatMap { issued.map($0) }
            if expiry == nil, policy.expiry != .optional { throw missing("exp") }
        }
        if let expiry, now >= expiry.addingTimeInterval(skew) {
            throw failure(.expiredToken, "expired at \(stamp(expiry)); this machine's clock shows \(stamp(now))")
        }
        if let issued, issued > now.addingTimeInterval(skew) {
            throw failure(.issuedInFuture, "was issued at \(stamp(issued)); this machine's clock shows \(stamp(now))")
        }
        if let start = try time("nbf"), start > now.addingTimeInterval(skew) {
            throw failure(.notYetValid, "is not valid before \(stamp(start)); this machine's clock shows \(stamp(now))")
        }
        return expiry
    }

    // MARK: - Errors

    func missing(_ name: String) -> OAuthError {
        OAuthError(policy.step, .missingField, "\(policy.name) has no claim \(name)", descriptorKey: policy.key)
    }

    func wrongType(_ name: String, _ expected: String) -> OAuthError {
        let value = all[name]
        let isReadable = value?.string.map { name != "sub" && Double($0) != nil } ?? ["sub", "aud"].contains(name)
        let isCoercible = policy.step == .idToken && CoercedClaim(rawValue: name) != nil && isReadable
        return OAuthError(
            policy.step, .wrongFieldType,
            "the claim \(name) of \(policy.name) is not \(expected)" + (value.map { ": it is \($0.shown)" } ?? ""),
            descriptorKey: isCoercible ? "id_token.coerce" : nil,
            hint: isCoercible ? "if the provider always sends it so, add id_token: { coerce: [\(name)] }" : nil)
    }

    private func failure(_ kind: OAuthError.Kind, _ reason: String) -> OAuthError {
        OAuthError(policy.step, kind, "\(policy.name) \(reason)", descriptorKey: "id_token.clock_skew")
    }

    private func stamp(_ date: Date) -> String { date.formatted(.iso8601) }
}

extension JSONValue {
    /// The elements of a list of strings; `nil` for any other value.
    var listOfStrings: [String]? {
        guard let array else { return nil }
        let texts = array.compactMap(\.string)
        return texts.count == array.count ? texts : nil
    }

    /// A string, or the elements of a list of strings.
    var strings: [String]? { string.map { [$0] } ?? listOfStrings }

    /// A time in seconds, up to the end of the year 9999. A later one is a mistake, and `Date` cannot format it.
    var time: Date? { double.flatMap { (0...253_402_300_799).contains($0) ? Date(timeIntervalSince1970: $0) : nil } }
}
