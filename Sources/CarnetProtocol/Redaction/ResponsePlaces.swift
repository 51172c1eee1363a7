import CarnetDescriptors
import CarnetFoundation

/// What a descriptor says about the places of a response.
struct ResponsePlaces {
    /// Names of members and indices; `nil` is any element of a list.
    typealias Place = ArraySlice<String?>

    /// Where tokens, codes and captures with `secret: true` are.
    private(set) var secret: [JSONPointer] = []
    /// Where values are that the descriptor names and that are not secret.
    private(set) var harmless: [Place] = []

    /// The response of a lookup may have a secret in each of its candidates.
    private static let mostSecrets = 16

    init() {}

    /// The places in the response of a token endpoint.
    init(_ rules: ResponseRules) {
        add(rules.errors)
        add(rules.capture)
        addHarmless(rules.success.field)
        for root in [rules.root] + rules.tokenSets.items.map(\.value) {
            for list in [rules.fields.accessToken, rules.fields.refreshToken, rules.fields.idToken] {
                addSecret(list, below: root.tokens)
            }
            let fields = rules.fields
            for list in [fields.tokenType, fields.expiresIn, fields.refreshTokenExpiresIn, fields.scope] {
                addHarmless(list, below: root.tokens)
            }
        }
    }

    /// The places in the response to a request.
    init(of request: PreparedRequest, at provider: some ProviderStage) {
        if let grant = request.step.grant { self.init(provider.shared.response(of: grant)) } else { self.init() }
        switch request.step {
        case .tokenRequest, .refresh: add(provider.profile)
        case .deviceAuthorization:
            add(provider.device.response)
            add(provider.profile)
        case .introspection, .revocation: add(provider.token.response.errors)
        case .exchange:
            let step = provider.exchange.first { "exchange.\($0.name).url".isSameBytes(as: request.descriptorKey) }
            guard let step = step?.value else { break }
            self.init(step.response)
            add(step.capture)
        case .connection:
            let lookup = provider.connection.lookups.items.first {
                "connection.lookups.\($0.name)".isSameBytes(as: request.descriptorKey)
            }
            if let lookup { add(lookup.value) }
        default: break
        }
    }

    /// The values of this response that are secret.
    func secrets(in body: JSONValue) -> [Secret] {
        Array(secret.lazy.compactMap { body[$0]?.scalarText }.filter { !$0.isEmpty }.map { Secret($0) })
    }

    private mutating func add(_ rules: DeviceResponseRules) {
        add(rules.errors)
        let (fields, root) = (rules.fields, rules.root.tokens)
        for list in [fields.deviceCode, fields.userCode] { addSecret(list, below: root) }
        for list in [fields.verificationURI, fields.expiresIn, fields.interval] { addHarmless(list, below: root) }
    }

    /// The claims of a profile that comes with the tokens.
    private mutating func add(_ profile: ResolvedProfile) {
        guard profile.source == .tokenResponse else { return }
        // A claim that says only whether there is a value may be about a secret.
        for claim in profile.claims where profile.ownClaims[claim.name]?.isPresence != true {
            let root = profile.root.tokens
            guard let each = profile.ownClaims[claim.name]?.elements?.pointers, let list = claim.value.first else {
                addHarmless(claim.value[...], below: root)
                continue
            }
            addHarmless(each[...], below: root + list.tokens + [nil])
        }
    }

    private mutating func add(_ lookup: LookupRules) {
        let root = lookup.root.tokens
        if let errors = lookup.call.outcome.errors { add(errors) }
        addHarmless(lookup.call.outcome.success.field)
        for candidate in [root, root + [nil]] as [[String?]] {
            addHarmless(lookup.value, below: candidate)
            addHarmless(lookup.label, below: candidate)
            for condition in lookup.conditions.names {
                let pointer = condition.hasPrefix("/") ? JSONPointer(condition) : nil
                harmless.append((candidate + (pointer?.tokens ?? [condition]))[...])
            }
            for rule in lookup.capture.items where !rule.value.isSecret {
                addHarmless(rule.value.pointers, below: candidate)
            }
        }
        for pointer in lookup.capture.items.filter(\.value.isSecret).flatMap(\.value.pointers.pointers) {
            secret.append(JSONPointer(tokens: root + pointer.tokens))
            secret += (0..<Self.mostSecrets).map { JSONPointer(tokens: root + [String($0)] + pointer.tokens) }
        }
    }

    private mutating func add(_ errors: ErrorFields) {
        for list in [errors.code, errors.message, errors.uri] { addHarmless(list) }
    }

    private mutating func add(_ captures: NamedList<ResponseCapture>) {
        for rule in captures.items {
            if rule.value.isSecret {
                secret += rule.value.pointers.pointers
            } else {
                addHarmless(rule.value.pointers)
            }
        }
    }

    private mutating func addSecret(_ list: PointerList, below root: [String]) {
        secret += list.pointers.map { JSONPointer(tokens: root + $0.tokens) }
    }

    private mutating func addHarmless(_ list: PointerList?, below root: [String?] = []) {
        addHarmless((list?.pointers ?? [])[...], below: root)
    }

    private mutating func addHarmless(_ pointers: ArraySlice<JSONPointer>, below root: [String?]) {
        for pointer in pointers { harmless.append((root + pointer.tokens)[...]) }
    }
}

extension ResponsePlaces {
    /// The rests of the places that lead through a member.
    static func below(_ places: [Place], member name: String) -> [Place] {
        places.filter { place in place.first.flatMap { $0 }?.isSameBytes(as: name) ?? false }.map { $0.dropFirst() }
    }

    /// The rests of the places that lead through an element. All scalars of a harmless list are harmless.
    static func below(_ places: [Place], element index: Int) -> [Place] {
        places.compactMap { place in
            guard let first = place.first else { return place }
            return first == nil || first == String(index) ? place.dropFirst() : nil
        }
    }
}
