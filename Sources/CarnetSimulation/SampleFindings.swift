import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// The findings about samples.
struct SampleFindings {
    let simulation: Simulation
    let context: LintContext
    /// The grant whose response the sample of a token is: that of the sign-in, or of a client without a user.
    private let grant: RequestKind
    var rules: ResponseRules { simulation.provider.shared.response(of: grant) }
    /// The section that says how it is read.
    var section: String {
        grant.inheritsToken && context.descriptor.response(of: grant) != nil ? grant.section : RequestKind.token.section
    }
    var written: Place<ResponseRules> { places.response(of: section == grant.section ? grant : .token) }

    private func rules(of sample: Sample) -> ResponseRules {
        sample.name == "refresh" ? simulation.provider.refreshResponse : rules
    }

    var samples: Samples { context.descriptor.samples }
    var expect: SampleExpectations { samples.expect }

    var places: Place<DescriptorRules> { context.places }

    init(_ simulation: Simulation, _ context: LintContext) {
        self.simulation = simulation
        self.context = context
        let made = (try? simulation.tokenRequest())?.step.grant ?? .token
        grant = made == .refresh ? .token : made
    }

    var all: [Diagnostic] {
        ofTokens(token) + ofTokens(refresh) + ofSteps + ofProfile + ofFurtherRequests + ofSharedRequests
            + ofOptionalLookups + ofFormats
            + ofError + ofAdditions + ofCallback + ofFirstCallback
    }

    /// A response of the real provider, by its key.
    struct Sample {
        let name: String
        let written: JSONValue
        /// What it says; a string that cannot be read says nothing.
        let body: JSONValue
        let place: Place<JSONValue>

        init(_ name: String, _ written: JSONValue, as format: ResponseFormat = .auto, _ place: Place<JSONValue>) {
            (self.name, self.written, self.place) = (name, written, place)
            body = Simulation.stated(written, as: format) ?? written
        }
    }

    var token: Sample? { samples.token.map { Sample("token", $0, as: rules.format, places.samples.token) } }

    private var refresh: Sample? {
        samples.refresh.map {
            Sample("refresh", $0, as: simulation.provider.refreshResponse.format, places.samples.refresh)
        }
    }

    var userinfo: Sample? {
        samples.userinfo.map {
            Sample("userinfo", $0, as: simulation.provider.profile.format, places.samples.userinfo)
        }
    }
}

// MARK: - Tokens

extension SampleFindings {
    /// In seconds, more than 31 years: from there on a number is a point in time, since September 2001. Real lifetimes of
    /// twenty years exist.
    private static let longestLifetime = 999_999_999.0

    private func ofTokens(_ sample: Sample?) -> [Diagnostic] {
        guard let sample else { return [] }
        let isRefresh = sample.name == "refresh"
        do throws(OAuthError) {
            let response = try simulation.validate(token: sample.written, isRefresh: isRefresh)
            var found = ofLifetime(response, in: sample) + ofScopes(response, in: sample) + ofFields(in: sample)
            if !isRefresh {
                found += of(rules.capture, written.capture, in: sample.body, "samples.token", sample.place)
            }
            if !isRefresh { found += unexpected(in: response) + ofIDToken(response) + ofBaseURL(in: sample) }
            let (rules, refresh) = (rules(of: sample), simulation.provider.refresh)
            found += ofShortLife(sample.body, rules, at: place(of: rules.fields.expiresIn, in: sample))
            if isRefresh, refresh.rotation == .alwaysNew, refresh.using == .refreshToken, response.refreshToken == nil {
                let message = "samples.refresh has no refresh token, and refresh.rotation is always_new"
                found += context.findings(
                    .claimNotRead, message, at: sample.place.keySpan, help: "add it, or write keep_old or none")
            }
            if isRefresh, refresh.rotation == .none, let new = refreshToken(in: sample),
                let old = token.flatMap(refreshToken),
                old != new
            {
                let message = "samples.refresh has another refresh token, against refresh.rotation: none"
                found += context.findings(
                    .claimNotRead, message, at: sample.place.keySpan, help: "write always_new or keep_old",
                    sample: places.samples.token)
            }
            return found
        } catch {
            let (rules, ofRefresh) = (rules(of: sample), isRefresh && places.refresh.response.isWritten)
            let type = (ofRefresh ? places.refresh.response : written).defaultTokenType
            if error.descriptorKey == "token.response.accept_token_types", type.isWritten,
                sample.body[rules.root]?.hasMember(at: rules.fields.tokenType.pointers) == false
            {
                let help = "write Bearer, if the API takes the token in this way"
                return [rejected("samples.\(sample.name)", error, at: type.span, help: help)]
            }
            if error.descriptorKey == "token.response.fields.expires_in" { return [badLifetime(in: sample)] }
            let help = sample.written.isForm && rules.format != .form ? "token: { response: { format: form } }" : nil
            return [
                rejected(
                    "samples.\(sample.name)", error, at: sample.place.keySpan,
                    help: help.map { "if the response is form-encoded, add \($0)" }
                        ?? similar(error, rules.capture, in: sample.body))
            ]
        }
    }

    func rejected(_ name: String, _ error: OAuthError, at span: SourceSpan, help: String? = nil) -> Diagnostic {
        let serverError = error.server.map { "; the server's error: \($0)" } ?? ""
        // What to do about a server's error is for people who sign in; an author can change the key.
        let hint =
            error.kind == .malformedBody
            ? "correct the sample or its format: Carnet reads JSON and forms"
            : error.kind == .serverError ? nil : error.next(.ofDescriptor)
        return context.finding(
            .tokenNotInSample, "the engine rejects \(name): \(error.message)\(serverError)", at: span,
            help: help ?? hint ?? error.descriptorKey.map { "see \($0)" })
    }

    private var ofSteps: [Diagnostic] {
        simulation.provider.exchange.flatMap { step in
            let place = places.exchange[step.name]
            let span = place.sample.keySpan
            do throws(OAuthError) {
                _ = try simulation.validate(step)
                let name = "exchange.\(step.name).sample"
                let sample = Simulation.stated(step.value.sample, as: step.value.response.format)
                return ofShortLife(sample, step.value.response, at: span)
                    + of(step.value.capture, place.capture, in: sample, name, place.sample)
            } catch {
                let sample = Simulation.stated(step.value.sample, as: step.value.response.format)
                let captures = [step.value.capture, step.value.response.capture]
                let help = captures.lazy.compactMap { similar(error, $0, in: sample) }.first
                return [rejected("exchange.\(step.name).sample", error, at: span, help: help)]
            }
        }
    }

    /// A lifetime that the usual margin of a refresh uses up.
    private func ofShortLife(_ sample: JSONValue?, _ rules: ResponseRules, at span: SourceSpan) -> [Diagnostic] {
        guard context.descriptor.refresh.margin == nil,
            let value = sample?[rules.root]?.first(of: rules.fields.expiresIn.pointers),
            case .expiry(.after(let seconds)) = rules.expiry.reading(of: value), (1...60).contains(seconds),
            rules.expiry.kind == .seconds || seconds >= 30
        else { return [] }
        let help = "write the real lifetime in seconds; if it is so short, set refresh.margin"
        return context.findings(
            .claimNotRead, "expires_in is \(Int(seconds)), so a refresh is due at once", at: span, help: help)
    }

    /// An optional value that the sample lacks, and without which no resource has a URL.
    private func ofBaseURL(in sample: Sample) -> [Diagnostic] {
        let needed = simulation.provider.api.baseURL?.requiredReferences ?? []
        return rules.capture.items.filter { capture in
            capture.value.isOptional && needed.contains(TemplateReference(.token, capture.name))
                && !sample.body.hasMember(at: capture.value.pointers.pointers)
        }.flatMap { capture in
            context.findings(
                .claimNotRead, "api.base_url needs the value {token.\(capture.name)}, and samples.token lacks it",
                at: places.api.baseURL.span, help: "give it a default, or remove 'optional'", sample: sample.place)
        }
    }

    private func ofIDToken(_ response: TokenResponse) -> [Diagnostic] {
        let scopes = simulation.provider.scopes
        let claims = response.idToken.flatMap { JSONValue(claimsOf: $0.reveal()) }
        // The sample may be of another environment or tenant, whose issuer differs in more.
        if let stated = claims?["iss"]?.string, let own = simulation.provider.issuer,
            stated == own + "/" || stated + "/" == own,
            !simulation.provider.shared.acceptsIssuer(stated, ofTokenWith: { claims?[$0]?.scalarText })
        {
            return context.findings(
                .tokenNotInSample, "the engine rejects samples.token: its ID token has the issuer \"\(stated)\"",
                at: places.issuer.span, help: "write the issuer as the ID tokens have it, to the final slash",
                sample: places.samples.token)
        }
        guard response.idToken == nil, simulation.provider.issuer != nil, simulation.provider.idToken.none == nil,
            !simulation.provider.authorization.omit.contains("scope"),
            (scopes.defaults + scopes.required).contains("openid")
        else { return [] }
        return context.findings(
            .tokenNotInSample,
            "samples.token has no ID token, but the scope openid is requested", at: places.samples.token.keySpan,
            help: "add id_token: redacted, if the provider sends one; if not, remove the scope")
    }

    private func ofLifetime(_ response: TokenResponse, in sample: Sample) -> [Diagnostic] {
        let rules = rules(of: sample)
        // A value with a default may be missing in the sample.
        guard let value = sample.body[rules.root]?.first(of: rules.fields.expiresIn.pointers) else { return [] }
        let isUnitWritten =
            written.expiry.isWritten || sample.name == "refresh" && places.refresh.response.expiry.isWritten
        // A time is plausible from the year 2001 on, which distinguishes seconds from milliseconds.
        let isPlausible =
            switch response.expiry {
            case .after(let seconds) where rules.expiry.kind == .seconds:
                seconds <= Self.longestLifetime && (isUnitWritten || !seconds.looksLikeMilliseconds)
            // Nobody issues a token for some seconds, or for hours of minutes that are a usual number of seconds.
            case .after(let seconds):
                seconds <= Self.longestLifetime && seconds >= 30
                    && !(rules.expiry.kind == .minutes && [3599, 3600, 7199, 7200].contains(seconds / 60))
            case .at(let date): (1_000_000_000...10_000_000_000).contains(date.timeIntervalSince1970)
            case .never, nil: true
            }
        return isPlausible || value.scalarText == "0" ? [] : [badLifetime(in: sample)]
    }

    private func badLifetime(in sample: Sample) -> Diagnostic {
        let rules = rules(of: sample)
        let value = sample.body[rules.root]?.first(of: rules.fields.expiresIn.pointers) ?? .null
        let kind = rules.expiry.kind
        return context.finding(
            .badLifetime,
            kind == .seconds
                ? "\(value.jsonText()) is not a lifetime in seconds"
                    + (Double(value.scalarText ?? "")?.looksLikeMilliseconds == true
                        ? ", and looks like milliseconds" : "")
                : "\(value.jsonText()) does not have the form \(kind.rawValue)",
            at: place(of: rules.fields.expiresIn, in: sample),
            help: "set its form: \(section): { response: { expires: KIND } }; or use 'default_expires_in'")
    }

    private func ofScopes(_ response: TokenResponse, in sample: Sample) -> [Diagnostic] {
        let rules = rules(of: sample)
        let field = fields(of: sample).scope
        if response.scopes == nil, field.isWritten,
            sample.body[rules.root]?.saysNone(at: rules.fields.scope.pointers) != true
        {
            return context.findings(
                .scopeNotInSample, "\(Self.list(rules.fields.scope.pointers)) finds nothing in samples.\(sample.name)",
                at: field.span, sample: sample.place)
        }
        guard let scopes = response.scopes else { return [] }
        let known = knownScopes
        let (own, requested) = (simulation.provider.scopes, simulation.provider.scopes.defaults)
        for scope in requested + own.required + own.offline where !scopes.contains(scope) {
            let near = scopes.first { !known.contains($0) && $0.lettersAndDigits == scope.lettersAndDigits }
            guard let near else { continue }
            return context.findings(
                .scopeNotInSample, "samples.\(sample.name) has the scope \"\(near)\", and \"\(scope)\" is requested",
                at: place(of: rules.fields.scope, in: sample),
                help:
                    "write one name; if the provider has both, list \(near) in scopes.catalog, with implies: [\(scope)]"
            )
        }
        for scope in scopes where !known.contains(scope) {
            for separator in [",", ";", "|", "+", " "] {
                let parts = scope.split(separator: separator).map(String.init)
                guard parts.count > 1, parts.contains(where: known.contains) else { continue }
                return context.findings(
                    .scopeNotInSample, "the engine reads \"\(scope)\" in samples.\(sample.name) as one scope",
                    at: place(of: rules.fields.scope, in: sample),
                    help: "set the separator: \(section): { response: { scope_separator: '\(separator)' } }")
            }
        }
        return []
    }

    private func refreshToken(in sample: Sample) -> String? {
        let rules = rules(of: sample)
        return sample.body[rules.root]?.first(of: rules.fields.refreshToken.pointers)?.scalarText
    }

    /// The places of the fields in the section of the sample. A refresh that inherits those of `token` may lack some.
    private func fields(of sample: Sample) -> Place<ResponseFields> {
        sample.name == "refresh" ? places.refresh.response.fields : written.fields
    }

    private static let refreshTokenLifetimes: Set = [
        "refreshexpiresin", "refreshtokenexpiresin", "xrefreshtokenexpiresin",
    ]

    /// Other names that servers have for the fields.
    private static let otherNames: [String: Set<String>] = [
        "expires_in": ["expiresin", "expirein", "expires", "expiresat", "expireat", "expiry", "expiration"],
        "refresh_token": ["refreshtoken"], "refresh_token_expires_in": refreshTokenLifetimes,
        "scope": ["scopes", "grantedscopes"], "id_token": ["idtoken"],
    ]

    /// A field that finds nothing in the sample, which has a member of a similar name.
    private func ofFields(in sample: Sample) -> [Diagnostic] {
        let (rules, written) = (rules(of: sample), fields(of: sample))
        guard let root = sample.body[rules.root], root.object != nil else { return [] }
        let expiry = rules.defaultExpiresIn != nil || simulation.provider.refresh.expiryFrom != .response
        let lifetime = rules.fields.refreshTokenExpiresIn
        // Some servers send it as zero beside no refresh token.
        let ofRefreshToken =
            root.hasMember(at: rules.fields.refreshToken.pointers)
            ? [("refresh_token_expires_in", lifetime, written.refreshTokenExpiresIn)] : []
        let fields =
            ofRefreshToken + [
                ("expires_in", rules.fields.expiresIn, written.expiresIn),
                ("refresh_token", rules.fields.refreshToken, written.refreshToken),
                ("scope", rules.fields.scope, written.scope), ("id_token", rules.fields.idToken, written.idToken),
            ]
        let depth = rules.root.tokens.count
        let elsewhere =
            rules.capture.items.flatMap(\.value.pointers.pointers).map {
                JSONPointer(tokens: Array($0.tokens.dropFirst(depth)))
            }
            + rules.tokenSets.items.map(\.value) + fields.flatMap(\.1.pointers)
        return fields.compactMap { name, field, place in
            guard !field.pointers.isEmpty, !root.hasMember(at: field.pointers) else { return nil }
            let similar: JSONPointer?
            if place.isWritten {
                similar = root.member(similarTo: field.pointers, besides: elsewhere)
                // What a refresh says for itself, its sample has.
                guard name != "scope", similar != nil || sample.name == "refresh" else { return nil }
            } else {
                let names = root.object?.members.filter { !$0.value.isNull && $0.value.object == nil }.map(\.name) ?? []
                similar = names.first { Self.otherNames[name]?.contains($0.lettersAndDigits) ?? false }
                    .map { JSONPointer(tokens: [$0]) }
                guard let similar, !elsewhere.contains(similar), name != "expires_in" || !expiry else { return nil }
            }
            let section = sample.name == "refresh" && place.isWritten ? "refresh" : section
            return context.finding(
                .claimNotRead, "\(Self.list(field.pointers)) finds nothing in samples.\(sample.name)",
                at: place.isWritten ? place.span : sample.place.keySpan,
                help: similar.map { "did you mean \(section): { response: { fields: { \(name): \($0) } } }?" },
                sample: place.isWritten ? sample.place : nil)
        }
    }

    /// The member that is meant by a pointer of a value that a sample lacks.
    private func similar(
        _ error: OAuthError, _ captures: NamedList<ResponseCapture>, in body: JSONValue?
    ) -> String? {
        guard error.kind == .valueMissing, let body else { return nil }
        let read = captures.items.flatMap(\.value.pointers.pointers)
        return captures.items.lazy.map(\.value.pointers.pointers).filter { !body.hasMember(at: $0) }
            .compactMap { body.member(similarTo: $0, besides: read) }.first.map { "did you mean \($0)?" }
    }

    /// A value that may be missing, beside a member whose name differs by a letter or two, or with an
    /// object or a list at its place, of which nothing is kept.
    private func of(
        _ captures: NamedList<ResponseCapture>, _ place: Place<NamedList<ResponseCapture>>, in body: JSONValue?,
        _ name: String, _ sample: Place<JSONValue>
    ) -> [Diagnostic] {
        guard let body else { return [] }
        let read = captures.items.flatMap(\.value.pointers.pointers)
        return captures.items.compactMap { capture in
            let pointers = capture.value.pointers.pointers
            func report(_ message: String, _ help: String) -> Diagnostic {
                context.finding(
                    .claimNotRead, "\(Self.list(pointers)) finds \(message)", at: place[capture.name].span, help: help,
                    sample: sample)
            }
            if let found = body.first(of: pointers), found.scalarText == nil {
                let kind = found.array == nil ? "an object" : "a list"
                return report("\(kind) in \(name), which is not kept", "keep a member that is a text or a number")
            }
            guard !body.hasMember(at: pointers), let meant = body.member(similarTo: pointers, besides: read)
            else { return nil }
            return report("nothing in \(name)", "did you mean \(meant)?")
        }
    }

    private var knownScopes: Set<String> {
        let scopes = simulation.provider.scopes
        var known = Set(scopes.defaults + scopes.required + scopes.offline + scopes.catalog.map(\.id))
        for resource in simulation.provider.resources {
            known.formUnion(resource.requirement.allOf + resource.requirement.anyOf)
        }
        return known
    }

    private func unexpected(in response: TokenResponse) -> [Diagnostic] {
        var found: [Diagnostic] = []
        if let scopes = expect.scopes, response.scopes.map(Set.init) != Set(scopes) {
            let granted = response.scopes.map { $0.isEmpty ? "none" : $0.joined(separator: ", ") } ?? "as requested"
            found.append(notAsExpected("the granted scopes are \(granted)", places.samples.expect.scopes))
        }
        if let lifetime = expect.expiresIn {
            let tokens = TokenSet(response, requested: [], now: Simulation.now)
            let seconds = tokens.expiresAt.map { Int($0.timeIntervalSince(tokens.issuedAt).rounded()) }
            if seconds != lifetime.count {
                let said = seconds.map { "the token is valid for \($0) seconds" } ?? "the token has no expiry"
                found.append(notAsExpected(said, places.samples.expect.expiresIn))
            }
        }
        return found
    }
}

// MARK: - Places

extension SampleFindings {
    func notAsExpected<Value>(_ message: String, _ place: Place<Value>, help: String? = nil) -> Diagnostic {
        context.finding(.notAsExpected, "the samples result in another value: \(message)", at: place.span, help: help)
    }

    private func place(of field: PointerList, in sample: Sample) -> SourceSpan {
        let rules = rules(of: sample)
        let nodes = field.pointers.lazy.compactMap { sample.place.node?.node(at: rules.root.tokens + $0.tokens) }
        return nodes.first?.span ?? sample.place.keySpan
    }
}

extension JSONValue {
    /// Whether a sample is a text that may be a form: neither XML nor JSON.
    var isForm: Bool { string.map { $0.contains("=") && !$0.contains { "<{".contains($0) } } ?? false }
}
