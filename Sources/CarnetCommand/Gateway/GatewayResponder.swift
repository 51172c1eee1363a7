import CarnetFoundation
import CarnetGateway
import CarnetHummingbird
import CarnetWeb
import HTTPTypes
import Hummingbird
import NIOCore

/// Hands requests to the gateway, with the address of the proxy.
struct GatewayResponder: HTTPResponder {
    struct Context: InitializableFromSource {
        let channel: any Channel

        init(source: ApplicationRequestContextSource) { channel = source.channel }
    }

    let site: GatewaySite
    let sandbox: GatewaySandbox?

    func respond(to request: Request, context: Context) async throws -> Response {
        // A decision endpoint gets no body: every proxy keeps it for the program behind.
        let isDecision = request.uri.path.utf8.starts(with: GatewayPaths.decide.utf8)
        var body: [UInt8] = []
        if !isDecision {
            guard let read = try? await request.body.collect(upTo: WebSignIn.maximumBodyBytes) else {
                return Response(status: .contentTooLarge)
            }
            body = Array(read.readableBytesView)
        }
        let peer = (context.channel.remoteAddress?.ipAddress).flatMap { IPAddress(numericHost: $0) }
        var reply = await site.respond(to: request.head, body: body, from: peer)
        if let sandbox, !isDecision { reply = await sandbox.redirecting(reply) }
        return Response(reply)
    }
}
