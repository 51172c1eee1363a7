import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox

/// Refusals of the sandbox. It knows only the descriptor, so advice about a real provider, such as its documentation or a
/// registered redirect URI, does not help.
extension Trial {
    func failed(_ error: any Error) -> TrialStep.Outcome {
        guard var error = error as? OAuthError else { return .failed(Failure(describing: error)) }
        guard error.server != nil || error.status.map({ $0 >= 400 }) == true else {
            return .failed(failures.explain(error))
        }
        let section = error.step.section
        if let server = error.server {
            error.descriptorKey = key(in: section, of: server.code, server.message ?? "")
        }
        var failure = failures.explain(error)
        failure.next = [Self.next(error.descriptorKey ?? section)]
        return .failed(failure)
    }

    func failed(_ summary: String, _ refusal: SandboxRefusal, of section: String) -> Failure {
        let key = key(in: section, of: "", refusal.text)
        let details = [
            Failure.Detail(name: "descriptor_key", text: key),
            Failure.Detail(name: "http_status", text: String(refusal.status)),
        ]
        return Failure(
            .failed, "\(summary): \(refusal.text)", details: details.map(failures.placed), next: [Self.next(key)])
    }

    private static func next(_ key: String) -> String {
        "correct \(key): the sandbox compares the request with the descriptor and the standards, and refused it"
    }

    /// The key of a parameter or header that the reason names, else that of the code.
    private func key(in section: String, of code: String, _ reason: String) -> String {
        let words = reason.split { !$0.isLetter && !$0.isNumber && !"_-.".contains($0) }
        let path = section.split(separator: ".").map(String.init)
        for part in setup.entry.document.root?.node(at: path)?.entries ?? []
        where ["encode", "headers", "rename"].contains(part.key) || part.key.hasSuffix("parameters") {
            for entry in part.value.entries ?? [] where words.contains(where: { $0 == entry.key }) {
                return "\(section).\(part.key).\(entry.key)"
            }
        }
        return switch code {
        case "invalid_client", "unauthorized_client": "client.authentication"
        case "invalid_scope": "scopes"
        default: section
        }
    }
}
