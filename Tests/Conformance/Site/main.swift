import CarnetHTTP
import CarnetHummingbird
import CarnetWeb
import Foundation
import HTTPTypes
import Hummingbird

// The site that the OpenID Foundation's conformance suite tests: one provider, described by a file. See Docs/certification.md.
let environment = ProcessInfo.processInfo.environment
func value(_ name: String) -> String { environment[name] ?? "" }

let origin = value("SITE_ORIGIN")
var registry = ProviderRegistry()
try registry.add(folder: value("SITE_PROVIDERS"))
let client = try OAuthClient(
    registry.descriptor("op"),
    registration: ClientRegistration(
        clientID: value("CARNET_OP_CLIENT_ID"), credentials: .secret(Secret(value("CARNET_OP_CLIENT_SECRET"))),
        redirectURI: origin + "/sign-in/op/callback", postLogoutRedirectURI: origin + "/signed-out"),
    transport: AsyncHTTPTransport()
)
let web = try WebSignIn(
    ProviderClients([client]), origin: origin, keys: KeyRing(text: value("COOKIE_KEY")), acceptsInitiatedSignIn: true)
let router = Router(context: BasicSignInRequestContext.self)
router.add(middleware: SignInMiddleware(web))
router.get("/") { _, context in context.signIn.account?.name ?? context.signIn.account?.subject ?? "signed out" }
try await Application(
    router: router,
    configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: Int(value("PORT")) ?? 8080)),
    services: [SignInService(web)]
).runService()
