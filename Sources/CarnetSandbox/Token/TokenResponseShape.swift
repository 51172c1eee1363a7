import CarnetDescriptors
import CarnetFoundation

/// The shape of a token response: a descriptor's sample with its own members, or that of RFC 6749, section 5.1.
struct TokenResponseShape {
    let base: JSONValue
    let isSample: Bool
    let rules: ResponseRules

    /// Whether a response of this shape has a field; one that the sample leaves out, or says to be null, stays so.
    func has(_ field: KeyPath<ResponseFields, PointerList>) -> Bool {
        !isSample || place(of: field).map { base[$0]?.isNull == false } ?? false
    }

    /// Whether the ID token is what opens the API.
    var isIDTokenAccessToken: Bool { place(of: \.accessToken) == place(of: \.idToken) }

    /// Seconds that an access token lives; zero in a sample means no end. A point in time in a sample is past, so it
    /// says nothing of the lifetime.
    var lifetime: Int {
        switch stated(\.expiresIn) {
        case 0: return Self.longestLifetime
        case let stated? where (1...Self.longestLifetime).contains(stated): return stated
        default: return rules.defaultExpiresIn?.count ?? 3600
        }
    }

    /// Seconds that a refresh token lives; `nil` if the sample does not say it, or says zero.
    var refreshTokenLifetime: Int? {
        guard isSample, has(\.refreshTokenExpiresIn) else { return nil }
        guard !rules.expiry.kind.isAbsolute else { return Self.usualRefreshTokenLifetime }
        return stated(\.refreshTokenExpiresIn).flatMap { (1...Self.longestLifetime).contains($0) ? $0 : nil }
    }

    func endOfRefreshToken(at now: Date, isNew: Bool) -> Date? {
        let lifetime = refreshTokenLifetime ?? (isNew ? rules.defaultRefreshTokenExpiresIn?.count : nil)
        return lifetime.map { now.addingTimeInterval(Double($0)) }
    }

    /// The lifetime in a place of the sample.
    private func stated(_ field: KeyPath<ResponseFields, PointerList>) -> Int? {
        guard !rules.expiry.kind.isAbsolute, let unit = rules.expiry.kind.unit,
            let number = place(of: field).flatMap({ base[$0]?.scalarText }).flatMap({ Double($0) })
        else { return nil }
        return Int(exactly: (number * unit).rounded())
    }

    func place(of field: KeyPath<ResponseFields, PointerList>) -> JSONPointer? {
        let pointers = rules.fields[keyPath: field].pointers.below(rules.root)
        return pointers.first { base[$0]?.isStated == true } ?? pointers.first { base[$0] != nil } ?? pointers.first
    }

    /// What the response says of a token that ends after its lifetime.
    func expiry(at now: Date) -> JSONValue { expiry(of: lifetime, at: now) }

    private func expiry(of lifetime: Int, at now: Date) -> JSONValue {
        let end = now.secondsSince1970 + lifetime
        return switch rules.expiry.kind {
        case .seconds: .number(String(lifetime))
        case .minutes: .number(String(lifetime / 60))
        case .milliseconds: .number(String(lifetime * 1000))
        case .epoch: .number(String(end))
        case .epochMilliseconds: .number(String(end * 1000))
        case .iso8601: .string(Date(timeIntervalSince1970: Double(end)).formatted(.iso8601))
        }
    }

    private static let longestLifetime = 315_576_000
    /// Thirty days.
    private static let usualRefreshTokenLifetime = 2_592_000

    /// - Parameters:
    ///   - namesScopes: The user or the client made the scopes fewer than asked for, so they must be named (RFC 6749,
    ///     section 5.1).
    ///   - omitsScopes: The scopes were named elsewhere.
    func body(
        _ accessToken: String, refreshToken: String? = nil, idToken: String? = nil, scopes: [String],
        namesScopes: Bool = false, omitsScopes: Bool = false, separator: String, at now: Date
    ) -> JSONValue {
        var body = base
        if !isSample, let field = rules.success.field?.pointers.first {
            body.set(rules.success.values.first ?? true, at: field)
        }
        func put(_ value: JSONValue?, _ field: KeyPath<ResponseFields, PointerList>) {
            guard let place = place(of: field) else { return }
            if let value { body.set(value, at: place) } else { body.remove(at: place) }
        }
        put(.string(accessToken), \.accessToken)
        // A token of the type DPoP is one that is bound to a key (RFC 9449, section 5).
        let type = rules.acceptedTokenTypes.first { $0.lowercased() != "dpop" } ?? "Bearer"
        if !isSample { put(.string(type), \.tokenType) }
        if !isSample || rules.expiry.kind.isAbsolute && has(\.expiresIn) { put(expiry(at: now), \.expiresIn) }
        if let lifetime = refreshTokenLifetime, rules.expiry.kind.isAbsolute {
            put(expiry(of: lifetime, at: now), \.refreshTokenExpiresIn)
        }
        if has(\.refreshToken) {
            put(refreshToken.map { .string($0) }, \.refreshToken)
            if refreshToken == nil { put(nil, \.refreshTokenExpiresIn) }
        }
        let isIDToken = idToken != nil || place(of: \.idToken).flatMap { base[$0]?.string } != nil
        if has(\.idToken), isIDToken { put(idToken.map { .string($0) }, \.idToken) }
        if !omitsScopes, has(\.scope) || namesScopes {
            let isList = place(of: \.scope).map { base[$0]?.array != nil } ?? false
            let value: JSONValue =
                isList ? .array(scopes.map { .string($0) }) : .string(scopes.joined(separator: separator))
            put(scopes.isEmpty && !isList ? Optional.none : value, \.scope)
        }
        return body
    }
}

extension [JSONPointer] {
    /// The places that these are below another one.
    func below(_ root: JSONPointer) -> [JSONPointer] { map { JSONPointer(tokens: root.tokens + $0.tokens) } }
}

extension JSONValue {
    mutating func remove(at pointer: JSONPointer) {
        guard let name = pointer.tokens.last else { return }
        let parent = JSONPointer(tokens: Array(pointer.tokens.dropLast()))
        guard var object = self[parent]?.object, object[name] != nil else { return }
        object[name] = nil
        set(.object(object), at: parent)
    }
}
