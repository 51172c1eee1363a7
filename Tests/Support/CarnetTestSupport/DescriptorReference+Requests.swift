import CarnetDescriptors

extension DescriptorReference {
    /// The requests of the standards with their parameters, made from the catalogue of requests.
    static var requests: String {
        let introduction = """

            ## Requests

            The parameters that Carnet sends according to the standards. A descriptor can change the name of each parameter
            with `rename`, and its encoding with `encode`. It can *replace* a parameter: omit it, and send another value in
            `parameters`. It can *set* a parameter in `parameters`, if the host sends no value; one with a key behind it, by that
            key, or omit it. The row of `token` has the parameters of client authentication. A pushed authorization request (RFC
            9126) has them besides those of `authorization`. A parameter of another standard than its request has it in parentheses.

            | Request | Can be replaced | Can be set | Can only be renamed |
            |---|---|---|---|

            """
        return introduction
            + RequestKind.allCases.filter { $0 != .pushedAuthorization && !$0.parameters.isEmpty }.map(row).joined()
    }

    private static func row(of kind: RequestKind) -> String {
        // The parameters of client authentication are those of the first request that has them.
        let known = kind == .token ? [] : RequestKind.token.parameters.filter { $0.name.rawValue.hasPrefix("client_") }
        let parameters = kind.parameters.filter { parameter in
            !known.contains { $0.name == parameter.name && $0.source == parameter.source && $0.rule == parameter.rule }
        }
        let counts = Dictionary(grouping: parameters, by: \.source).mapValues(\.count)
        let standard = parameters.map(\.source).max { counts[$0, default: 0] < counts[$1, default: 0] } ?? ""
        let cells = [Effect.replaced, .set, .renamed].map { effect in
            parameters.filter { Effect($0.rule) == effect }.map { parameter in
                var remarks: [String] = []
                if case .keyed(let key) = parameter.rule { remarks.append("`\(key)`") }
                if parameter.source != standard { remarks.append(short(parameter.source)) }
                let name = "`\(parameter.name.rawValue)`"
                return remarks.isEmpty ? name : "\(name) (\(remarks.joined(separator: "; ")))"
            }
            .joined(separator: ", ")
        }
        let grant = kind.grantType.map { ", with the grant type `\($0)`" } ?? ""
        return
            "| `\(kind.section)`: \(kind.method.rawValue) to `endpoints.\(kind.endpoint.rawValue)`\(grant) (\(short(standard))). "
            + "\(text(kind.client)) | \(cells.joined(separator: " | ")) |\n"
    }

    private static func short(_ source: String) -> String {
        source.hasPrefix("RFC ") ? source.replacing(", section ", with: ", ") : source
    }

    private static func text(_ client: RequestKind.ClientIdentification) -> String {
        switch client {
        case .accessToken: "The access token authorizes the request; the client does not authenticate."
        case .named: "The client sends its client_id and does not authenticate."
        case .authenticated: "The client authenticates."
        case .authenticatedAndNamed: "The client authenticates, and always sends its client_id in the body."
        }
    }

    /// What a descriptor can do with a parameter.
    private enum Effect {
        case replaced, set, renamed

        init(_ rule: ParameterRule) {
            self =
                switch rule {
                case .replaceable: .replaced
                case .settable, .keyed: .set
                case .protected, .carrier: .renamed
                }
        }
    }
}
