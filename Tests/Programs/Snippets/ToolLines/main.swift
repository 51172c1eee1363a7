import CarnetTool

let google = try OAuthClient(.google, clientID: "YOUR-CLIENT-ID", redirectURI: "http://127.0.0.1/callback")
let session = try await google.session()
print("Hello, \(try await session.profile().name ?? "stranger")")
