import CarnetDescriptors
import CarnetFoundation

struct ProtocolParameterInURL: LintRule {
    let explanation = DiagnosticExplanation(
        "E005", name: "protocol-parameter-in-url",
        summary: "The query of an endpoint sets a protocol parameter, or a parameter that the request has too.",
        rationale: """
            Carnet keeps the query of an endpoint. If the request has a parameter of the query too, it would be sent \
            twice, and servers differ on which value they use. RFC 6749 forbids repeated parameters.
            """,
        references: ["RFC 6749, section 3.1", "RFC 6749, section 3.2"],
        bad: """
            endpoints:
              authorization: https://id.acme.example/authorize?⟦response_type=token⟧&tenant=x
              token: https://id.acme.example/token?⟦client_id=abc⟧

            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token?⟦tenant=x⟧
            client_credentials: { parameters: { tenant: b } }
            """,
        good: """
            endpoints:
              authorization: https://id.acme.example/authorize?p=b2c_1_sign_in
              token: https://id.acme.example/token
            """)

    func check(_ context: LintContext) -> [Diagnostic] {
        context.urls.filter { $0.kind == .endpoint && $0.query != nil }.flatMap { url in
            let added = added(toRequestsTo: url, context)
            return url.queryParameters.compactMap { parameter -> Diagnostic? in
                let span = context.span(of: parameter.text, in: url.node)
                if Self.isReserved(parameter.name, parameter.text) {
                    return finding(
                        "the query of \(url.name) sets the protocol parameter \"\(parameter.name)\"", in: context,
                        at: span, help: "remove it; Carnet sends the protocol parameters itself" + inQuery(url))
                }
                return added.first { $0.key == parameter.name }.map { entry in
                    finding(
                        "the query of \(url.name) sets \"\(parameter.name)\", which the request has too", in: context,
                        at: span, help: "remove one of them",
                        related: [context.related("the parameter of the request", at: entry.keySpan)])
                }
            }
        }
    }

    /// The parameters that the descriptor adds to the requests to an endpoint. Those of a signed request are not in the URL.
    private func added(toRequestsTo url: DescriptorURL, _ context: LintContext) -> [YAMLEntry] {
        context.requests.filter { request in
            guard let kind = request.kind else { return false }
            let isSigned = kind == .authorization && context.descriptor.authorization.requestObject.use == .always
            return !isSigned && url.name.hasSuffix(".\(context.descriptor.endpoint(of: kind).rawValue)")
        }.flatMap(\.added)
    }

    /// How the parameters of a token request that the URL has are sent in the query.
    private func inQuery(_ url: DescriptorURL) -> String {
        let names = url.queryParameters.filter { Self.isReserved($0.name, $0.text) }.map(\.name)
        guard url.name == "endpoints.token", !names.isEmpty else { return "" }
        return ", and in the query with token: { query_parameters: [\(names.joined(separator: ", "))] }"
    }

    private static func isReserved(_ name: String, _ text: Substring) -> Bool {
        [RequestKind.authorization, .token, .refresh].contains { kind in
            guard let parameter = kind.parameter(name), parameter.rule != .settable else { return false }
            return !parameter.name.isPlain(text)
        }
    }
}

extension ProviderDescriptor {
    /// The endpoint of a request, which may be another than the standard's.
    fileprivate func endpoint(of kind: RequestKind) -> EndpointName {
        switch kind {
        case .refresh where self.endpoints[.refresh] != nil: .refresh
        case .deviceToken where self.endpoints[.deviceToken] != nil: .deviceToken
        default: kind.endpoint
        }
    }
}
