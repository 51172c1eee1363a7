import CarnetHTTP
import CarnetHummingbird
import CarnetResourceServer
import HTTPTypes
import Hummingbird

func protect(_ request: HTTPRequest, with registry: ProviderRegistry) async throws -> Caller? {
    let issuer = try TokenIssuer(registry.descriptor("acme"), transport: AsyncHTTPTransport())
    let server = try ResourceServer("https://api.acme.example", accepting: [issuer])
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
