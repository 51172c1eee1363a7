import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetSandbox
import CarnetTransport
import HTTPTypes

/// Posts a sandbox's logout tokens to the clients, and prints the responses.
struct SandboxLogoutSender {
    private let console: Console
    private let transport = makeNetworkTransport(localAccess: .all)

    init(_ console: Console) {
        self.console = console
    }

    func send(_ logout: SandboxLogout) async {
        do {
            let url = try WebURL(logout.url)
            let head = HTTPRequest(
                method: .post, scheme: url.scheme, authority: url.authority, path: url.target,
                headerFields: [.contentType: SandboxLogout.contentType])
            let request = OutgoingRequest(head: head, body: logout.body)
            let status = try await transport.send(request, limits: TransportLimits(deadline: .seconds(5))).status
            console.note("sent a logout token to \(url.text): \(status)")
        } catch {
            console.warn("the logout token could not be sent to \(logout.url.printable): \(error)")
        }
    }
}
