import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes

/// The latest nonce of each server (RFC 9449, section 8). Token requests and resource requests have separate nonces.
final class DPoPNonces: Sendable {
    struct Place: Hashable {
        let origin: String
        let isResource: Bool

        init(of request: PreparedRequest) {
            let head = request.outgoing.head
            origin = "\(head.scheme ?? "")://\(head.authority ?? "")".lowercased()
            isResource = [.resource, .profile].contains(request.step)
        }
    }

    private let nonces = Lock<[Place: String]>([:])

    /// The maximum number of servers. Beyond it, all nonces are dropped; servers send new ones.
    private static let capacity = 256

    subscript(place: Place) -> String? { nonces.withLock { $0[place] } }

    /// Keeps the nonce of any response, a successful one too (RFC 9449, section 8.2).
    func learn(from response: IncomingResponse, at place: Place) {
        guard let nonce = response.dpopNonce else { return }
        nonces.withLock { nonces in
            if nonces.count >= Self.capacity, nonces[place] == nil { nonces = [:] }
            nonces[place] = nonce
        }
    }
}
