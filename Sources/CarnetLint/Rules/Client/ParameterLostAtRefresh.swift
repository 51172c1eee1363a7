import CarnetDescriptors
import CarnetFoundation

struct ParameterLostAtRefresh: LintRule {
    let explanation = DiagnosticExplanation(
        "C025", name: "parameter-lost-at-refresh", severity: .warning,
        summary: "A parameter of the token request is missing in the refresh request.",
        rationale: """
            A refresh inherits all of `token` except its parameters. A parameter that selects the format of the response, or \
            a version, is usually needed in both: without it, each sign-in works and each refresh fails. `headers` of a refresh \
            replace those of `token` as a whole; write `headers: {}` if a refresh needs none.
            """,
        bad: """
            token: { parameters: { ⟦format⟧: json } }
            refresh: { margin: 300 }

            token: { parameters: { ⟦format⟧: json }, response: { root: /data, default_token_type: Bearer } }
            samples: { token: { data: { access_token: redacted, refresh_token: redacted } } }

            scopes: { default: [offline_access] }
            token: { parameters: { ⟦format⟧: json } }

            inputs: { assertion: { secret: true, example: e.x.y } }
            client: { authentication: [none] }
            scopes: { default: [offline_access] }
            token: { parameters: { ⟦client_assertion⟧: '{assertion}' } }

            token: { headers: { ⟦X-Api-Version⟧: '2' } }
            refresh: { headers: { X-Client: a } }
            """,
        good: """
            token: { headers: { X-Api-Version: '2' } }
            refresh: { headers: {} }

            scopes: { offline: [offline_access] }
            token: { parameters: { output: json }, response: { default_token_type: Bearer } }
            samples: { token: { access_token: redacted } }

            token: { parameters: { format: json } }
            refresh: { parameters: { format: json } }

            token: { parameters: { device: '{callback.state}' } }
            refresh: { margin: 300 }
            """)

    /// Credentials that a descriptor adds itself; the other parameters belong to the code.
    private static let ofClient: Set<StandardParameter> = [.clientAssertion, .clientAssertionType]

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, places) = (context.descriptor, context.places)
        // Another endpoint may want others.
        guard descriptor.endpoints[.refresh] == nil, descriptor.refreshes(places) else { return [] }
        let own = descriptor.refresh.request
        let parameters = places.token.request.parameters.entries.filter { entry in
            !own.parameters.contains(entry.key)
                && StandardParameter(rawValue: entry.key).map(Self.ofClient.contains) ?? true
        }
        let lost = own.headers.names.map { $0.lowercased() }
        let headers = places.token.request.headers.entries.filter { entry in
            !lost.isEmpty && !lost.contains(entry.key.lowercased()) && entry.key.lowercased() != "authorization"
        }
        // What belongs to the code cannot be sent again.
        return (parameters.map { ($0, "parameters") } + headers.map { ($0, "headers") }).compactMap { entry, key in
            guard entry.value.scalar?.isNull != true, !entry.value.texts.contains(where: { $0.contains("callback.") })
            else { return nil }
            return finding(
                "\"\(entry.key)\" is not sent in a refresh", in: context, at: entry.keySpan,
                help: "add it to refresh.\(key)")
        }
    }
}

extension ProviderDescriptor {
    /// Whether the file shows that there are refresh tokens.
    fileprivate func refreshes(_ places: Place<DescriptorRules>) -> Bool {
        let rules = self.token.response
        let sample = self.samples.token?[rules.root]
        let issues = sample?.first(of: rules.fields.refreshToken.pointers) != nil
        // A sample without one says that there are none, whatever the name of a scope.
        guard sample == nil || issues || places.refresh.isWritten || places.samples.refresh.isWritten
        else { return false }
        return places.refresh.isWritten || places.samples.refresh.isWritten || places.scopes.offline.isWritten
            || places.authorization.offlineParameters.isWritten
            || places.token.response.fields.refreshToken.isWritten
            || self.scopes.defaults.contains { $0.lettersAndDigits.hasPrefix("offline") }
            || issues
    }
}
