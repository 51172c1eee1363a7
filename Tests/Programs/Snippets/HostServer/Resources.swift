import CarnetHummingbird
import CarnetResourceServer
import CarnetTool
import HTTPTypes
import Hummingbird

/// Call it once, when the program starts.
func makeServer(_ registry: ProviderRegistry) throws -> ResourceServer {
    let issuer = try TokenIssuer(registry.descriptor("acme"), transport: SystemTransport())
    return try ResourceServer("https://api.acme.example", accepting: [issuer])
}

func protect(_ request: HTTPRequest, by server: ResourceServer) async -> Caller? {
    switch await server.decide(request, requiring: ["transfer"]) {
    case .allowed(let caller):
        return caller
    case .refused(let refusal):
        print(refusal.reason)  // for the log; send refusal.response
        return nil
    }
}

func metadata(_ request: HTTPRequest, from server: ResourceServer) -> (HTTPResponse, [UInt8])? {
    server.metadata(for: request)  // nil for every path but the well-known one
}

func protectedRouter(by server: ResourceServer) -> Router<BasicCallerRequestContext> {
    let router = Router(context: BasicCallerRequestContext.self)
    router.add(middleware: ResourceServerMiddleware(server))
    router.get("accounts/{id}") { _, context in
        "balance for \(context.caller?.subject ?? "nobody")"
    }
    return router
}
