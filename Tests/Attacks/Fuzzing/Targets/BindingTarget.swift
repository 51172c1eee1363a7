import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Foundation

/// Descriptors and metadata that are edited between a sign-in and all that comes after it: no credential of the sign-in
/// comes to a server that it did not go to before.
struct BindingTarget: FuzzTarget {
    private static let account = "ada"

    private let signer: FuzzProvider
    private let original: ProviderDescriptor
    private let editor = ProviderEditor()

    init(corpus: [[UInt8]]) throws {
        signer = try FuzzProvider()
        guard let descriptor = EditedProvider.original.descriptor else {
            throw InputCheck.Violation(description: "the descriptor of the sign-in is broken")
        }
        original = descriptor
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { editor.edited(&random).bytes }

    func check(_ bytes: [UInt8], index: Int) async throws(InputCheck.Violation) {
        guard let edited = EditedProvider(bytes) else { return }
        for delivery in await deliveries(to: edited) {
            let isForResources = delivery.credential == .accessToken
            let allowed = EditedProvider.servers.union(isForResources ? EditedProvider.resources : [])
            // The author of the sign-in's descriptor trusts the shops, whichever there is.
            let isShop = isForResources && delivery.origin.hasSuffix(".shops.acme.example:443")
            try require(
                allowed.contains(delivery.origin) || isShop,
                "\(delivery.credential) came to \(delivery.origin)")
        }
    }

    /// What comes to whom when everything is done that can be done after a sign-in.
    func deliveries(to edited: EditedProvider) async -> Set<ObligingServers.Delivery> {
        guard let descriptor = edited.descriptor else { return [] }
        let servers = ObligingServers(signer, metadata: EditedProvider.original.metadata)
        let clock = ManualClock(now: FuzzProvider.now)
        func make(_ descriptor: ProviderDescriptor, _ store: any TokenStore) throws -> OAuthClient {
            try OAuthClient(
                descriptor,
                registration: ClientRegistration(
                    clientID: "client", credentials: .secret(Secret(ObligingServers.Credential.clientSecret.rawValue)),
                    redirectURI: "https://app.example/callback",
                    origins: edited.isRegistrationBound ? Array(EditedProvider.servers) : nil),
                transport: servers, store: store, clock: clock)
        }
        var all: Set<ObligingServers.Delivery> = []
        do {
            let first = MemoryTokenStore()
            let signedIn = try make(original, first)
            let request = try await signedIn.beginSignIn()
            let key = try await signedIn.completeSignIn(
                servers.callback(request), for: request.pending, account: Self.account
            ).key
            let waiting = try await signedIn.beginSignIn()
            let callback = servers.callback(waiting)
            guard let connection = await first.load(key)?.connection else { return all }
            all.formUnion(servers.deliveries)

            // A client of the edited descriptor, with what the sign-in left.
            func client() async throws -> OAuthClient {
                let store = MemoryTokenStore()
                _ = try await store.save(connection, replacing: nil)
                return try make(descriptor, store)
            }
            let issuer = try? descriptor.resolve().issuer
            servers.begin(issuer: issuer, metadata: edited.metadata)
            await use(try await client(), servers, clock)
            await leave(try await client(), servers)
            _ = try? await (try await client()).completeSignIn(callback, for: waiting.pending, account: "another")
            all.formUnion(servers.deliveries)

            // A new sign-in accepts the edit, for itself.
            let again = try await client()
            servers.begin(issuer: issuer, metadata: edited.metadata, isAfter: true)
            if let request = try? await again.beginSignIn() {
                _ = try? await again.completeSignIn(
                    servers.callback(request), for: request.pending, account: Self.account)
            }
            await use(again, servers, clock)
            await leave(again, servers)
            all.formUnion(
                servers.deliveries.filter {
                    edited.isRegistrationBound || ![.clientSecret, .assertion].contains($0.credential)
                })
        } catch {
            // What an edit makes impossible sends nothing.
        }
        return all
    }

    private func use(_ client: OAuthClient, _ servers: ObligingServers, _ clock: ManualClock) async {
        guard let session = try? await client.session(for: Self.account) else { return }
        _ = try? await session.profile()
        _ = try? await session.introspect()
        _ = try? await session.connect()
        for access in (try? await session.resources()) ?? [] { _ = try? await session.call(access.resource) }
        for host in ["evil.example", "api.acme.example", "files.acme.example", "token.acme.example"] {
            guard let url = try? WebURL("https://\(host)/x") else { continue }
            _ = try? await session.send(HTTPRequest(url: url.text))
        }
        _ = try? await session.exchange { TokenExchange(TokenExchange.TypedToken($0)) }
        _ = try? await session.refresh()
        clock.advance(by: .seconds(3590))
        _ = try? await session.tokens()
        _ = try? await session.profile()
    }

    private func leave(_ client: OAuthClient, _ servers: ObligingServers) async {
        guard let session = try? await client.session(for: Self.account),
            let outcome = try? await session.signOut(.everywhere)
        else { return }
        if let url = outcome.endSessionURL { servers.note(browserAt: url.reveal()) }
    }
}
