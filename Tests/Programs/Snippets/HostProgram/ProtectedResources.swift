import Carnet
import CarnetTool

func session(at resource: String, _ network: any Transport, _ store: any TokenStore) async throws -> Session {
    let client = ClientMetadata(redirectURIs: ["http://127.0.0.1/callback"], clientName: "Reports")
    let registering = AutomaticRegistration(client, transport: network, store: store)
    return try await OAuthClient(resource: resource, registering: registering, transport: network, store: store)
        .signIn(with: LoopbackUserAgent(presentation: .systemBrowser { print("Open \($0)") }))
}

func call(_ resource: String, with session: Session, asking browser: any UserAgent) async throws -> IncomingResponse {
    try await session.send(HTTPRequest(url: resource), asking: browser)
}
