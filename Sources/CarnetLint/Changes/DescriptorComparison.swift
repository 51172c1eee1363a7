import CarnetDescriptors
import CarnetFoundation

/// Two versions of a descriptor, as they are after `extends`, and what in the new one breaks users of the old one.
///
/// Values are compared, not texts: what is written differently and means the same is no change.
struct DescriptorComparison {
    let old: ProviderDescriptor
    let new: ProviderDescriptor
    private(set) var changes: [BreakingChange] = []

    init(_ old: ProviderDescriptor, _ new: ProviderDescriptor) {
        (self.old, self.new) = (old, new)
        compareAccounts()
        compareInputs()
        compareAuthentication()
        compareProtections()
        compareScopes()
        compareResources()
        comparePlaces()
        compareRefresh()
        compareAbilities()
        compareValues()
    }

    mutating func report(_ rule: DiagnosticExplanation, _ path: [String], _ message: String, _ help: String) {
        changes.append(BreakingChange(rule: rule, path: path, message: message, help: help))
    }

    /// Reports a value that is another one.
    mutating func compare(
        _ rule: DiagnosticExplanation, _ path: String, _ old: String?, _ new: String?, _ help: String
    ) {
        guard old != new else { return }
        let message =
            switch (old, new) {
            case (let old?, let new?): "\(path) was \(old) and is \(new)"
            case (let old?, nil): "\(path) was \(old) and is gone"
            default: "\(path) is \(new ?? "") and was not there"
            }
        report(rule, path.split(separator: ".").map(String.init), message, help)
    }

    /// Reports names that are gone, all in one finding.
    mutating func compare(
        _ rule: DiagnosticExplanation, _ path: [String], _ noun: String, lost old: [String], from new: [String],
        _ help: String
    ) {
        let kept = Set(new)
        let lost = old.filter { !kept.contains($0) }
        guard !lost.isEmpty else { return }
        report(rule, path, "\(noun)\(lost.count == 1 ? " is" : "s are") gone: \(lost.inWords)", help)
    }
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
        compare(.account, "issuer", old.issuer?.source, new.issuer?.source, help)
        compareIssuerMatch(help)
        let (was, now) = (SubjectPlace(old), SubjectPlace(new))
        guard was.source != now.source || Array(now.pointers.prefix(was.pointers.count)) != was.pointers else {
            return
        }
        report(.account, now.path(since: was), "the subject was \(was) and is \(now)", help)
    }

    private mutating func compareIssuerMatch(_ help: String) {
        switch (old.issuerMatch, new.issuerMatch) {
        case (.anyOf(let was), .anyOf(let now)):
            compare(
                .account, ["issuer_match", "any_of"], "issuer", lost: was.map(\.source), from: now.map(\.source), help)
        // A weaker rule is a matter of its own.
        case (.exact, _), (_, .off): break
        case (let was, let now) where was != now:
            report(.account, ["issuer_match"], "issuer_match no longer accepts all issuers that it accepted", help)
        default: break
        }
    }

    private mutating func compareInputs() {
        let help = "a program that gives the old inputs no longer starts"
        let (was, now) = (old.inputs, new.inputs)
        let added = now.items.filter { !was.contains($0.name) && $0.value.isRequired }
        let removed = was.items.filter { !now.contains($0.name) }
        let renamed = removed.count == 1 && added.count == 1 ? added.first : nil
        for input in removed {
            let next = renamed.map { "was renamed to \($0.name)" } ?? "is gone"
            report(
                .input, ["inputs", renamed?.name ?? input.name], "the input \(input.name) \(next)",
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
        let path = "inputs.\(name)"
        if now.isRequired, !was.isRequired {
            report(
                .input, ["inputs", name], "the input \(name) was optional and is required",
                "\(help); keep optional: true, or the default")
        } else if let fallback = was.defaultValue, !now.isOptional || now.defaultValue != nil {
            compare(
                .input, "\(path).default", fallback.source, now.defaultValue?.source,
                "a program that gives no value goes to another server; keep the default")
        }
        if !now.type.accepts(was.type) {
            compare(.input, "\(path).type", was.type.rawValue, now.type.rawValue, "values that were right are refused")
        }
        compare(
            .input, ["inputs", name, "enum"], "value of the input \(name)",
            lost: was.allowed.isEmpty && !now.allowed.isEmpty ? ["any other"] : now.allowed.isEmpty ? [] : was.allowed,
            from: now.allowed, "a registration with such a value no longer works; keep it")
        if let pattern = now.pattern {
            compare(
                .input, "\(path).pattern", was.pattern?.source, pattern.source,
                "values that were right may be refused; keep the pattern, or make sure that it accepts all of them")
        }
    }
}

extension InputRules {
    fileprivate var isRequired: Bool { !isOptional && defaultValue == nil }
}

extension InputType {
    /// Whether each value of another type is one of this type.
    fileprivate func accepts(_ other: InputType) -> Bool {
        self == other || self == .text || self == .hostPath && other == .hostname
    }
}

/// Where a profile has what identifies the user.
private struct SubjectPlace: CustomStringConvertible {
    let source: String
    let pointers: [String]
    private let key: [String]

    init(_ descriptor: ProviderDescriptor) {
        let profile = descriptor.profile
        key = ["profile", "claims", "subject"]
        if profile.subject != nil {
            (source, pointers) = ("nobody's", [])
        } else if let template = profile.derive["subject"] {
            (source, pointers) = ("made by \(template.source)", [])
        } else {
            let found = profile.effectiveClaims.first { $0.name == "subject" }?.value ?? []
            let hasUserinfo = descriptor.endpoints[.userinfo] != nil || descriptor.canDiscover
            let from = profile.source ?? (hasUserinfo ? .userinfo : .idToken)
            let element = profile.claims["subject"]?.elements.map { " \($0)" } ?? ""
            let places = found.map { profile.root.description + $0.description + element }
            // Both have the same subject (OpenID Connect Core, section 5.3.2).
            let isStandard = places == ["/sub"] && from != .tokenResponse && descriptor.issuer != nil
            pointers = isStandard ? [] : places
            source = isStandard ? "sub of OpenID Connect" : "in \(from.place)"
        }
    }

    var description: String { pointers.isEmpty ? source : "\(pointers.joined(separator: " or ")) \(source)" }

    func path(since old: SubjectPlace) -> [String] {
        if source.hasPrefix("made by ") { return ["profile", "derive", "subject"] }
        if source == "nobody's" { return ["profile", "subject"] }
        return pointers == old.pointers ? ["profile", "from"] : ["profile", "claims", "subject"]
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
        let (was, now) = (old.client.authentication, new.client.authentication)
        let path = ["client", "authentication"]
        if let was, now != nil || !new.canDiscover {
            compare(
                .authentication, path, "method of client authentication", lost: was.map(\.rawValue),
                from: new.client.methods.map(\.rawValue), help)
        } else if was == nil, let now, !now.contains(where: \.usesSecret) {
            report(.authentication, path, "a client secret was accepted and is not any more", help)
        }
        if let algorithm = old.client.assertion.algorithm {
            compare(
                .authentication, "client.assertion.algorithm", algorithm.rawValue,
                new.client.assertion.algorithm?.rawValue, help)
        }
    }

    private mutating func compareProtections() {
        let help =
            "nobody who uses the descriptor sees that it protects less; keep the protection while the provider accepts it"
        for (path, strength) in Self.protections where strength(new) < strength(old) {
            report(.protection, path.split(separator: ".").map(String.init), "\(path) protects less than before", help)
        }
    }

    /// How strong each protection is.
    private static let protections: [(path: String, strength: @Sendable (ProviderDescriptor) -> Int)] = [
        ("authorization.pkce", { $0.authorization.pkce.isRequired ? 1 : 0 }),
        ("authorization.nonce", { $0.authorization.nonce.isRequired ? 2 : $0.authorization.nonce.isSent ? 1 : 0 }),
        ("authorization.pushed", { $0.authorization.pushed.use.strength }),
        ("authorization.request_object", { $0.authorization.requestObject.use.strength }),
        ("authorization.response_mode", { $0.authorization.responseMode?.isSigned == true ? 1 : 0 }),
        ("callback.iss", { $0.callback.issuer == .required ? 1 : 0 }),
        ("callback.verify", { $0.callback.verification == nil ? 0 : 1 }),
        ("callback.jwt", { $0.callback.jwt == nil ? 0 : 1 }),
        ("profile.jwt", { $0.profile.jwt == nil ? 0 : 1 }),
        ("issuer_match", { if case .off = $0.issuerMatch { 0 } else { 1 } }),
        ("id_token.none", { $0.idToken.none == nil ? 1 : 0 }),
        ("client.dpop_bound_access_tokens", { $0.client.dpopBoundAccessTokens ? 1 : 0 }),
        (
            "client.tls_client_certificate_bound_access_tokens",
            { $0.client.certificateBoundAccessTokens ? 1 : 0 }
        ),
        ("api.token_in", { if case .query = $0.api.tokenIn { 0 } else { 1 } }),
        ("accounts", { $0.accounts == .members ? 1 : 0 }),
    ]
}

extension PushedAuthorizationUse {
    fileprivate var strength: Int { self == .always ? 2 : self == .auto ? 1 : 0 }
}

extension RequestObjectUse {
    fileprivate var strength: Int { self == .always ? 2 : self == .auto ? 1 : 0 }
}
