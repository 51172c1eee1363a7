import CarnetDescriptors

extension DescriptorReference {
    /// The requests of the standards with their parameters, made from the catalogue of requests.
    static var requests: String {
        let introduction = """

            ## Requests

            The parameters that Carnet sends according to the standards. A descriptor can change the name of each parameter
            with `rename`, and its encoding with `encode`. It can *replace* a parameter: omit it, and send another value in
            `parameters`. It can *set* a parameter in `parameters`, if the host sends no value. The table of `token` has the
            parameters of client authentication. A pushed authorization request (RFC 9126) has them besides those of
            `authorization`.

            """
        return introduction
            + RequestKind.allCases.filter { $0 != .pushedAuthorization && !$0.parameters.isEmpty }.map(text).joined()
    }

    private static func text(_ kind: RequestKind) -> String {
        // The parameters of client authentication are those of the first request that has them.
        let known = kind == .token ? [] : rows(of: .token).filter { $0.hasPrefix("| `client_") }
        let own = rows(of: kind).filter { !known.contains($0) }
        let grant = kind.grantType.map { ", with the grant type `\($0)`" } ?? ""
        return """

            ### `\(kind.section)`

            \(kind.method.rawValue) to `endpoints.\(kind.endpoint.rawValue)`\(grant). \(text(kind.client))

            | Parameter | Defined in | A descriptor can |
            |---|---|---|

            """ + own.joined()
    }

    private static func rows(of kind: RequestKind) -> [String] {
        kind.parameters.map { parameter in
            let source =
                parameter.source.hasPrefix("RFC ")
                ? parameter.source.replacing(", section ", with: ", ") : parameter.source
            return "| `\(parameter.name.rawValue)` | \(source) | \(text(parameter.rule)) |\n"
        }
    }

    private static func text(_ client: RequestKind.ClientIdentification) -> String {
        switch client {
        case .accessToken: "The access token authorizes the request; the client does not authenticate."
        case .named: "The client sends its client_id and does not authenticate."
        case .authenticated: "The client authenticates."
        case .authenticatedAndNamed: "The client authenticates, and always sends its client_id in the body."
        }
    }

    private static func text(_ rule: ParameterRule) -> String {
        switch rule {
        case .replaceable: "replace it"
        case .settable: "set it"
        case .keyed(let key): "set it with `\(key)`, or omit it"
        case .protected, .carrier: "only rename it"
        }
    }
}
