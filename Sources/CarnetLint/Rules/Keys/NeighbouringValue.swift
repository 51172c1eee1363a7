import CarnetDescriptors
import CarnetFoundation

struct NeighbouringValue: LintRule {
    let explanation = DiagnosticExplanation(
        code: "K126",
        name: "neighbouring-value",
        severity: .warning,
        summary: "An endpoint or a parameter has what its neighbour usually has.",
        rationale: """
            The path of an endpoint often says which one it is. Two endpoints with each other's names are usually \
            exchanged, and the wrong server part would get the secret. An additional parameter that differs from one of the \
            standard's, or from a common one, by a letter is usually misspelled, and servers ignore it. At an issuer, the scopes 'profile' and \
            'email' have a meaning beside 'openid'.
            """,
        references: ["OpenID Connect Core 1.0, section 5.4"],
        bad: [
            """
            endpoints:
              authorization: ⟦https://id.acme.example/oauth/token⟧
              token: https://id.acme.example/oauth/authorize

            """,
            "authorization: { parameters: { ⟦acr_value⟧: high } }\n",
            "authorization: { offline_parameters: { ⟦acces_type⟧: offline } }\n",
            "token: { rename: { client_secret: ⟦client_secert⟧ } }\n",
            "profile: { claims: { subject: /id, given_name: /name, family_name: ⟦/name⟧ } }\n",
            "issuer: https://id.acme.example\nscopes: { ⟦default⟧: [profile, email] }\n",
        ],
        good: [
            """
            endpoints:
              authorization: https://id.acme.example/token/authorize
              token: https://id.acme.example/authorize/token

            """,
            "authorization: { parameters: { acr_values: high, access_type: offline } }\n",
        ]
    )

    /// How the last part of an endpoint's path is called, in letters.
    private static let names: [EndpointName: Set<String>] = [
        .authorization: ["authorize", "authorization", "auth", "login"],
        .token: ["token", "accesstoken", "gettoken"],
        .userinfo: ["userinfo", "me", "user", "profile"],
        .revocation: ["revoke", "revocation"],
        .introspection: ["introspect", "introspection", "tokeninfo"],
        .jwks: ["jwks", "jwksjson", "keys", "certs"],
    ]

    /// Parameters of no standard that several servers have.
    private static let common = [
        "access_type", "approval_prompt", "audience", "duration", "force_verify", "include_granted_scopes",
        "show_dialog", "token_access_type",
    ]

    func check(_ context: LintContext) -> [Diagnostic] {
        exchangedEndpoints(context) + misspelledParameters(context) + misspelledRenames(context)
            + sharedPointers(context) + scopesWithoutOpenID(context)
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

    /// Claims that no two of are ever the same member.
    private static let apart: Set<String> = [
        "given_name", "family_name", "email", "picture", "email_verified", "locale", "phone_number", "birthdate",
    ]

    private func sharedPointers(_ context: LintContext) -> [Diagnostic] {
        var known: [String: String] = [:]
        return context.places.profile.claims.entries.compactMap { entry in
            guard Self.apart.contains(entry.key), let pointer = entry.value.scalar?.text, pointer.hasPrefix("/") else {
                return nil
            }
            guard let other = known[pointer] else {
                known[pointer] = entry.key
                return nil
            }
            return finding(
                "\(entry.key) and \(other) are the same member", in: context, at: entry.value.span,
                help: "one of the two is probably elsewhere")
        }
    }

    private func exchangedEndpoints(_ context: LintContext) -> [Diagnostic] {
        let endpoints = context.descriptor.endpoints
        /// Which endpoint the path names instead.
        func other(_ name: EndpointName) -> EndpointName? {
            let path = endpoints[name]?.source.prefix { $0 != "?" }.split(separator: "/").last
            guard let last = path.map({ String($0).lettersAndDigits }), Self.names[name]?.contains(last) == false else {
                return nil
            }
            return Self.names.first { $0.value.contains(last) }?.key
        }
        return EndpointName.allCases.compactMap { name in
            guard let meant = other(name), other(meant) == name, name.rawValue < meant.rawValue,
                let node = context.places.endpoints[name].node
            else { return nil }
            return finding(
                "the endpoints \(name.rawValue) and \(meant.rawValue) have each other's names", in: context,
                at: node.span, help: "exchange the two URLs")
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
        return [
            finding(
                "without the scope openid, there is no ID token, and these scopes may mean nothing", in: context,
                at: place.keySpan, help: "add openid; for a server that has no OpenID Connect, write a section profile")
        ]
    }
}
