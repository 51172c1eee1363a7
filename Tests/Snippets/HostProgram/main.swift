import Carnet
import CarnetCatalog
import CarnetHTTP
import CarnetUserAgent

var registry = ProviderRegistry.builtIn
try registry.add(folder: "providers")  // drop a file in, select it by name

let client = try OAuthClient(
    provider: ProviderID(rawValue: CommandLine.arguments[1]),
    in: registry,
    registration: ClientRegistration(clientID: CommandLine.arguments[2], redirectURI: "http://127.0.0.1/callback"),
    transport: AsyncHTTPTransport()
)
let browser = LoopbackUserAgent(presentation: .systemBrowser { print("Open \($0)") })
let session = try await client.signIn(with: browser)
let profile = try await session.profile()
print("Hello, \(profile.name ?? "stranger")")
