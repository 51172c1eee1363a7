import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import HTTPTypes
import Testing

/// Makes every exchange that one server has, and looks for oddities on the way.
struct PeerTrial {
    let peer: Peer
    let transport = RecordingTransport()
    let provider: DiscoveredProvider
    let metadata: JSONValue
    private(set) var report = PeerReport()

    static func report(on server: Peer.Server) async throws -> PeerReport {
        try await LogoutListener.with { listener in
            try await Peer.with(server, arguments: ["--stop-at-redirect", "--logout-uri", listener.uri]) { peer in
                var trial = try await PeerTrial(peer)
                // First: of a user's sessions with one client, some servers name one alone.
                try await trial.tryBackChannelLogout(listener)
                try await trial.tryCode()
                try await trial.trySecret()
                try await trial.tryRefresh()
                try await trial.tryExtensions()
                try await trial.tryIntrospection()
                try await trial.tryRevocation()
                try await trial.tryRegistration()
                try await trial.tryEndSession()
                try await trial.tryWhatStandsInTheDescriptor()
                try await trial.tryOAuthMetadata()
                return trial.report
            }
        }
    }

    private init(_ peer: Peer) async throws {
        self.peer = peer
        let configured = try Self.descriptor(peer, peer.lines).resolve()
        let found = try await Discovery(transport: transport).metadata(of: configured)
        provider = configured.merging(found)
        metadata = found.document
        note(.discovery, .passed())
        if metadata["id_token_signing_alg_values_supported"]?.array?.contains("none") == true {
            note(.unsignedAnnounced)
        }
    }

    mutating func note(_ exchange: Exchange, _ outcome: Outcome) { report.outcomes[exchange] = outcome }

    mutating func note(_ deviation: Deviation) { report.deviations.insert(deviation) }

    // MARK: The client

    private static func descriptor(_ peer: Peer, _ lines: String) throws -> ProviderDescriptor {
        let text = "carnet: 1\nid: peer\nname: Peer\nissuer: \(peer.registration.issuer)\n\(lines)\n"
        let document = DescriptorDocument(SourceFile(path: "peer.yaml", text: text))
        return try #require(document.descriptor, "\(document.diagnostics)")
    }

    var registration: ClientRegistration {
        ClientRegistration(
            clientID: peer.registration.clientID,
            credentials: .secret(Secret(peer.registration.clientSecret)),
            redirectURI: peer.registration.redirectURI,
            postLogoutRedirectURI: peer.registration.postLogoutRedirectURI
        )
    }

    func client(_ registration: ClientRegistration? = nil, lines: String? = nil) throws -> OAuthClient {
        try OAuthClient(
            try Self.descriptor(peer, lines ?? peer.lines), registration: registration ?? self.registration,
            transport: transport)
    }

    /// The user signs in with a browser that nobody has used before.
    func signIn(
        _ client: OAuthClient, _ options: AuthorizationOptions = AuthorizationOptions()
    ) async throws -> (session: Session, callback: String) {
        let request = try await client.beginSignIn(options)
        let callback = try await peer.callback(of: request.url)
        let session = try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        return (session, callback)
    }

    /// What the server returns for an access token at its userinfo endpoint.
    func userinfoStatus(_ accessToken: String) async throws -> Int {
        let url = try WebURL(try #require(metadata["userinfo_endpoint"]?.string))
        let request = HTTPRequest(
            method: .get, scheme: url.scheme, authority: url.authority, path: url.target,
            headerFields: [.authorization: "Bearer \(accessToken)"])
        return try await transport.send(OutgoingRequest(head: request), limits: TransportLimits()).status
    }

    func has(_ endpoint: EndpointName) -> Bool { provider.endpoints[endpoint] != nil }
}
