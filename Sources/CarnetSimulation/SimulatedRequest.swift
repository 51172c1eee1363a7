package import CarnetDescriptors
import CarnetProtocol
import HTTPTypes

/// A request as it goes on the wire, byte for byte.
package struct SimulatedRequest: Sendable {
    package let method: String
    package let url: String
    package let headers: [Named<String>]
    package let body: String

    init(_ request: PreparedRequest) {
        let head = request.outgoing.head
        method = head.method.rawValue
        url = "\(head.scheme ?? "https")://\(head.authority ?? "")\(head.path ?? "")"
        headers = head.headerFields.map { Named($0.name.rawName, $0.value) }
        body = String(decoding: request.outgoing.body, as: UTF8.self)
    }

    /// A page that the browser goes to.
    init(page url: String) {
        (method, self.url, headers, body) = ("GET", url, [], "")
    }
}

/// The requests of one client, in the order of a sign-in and what follows.
package enum SimulatedStep: String, CaseIterable, Sendable {
    case authorization, token, refresh, userinfo, revocation
    case endSession = "end_session"
}
