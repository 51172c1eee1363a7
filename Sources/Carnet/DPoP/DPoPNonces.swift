import CarnetDescriptors
import CarnetProtocol
import HTTPTypes
import Synchronization

/// The latest nonce of each server (RFC 9449, section 8); a server's tokens and its resources have nonces apart.
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

    private let nonces = Mutex<[Place: String]>([:])

    /// How many servers are remembered; beyond it, all are forgotten and give a new one when asked.
    private static let capacity = 256

    subscript(place: Place) -> String? { nonces.withLock { $0[place] } }

    /// Keeps the nonce of any response, a success too (RFC 9449, section 8.2).
    func learn(from response: IncomingResponse, at place: Place) {
        guard let nonce = response.dpopNonce else { return }
        nonces.withLock { nonces in
            if nonces.count >= Self.capacity, nonces[place] == nil { nonces = [:] }
            nonces[place] = nonce
        }
    }
}
