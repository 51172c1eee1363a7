import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The findings about the samples of the profile.
extension SampleFindings {
    /// The rules with the inputs of the simulation in them.
    private var profileRules: ProfileRules { simulation.provider.profile.described }

    var ofProfile: [Diagnostic] {
        guard let sample = profileSample else {
            guard expect.claims.isEmpty else {
                let help =
                    profileRules.source == .tokenResponse
                    ? "add samples.token" : "add samples.userinfo, or an example JWT as the ID token of samples.token"
                return [notAsExpected("no sample has the profile", places.samples.expect.claims, help: help)]
            }
            // What makes the subject of the tokens alone needs no profile.
            let template = profileRules.derive["subject"]?.template
            guard let token, let template, !template.references.contains(where: { $0.origin == .claim }),
                Profile.subject(stated: nil, nil, at: simulation.provider) == nil
            else { return [] }
            return notDerived(template, in: token)
        }
        let profile: Profile
        do throws(OAuthError) {
            profile = try self.profile(sample)
        } catch {
            guard sample.name == "userinfo", [.serverError, .malformedBody].contains(error.kind) else { return [] }
            let isForm = sample.written.isForm && profileRules.format != .form
            return [
                rejected(
                    "samples.userinfo", error, at: sample.place.keySpan,
                    help: isForm ? "if the response is form-encoded, add profile: { format: form }" : nil)
            ]
        }
        let outcome = profileRules.outcome
        let codes = outcome.errors?.code ?? ErrorFields().code
        if sample.name == "userinfo", profile.claims.isEmpty, outcome.success.field == nil,
            let code = codes.pointers.first(where: { place in
                sample.body[place].map { $0.isStated && !["false", "0"].contains($0.scalarText) } ?? false
            })
        {
            return context.findings(
                .claimNotInSample, "samples.\(sample.name) is an error: it has \(code), and no claim",
                at: sample.place.keySpan, help: "use the response to a request that succeeded")
        }
        guard let root = sample.body[simulation.provider.profile.root] else {
            let span = places.profile.root.span
            return context.findings(
                .claimNotInSample, "'profile.root' finds nothing in samples.\(sample.name)", at: span)
        }
        return ofSubject(profile, in: root, sample) + ofClaims(profile, in: root, sample)
            + ofOtherMembers(in: root, profileRules.claims.items, places.profile.claims)
            + ofUnreadVerification(in: root, sample) + unexpected(in: profile) + ofDerived(profile)
    }

    /// Names that contradict each other, and a confirmation of something else than the address.
    private func ofOtherMembers(
        in root: JSONValue, _ claims: [Named<ClaimPlace>], _ places: Place<NamedList<ClaimPlace>>
    ) -> [Diagnostic] {
        func place(_ claim: String) -> ClaimPlace? { claims.first { $0.name == claim }?.value }
        func pointers(_ claim: String) -> [JSONPointer] { place(claim)?.pointers ?? [JSONPointer(tokens: [claim])] }
        func report(_ claim: String, _ message: String, _ help: String) -> [Diagnostic] {
            place(claim) == nil
                ? [] : [context.finding(.claimNotRead, message, at: places[claim].span, help: help)]
        }
        let names = ["given_name", "family_name"].map { root.firstStated(of: pointers($0))?.scalarText ?? "" }
        let areOne = names[0] == names[1] && !names[0].isEmpty && !names[0].lowercased().contains("redacted")
        let found =
            areOne
            ? report("family_name", "the sample has one text for both names", "map the member that is the family name")
            : []
        let elements = place("email_verified")?.elements
        let read = elements?.pointers ?? pointers("email_verified")
        let list = elements.map { _ in root.first(of: pointers("email_verified"))?.array ?? [] }
        func says(_ place: JSONPointer) -> Bool {
            let name = place.tokens.last?.lettersAndDigits ?? ""
            return ["verified", "isverified", "confirmed", "isconfirmed"].contains(name)
                || name.holds("mail") && ["verif", "confirm"].contains(where: name.holds)
        }
        let isOfMail = read.contains { place in
            ["mail", "valid", "verif", "confirm"].contains { place.description.lowercased().contains($0) }
        }
        guard !read.isEmpty, !isOfMail, let holder = list.map(\.first) ?? root,
            let other = holder.members(below: JSONPointer(tokens: []), depth: 3).prefix(256).first(where: says),
            holder[other]?.canBe("email_verified") == true
        else { return found }
        return found
            + report("email_verified", "another member says that something is confirmed", "did you mean \(other)?")
    }

    /// A member beside the address that says whether it is verified, and that nothing reads.
    private func ofUnreadVerification(in root: JSONValue, _ sample: Sample) -> [Diagnostic] {
        let (rules, claims) = (profileRules, places.profile.claims)
        let maps = [rules.claims.names, rules.derive.names] + rules.requests.map(\.claims.names)
        let email = rules.claims["email"]?.pointers ?? [JSONPointer(tokens: ["email"])]
        guard !maps.joined().contains("email_verified"), rules.claims["email"]?.elements == nil,
            !root.hasMember(at: [JSONPointer(tokens: ["email_verified"])]),
            let pointer = email.first(where: { root[$0]?.isStated == true })
        else { return [] }
        let (parent, read) = (Array(pointer.tokens.dropLast()), rules.claims.items.flatMap(\.value.pointers))
        let others = root[JSONPointer(tokens: parent)]?.object?.members.prefix(256) ?? []
        let places = others.filter { other in
            let name = other.name.lettersAndDigits
            return name.holds("mail") && ["verif", "confirm"].contains(where: name.holds)
                && other.value.canBe("email_verified")
        }.map { JSONPointer(tokens: parent + [$0.name]) }
        guard let place = places.first(where: { !read.contains($0) }) else { return [] }
        return context.findings(
            .claimNotRead, "the sample has \(place), and nothing reads whether the address is verified",
            at: claims["email"].isWritten ? claims["email"].span : sample.place.keySpan,
            help: "map it: profile: { claims: { email_verified: \(place) } }", sample: sample.place)
    }

    /// The subject, which everybody has.
    private func ofSubject(_ profile: Profile, in root: JSONValue, _ sample: Sample) -> [Diagnostic] {
        let rules = profileRules
        guard rules.subject == nil else { return [] }
        guard Profile.subject(stated: nil, profile, at: simulation.provider) == nil else {
            return ofOtherSubject(profile, in: sample) + ofGroup(in: root, sample)
        }
        if let template = rules.derive["subject"]?.template { return notDerived(template, in: sample) }
        guard let pointers = rules.claims["subject"]?.pointers else {
            return context.findings(
                .claimNotInSample, "the sample has no subject at /sub", at: sample.place.keySpan,
                help: "map it: profile: { claims: { subject: /id } }")
        }
        guard !pointers.isEmpty else { return [] }
        if let elements = profileRules.claims["subject"]?.elements, root.hasMember(at: pointers) {
            return context.findings(
                .claimNotInSample,
                "nothing in \(Self.list(pointers)) of samples.\(sample.name) is the subject: \(elements)",
                at: places.profile.claims["subject"].span, sample: sample.place)
        }
        return context.findings(
            .claimNotInSample, "\(Self.list(pointers)) finds nothing in samples.\(sample.name)",
            at: places.profile.claims["subject"].span,
            help: root.member(similarTo: pointers, besides: []).map {
                "did you mean \($0)?"
            }, sample: sample.place)
    }

    private static let groups: Set<String> = [
        "organization", "organisation", "org", "tenant", "team", "workspace", "company",
    ]

    /// A subject that is the identifier of the user's organization, beside one of the user.
    private func ofGroup(in root: JSONValue, _ sample: Sample) -> [Diagnostic] {
        let rules = profileRules
        guard let subject = rules.claims["subject"], subject.elements == nil, rules.derive["subject"] == nil,
            let pointer = subject.pointers.first(where: { root[$0]?.isNull == false }),
            let name = pointer.tokens.last?.lettersAndDigits
        else { return [] }
        func isGroup(_ name: String) -> Bool {
            let word = name.lettersAndDigits
            return Self.groups.contains(word) || word.hasSuffix("id") && Self.groups.contains(String(word.dropLast(2)))
        }
        let isMapped = rules.claims.items.contains { isGroup($0.name) && $0.value.pointers.contains(pointer) }
        // What only an `id` contradicts may be a profile of the organization.
        let own = ["sub", "user_id", "userId", "uid"] + (isMapped ? ["id"] : [])
        guard isMapped || isGroup(name),
            let meant = own.first(where: { root[$0]?.scalarText.map { $0 != root[pointer]?.scalarText } ?? false })
        else { return [] }
        return context.findings(
            .claimNotRead, "\(pointer) is the organization's, so all its users would be one account",
            at: places.profile.claims["subject"].span, help: "did you mean /\(meant)?", sample: sample.place)
    }

    private func notDerived(_ subject: Template, in sample: Sample) -> [Diagnostic] {
        // A token that is no JWT says nothing of its claims.
        let tokens = subject.references.filter { $0.origin == .token && $0.isAlwaysSecret }
        guard !tokens.contains(where: { simulation.hasNoClaims(of: $0) }) else { return [] }
        return context.findings(
            .claimNotInSample, "the samples have no value for the subject that 'derive' makes",
            at: places.profile.derive["subject"].span, help: "add the values of the template to the samples",
            sample: sample.place)
    }

    /// The other claims. A sample is one person's, who need not have each of them, so only a member with a similar name, or
    /// a value that cannot be the claim, is a reason to look twice.
    private func ofClaims(_ profile: Profile, in root: JSONValue, _ sample: Sample) -> [Diagnostic] {
        let claims = profileRules.claims.items
        let read = claims.flatMap { $0.value.pointers.filter { root[$0] != nil } }
        return claims.compactMap { claim in
            let elements = claim.name == "subject" ? nil : claim.value.elements
            if let elements, root.hasMember(at: claim.value.pointers) {
                let list = root.firstStated(of: claim.value.pointers) ?? []
                let isEmpty = elements.value(in: list) ?? [] == []
                // A list without elements, or null in one, says that this user has none.
                guard !isEmpty || list != [] && !elements.saysNone(in: list) && !elements.isOfOthers(in: list)
                else { return nil }
                if isEmpty {
                    return context.finding(
                        .claimNotRead,
                        "\(Self.list(elements.pointers)) finds nothing in the list of samples.\(sample.name)",
                        at: places.profile.claims[claim.name].span, sample: sample.place)
                }
            }
            // A claim about what nobody has there is always false.
            let isRead =
                profile[claim.name]?.isLikely(claim.name) ?? false
                && (!claim.value.isPresence || root.hasMember(at: claim.value.pointers))
            let isDerived = profileRules.derive.contains(claim.name)
            guard !isDerived, claim.name != "subject" || profile.subject != nil else { return nil }
            guard !isRead else { return ofAnother(claim, in: root, besides: read, sample) }
            return unread(
                claim.name, claim.value.pointers, reading: elements, in: root, of: "samples.\(sample.name)",
                besides: read, at: places.profile.claims[claim.name].span, sample.place)
        }
    }

    /// A claim from the member that another claim is called after, although its own is there and unread.
    private func ofAnother(
        _ claim: Named<ClaimPlace>, in root: JSONValue, besides read: [JSONPointer], _ sample: Sample
    ) -> Diagnostic? {
        let names = ProfileRules.standardClaims.filter { $0.name != "subject" }
        func members(_ claim: String) -> Set<String> {
            Set(names.filter { $0.name == claim }.flatMap { [$0.name, $0.member] })
        }
        let pointer = claim.value.pointers.first { root[$0]?.isNull == false }
        guard claim.value.elements == nil, !claim.value.isPresence, !expect.claims.contains(claim.name),
            let name = pointer?.tokens.last, !members(claim.name).contains(name),
            names.contains(where: { members($0.name).contains(name) }),
            let own = members(claim.name).sorted().first(where: { own in
                !read.contains(JSONPointer(tokens: [own])) && root[own]?.isLikely(claim.name) == true
                    && root[own]?.scalarText?.isEmpty == false
            })
        else { return nil }
        return context.finding(
            .claimNotRead, "\(claim.name) is read from \"\(name)\", and the sample has \"\(own)\"",
            at: places.profile.claims[claim.name].span, help: "did you mean /\(own)?", sample: sample.place)
    }

    private func unread(
        _ name: String, _ pointers: [JSONPointer], reading elements: ClaimOfElements? = nil, in value: JSONValue,
        of sample: String, besides read: [JSONPointer], at span: SourceSpan, _ place: Place<JSONValue>
    ) -> Diagnostic? {
        if let whole = value.firstStated(of: pointers) {
            let found = elements?.value(in: whole) ?? whole
            let shown = found.scalarText ?? "a value of another type"
            let isTime = shown.utf8.count > 4 && shown.utf8.prefix(4).allSatisfy { (0x30...0x39).contains($0) }
            let pointer = pointers.first { value[$0]?.isStated == true }?.description ?? ""
            return context.finding(
                .claimNotRead, "\(shown.quotable(limit: 40)) cannot be \(name)", at: span,
                help: name == "email_verified"
                    ? "\(name) is true or false; "
                        + (isTime ? "for a time, write { present: \(pointer) }" : "another name takes any value")
                    : "map a member that is \(name), as a string; or give the claim another name", sample: place)
        }
        guard !value.hasMember(at: pointers),
            let similar = value.member(similarTo: pointers, besides: read)
        else { return nil }
        return context.finding(
            .claimNotRead, "\(Self.list(pointers)) finds nothing in \(sample)", at: span,
            help:
                "did you mean \(similar)? A claim may be missing: if the pointer is right, add the member to the sample",
            sample: place)
    }

    /// The differences between the claims of the complete profile and those that the author expects.
    private func unexpected(in first: Profile) -> [Diagnostic] {
        guard !expect.claims.isEmpty else { return [] }
        let (whole, unknown) = simulation.completed(first)
        return expect.claims.items.compactMap { claim -> Diagnostic? in
            let place = places.samples.expect.claims[claim.name]
            if unknown.contains(claim.name) {
                return notAsExpected(
                    "a request without a sample brings the claim \(claim.name)", place,
                    help: "add 'sample' to the request in profile.requests")
            }
            guard whole[claim.name]?.expectedText != claim.value.expectedText else { return nil }
            let value = whole[claim.name].map { $0.scalarText?.shown ?? $0.jsonText() } ?? "missing"
            let pointer = JSONPointer(tokens: [claim.name])
            let member = whole.raw[simulation.provider.profile.root]?[pointer]
            let isThere = whole[claim.name] == nil && member?.isStated == true
            let map = isThere ? "map it: profile: { claims: { \(claim.name): \(pointer) } }" : nil
            return notAsExpected(
                "the claim \(claim.name) is \(value)", place,
                help: claim.value == "" ? "an empty string is no value of a claim: write null for none" : map)
        }
    }

    /// A further request whose root, condition or claim finds nothing in its own sample.
    var ofFurtherRequests: [Diagnostic] {
        let requests = simulation.provider.profile.requests
        let all = places.profile.requests.all
        guard requests.count == all.count else { return [] }
        return zip(requests.indices, all).flatMap { index, place -> [Diagnostic] in
            guard let request = simulation.filled(index), let written = request.sample else { return [] }
            let sample: JSONValue
            do throws(OAuthError) {
                sample = try Simulation.read(written, as: request.format, key: "profile.requests.format")
            } catch {
                return [rejected("the request's sample", error, at: place.sample.keySpan)]
            }
            // A list without elements says that this user has none.
            if sample[request.root] == [] || !sample.isNull && sample.saysNone(at: [request.root]) { return [] }
            guard let holders = request.holders(in: sample), let holder = holders.first else {
                let key = place.conditions.isWritten ? place.conditions.keySpan : place.root.span
                return context.findings(
                    .claimNotInSample, "nothing in the request's sample is the right object", at: key,
                    sample: place.sample)
            }
            let missing = request.claims.filter { claim in
                guard let value = request.value(of: claim.value, in: holders) else { return true }
                if claim.value.isPresence, !holder.hasMember(at: claim.value.pointers) { return true }
                return claim.value.isList ? value == [] : !value.isLikely(claim.name)
            }
            let read = request.claims.flatMap { $0.value.pointersInCandidate.filter { holder[$0] != nil } }
            let others = ofOtherMembers(in: holder, request.claims, place.claims)
            guard !read.isEmpty else {
                return missing.map { claim in
                    context.finding(
                        .claimNotInSample,
                        "\(Self.list(claim.value.pointersInCandidate)) finds nothing in the request's sample",
                        at: place.claims[claim.name].span, sample: place.sample)
                }
            }
            return others
                + missing.compactMap { claim in
                    unread(
                        claim.name, claim.value.pointersInCandidate,
                        reading: claim.value.isOfCandidates ? nil : claim.value.elements, in: holder,
                        of: "the request's sample", besides: read,
                        at: place.claims[claim.name].span, place.sample)
                }
        }
    }

    /// The sample that the profile is taken from. The claims of an ID token are those of the JWT in its sample, if it is one.
    private var profileSample: Sample? {
        switch profileRules.source {
        case .userinfo: userinfo
        case .tokenResponse: token
        // The sandbox makes the claims of an ID token of it, too.
        case .idToken: idToken ?? userinfo
        case nil: userinfo ?? (Profile.source(at: simulation.provider) == .idToken ? idToken : nil)
        }
    }

    private var idToken: Sample? {
        guard let token, let text = try? simulation.validate(token: token.written).idToken?.reveal(),
            let claims = JSONValue(claimsOf: text)
        else { return nil }
        return Sample("token.id_token", claims, token.place)
    }

    private func profile(_ sample: Sample) throws(OAuthError) -> Profile {
        switch sample.name {
        case "userinfo" where Profile.source(at: simulation.provider) == .userinfo:
            try simulation.validate(userinfo: sample.written)
        case "token": Profile(try simulation.validate(token: sample.written), from: simulation.provider)
        default:
            try simulation.profile(
                ofClaims: Simulation.read(
                    sample.written, as: simulation.provider.profile.format, key: "profile.format"))
        }
    }

    static func list(_ pointers: [JSONPointer]) -> String {
        pointers.map { $0.description.shown }.joined(separator: ", ")
    }
}

extension String {
    /// The text, in quotes if its ends would not show.
    fileprivate var shown: String {
        first?.isWhitespace ?? true || last?.isWhitespace ?? true ? "\"\(self)\"" : self
    }
}

extension JSONValue {
    /// A number is expected by its text; a list or an object as it is; and nothing, if it is `null`.
    fileprivate var expectedText: String? { isNull ? nil : scalarText ?? jsonText() }

    /// Whether a claim of OpenID Connect Core, section 5.1, can have the value. One that is redacted says nothing.
    fileprivate func isLikely(_ claim: String) -> Bool {
        guard canBe(claim) else { return false }
        guard claim != "email_verified", ProfileRules.standardClaims.contains(where: { $0.name == claim })
        else { return true }
        switch self {
        case .number: return ["subject", "username"].contains(claim)
        case .string(let text):
            let isNumber = Double(text) != nil && ["email", "picture", "locale"].contains(claim)
            let isNoAddress =
                claim == "email" && !text.isEmpty && !text.contains("@") && !text.lowercased().contains("redacted")
            let isSecret = text.isEmpty || text.lowercased().contains("redacted")
            let isNoURL = claim == "picture" && !text.contains("/")
            // Such as 2026-01-31, with or without a time.
            let parts = text.utf8.prefix(10).split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
            let isTime =
                claim != "subject" && parts.map(\.count) == [4, 2, 2] && parts.joined().allSatisfy(ASCII.isDigit)
            return !isNumber && !isNoAddress && !["true", "false"].contains(text) && (isSecret || !isNoURL && !isTime)
        case .bool, .object, .array: return false
        case .null: return true
        }
    }

    func members(below place: JSONPointer, depth: Int) -> [JSONPointer] {
        guard depth > 0 else { return [] }
        return (object?.members ?? []).flatMap { member in
            let own = JSONPointer(tokens: place.tokens + [member.name])
            let isValue = member.value.object == nil && !member.value.isNull
            return (isValue ? [own] : []) + member.value.members(below: own, depth: depth - 1)
        }
    }
}
