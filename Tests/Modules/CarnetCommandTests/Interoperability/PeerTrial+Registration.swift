import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Testing

/// Clients that register themselves.
extension PeerTrial {
    /// A client registers itself, signs the user in, is changed and taken back.
    mutating func tryRegistration() async throws {
        guard has(.registration) else {
            for exchange in [Exchange.registration, .registered, .management] {
                note(exchange, .lacking("no endpoint"))
            }
            return
        }
        let registrar = ClientRegistrar(transport: transport)
        var wanted = ClientMetadata(
            redirectURIs: [peer.registration.redirectURI], clientName: "Registered",
            authenticationMethod: .clientSecretBasic,
            scopes: ["openid", "profile", "email"])
        guard let registered = try await register(&wanted, with: registrar) else { return }
        if transport.last?.status == 200 { note(.registeredWith200) }
        note(.registration, .passed(wanted.keys.isEmpty ? nil : "with a client key, which it requires"))
        do {
            let session = try await signIn(try client(ClientRegistration(registered, of: wanted))).session
            #expect(try await session.profile().email == "alice@example.org")
            note(.registered, .passed())
        } catch let error as OAuthError where error.status == 500 {
            // django-oauth-toolkit makes such clients without an algorithm for their ID tokens.
            note(.registered, .refused(words(of: error)))
        }
        try await tryManagement(registered, wanted, registrar)
    }

    /// - Returns: `nil` if the server refuses to register it with a key, too.
    private mutating func register(
        _ wanted: inout ClientMetadata, with registrar: ClientRegistrar
    ) async throws -> RegisteredClient? {
        do {
            return try await registrar.register(wanted, at: provider)
        } catch let error as OAuthError where error.status == 400 {
            wanted.keys = [try ClientKey.generate(.ES256)]
        }
        do {
            return try await registrar.register(wanted, at: provider)
        } catch let error as OAuthError where error.status != nil {
            note(.registration, .refused(words(of: error)))
            for exchange in [Exchange.registered, .management] { note(exchange, .lacking("no registration")) }
            return nil
        }
    }

    private mutating func tryManagement(
        _ registered: RegisteredClient, _ wanted: ClientMetadata, _ registrar: ClientRegistrar
    ) async throws {
        guard registered.managementURI != nil else {
            note(.management, .lacking("no URL"))
            return
        }
        var (client, renamed, done) = (registered, wanted, [String]())
        renamed.clientName = "Renamed"
        do {
            client = try await registrar.read(client)
            #expect(client.clientID == registered.clientID)
            let response = try JSONValue(parsing: try #require(transport.last).body)
            if response["token_endpoint_auth_method"]?.array != nil { note(.methodAsList) }
            done.append("read")
            client = try await registrar.update(client, to: renamed, at: provider)
            done.append("changed")
            try await registrar.delete(client)
            note(.management, .passed())
        } catch let error as OAuthError where error.status != nil {
            let refusal = Outcome.refused(words(of: error))
            note(
                .management,
                done.isEmpty
                    ? refusal : .passed("\(done.joined(separator: " and ")) only; then \(refusal.remark ?? "")"))
        }
    }
}
