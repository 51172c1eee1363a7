import CarnetDescriptors

extension DescriptorReference {
    /// The requests of the standards with their parameters, made from the catalogue of requests.
    static var requests: String {
        let introduction = """

            ## Requests

            What Carnet sends because a standard says so. `rename` and `encode` work for each of these parameters, with its
            name here. A pushed authorization request (RFC 9126) has the parameters of `authorization`, and those of the
            client's authentication.

            """
        return introduction
            + RequestKind.allCases.filter { $0 != .pushedAuthorization && !$0.parameters.isEmpty }.map(text).joined()
    }

    private static func text(_ kind: RequestKind) -> String {
        let rows = kind.parameters.map { parameter in
            "| `\(parameter.name.rawValue)` | \(parameter.source) | \(text(parameter.rule)) |\n"
        }
        let grant = kind.grantType.map { ", with the grant type `\($0)`" } ?? ""
        return """

            ### `\(kind.section)`

            \(kind.method.rawValue) to `endpoints.\(kind.endpoint.rawValue)`\(grant). \(text(kind.client))

            | Parameter | Defined in | A descriptor can |
            |---|---|---|

            """ + rows.joined()
    }

    private static func text(_ client: RequestKind.ClientIdentification) -> String {
        switch client {
        case .accessToken: "The access token stands for the client."
        case .named: "The client names itself."
        case .authenticated: "The client authenticates."
        case .authenticatedAndNamed: "The client authenticates, and always names itself in the body."
        }
    }

    private static func text(_ rule: ParameterRule) -> String {
        switch rule {
        case .replaceable: "omit it, and send another value in `parameters`"
        case .settable: "set it in `parameters`, where the host sends none"
        case .keyed(let key): "say it with `\(key)`, or omit it"
        case .protected: "only rename it"
        case .carrier: "only rename it"
        }
    }
}
