public import CarnetWeb
public import ServiceLifecycle

/// Lets sign-ins and refreshes in progress finish when the process shuts down. Pass it to `Application` as one of its
/// `services`. It waits after the server has sent its last response.
public struct SignInService: Service {
    private let web: WebSignIn

    public init(_ web: WebSignIn) {
        self.web = web
    }

    public func run() async throws {
        try? await gracefulShutdown()
        await web.finish()
    }
}
