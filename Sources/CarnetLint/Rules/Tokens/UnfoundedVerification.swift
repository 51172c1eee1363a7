import CarnetDescriptors
import CarnetFoundation

struct UnfoundedVerification: LintRule {
    let explanation = DiagnosticExplanation(
        "T065", name: "unfounded-verification",
        summary:
            "A template or 'present' states that an address is verified, although no response of the provider says so.",
        rationale: """
            A host may join accounts that have the same verified address. If each address counts as verified, an attacker \
            enters somebody else's address at the provider and gets that person's account at the host. The claim must \
            use a member of a response that states the verification, and its default must not be true. A claim such as the \
            address itself states nothing, and users choose the values of a callback that the provider does not sign. If the \
            provider verifies every address, write a note about the key with the reason. If the provider states false, \
            Carnet keeps that.
            """,
        references: ["OpenID Connect Core 1.0, section 5.1", "OpenID Connect Core 1.0, section 5.7"],
        bad: """
            profile: { derive: { email_verified: ⟦"true"⟧ } }

            profile: { claims: { subject: /id, email: [/mail, /email], email_verified: ⟦{ present: /email }⟧ } }

            profile:
              requests:
                - { url: 'https://api.acme.example/me', claims: { email: /email, email_verified: ⟦{ present: /email }⟧ } }

            profile:
              claims: { phone_number: /phone }
              derive: { phone_number_verified: ⟦"true{capture(claim.phone_number, '().*')}"⟧ }

            profile:
              claims: { confirmed: /confirmed }
              derive: { email_verified: ⟦'{claim.confirmed|true}'⟧ }

            profile:
              claims: { confirmed: /confirmed }
              derive: { email_verified: ⟦"{first(claim.confirmed, 'true')}"⟧ }

            callback: { capture: { confirmed: { pattern: 'true|false', example: 'true' } } }
            profile:
              claims: { checked: /checked }
              derive: { email_verified: ⟦'{first(claim.checked, callback.confirmed)}'⟧ }

            callback: { capture: { confirmed: { pattern: 'true|false', example: 'true' } } }
            connection: { derive: { confirmed: '{callback.confirmed}' } }
            profile: { derive: { email_verified: ⟦'{connection.confirmed}'⟧ } }
            """,
        good: """
            profile: { derive: { email_verified: "true" } }
            notes: [{ about: profile.derive.email_verified, because: 'nobody can sign in with an address before its confirmation' }]

            profile: { claims: { subject: /id, email: /email, email_verified: { present: /email } } }
            notes: [{ about: profile.claims.email_verified, because: an address is in the response after its confirmation }]

            profile: { claims: { subject: /id, email: /email, email_verified: { present: /email_confirmed_at } } }

            profile: { claims: { subject: /id, email: /confirmed_email, email_verified: { present: /confirmed_email } } }

            profile:
              claims:
                subject: /id
                email: { root: /emails, where: { primary: true }, first: /address }
                email_verified: { root: /emails, where: { primary: true }, present: /confirmed_at }

            profile:
              claims: { mail_state: /mail/state }
              derive: { email_verified: "{map(claim.mail_state, 'states')|false}" }
            tables: { states: { active: 'true' } }

            token: { response: { capture: { confirmed: { from: /confirmed, example: 'true' } } } }
            connection: { derive: { confirmed: '{token.confirmed}' } }
            profile: { derive: { email_verified: '{connection.confirmed}' } }

            profile: { derive: { email_verified: "{jwt_claim(token.access_token, '/email_verified')}", phone_number_verified: 'false' } }
            """)

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, profile) = (context.descriptor, context.places.profile)
        let further = zip(descriptor.profile.requests, profile.requests.all).flatMap {
            presences($0.claims, $1.claims, context)
        }
        return derived(context) + presences(descriptor.profile.claims, profile.claims, context) + further
    }

    /// Claims that an address is there, which is no word of its verification.
    private func presences(
        _ claims: NamedList<ClaimPlace>, _ place: Place<NamedList<ClaimPlace>>, _ context: LintContext
    ) -> [Diagnostic] {
        func read(_ claim: ClaimPlace) -> [[String]] {
            claim.pointers.flatMap { place in
                (claim.elements?.pointers ?? [.whole]).map { place.tokens + $0.tokens }
            }
        }
        return claims.items.compactMap { claim in
            guard claim.value.isPresence, let name = ProfileRules.verified(by: claim.name) else { return nil }
            let address = claims[name].map(read) ?? [[name]]
            // Some APIs have an address in a member such as confirmed_email only once it is.
            let isFounded = read(claim.value).contains { place in
                ["verif", "confirm"].contains(where: (place.last ?? "").lettersAndDigits.holds)
            }
            guard !isFounded, read(claim.value).contains(where: address.contains) else { return nil }
            return finding(
                "\(claim.name) is true for each address", in: context, at: place[claim.name].span,
                help: "use the member in which the provider states it")
        }
    }

    private func derived(_ context: LintContext) -> [Diagnostic] {
        context.descriptor.profile.derive.items.compactMap { rule in
            guard ProfileRules.verified(by: rule.name) != nil, rule.value.source != "false" else { return nil }
            let isTrueWithoutValue = rule.value.defaults.contains("true")
            guard isTrueWithoutValue || !context.descriptor.isStated(in: rule.value.template) else { return nil }
            return finding(
                isTrueWithoutValue
                    ? "\(rule.name) is true if the value is missing"
                    : "no value of a response decides about \(rule.name)", in: context,
                at: context.places.profile.derive[rule.name].span,
                help: isTrueWithoutValue
                    ? "write the default false, or none" : "use the claim in which the provider states it")
        }
    }
}

extension ProviderDescriptor {
    /// Whether a template has a value that the provider states, and that may say something of a verification.
    fileprivate func isStated(in template: Template) -> Bool {
        // Each derived value is followed once: many may take the same others.
        var (open, followed) = ([template], Set<ByteKey>())
        while let template = open.popLast() {
            let hasAlternatives = template.expressions.contains(where: \.hasAlternatives)
            let isFounded = template.references.allSatisfy { value in
                value.origin == .connection ? self.connection.derive[value.name] == nil : isStated(value)
            }
            for value in template.references where !hasAlternatives || isFounded {
                guard value.origin == .connection else {
                    if isStated(value) { return true }
                    continue
                }
                guard followed.insert(ByteKey(value.name)).inserted else { continue }
                guard let derived = self.connection.derive[value.name] else { return true }
                open.append(derived.template)
            }
        }
        return false
    }

    private func isStated(_ value: TemplateReference) -> Bool {
        switch value.origin {
        case .claim:
            return ProfileRules.verified(by: value.name) != nil
                || !ProfileRules.standardClaims.contains { $0.name == value.name }
                    && !self.profile.derive.names.contains { ProfileRules.verified(by: $0) == value.name }
        case .callback:
            guard let signature = self.callback.verification, let rule = self.callback.capture[value.name]
            else { return false }
            return !signature.unsigned.contains(rule.parameter ?? value.name)
        case .token: return value.name != "scope"
        case .step, .connection: return true
        case .input, .client, .request: return false
        }
    }
}
