import CarnetHummingbird
import Foundation
import Hummingbird

let google = try OAuthClient(
    .google, redirectURI: "https://app.example/sign-in/google/callback", clients: "clients.yaml")
let keys = try KeyRing(text: ProcessInfo.processInfo.environment["COOKIE_KEY"] ?? "")
let router = Router(context: BasicSignInRequestContext.self)

let signIn = try WebSignIn(ProviderClients([google]), origin: "https://app.example", keys: keys)
router.add(middleware: SignInMiddleware(signIn))
router.group().add(middleware: RequireSignIn()).get("/") { _, context in
    "Hello, \(context.signIn.account?.name ?? "stranger")"
}

try await Application(router: router).runService()
