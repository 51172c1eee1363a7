import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation
import Testing

/// Records what goes to the token endpoint on the way to the sandbox, and changes what comes from it.
final class TokenEndpoint: Transport {
    struct Exchange {
        let form: [String: String]
        /// The strings of the response.
        let body: [String: String]
        var token: String { body["access_token"] ?? "" }
    }

    private let inner: any Transport
    private let recorded = Lock<[Exchange]>([])
    private let changes = Lock<[String: @Sendable (IncomingResponse) async -> IncomingResponse]>([:])

    init(_ inner: any Transport) { self.inner = inner }

    /// - Parameter grant: The end of `grant_type`.
    func exchanges(_ grant: String = "token-exchange") -> [Exchange] {
        recorded.withLock { $0 }.filter { $0.form["grant_type"]?.hasSuffix(grant) ?? false }
    }

    func change(_ grant: String, _ body: (@Sendable (IncomingResponse) async -> IncomingResponse)?) {
        changes.withLock { $0[grant] = body }
    }

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        let fields = PercentEncoding.decodeForm(String(decoding: request.body, as: UTF8.self)) ?? []
        let form = Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
        guard let grant = form["grant_type"] else { return try await inner.send(request, limits: limits) }
        let change = changes.withLock { changes in changes.first { grant.hasSuffix($0.key) }?.value }
        var response = try await inner.send(request, limits: limits)
        if let change { response = await change(response) }
        let object = try? JSONSerialization.jsonObject(with: Data(response.body)) as? [String: Any]
        let body = (object ?? [:]).compactMapValues { $0 as? String }
        recorded.withLock { $0.append(Exchange(form: form, body: body)) }
        return response
    }
}

extension Stand {
    /// A person who signed in at a gateway with the file.
    static func signedIn(
        _ file: String
    ) async throws -> (stand: Stand, person: Person, endpoint: TokenEndpoint) {
        let made = Lock<TokenEndpoint?>(nil)
        let stand = try await Stand(file) { transport in
            let endpoint = TokenEndpoint(transport)
            made.withLock { $0 = endpoint }
            return endpoint
        }
        var person = Person(stand)
        #expect(try await person.open("https://apps.example/wiki").reply.status == 200)
        return (stand, person, try #require(made.withLock { $0 }))
    }
}
