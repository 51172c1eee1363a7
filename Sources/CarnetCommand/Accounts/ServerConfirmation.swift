import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// Whether endpoints belong to the issuer of a resource, although they are at another host: a person says so. Otherwise the
/// operator of the resource could send the person to another provider, and receive what that one issues (mix-up; RFC 9700,
/// section 4.4).
struct ServerConfirmation {
    let resource: String
    /// What was confirmed at an earlier sign-in.
    let known: ProviderDescriptor?
    /// The hosts that an option confirms.
    let hosts: [String]
    /// Whether somebody at the terminal can be asked.
    let asks: Bool
    let console: Console

    /// The hosts of the server to use if the resource names several: those of the option, or that of the last sign-in.
    var chosenHosts: [String] {
        let known = known?.issuer.flatMap { try? WebURL($0.source) }
        return hosts.isEmpty ? known.map { [$0.host] } ?? [] : hosts
    }

    /// - Throws: `Failure` without a confirmation.
    func accepted(_ foreign: [EndpointName: WebURL], of issuer: String) async throws -> [EndpointName: WebURL] {
        let confirmed = foreign.filter { name, url in hosts.contains(url.host) || isKnown(name, url, issuer) }
        guard let page = foreign[.authorization], confirmed[.authorization] == nil else { return confirmed }
        let server = (try? WebURL(issuer))?.host ?? issuer
        let fact =
            "\(resource) names the authorization server \(server), whose sign-in page is at another host, \(page.host)"
        guard asks, StandardInput.isTerminal, OutputChannel.standardError.isTerminal, !console.isJSON else {
            throw Failure(
                .failed, fact.printable,
                details: [Failure.Detail(name: "sign_in_page", text: page.text)],
                next: [
                    "if one operator has both hosts, run carnet login \(resource.shellWord) --authorization-host \(page.host.shellWord)"
                        .printable
                ])
        }
        console.note("\(fact).".printable)
        console.note("If these are two operators, \(server) receives what you grant at \(page.host).".printable)
        console.note("Type yes if one operator has both hosts: ")
        guard try await StandardInput.line()?.lowercased() == "yes" else {
            throw Failure(.failed, "\(page.host) was not confirmed; nothing was sent there".printable)
        }
        return foreign.filter { $1.host == page.host }
    }

    private func isKnown(_ name: EndpointName, _ url: WebURL, _ issuer: String) -> Bool {
        guard let known, known.issuer?.source.isSameBytes(as: issuer) == true else { return false }
        return known.endpoints[name]?.source.isSameBytes(as: url.text) == true
    }
}
