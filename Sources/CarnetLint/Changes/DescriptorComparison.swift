import CarnetDescriptors
import CarnetFoundation

/// Two versions of a descriptor, as they are after `extends`, and what in the new one breaks users of the old one.
///
/// Values are compared, not texts: what is written differently and means the same is no change.
struct DescriptorComparison {
    let old: ProviderDescriptor
    let new: ProviderDescriptor
    /// Both as the engine resolves them; `nil` if it cannot.
    private(set) var resolved: (old: ResolvedVersion, new: ResolvedVersion)?
    /// The only input that is gone, and the only new one that is required.
    private let renamed: (old: String, new: String)?
    private(set) var changes: [BreakingChange] = []

    init(_ old: ProviderDescriptor, _ new: ProviderDescriptor) {
        (self.old, self.new) = (old, new)
        let removed = old.inputs.names.filter { !new.inputs.contains($0) }
        let added = new.inputs.items.filter { !old.inputs.contains($0.name) && $0.value.isRequired }.map(\.name)
        renamed = removed.count == 1 && added.count == 1 ? (removed[0], added[0]) : nil
        func key(_ change: BreakingChange) -> [ByteKey] { ([change.rule.code] + change.path).map(ByteKey.init) }
        var problem: ResolutionError?
        for round in 0..<(old.inputs.items.map { $0.value.samples(for: new.inputs[$0.name]).count }.max() ?? 1) {
            let found = changes
            // A value that was made may be what cannot be resolved, such as a word for a port.
            problem = resolve(sample: round)
            if resolved == nil { problem = resolve(sample: round, isMade: false) }
            compareAccounts()
            compareInputs()
            compareAuthentication()
            compareProtections()
            compareScopes()
            compareResources()
            comparePlaces()
            compareAbilities()
            compareValues()
            compareDifferences()
            let known = Set(found.map(key))
            changes = found + changes.dropFirst(found.count).filter { !known.contains(key($0)) }
        }
        // Nothing was found, because most was not compared. A new version that cannot be resolved has an error of its own.
        guard changes.isEmpty, resolved == nil, let problem else { return }
        changes = [.notCompared("\(problem.key): \(problem.reason)")]
    }

    /// - Returns: Why one of them cannot be resolved.
    private mutating func resolve(sample round: Int, isMade: Bool = true) -> ResolutionError? {
        var (was, now) = ([String: String](), [String: String]())
        func sample(_ all: [String]) -> String { all[round % all.count] }
        for input in old.inputs.items {
            let name = input.name == renamed?.old ? renamed?.new ?? input.name : input.name
            let value = sample(input.value.samples(for: new.inputs[name], areMade: isMade))
            was[input.name] = value
            now[name] = new.inputs[name].map {
                $0.refusal(of: value) == nil ? value : sample($0.samples(for: nil, areMade: isMade))
            }
        }
        for input in new.inputs.items where now[input.name] == nil && input.value.isRequired {
            now[input.name] = sample(input.value.samples(for: nil, areMade: isMade))
        }
        do throws(ResolutionError) {
            resolved = (try ResolvedVersion(old, was), try ResolvedVersion(new, now))
            return nil
        } catch {
            return error
        }
    }

    mutating func report(_ rule: DiagnosticExplanation, _ path: [String], _ message: String, _ help: String) {
        changes.append(BreakingChange(rule: rule, path: path, message: message, help: help))
    }

    /// Reports a value that is another one.
    mutating func compare(
        _ rule: DiagnosticExplanation, _ path: [String], _ old: String?, _ new: String?, _ help: String
    ) {
        guard !old.isSameBytes(as: new) else { return }
        let key = path.joined(separator: ".")
        let message =
            switch (old, new) {
            case (let old?, let new?): "\(key) was \(old) and is \(new)"
            case (let old?, nil): "\(key) was \(old) and is gone"
            default: "\(key) is \(new ?? "") and was not there"
            }
        report(rule, path, message, help)
    }

    /// Reports a key that has another value.
    ///
    /// - Parameter path: Of keys of the language alone: a name of the provider's may have dots.
    mutating func compare(_ rule: DiagnosticExplanation, _ path: String, _ help: String) {
        compare(rule, path.keys, help)
    }

    /// Reports a key that has another value.
    mutating func compare(_ rule: DiagnosticExplanation, _ path: [String], _ help: String) {
        guard let resolved else { return }
        let (was, now) = (resolved.old.value(path), resolved.new.value(path))
        if !was.isSameBytes(as: now) {
            compare(rule, path, was.map(resolved.old.named), now.map(resolved.new.named), help)
        }
    }

    /// Reports names that are gone, all in one finding.
    mutating func compare(
        _ rule: DiagnosticExplanation, _ path: [String], _ noun: String, lost old: [String], from new: [String] = [],
        _ help: String
    ) {
        let known = Set(new.map(ByteKey.init))
        let lost = old.filter { !known.contains(ByteKey($0)) }
        guard !lost.isEmpty else { return }
        // One name is perhaps a key. A number would be an element.
        report(
            rule, path + (lost.count == 1 && Int(lost[0]) == nil ? lost : []),
            "\(noun)\(lost.count == 1 ? " is" : "s are") gone: \(lost.inWords)", help)
    }
}

extension String {
    /// The keys of a path with dots between them.
    fileprivate var keys: [String] { split(separator: ".").map(String.init) }
}

extension [String] {
    /// The first few, and how many others there are.
    var inWords: String {
        let first = prefix(5).joined(separator: ", ")
        return count > 5 ? "\(first) and \(count - 5) more" : first
    }
}

// MARK: Accounts and inputs

extension DescriptorComparison {
    private mutating func compareAccounts() {
        let help =
            "people who signed in earlier become other accounts, and their tokens are refused; keep the old value, or write the new one under another id"
        compare(.account, "issuer", help)
        compareIssuerMatch(help)
        let (was, now) = (ClaimSources(old).place(of: "subject"), ClaimSources(new).place(of: "subject"))
        guard !now.holds(was) else { return }
        report(.account, now.path(since: was), "the subject was \(was) and is \(now)", help)
    }

    private mutating func compareIssuerMatch(_ help: String) {
        switch (old.issuerMatch, new.issuerMatch) {
        case (.anyOf(let was), .anyOf(let now)):
            compare(
                .account, ["issuer_match", "any_of"], "issuer", lost: was.map(\.source), from: now.map(\.source), help)
        // A weaker rule is a matter of its own.
        case (.exact, _), (_, .off): break
        case (.template(let was, let places, let form), .template(let now, let others, let other))
        where resolved?.old.issuers(was, places) == resolved?.new.issuers(now, others)
            && (other ?? .unreserved).includes(form ?? .unreserved) == true && (form == nil || other != nil):
            break
        case (let was, let now) where was != now:
            report(.account, ["issuer_match"], "issuer_match may refuse issuers that it accepted", help)
        default: break
        }
    }

    private mutating func compareInputs() {
        let help = "a program that gives the old inputs no longer starts"
        let (was, now) = (old.inputs, new.inputs)
        let added = now.items.filter { !was.contains($0.name) && $0.value.isRequired }
        let removed = was.items.filter { !now.contains($0.name) }
        for input in removed {
            let next = renamed.map { "was renamed to \($0.new)" } ?? "is gone"
            report(
                .input, ["inputs", renamed?.new ?? input.name], "the input \(input.name) \(next)",
                "\(help); keep it as an optional input")
        }
        for input in added where renamed == nil {
            report(
                .input, ["inputs", input.name], "the input \(input.name) is new and required",
                "\(help); add optional: true, or a default that means what was")
        }
        for input in now.items { if let was = was[input.name] { compare(input.name, was, input.value, help) } }
        // Other entries of tables are texts of the descriptor itself.
        let values = Set(now.items.flatMap { $0.value.allowed + [$0.value.defaultValue?.source].compactMap { $0 } })
        for table in old.tables.items {
            compare(
                .input, ["tables", table.name], "value of the table \(table.name)",
                lost: table.value.names.filter(values.contains), from: new.tables[table.name]?.names ?? [],
                "a registration with such a value no longer works; keep the entry")
        }
    }

    private mutating func compare(_ name: String, _ was: InputRules, _ now: InputRules, _ help: String) {
        let path = ["inputs", name]
        if now.isRequired, !was.isRequired {
            report(
                .input, path, "the input \(name) was optional and is required",
                "\(help); keep optional: true, or the default")
        } else if !was.isRequired {
            compare(
                .input, path + ["default"], was.defaultValue?.source, now.defaultValue?.source,
                "a program that gives no value gets another one, or none; keep the default as it was")
        }
        if !now.type.accepts(was.type) {
            compare(.input, path + ["type"], was.type.rawValue, now.type.rawValue, "values that were right are refused")
        }
        compare(
            .input, path + ["enum"], "value of the input \(name)",
            lost: now.allowed.isEmpty ? [] : !was.allowed.isEmpty ? was.allowed : was.listed ?? ["any other"],
            from: now.allowed, "a registration with such a value no longer works; keep it")
        guard let pattern = now.pattern else { return }
        let isWider: Bool? = was.allowed.isEmpty ? pattern.includes(was.form) : was.allowed.allSatisfy(pattern.matches)
        if isWider != true {
            compare(
                .input, path + ["pattern"], was.pattern?.source, pattern.source,
                "values that were right \(isWider == nil ? "may be" : "are") refused; keep the pattern, or write one that accepts all of them"
            )
        }
    }
}

extension InputRules {
    /// The values of a pattern such as `eu|us`.
    var listed: [String]? {
        let values = pattern?.source.split(separator: "|").map(String.init)
        return values.flatMap { $0.allSatisfy { $0.utf8.allSatisfy(ASCII.isAlphanumeric) } ? $0 : nil }
    }

    /// What all values look like: of those of some types, no more than that is known.
    fileprivate var form: ValuePattern { pattern ?? (type == .identifier ? .unreserved : .anything) }
}

extension InputType {
    /// Whether each value of another type is one of this type.
    fileprivate func accepts(_ other: InputType) -> Bool {
        self == other || self == .text || self == .hostPath && other == .hostname
    }
}

/// Where a profile has a claim.
struct ClaimSourcePlace: CustomStringConvertible {
    private let source: String
    private let pointers: [String]
    private let claim: String

    fileprivate init(source: String, pointers: [String], claim: String) {
        (self.source, self.pointers, self.claim) = (source, pointers, claim)
    }

    var description: String { pointers.isEmpty ? source : "\(pointers.joined(separator: " or ")) \(source)" }

    /// Whether what was found at another place is found here.
    func holds(_ old: Self) -> Bool { source == old.source && pointers.starts(with: old.pointers) }

    func path(since old: Self) -> [String] {
        if source.hasPrefix("made by ") { return ["profile", "derive", claim] }
        if source == "nobody's" { return ["profile", "subject"] }
        return pointers == old.pointers && claim == "subject" ? ["profile", "from"] : ["profile", "claims", claim]
    }
}

extension ClaimPlace {
    /// How the place is read, for a message.
    fileprivate var use: String {
        elements.map { " (\($0))" } ?? (isPresence ? " (whether there is a value)" : "")
    }
}

/// Where a descriptor has its claims, by name.
struct ClaimSources {
    private let descriptor: ProviderDescriptor
    /// The places that the descriptor itself names in the profile.
    let named: [ByteKey: ClaimPlace]
    let derived: [ByteKey: Template]
    private let further: [ByteKey: ClaimPlace]
    private let effective: [ByteKey: [JSONPointer]]

    init(_ descriptor: ProviderDescriptor) {
        func byName<Value>(_ items: [Named<Value>]) -> [ByteKey: Value] {
            Dictionary(items.map { (ByteKey($0.name), $0.value) }, uniquingKeysWith: { first, _ in first })
        }
        let profile = descriptor.profile
        self.descriptor = descriptor
        named = byName(profile.claims.items)
        derived = byName(profile.derive.items.map { Named($0.name, $0.value.template) })
        further = byName(profile.requests.flatMap(\.claims.items))
        effective = byName(profile.effectiveClaims)
    }

    func place(of claim: String) -> ClaimSourcePlace {
        let (profile, key) = (descriptor.profile, ByteKey(claim))
        func place(_ source: String, _ pointers: [String] = []) -> ClaimSourcePlace {
            ClaimSourcePlace(source: source, pointers: pointers, claim: claim)
        }
        if profile.subject != nil, claim == "subject" { return place("nobody's") }
        if let template = derived[key] { return place("made by \(template.source)") }
        if named[key] == nil, let further = further[key] {
            return place("in a further response", further.pointers.map { $0.description + further.use })
        }
        let hasUserinfo = descriptor.endpoints[.userinfo] != nil || descriptor.canDiscover
        let from = profile.source ?? (hasUserinfo ? .userinfo : .idToken)
        let use = named[key]?.use ?? ""
        let places = (effective[key] ?? []).map { profile.root.description + $0.description + use }
        // Both have the same subject (OpenID Connect Core, section 5.3.2).
        let isStandard = places == ["/sub"] && from != .tokenResponse && descriptor.issuer != nil
        return isStandard ? place("sub of OpenID Connect") : place("in \(from.place)", places)
    }
}

extension ProfileSource {
    fileprivate var place: String {
        switch self {
        case .userinfo: "the profile"
        case .idToken: "the ID token"
        case .tokenResponse: "the token response"
        }
    }
}

// MARK: Client and protections

extension DescriptorComparison {
    private mutating func compareAuthentication() {
        let help =
            "registrations that use it must be made anew; keep the method in the list, or write the new one under another id"
        let (was, now) = (old.client.methods, new.client.methods)
        let isNamed = old.client.authentication != nil
        if isNamed ? new.client.authentication != nil || !new.canDiscover : was != now {
            // Of the methods that nobody named, a registration uses the first for its secret.
            let others = !isNamed && now.contains(where: \.usesSecret) ? was.filter(\.usesSecret) : []
            compare(
                .authentication, ["client", "authentication"], "method of client authentication",
                lost: was.map(\.rawValue), from: (now + others).map(\.rawValue), help)
        }
        if let algorithm = old.client.assertion.algorithm {
            compare(
                .authentication, ["client", "assertion", "algorithm"], algorithm.rawValue,
                new.client.assertion.algorithm?.rawValue, help)
        }
    }

    private mutating func compareProtections() {
        for (path, strength) in Self.protections where strength(new) < strength(old) {
            let values = resolved.map { [$0.old, $0.new].map { $0.value(path.keys) ?? "nothing" } }
            let text = values.map { "was \($0[0]) and is \($0[1]), which" } ?? "is another, which"
            report(
                .protection, path.keys, "\(path) \(text) protects less than before",
                Self.protectionHelp)
        }
        let gained = new.idToken.otherAudiences.filter { !old.idToken.otherAudiences.containsBytes(of: $0) }
        if !gained.isEmpty {
            report(
                .protection, ["id_token", "other_audiences"],
                "id_token.other_audiences has \(gained.inWords) besides, which protects less than before",
                Self.protectionHelp)
        }
    }

    static let protectionHelp =
        "nobody who uses the descriptor sees that it protects less; keep the protection while the provider accepts it"

    /// How strong each protection is.
    private static let protections: [(path: String, strength: @Sendable (ProviderDescriptor) -> Int)] = [
        ("authorization.pkce", { $0.authorization.pkce.isRequired ? 1 : 0 }),
        ("authorization.nonce", { $0.authorization.nonce.isRequired ? 2 : $0.authorization.nonce.isSent ? 1 : 0 }),
        ("authorization.state", { $0.authorization.state.isParameter ? 1 : 0 }),
        ("authorization.pushed", { [.never, .auto, .always].firstIndex(of: $0.authorization.pushed.use) ?? 0 }),
        (
            "authorization.request_object",
            { [.never, .auto, .always].firstIndex(of: $0.authorization.requestObject.use) ?? 0 }
        ),
        ("authorization.response_mode", { $0.authorization.responseMode?.isSigned == true ? 1 : 0 }),
        ("callback.iss", { $0.callback.issuer == .required ? 1 : 0 }),
        ("callback.verify", { $0.callback.verification == nil ? 0 : 1 }),
        ("callback.jwt", { $0.callback.jwt == nil ? 0 : 1 }),
        ("profile.jwt", { $0.profile.jwt == nil ? 0 : 1 }),
        ("introspection.jwt", { $0.introspection.jwt == nil ? 0 : 1 }),
        ("issuer_match", { if case .off = $0.issuerMatch { 0 } else { 1 } }),
        ("id_token.none", { $0.idToken.none == nil ? 1 : 0 }),
        ("id_token.hs256", { $0.idToken.hs256 == nil ? 1 : 0 }),
        ("id_token.encryption", { $0.idToken.encryption == nil ? 0 : 1 }),
        ("client.dpop_bound_access_tokens", { $0.client.dpopBoundAccessTokens ? 1 : 0 }),
        ("client.tls_client_certificate_bound_access_tokens", { $0.client.certificateBoundAccessTokens ? 1 : 0 }),
        ("api.token_in", { if case .query = $0.api.tokenIn { 0 } else { 1 } }),
        ("accounts", { $0.accounts == .members ? 1 : 0 }),
    ]
}
