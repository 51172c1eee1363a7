public import CarnetWeb
import HTTPTypes
public import Hummingbird
import NIOCore

/// Handles the requests of the sign-in itself, and adds the signed-in user to the context of others. Add it before
/// the routes.
///
/// An `OAuthError` or `TokenStoreError` that a handler throws becomes a page with a reference, or plain text for a request
/// that does not accept HTML.
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
        do {
            context.signIn.session = try await web.liveSession(of: request.head)
        } catch {
            return Response(web.problem(error, in: request.head))
        }
        do {
            return try await next(request, context)
        } catch let error where error is OAuthError || error is TokenStoreError {
            // A handler that met an ended session or an unavailable provider: the same page as for a failed sign-in.
            return Response(web.problem(error, in: request.head))
        }
    }
}

/// Requires a session. Without one, a browser is redirected to the page of providers, which leads back after the
/// sign-in; a request that does not accept HTML gets a 401.
public struct RequireSignIn<Context: SignInRequestContext>: RouterMiddleware {
    public init() {}

    public func handle(
        _ request: Request,
        context: Context,
        next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        if context.signIn.session != nil {
            var response = try await next(request, context)
            // A page for one user must not be in a shared cache, unless the host says otherwise.
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
            status: reply.head.status, headers: reply.head.headerFields,
            body: ResponseBody(byteBuffer: ByteBuffer(string: reply.body))
        )
    }
}
