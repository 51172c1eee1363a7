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
        let request = try await client.beginSignIn(AuthorizationOptions(delivery: .init(isPushed: true)))
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
        let ownClient = peer.registration.deviceClientID.map {
            ClientRegistration(clientID: $0, redirectURI: peer.registration.redirectURI)
        }
        let client = try client(ownClient)
        let device = try await client.beginDeviceSignIn()
        let page = device.verificationURIComplete ?? device.verificationURI
        #expect(try await peer.signIn(at: page) == 200)
        let session = try await client.completeDeviceSignIn(device)
        if try await session.storedTokens().idToken == nil { note(.deviceWithoutIDToken) }
        #expect(try await session.profile().email == "alice@example.org")
        note(.device, .passed(ownClient == nil ? nil : "with a client for devices, which it requires"))
    }
}
