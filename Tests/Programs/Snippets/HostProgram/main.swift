import CarnetTool

let client = try OAuthClient("acme", clients: "clients.yaml", providers: "providers")
let browser = LoopbackUserAgent(presentation: .systemBrowser { print("Open \($0)") })
let session = try await client.signIn(with: browser)
let profile = try await session.profile()
print("Hello, \(profile.name ?? profile.subject ?? "stranger")")
