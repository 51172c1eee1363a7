import CarnetDescriptors
import CarnetFoundation

extension DiagnosticExplanation {
    package static let contradictedSubject = DiagnosticExplanation(
        "T070", name: "contradicted-subject",
        summary: "The subject is not the 'sub' of the ID token, or 'profile.subject' denies that there is one.",
        rationale: """
            Each ID token has a subject, and a client must reject a userinfo response of another one, or of none. Each \
            profile would fail.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: """
            scopes: { default: [openid] }
            profile: { claims: { subject: ⟦/uid⟧ } }
            samples: { userinfo: { sub: '248289761001', uid: jane } }

            scopes: { default: [openid] }
            profile: { claims: { subject: ⟦/uid⟧ } }
            samples:
              token: { access_token: redacted, token_type: Bearer, id_token: eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1LTEifQ. }
              userinfo: { uid: jane }

            scopes: { default: [openid] }
            profile: { ⟦subject⟧: { none: The API has no users. } }

            scopes: { default: [openid] }
            profile: { claims: { team: /team }, derive: { subject: ⟦'{claim.team}-{claim.subject}'⟧ } }

            scopes: { default: [openid] }
            profile: { from: userinfo, derive: { subject: ⟦"{jwt_claim(token.id_token, '/oid')}"⟧ } }

            scopes: { default: [openid] }
            profile: { claims: { uid: /uid }, derive: { subject: ⟦'{claim.uid}'⟧ } }
            samples: { userinfo: { sub: '248289761001', uid: jane } }
            """,
        good: """
            scopes: { default: [openid] }
            samples: { userinfo: { sub: '248289761001', uid: jane } }

            profile: { subject: { none: The API has no users. } }

            scopes: { default: [openid] }
            profile: { from: id_token, claims: { team: /team }, derive: { subject: '{claim.team}-{claim.subject}' } }

            scopes: { default: [openid] }
            profile: { derive: { subject: "{jwt_claim(token.id_token, '/sub')}" } }
            """)

    /// What lets the subject be made of other values.
    package static let otherSubject =
        "remove it, because the subject is /sub by default; or derive it with from: id_token; or, if the provider issues no "
        + "ID tokens, write id_token: { none: REASON }"
}

struct ContradictedSubject: LintRule {
    let explanation = DiagnosticExplanation.contradictedSubject

    func check(_ context: LintContext) -> [Diagnostic] {
        guard context.descriptor.comparesSubjects else { return [] }
        if context.descriptor.profile.subject != nil {
            return findings(
                "the ID token has a subject", in: context, at: context.places.profile.subject.keySpan,
                help: "remove it; or, if the provider issues no ID tokens, write id_token: { none: REASON }")
        }
        if context.descriptor.derivesOtherSubject {
            return findings(
                "the subject that 'derive' makes is not the ID token's sub", in: context,
                at: context.places.profile.derive["subject"].span,
                help: DiagnosticExplanation.otherSubject)
        }
        guard let node = context.places.profile.claims["subject"].node,
            context.descriptor.sampleProvesSubject == false
        else { return [] }
        return findings(
            "the subject is not the sample's sub, which the ID token has", in: context, at: node.span,
            help: "remove the claim: the subject is /sub by default",
            related: [context.related("the sample", at: context.places.samples.userinfo.keySpan)])
    }
}

struct UnprovedSubject: LintRule {
    let explanation = DiagnosticExplanation(
        "T071", name: "unproved-subject", severity: .warning,
        summary: "The mapped subject may differ from the ID token's 'sub', and no sample has both.",
        rationale: """
            A client must reject a userinfo response whose subject is not the ID token's 'sub'. If the provider has \
            another member with the same value, add 'samples.userinfo' with both; if that response has no 'sub', say \
            in a note why the values are the same.
            """,
        references: ["OpenID Connect Core 1.0, section 5.3.2"],
        bad: """
            scopes: { default: [openid] }
            profile: { claims: { subject: ⟦/uid⟧ } }
            """,
        good: """
            scopes: { default: [openid] }
            profile: { claims: { subject: [/sub, /uid] } }

            scopes: { default: [openid] }
            profile: { claims: { subject: { where: { hd: acme.example }, first: /sub } } }

            scopes: { default: [openid] }
            profile: { claims: { subject: /uid } }
            samples: { userinfo: { sub: '248289761001', uid: '248289761001' } }

            scopes: { default: [openid] }
            profile: { claims: { subject: /uid } }
            notes: [{ about: profile.claims.subject, because: their reference says that it is the sub of the ID token }]
            """)

    let isReminder = true

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        guard descriptor.comparesSubjects, let node = context.places.profile.claims["subject"].node,
            descriptor.profile.claims["subject"]?.pointersInCandidate.first?.tokens != ["sub"],
            descriptor.sampleProvesSubject == nil
        else { return [] }
        return findings(
            "the subject may differ from the ID token's sub", in: context, at: node.span,
            help: "use /sub; or write from: id_token, with the API's profile in profile.requests; "
                + "or add a samples.userinfo that has both")
    }
}

extension ProviderDescriptor {
    /// Whether the subject of a profile is compared with that of an ID token.
    package var comparesSubjects: Bool {
        let requested = self.scopes.defaults + self.scopes.required
        let source = self.profile.source ?? .userinfo
        return canHaveIDToken && requested.contains("openid") && !self.authorization.omit.contains("scope")
            && source == .userinfo && !isWithout(.userinfo)
    }

    /// Whether the template of the subject makes another value than the ID token's 'sub', by itself: it has text of its own,
    /// or it takes no value, or another claim of the token.
    package var derivesOtherSubject: Bool {
        guard let template = self.profile.derive["subject"]?.template else { return false }
        let claims = claimsOfSampleIDToken
        let isOfToken = template.references.allSatisfy { $0 == TemplateReference(.token, "id_token") }
        return template.isComposed
            || isOfToken
                && !template.claimsOfTokens.contains { place in
                    place.tokens == ["sub"] || claims?[place].map { $0 == claims?["sub"] } ?? false
                }
    }

    /// Whether the samples have one subject in both places; `nil` if they have not both.
    fileprivate var sampleProvesSubject: Bool? {
        guard let pointers = self.profile.claims["subject"]?.pointers,
            let body = self.samples.userinfo, let stated = body[stated: "sub"]?.scalarText ?? subjectOfSampleIDToken,
            let mapped = body[self.profile.root]?.firstStated(of: pointers)?.scalarText
        else { return nil }
        return stated.isSameBytes(as: mapped)
    }

    /// The subject in the sample of the ID token, if it is a JWT.
    package var subjectOfSampleIDToken: String? { claimsOfSampleIDToken?["sub"]?.scalarText }

    private var claimsOfSampleIDToken: JSONValue? {
        let rules = self.token.response
        let token = self.samples.token?[rules.root]?.first(of: rules.fields.idToken.pointers)?.string
        return token.flatMap(JSONValue.init(claimsOf:))
    }
}
