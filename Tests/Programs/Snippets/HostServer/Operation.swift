import CarnetHummingbird
import Hummingbird

/// Routes for users and operators, beside those of the sign-in.
func addRoutes(to router: Router<BasicSignInRequestContext>, for web: WebSignIn) {
    // The user's browsers, the latest sign-in first.
    router.group("devices").add(middleware: RequireSignIn()).get { _, context in
        guard let account = context.signIn.account else { throw HTTPError(.unauthorized) }
        let browsers = try await web.browsers(of: account)
        return browsers.map { ($0.userAgent ?? "unknown") + ($0.isCurrent ? " (this one)" : "") }
            .joined(separator: "\n")
    }
    // For a readiness probe: 503 if a store or its keys do not work.
    router.get("health") { _, _ in
        await web.healthProblems().isEmpty ? HTTPResponse.Status.ok : .serviceUnavailable
    }
}

/// A page with data of the provider's API.
func addFiles(to router: Router<BasicSignInRequestContext>) {
    router.group("files").add(middleware: RequireSignIn()).get { _, context in
        let tokens = try await context.signIn.tokens(of: "acme")
        let response = try await tokens.send(HTTPRequest(url: "https://api.acme.example/files"))
        return ByteBuffer(bytes: response.body)
    }
}

/// An application that finishes its sign-ins when the process is asked to end.
func application(_ router: Router<BasicSignInRequestContext>, for web: WebSignIn) -> some ApplicationProtocol {
    Application(router: router, services: [SignInService(web)])
}
