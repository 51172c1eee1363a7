import Carnet
import CarnetCatalog
import CarnetFiles
import CarnetHTTP
import CarnetUserAgent
import Foundation

let environment = ProcessInfo.processInfo.environment
let folder = FileManager.default.homeDirectoryForCurrentUser.appending(path: ".mytool/tokens").path
let client = try OAuthClient(
    provider: .google,
    in: .builtIn,
    registration: ClientRegistration(
        clientID: environment["GOOGLE_CLIENT_ID"] ?? "",
        credentials: environment["GOOGLE_CLIENT_SECRET"].map { .secret(Secret($0)) } ?? .publicClient,
        redirectURI: "http://127.0.0.1/callback",
        scopes: ["openid", "profile", "email"]
    ),
    transport: AsyncHTTPTransport(),
    store: FileTokenStore(folder: folder)
)

/// The session of an earlier run.
func storedSession() async throws -> Session? {
    guard let account = try await client.accounts().first else { return nil }
    return try await client.session(for: account)
}

func signIn() async throws -> Session {
    let browser = LoopbackUserAgent(presentation: .systemBrowser { print("Open \($0)") })
    return try await client.signIn(with: browser)
}

func greet(_ session: Session) async throws {
    let profile = try await session.profile()
    print("Hello, \(profile.name ?? "stranger") <\(profile.email ?? "no e-mail address")>")
}

if CommandLine.arguments.dropFirst().first == "logout" {
    let outcome = try await storedSession()?.signOut(.revoke)
    print(outcome?.isRevoked == false ? "Signed out here; the provider did not revoke the tokens." : "Signed out.")
} else if let session = try await storedSession() {
    do {
        try await greet(session)
    } catch let error as OAuthError where error.disposition == .signInAgain {
        print("\(error)")
        try await greet(try await signIn())
    }
} else {
    try await greet(try await signIn())
}
