import Carnet
import CarnetHTTP
import CarnetUserAgent
import Foundation

var registry = ProviderRegistry()
try registry.add(folder: "providers")

let environment = ProcessInfo.processInfo.environment
let client = try OAuthClient(
    registry.descriptor("acme"),
    registration: ClientRegistration(
        clientID: environment["ACME_CLIENT_ID"] ?? "",
        credentials: environment["ACME_CLIENT_SECRET"].map { .secret(Secret($0)) } ?? .publicClient,
        redirectURI: "http://127.0.0.1/callback"
    ),
    transport: AsyncHTTPTransport()
)
let browser = LoopbackUserAgent(presentation: .systemBrowser { print("Open \($0)") })
let session = try await client.signIn(with: browser)
let profile = try await session.profile()
print("Hello, \(profile.name ?? profile.subject ?? "stranger")")
