import Carnet
import CarnetHTTP
import Foundation

let environment = ProcessInfo.processInfo.environment
var registry = ProviderRegistry()
try registry.add(folder: environment["PROVIDERS"] ?? "providers")

let client = try OAuthClient(
    provider: "reports",
    in: registry,
    registration: ClientRegistration(
        clientID: environment["REPORTS_CLIENT_ID"] ?? "",
        credentials: environment["REPORTS_CLIENT_SECRET"].map { .secret(Secret($0)) } ?? .publicClient,
        redirectURI: "http://127.0.0.1/callback"
    ),
    transport: AsyncHTTPTransport()
)
let jobs = HTTPRequest(url: (environment["REPORTS_API"] ?? "https://api.reports.example") + "/v1/jobs")

while !Task.isCancelled {
    do {
        let response = try await client.send(jobs, with: .clientCredentials(scopes: ["jobs.read"]))
        print("\(response.status): \(response.body.count) bytes")
    } catch let error as OAuthError where error.disposition == .tryLater {
        print("Trying again in a minute: \(error)")
    }
    try await Task.sleep(for: .seconds(60))
}
