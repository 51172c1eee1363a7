public import CarnetWeb
import HTTPTypes
public import Hummingbird
import NIOCore

/// Answers the requests of the sign-in itself, and tells those behind it who is signed in. Add it before the routes.
public struct SignInMiddleware<Context: SignInRequestContext>: RouterMiddleware {
    private let web: WebSignIn

    public init(_ web: WebSignIn) {
        self.web = web
    }

    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if web.handles(request.head) {
            guard let body = try? await request.body.collect(upTo: WebSignIn.maximumBodyBytes) else {
                throw HTTPError(.contentTooLarge)
            }
            if let reply = await web.respond(to: request.head, body: Array(body.readableBytesView)) {
                return Response(reply)
            }
        }
        var context = context
        context.signIn.web = web
        context.signIn.session = try await web.liveSession(of: request.head)
        return try await next(request, context)
    }
}

/// Lets signed-in browsers pass. Others are shown the page of providers, which leads back; what is no page gets a 401.
public struct RequireSignIn<Context: SignInRequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if context.signIn.session != nil {
            var response = try await next(request, context)
            // A page for one person is not for a shared cache; a host that knows better says so itself.
            if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
            return response
        }
        guard let web = context.signIn.web else { throw HTTPError(.unauthorized, message: "sign in first") }
        return Response(web.signInFirst(request.head))
    }
}

extension Response {
    /// A reply of the sign-in, to be sent by this server.
    public init(_ reply: WebReply) {
        self.init(
            status: reply.head.status,
            headers: reply.head.headerFields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: reply.body))
        )
    }
}
