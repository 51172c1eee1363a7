import CarnetDescriptors
import CarnetFoundation

struct ParameterLostAtRefresh: LintRule {
    let explanation = DiagnosticExplanation(
        code: "C025",
        name: "parameter-lost-at-refresh",
        severity: .warning,
        summary: "A parameter of the token request is missing in the refresh request.",
        rationale: """
            A refresh inherits all of `token` except its parameters. A parameter that selects the format of the response, or \
            a version, is usually needed in both: without it, each sign-in works and each refresh fails.
            """,
        bad: [
            """
            token: { parameters: { ⟦format⟧: json } }
            refresh: { margin: 300 }

            """
        ],
        good: [
            """
            token: { parameters: { format: json } }
            refresh: { parameters: { format: json } }

            """,
            """
            token: { parameters: { device: '{callback.state}' } }
            refresh: { margin: 300 }

            """,
        ]
    )

    func check(_ context: LintContext) -> [Diagnostic] {
        let (descriptor, places) = (context.descriptor, context.places)
        let own = descriptor.refresh.request.parameters.names
        guard descriptor.endpoints[.refresh] == nil, descriptor.refreshes(places) else { return [] }
        return places.token.request.parameters.entries.compactMap { entry in
            guard !own.contains(entry.key), StandardParameter(rawValue: entry.key) == nil,
                entry.value.scalar?.isNull != true,
                // What belongs to the code cannot be sent again.
                !(entry.value.scalar?.text.contains("callback.") ?? false)
            else { return nil }
            return finding(
                "\"\(entry.key)\" is not sent in a refresh", in: context, at: entry.keySpan,
                help: "add it to refresh.parameters")
        }
    }
}

extension ProviderDescriptor {
    /// Whether the file shows that there are refresh tokens.
    fileprivate func refreshes(_ places: Place<DescriptorRules>) -> Bool {
        places.refresh.isWritten || places.scopes.offline.isWritten
            || places.authorization.offlineParameters.isWritten
            || self.samples.token?.first(of: self.token.response.fields.refreshToken.pointers) != nil
    }
}
