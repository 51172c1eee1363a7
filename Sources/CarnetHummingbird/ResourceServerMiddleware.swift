public import CarnetResourceServer
import HTTPTypes
public import Hummingbird
import Logging
import NIOCore

/// A request context with the caller.
public protocol CallerRequestContext: RequestContext {
    /// Set by `ResourceServerMiddleware`; `nil` if the resource is open to anyone.
    var caller: Caller? { get set }
}

/// Refuses the requests that a resource server refuses, and adds the caller to the context of others. It also serves the
/// metadata of the resource server. Add it before the routes.
///
/// A refusal is logged with its reason at the level info.
public struct ResourceServerMiddleware<Context: CallerRequestContext>: RouterMiddleware {
    private let server: ResourceServer
    private let scopes: [String]

    /// - Parameter scopes: The scopes that each request needs, besides those of the resource map.
    public init(_ server: ResourceServer, requiring scopes: [String] = []) {
        self.server = server
        self.scopes = scopes
    }

    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if let (response, body) = server.metadata(for: request.head) {
            return Response(
                status: response.status, headers: response.headerFields,
                body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
        }
        switch await server.decide(request.head, requiring: scopes) {
        case .allowed(let caller):
            var context = context
            context.caller = caller
            return try await next(request, context)
        case .refused(let refusal):
            context.logger.info("Request refused", metadata: ["reason": "\(refusal.reason)"])
            return Response(status: refusal.response.status, headers: refusal.response.headerFields)
        }
    }
}

/// A context without properties of the host's own.
public struct BasicCallerRequestContext: CallerRequestContext {
    public var coreContext: CoreRequestContextStorage
    public var caller: Caller?

    public init(source: Source) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
