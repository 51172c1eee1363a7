import CarnetCatalog
import CarnetHTTP
import CarnetHummingbird
import CarnetSQLite
import Foundation
import Hummingbird

let environment = ProcessInfo.processInfo.environment
let origin = environment["SITE_ORIGIN"] ?? "http://127.0.0.1:8080"

var providers = ProviderRegistry.builtIn
try providers.add(folder: environment["PROVIDERS"] ?? "providers")
let registry = providers

let transport = AsyncHTTPTransport()
let store = SQLiteStore(path: "data/tokens.sqlite", key: .environment("STORE_KEYS"))

func client(_ id: String, scopes: [String]? = nil) throws -> OAuthClient {
    try OAuthClient(
        provider: ProviderID(rawValue: id),
        in: registry,
        registration: ClientRegistration(
            clientID: environment["\(id.uppercased())_CLIENT_ID"] ?? "",
            credentials: environment["\(id.uppercased())_CLIENT_SECRET"].map { .secret(Secret($0)) } ?? .publicClient,
            redirectURI: "\(origin)/sign-in/\(id)/callback",
            scopes: scopes
        ),
        transport: transport,
        store: store
    )
}

let clients = ProviderClients([
    try client("google", scopes: ["openid", "profile", "email"]),
    try client("github"),
])
let web = try WebSignIn(clients, origin: origin, keys: KeyRing(text: environment["COOKIE_KEYS"] ?? ""))
let users = Users()

let router = Router(context: BasicSignInRequestContext.self)
router.add(middleware: SignInMiddleware(web))
router.get("/") { _, _ in "Public page. Members: /members" }
router.group("members").add(middleware: RequireSignIn()).get { _, context in
    let user = try await users.user(for: context.signIn)
    return "Hello, \(user.name)"
}

let address = ApplicationConfiguration(address: .hostname("127.0.0.1", port: 8080))
try await Application(router: router, configuration: address).runService()
