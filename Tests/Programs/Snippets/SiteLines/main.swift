import CarnetHummingbird
import Hummingbird

let google = try OAuthClient(.google, redirectURI: "http://127.0.0.1:8080/sign-in/google/callback")
let web = try WebSignIn(ProviderClients([google]), origin: "http://127.0.0.1:8080")
let router = Router(context: BasicSignInRequestContext.self)
router.add(middleware: SignInMiddleware(web))
router.group("members").add(middleware: RequireSignIn()).get { _, context in
    "Hello, \(context.signIn.account?.name ?? "stranger")"
}
try await Application(router: router).runService()
