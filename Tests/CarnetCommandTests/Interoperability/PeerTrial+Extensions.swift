import Carnet
import CarnetDescriptors
import CarnetProtocol
import Testing

extension PeerTrial {
    mutating func tryExtensions() async throws {
        try await tryPushedRequest()
        try await tryDPoP()
        try await tryDevice()
    }

    private mutating func tryPushedRequest() async throws {
        guard has(.pushedAuthorizationRequest) else {
            note(.pushed, .lacking("no endpoint"))
            return
        }
        let client = try client()
        let request = try await client.beginSignIn(AuthorizationOptions(isPushed: true))
        #expect(!request.url.contains("code_challenge"), "the browser has nothing but a reference")
        let callback = try await peer.callback(of: request.url)
        let session = try await client.completeSignIn(AuthorizationCallback(url: callback), for: request.pending)
        #expect(try await session.profile().email == "alice@example.org")
        note(.pushed, .passed())
    }

    private mutating func tryDPoP() async throws {
        guard metadata["dpop_signing_alg_values_supported"] != nil else {
            note(.dpop, .lacking("no algorithm"))
            return
        }
        var registration = registration
        registration.dpopBoundAccessTokens = true
        let session = try await signIn(try client(registration)).session
        #expect(try await session.storedTokens().isSenderConstrained)
        #expect(try await session.profile().email == "alice@example.org")
        try await session.refresh()
        #expect(try await session.profile().email == "alice@example.org")
        let wantsNonce = transport.proved.contains(where: \.demandsDPoPNonce)
        note(.dpop, .passed(wantsNonce ? "with the server's nonce" : nil))
    }

    private mutating func tryDevice() async throws {
        guard has(.deviceAuthorization) else {
            note(.device, .lacking("no endpoint"))
            return
        }
        let client = try client()
        let device = try await client.beginDeviceSignIn()
        let page = device.verificationURIComplete ?? device.verificationURI
        #expect(try await peer.signIn(at: page.text) == 200)
        let session = try await client.completeDeviceSignIn(device)
        #expect(try await session.profile().email == "alice@example.org")
        note(.device, .passed())
    }

    mutating func tryRevocation() async throws {
        guard has(.revocation) else {
            note(.revocation, .lacking("no endpoint"))
            return
        }
        let session = try await signIn(try client()).session
        let tokens = try await session.storedTokens()
        let outcome = try await session.signOut(.revoke)
        #expect(outcome.isRevoked, "\(outcome.failures)")
        let isOver = try await userinfoStatus(tokens.accessToken.reveal()) != 200
        note(.revocation, .passed(isOver ? nil : "the access token stays in force until it ends"))
    }

    /// A client registers itself and signs the user in.
    mutating func tryRegistration() async throws {
        guard has(.registration) else {
            note(.registration, .lacking("no endpoint"))
            note(.registered, .lacking("no registration"))
            return
        }
        let wanted = ClientMetadata(
            redirectURIs: [peer.registration.redirectURI], clientName: "Registered",
            authenticationMethod: .clientSecretBasic,
            scopes: ["openid", "profile", "email"])
        let registered: RegisteredClient
        do {
            registered = try await ClientRegistrar(transport: transport)
                .register(wanted, at: try client().provider)
        } catch let error as OAuthError where error.status != nil {
            let words = [error.status.map { "HTTP \($0)" }, error.server?.code].compactMap { $0 }
            note(.registration, .refused(words.joined(separator: ", ")))
            note(.registered, .lacking("no registration"))
            return
        }
        note(.registration, .passed())
        if transport.last?.status == 200 { note(.registeredWith200) }
        var registration = registration
        registration.clientID = registered.clientID
        registration.clientSecret = registered.clientSecret
        registration.authenticationMethod = registered.authenticationMethod
        let session = try await signIn(try client(registration)).session
        #expect(try await session.profile().email == "alice@example.org")
        note(.registered, .passed())
    }

    mutating func tryEndSession() async throws {
        guard has(.endSession) else {
            note(.endSession, .lacking("no endpoint"))
            return
        }
        let client = try client()
        let outcome = try await signIn(client).session.signOut(.everywhere)
        let landing = try await peer.endSession(at: try #require(outcome.endSessionURL).reveal())
        let isBack = EndSessionRequest.isReturn(
            AuthorizationCallback(url: landing), answering: outcome.endSessionState, at: client.provider)
        let origin = try WebURL(peer.registration.issuer).origin
        #expect(isBack || landing.hasPrefix(origin), "\(landing)")
        note(.endSession, .passed(isBack ? "the browser comes back with the state" : "the browser stays at its page"))
    }
}
