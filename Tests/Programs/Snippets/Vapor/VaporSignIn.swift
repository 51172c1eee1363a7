import CarnetWeb
import HTTPTypes
import Vapor

/// Serves Carnet's routes. Register it before the routes of the site: `app.middleware.use(SignInMiddleware(signIn: signIn))`.
struct SignInMiddleware: AsyncMiddleware {
    let signIn: SignIn

    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        guard let head = signIn.head(of: request) else { return Response(status: .badRequest) }
        let reply = try await signIn.reply(to: head) {
            // Throws an error with the status 413 if the body is larger.
            let body = try await request.body.collect(max: WebSignIn.maximumBodyBytes).get()
            return body.map { Array($0.readableBytesView) } ?? []
        }
        if let reply { return Response(reply) }
        return try await next.respond(to: request)
    }
}

/// Requires a session: `app.grouped(RequireSignIn(signIn: signIn)).get("members") { request in … request.webSession … }`.
struct RequireSignIn: AsyncMiddleware {
    let signIn: SignIn

    func respond(to request: Request, chainingTo next: any AsyncResponder) async throws -> Response {
        guard let head = signIn.head(of: request) else { return Response(status: .badRequest) }
        let (session, reply) = await signIn.gate(head)
        if let reply { return Response(reply) }
        request.storage[SessionKey.self] = session
        return try await next.respond(to: request)
    }
}

private struct SessionKey: StorageKey {
    typealias Value = WebSession
}

extension Request {
    /// The accounts of this browser, behind `RequireSignIn`.
    var webSession: WebSession? { storage[SessionKey.self] }
}

extension SignIn {
    fileprivate func head(of request: Request) -> HTTPRequest? {
        let headers = request.headers.map { (name: $0.name, value: $0.value) }
        return head(request.method.rawValue, request.url.string, headers)
    }
}

extension Response {
    /// A reply of Carnet. Each `Set-Cookie` field stays a field of its own.
    convenience init(_ reply: WebReply) {
        var headers = HTTPHeaders()
        for field in reply.head.headerFields { headers.add(name: field.name.rawName, value: field.value) }
        let status = reply.head.status
        self.init(
            status: HTTPResponseStatus(statusCode: status.code, reasonPhrase: status.reasonPhrase), headers: headers,
            body: .init(string: reply.body))
    }
}
