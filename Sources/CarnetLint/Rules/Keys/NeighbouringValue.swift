import CarnetDescriptors
import CarnetFoundation

struct NeighbouringValue: LintRule {
    let explanation = DiagnosticExplanation(
        "K126", name: "neighbouring-value", severity: .warning,
        summary: "An endpoint, a claim or a parameter has what its neighbour usually has.",
        rationale: """
            The path of an endpoint often says which one it is. Two endpoints with each other's names are usually \
            exchanged, and the wrong server part would get the secret. The same holds for the pointers of claims. An \
            additional parameter that differs from one of the standard's, or from a common one, by a letter is usually misspelled, and servers ignore it. At an issuer, the scopes 'profile' and \
            'email' have a meaning beside 'openid'.
            """,
        references: ["OpenID Connect Core 1.0, section 5.4"],
        bad: [
            """
            endpoints:
              authorization: ⟦https://id.acme.example/oauth/token⟧
              token: https://id.acme.example/oauth/authorize
            """,
            "issuer: https://a.example\nendpoints: { introspection: '{issuer}/end', end_session: ⟦'{issuer}/introspect'⟧ }",
            "authorization: { parameters: { ⟦acr_value⟧: high } }",
            "authorization: { offline_parameters: { ⟦acces_type⟧: offline } }",
            "token: { rename: { client_secret: ⟦client_secert⟧ } }",
            "authorization: { parameters: { ⟦grant_type⟧: basic } }",
            "profile: { claims: { subject: /id, given_name: /name, family_name: ⟦/name⟧ } }",
            "profile: { claims: { subject: /id, given_name: ⟦/last_name⟧, family_name: ⟦/first_name⟧ } }",
            "profile: { claims: { subject: /id, email: /contact, name: ⟦/contact⟧ } }",
            "profile: { claims: { subject: /id, team: ⟦/region⟧, region: /team } }",
            "token: { response: { fields: { refresh_token: ⟦/access_token⟧ } } }",
            "token: { response: { fields: { access_token: ⟦/refreshToken⟧, refresh_token: /accessToken }, capture: { site: ⟦{ from: /shop, example: a }⟧, shop: { from: /site, example: b } } } }",
            "profile: { claims: { subject: /id, website: /url, picture: ⟦/url⟧ } }",
            "issuer: https://id.acme.example\nscopes: { ⟦default⟧: [profile, email] }",
        ],
        good: [
            """
            endpoints:
              authorization: https://id.acme.example/token/authorize
              token: https://id.acme.example/authorize/token

            endpoints:
              authorization: https://id.acme.example/start
              token: https://id.acme.example/token
              device_authorization: https://id.acme.example/devices/authorize
              registration: https://id.acme.example/clients
              userinfo: https://api.acme.example/registered_devices
            """,
            "authorization: { parameters: { acr_values: high, access_type: offline } }",
            "token: { response: { fields: { access_token: /id_token }, capture: { site: { from: /shop/site, example: a }, shop: { from: /shop/id, example: b } } } }",
            "profile: { claims: { subject: /id, username: /id, name: /id, email: /email, given_name: /first_name } }",
            """
            profile: { claims: { subject: /id, email: /email, name: /email, full: /full }, derive: { name: "{capture(claim.full, '.+')}" } }

            profile: { claims: { subject: /id, email: /email, name: /email } }
            samples: { userinfo: { id: 1, email: a@acme.example }, expect: { claims: { name: a@acme.example } } }
            """,
        ])

    /// How the last part of an endpoint's path is called, in letters. A long word may be any part of the path.
    private static let names: [EndpointName: Set<String>] = [
        .authorization: ["authorize", "authorization", "auth", "login"],
        .token: ["token", "accesstoken", "gettoken"],
        .userinfo: ["userinfo", "me", "user", "profile"],
        .revocation: ["revoke", "revocation"],
        .introspection: ["introspect", "introspection"],
        .jwks: ["jwks", "jwksjson", "keys", "certs"],
        .endSession: ["logout", "signout", "endsession", "sessionend"],
        .deviceAuthorization: ["device"],
        .registration: ["register", "registration"],
    ]

    /// Parameters of no standard that several servers have.
    private static let common = [
        "access_type", "approval_prompt", "audience", "duration", "force_verify", "include_granted_scopes",
        "show_dialog", "token_access_type",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        exchangedEndpoints(context) + parametersOfTokens(context) + misspelledParameters(context)
            + misspelledRenames(context)
            + pointersOfOthers(context) + exchangedPointers(context) + scopesWithoutOpenID(context)
    }

    /// Two values of which each is read from the member with the other's name, and a refresh token that is another token.
    private func exchangedPointers(_ context: LintContext) -> [Diagnostic] {
        context.root.readMembers.flatMap { entries -> [Diagnostic] in
            let known = entries.prefix(64).filter { Self.otherMembers[$0.key] == nil }
            let names = known.map(\.key.lettersAndDigits)
            let members = known.map { $0.pointer?.tokens.last?.lettersAndDigits }
            return known.indices.compactMap { index in
                let (own, name) = (known[index], names[index])
                guard let member = members[index], member != name else { return nil }
                if let place = known.indices[(index + 1)...].first(where: { names[$0] == member && members[$0] == name }
                ) {
                    let other = known[place]
                    return finding(
                        "\(own.key) and \(other.key) are read from each other's member", in: context,
                        at: own.value.span,
                        help: "exchange the two pointers")
                }
                let tokens = ["access_token", "id_token"].map { token in
                    entries.first { $0.key == token }.map(\.pointer) ?? JSONPointer(tokens: [token])
                }
                guard own.key == "refresh_token", tokens.contains(own.pointer) else { return nil }
                return finding(
                    "the refresh token is read from the member of another token", in: context, at: own.value.span,
                    help: "if a refresh sends the access token, write refresh: { using: access_token }")
            }
        }
    }

    /// What a parameter is renamed to, if that is the parameter's own name with a slip of the pen. Not of a URI, which some
    /// call a URL, and no plural.
    private func misspelledRenames(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap(\.rename).compactMap { entry in
            guard let text = entry.value.scalar?.text, entry.key.utf8.count > 5, !entry.key.hasSuffix("_uri"),
                !text.isPlural(of: entry.key), !entry.key.isPlural(of: text),
                text.lettersAndDigits != entry.key.lettersAndDigits,
                nearestName(to: text, in: [entry.key], within: 1) != nil
            else { return nil }
            return finding(
                "\"\(text)\" is not \"\(entry.key)\"", in: context, at: entry.value.span,
                help: "if the provider's name is \(entry.key), leave it out of rename")
        }
    }

    /// How members that are other claims are called, in letters.
    private static let otherMembers: [String: Set<String>] = [
        "given_name": PartsAsAlternatives.family, "family_name": PartsAsAlternatives.given,
        "email": ["name", "phone"], "name": ["email", "mail"], "picture": ["email", "name"],
    ]
    private static let claims = ProfileRules.standardClaims.map(\.name) + ["phone_number", "birthdate", "website"]

    /// Those that may be one member. About a subject that can change, another rule reports.
    private static let together = [["subject", "username", "name"], ["subject", "username", "email"]]

    private func pointersOfOthers(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, profile) = (context.descriptor, context.places.profile)
        // A claim that a template replaces is its default. A claim that the samples expect is intended.
        let meant = descriptor.profile.derive.names + descriptor.samples.expect.claims.names
        return ([profile.claims.entries] + profile.requests.all.map { $0.claims.entries }).flatMap { claims in
            var known: [(claim: String, pointer: String)] = []
            return claims.compactMap { entry -> Diagnostic? in
                guard Self.claims.contains(entry.key), !meant.contains(entry.key),
                    let text = (entry.value.elements?.first ?? entry.value).scalar?.text,
                    let member = JSONPointer(text)?.tokens.last
                else { return nil }
                let other = known.first { other in
                    other.pointer.isSameBytes(as: text)
                        && !Self.together.contains { $0.contains(other.claim) && $0.contains(entry.key) }
                }
                known.append((entry.key, text))
                guard other != nil || Self.otherMembers[entry.key]?.contains(member.lettersAndDigits) == true
                else { return nil }
                return finding(
                    other.map { "\(entry.key) and \($0.claim) are the same member" }
                        ?? "the member \"\(member)\" is hardly the claim \(entry.key)", in: context,
                    at: entry.value.span,
                    help: other == nil ? "map the member that is \(entry.key)" : "one of the two is probably elsewhere")
            }
        }
    }

    private func exchangedEndpoints(_ context: LintContext) -> [Diagnostic] {
        var paths: [EndpointName: [String]] = [:]
        for name in EndpointName.allCases {
            let url = context.urls.first { $0.name == "endpoints.\(name.rawValue)" }
            paths[name] = url?.segments.map { String($0).lettersAndDigits }
        }
        // Only the whole part: a device may be registered, and a resource has devices.
        func contains(_ name: EndpointName, _ other: EndpointName) -> Bool {
            Self.names[other]?.contains { $0.utf8.count > 6 && paths[name]?.contains($0) == true } ?? false
        }
        // A path with the endpoint's own name in it is right.
        func mentions(_ name: EndpointName) -> Bool {
            let path = paths[name]?.joined() ?? ""
            return Self.names[name]?.contains { $0.utf8.count > 5 && path.holds($0) } ?? false
        }
        func ends(_ name: EndpointName, _ other: EndpointName) -> Bool {
            Self.names[other]?.contains(paths[name]?.last ?? "") ?? false
        }
        let unnamed = EndpointName.allCases.filter { name in
            paths[name] != nil && Self.names[name] != nil && !mentions(name) && !ends(name, name)
        }

        /// Which endpoint the path names instead.
        func other(_ name: EndpointName) -> EndpointName? {
            unnamed.first { contains(name, $0) || ends(name, $0) && ends($0, name) }
        }
        return unnamed.compactMap { name in
            guard let meant = other(name), other(meant) != name || name.rawValue < meant.rawValue,
                let node = context.places.endpoints[name].node
            else { return nil }
            return finding(
                "the path of the endpoint \(name.rawValue) names the endpoint \(meant.rawValue)", in: context,
                at: node.span, help: "exchange the two URLs")
        }
    }

    private static let ofTokens = ["client_assertion", "client_secret", "code", "grant_type", "refresh_token"]

    /// Parameters of a token request in the URL of the page. A server may tell requests to one URL apart by them.
    private func parametersOfTokens(_ context: LintContext) -> [Diagnostic] {
        let (urls, places) = (context.descriptor.endpoints, context.places.authorization)
        guard urls[.token] == nil || urls[.authorization]?.source != urls[.token]?.source else { return [] }
        let added = [places.parameters, places.offlineParameters, places.reconsentParameters].flatMap(\.entries)
        return added.filter { Self.ofTokens.contains($0.key) }.map { entry in
            finding(
                "\"\(entry.key)\" is a parameter of token requests", in: context, at: entry.keySpan,
                help: "move it to token.parameters, or remove it")
        }
    }

    private func misspelledParameters(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap { message in
            message.added.compactMap { entry in
                let known = message.parameters.sorted() + Self.common
                guard !known.contains(entry.key), let nearest = nearestName(to: entry.key, in: known, within: 1),
                    // Short words that differ by a letter are often other words.
                    nearest.utf8.count > 5, !entry.key.isPlural(of: nearest),
                    nearest.lettersAndDigits != entry.key.lettersAndDigits
                else { return nil }
                return finding(
                    "\"\(entry.key)\" is not \"\(nearest)\"", in: context, at: entry.keySpan,
                    help: "did you mean \(nearest)?")
            }
        }
    }

    private func scopesWithoutOpenID(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, place) = (context.descriptor, context.places.scopes.defaults)
        guard descriptor.issuer != nil, descriptor.hasSignInPage, descriptor.canHaveIDToken,
            !descriptor.scopes.requestsOpenID,
            !context.places.profile.isWritten, descriptor.samples.token == nil,
            !descriptor.scopes.catalog.contains(where: { $0.id == "openid" }),
            descriptor.scopes.defaults.contains("profile") || descriptor.scopes.defaults.contains("email")
        else { return [] }
        return findings(
            "without the scope openid, there is no ID token, and these scopes may mean nothing", in: context,
            at: place.keySpan, help: "add openid; for a server that has no OpenID Connect, write a section profile")
    }
}

extension YAMLNode {
    /// The lists of what is read from responses.
    fileprivate var readMembers: [[YAMLEntry]] {
        (entries ?? []).filter { !["samples", "sample", "tables", "notes"].contains($0.key) }.flatMap { entry in
            let own = ["claims", "capture", "fields"].contains(entry.key) ? [entry.value.entries ?? []] : []
            return own + entry.value.readMembers
        } + (elements ?? []).flatMap(\.readMembers)
    }
}

extension YAMLEntry {
    /// The first place that a value is read from.
    fileprivate var pointer: JSONPointer? {
        let place = value.node(at: ["from"]) ?? value
        return (place.elements?.first ?? place).scalar.flatMap { JSONPointer($0.text) }
    }
}
