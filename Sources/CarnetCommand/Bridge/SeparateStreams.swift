import Carnet
import CarnetProtocol

/// Has connections of their own for responses that are streamed. While the reader of a stream makes the server wait, other
/// requests proceed: the refresh of a token must not wait, because it holds the account's lock.
struct SeparateStreams: Transport {
    let transport: any Transport
    let streams: any Transport

    func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
        try await (request.stream == nil ? transport : streams).send(request, limits: limits)
    }
}
