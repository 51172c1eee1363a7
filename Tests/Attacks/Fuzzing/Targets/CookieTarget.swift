import Carnet
import CarnetStorage
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes

/// The `Cookie` header of a browser: no session comes of what was not encrypted here.
struct CookieTarget: FuzzTarget {
    private struct Unreachable: Transport {
        func send(_ request: OutgoingRequest, limits: TransportLimits) async throws -> IncomingResponse {
            throw TransportError(.connection, "nothing is asked")
        }
    }

    /// What a browser's session looks like to others who encrypt one.
    private struct EncryptedSession: Codable {
        var id = "1"
        var accounts = [Account()]
        var expiresAt = FuzzProvider.now.addingTimeInterval(3600)

        struct Account: Codable {
            var provider = "acme"
            var connection = "c"
            var subject = "user-1"
            var signedInAt = FuzzProvider.now
        }
    }

    private static let purpose = "session at a browser of https://app.example:443"

    private let web: WebSignIn
    private let encrypted: String
    private let ring: KeyRing
    private let mutator: ByteMutator

    init(corpus: [[UInt8]]) throws {
        let acme = try FuzzProvider()
        ring = KeyRing(try EncryptionKey([UInt8](0..<32)))
        let client = try OAuthClient(
            acme.descriptor,
            registration: ClientRegistration(clientID: "client", redirectURI: "https://app.example/callback"),
            transport: Unreachable())
        web = try WebSignIn(
            ProviderClients([client]), origin: "https://app.example", keys: ring,
            clock: ManualClock(now: FuzzProvider.now))
        encrypted = try EncryptedValue.encrypt(
            EncryptedSession(), for: Self.purpose, with: ring, random: SeededRandomSource(seed: 1))
        let other = try EncryptedValue.encrypt(
            EncryptedSession(), for: "pending sign-in", with: ring, random: SeededRandomSource(seed: 2))
        mutator = ByteMutator(
            seeds: [
                Array("__Host-carnet-session=\(encrypted); theme=dark".utf8),
                Array("a=b; __Host-carnet-session=\(encrypted)".utf8),
                Array("__Host-carnet-session=\(other); __Host-carnet-pending-acme=\(other)".utf8),
            ] + corpus,
            words: [
                "__Host-carnet-session=", "__Host-carnet-pending-", "; ", ";", "=", "carnet-session=", encrypted, other,
            ])
    }

    func input(_ random: inout SplitMix64) -> [UInt8] { mutator.input(&random) }

    func check(_ bytes: [UInt8], index: Int) throws(InputCheck.Violation) {
        let text = String(decoding: bytes, as: UTF8.self)
        var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/")
        request.headerFields[.cookie] = text
        if let session = web.session(of: request) {
            try require(text.contains(encrypted), "a session is believed that nobody encrypted")
            try require(session.accounts.map(\.storeName) == ["c"], "another session than was encrypted")
        }
        do {
            _ = try EncryptedValue.decrypt(text, as: EncryptedSession.self, for: Self.purpose, with: ring)
            try require(text == encrypted, "a changed value is opened")
        } catch let error as TokenStoreError {
            try requirePrintable(error.reason)
        } catch let error as InputCheck.Violation {
            throw error
        } catch {
            throw InputCheck.Violation(description: "\(error)")
        }
    }
}
