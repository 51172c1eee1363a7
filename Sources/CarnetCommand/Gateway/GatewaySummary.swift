import Carnet
import CarnetFoundation
import CarnetGateway
import CarnetLint

extension GatewayLoader {
    /// What a gateway works with, for a person.
    struct Summary {
        let rules: GatewayRules
        let store: String
        let key: String
        /// What lint finds, although the gateway can decide by the file.
        let findings: [Diagnostic]
        let clients: [OAuthClient]

        var line: String {
            let providers = rules.providers.map(\.id.rawValue).joined(separator: ", ")
            let routes = rules.routes.count
            return "origin \(rules.origin.site), providers \(providers), \(routes) route\(routes == 1 ? "" : "s"), "
                + "store \(store), key \(key)"
        }

        func report(_ console: Console) {
            for finding in findings { console.warn(finding.lineWithHelp, level: finding.level) }
        }
    }

    /// Asks the providers for what the first sign-in needs.
    ///
    /// - Returns: The providers that did not respond as they should.
    func failures(of summary: Summary) async -> [Failure] {
        var failures: [Failure] = []
        for client in summary.clients {
            do {
                try await client.requestMetadata()
            } catch {
                var failure = Failure(describing: error)
                failure.summary = "\(client.provider.id): \(failure.summary)"
                failures.append(failure)
            }
        }
        return failures
    }
}
