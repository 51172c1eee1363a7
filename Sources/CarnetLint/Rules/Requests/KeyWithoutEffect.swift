import CarnetDescriptors

struct KeyWithoutEffect: LintRule {
    let explanation = RuleExplanation(
        code: "K106",
        name: "key-without-effect",
        severity: .warning,
        summary: "A key is allowed here, but another key makes it mean nothing.",
        rationale: """
            A key that nothing reads makes its author believe that something is set. Most often the other key is the \
            mistake.
            """,
        bad: [
            """
            discovery: off
            ⟦discovery_url⟧: https://id.acme.example/metadata.json
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token

            """,
            "client: { authentication: [client_secret_post], ⟦basic_encoding⟧: raw }\n",
            "client: { authentication: [client_secret_post], ⟦assertion⟧: { lifetime: 30 } }\n",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            ⟦revocation⟧: { body: json }
            ⟦device⟧: { body: json }
            ⟦logout⟧: { parameters: { federated: 'yes' } }

            """,
            """
            issuer: https://id.acme.example
            endpoints: { ⟦pushed_authorization_request⟧: 'https://id.acme.example/par' }
            authorization: { pushed: never }

            """,
            "authorization: { request_object: { use: never, ⟦algorithm⟧: ES256 } }\n",
            "api: { token_in: { header: X-Acme-Token }, ⟦scheme⟧: OAuth }\n",
            "authorization: { fragment_route: /authorize, ⟦fragment⟧: top }\n",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            ⟦introspection⟧: { body: json }
            refresh: { ⟦expiry_from⟧: introspection }

            """,
            "profile: { jwt: [ES256], ⟦format⟧: json }\n",
            "profile: { from: id_token, ⟦headers⟧: { X-Version: '2' } }\nscopes: { default: [openid] }\n",
            """
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
            scopes: { default: [photos] }
            ⟦id_token⟧: { algorithms: [ES256] }

            """,
        ],
        good: ["revocation: { body: json }\nid_token: { algorithms: [ES256] }\n"]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let descriptor = context.descriptor
        var found: [Diagnostic] = []
        func report(_ path: [String], _ reason: String) {
            guard let key = path.last, let parent = context.root.node(at: Array(path.dropLast())),
                let entry = parent.entry(key)
            else { return }
            let name = path.joined(separator: ".")
            found.append(finding("'\(name)' has no effect: \(reason)", in: context, at: entry.keySpan))
        }
        if descriptor.discovery == .off { report(["discovery_url"], "discovery is off") }
        if descriptor.issuer == nil { report(["issuer_match"], "there is no issuer") }
        if !descriptor.client.authentication.contains(.clientSecretBasic) {
            report(["client", "basic_encoding"], "client_secret_basic is not among the methods")
        }
        if context.node("client", "authentication") != nil,
            !descriptor.client.authentication.contains(where: \.usesAssertion)
        {
            report(["client", "assertion"], "neither private_key_jwt nor client_secret_jwt is among the methods")
        }
        if descriptor.authorization.fragmentRoute != nil {
            report(["authorization", "fragment"], "fragment_route makes the fragment")
        }
        if descriptor.api.tokenIn != .authorization, descriptor.profile.tokenIn != .authorization {
            report(["api", "scheme"], "the access token is not in the Authorization header")
        }
        if descriptor.isWithout(.revocation) { report(["revocation"], "there is no revocation endpoint") }
        if descriptor.authorization.pushed.use == .never {
            report(["endpoints", "pushed_authorization_request"], "pushed is never")
            report(["authorization", "pushed", "repeat"], "pushed is never")
        }
        if descriptor.authorization.requestObject.use == .never {
            for key in ["algorithm", "audience", "lifetime", "repeat"] {
                report(["authorization", "request_object", key], "request_object is never")
            }
        }
        if descriptor.isWithout(.deviceAuthorization) {
            report(["device"], "there is no device_authorization endpoint")
        }
        let request = context.node("logout")?.entries?.filter { $0.key != "missing_exp" } ?? []
        if descriptor.isWithout(.endSession), !request.isEmpty {
            report(["logout"], "there is no end_session endpoint")
        }
        if let source = descriptor.profile.source, source != .userinfo {
            for key in RequestRules.keyNames + (descriptor.profile.requests.isEmpty ? ["token_in"] : []) + [
                "format", "jwt",
            ] {
                report(["profile", key], "the profile comes from \(source.rawValue), so no request is made")
            }
        }
        if descriptor.profile.jwt != nil { report(["profile", "format"], "the answer is a JWT") }
        if descriptor.isWithout(.introspection) {
            report(["introspection"], "there is no introspection endpoint")
            if descriptor.refresh.expiryFrom == .introspection {
                report(["refresh", "expiry_from"], "there is no introspection endpoint")
            }
        }
        if descriptor.idToken.hs256 != nil {
            report(["id_token", "algorithms"], "the client's secret signs, and nothing else")
        }
        if !descriptor.canHaveIDToken {
            report(["id_token"], "without an issuer there are no ID tokens")
            report(["logout", "missing_exp"], "without an issuer there are no logout tokens")
        }
        return found
    }
}

extension ProviderDescriptor {
    /// Whether an endpoint is neither named nor can be discovered.
    func isWithout(_ endpoint: EndpointName) -> Bool {
        endpoints[endpoint] == nil && !canDiscover
    }

    /// Whether an ID token can come and be checked: that takes an issuer.
    var canHaveIDToken: Bool { issuer != nil || canDiscover }
}
