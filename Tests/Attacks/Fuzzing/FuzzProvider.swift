import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTestSupport
import Crypto
import Foundation
import HTTPTypes

/// The provider and the client that the messages are for.
struct FuzzProvider: Sendable {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let issuer = "https://id.acme.example"
    static let secrets = ["s3cret-refresh-token", "s3cret-client"]

    let descriptor: ProviderDescriptor
    let resolved: Provider
    let provider: FilledProvider
    let registration: ClientRegistration
    private let key: P256.Signing.PrivateKey

    init(_ more: String = "") throws {
        descriptor = try Fixture.descriptor(
            Fixture.openID + """
                api: { hosts: [api.acme.example] }
                id_token: { algorithms: [ES256, RS256, EdDSA] }

                """ + more)
        resolved = try descriptor.resolve()
        provider = resolved.withoutMetadata.bound
        registration = ClientRegistration(
            clientID: "client", credentials: .secret(Secret(Self.secrets[1])),
            redirectURI: "https://app.example/callback")
        key = try P256.Signing.PrivateKey(rawRepresentation: Data(1...32))
    }

    /// The provider's keys, as its response has them.
    var keySet: String {
        let point = key.publicKey.rawRepresentation
        let (x, y) = (base64URL(point.prefix(32)), base64URL(point.suffix(32)))
        return #"{"keys":[{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"1","x":"\#(x)","y":"\#(y)"}]}"#
    }

    var keys: JSONWebKeySet {
        get throws { try JSONWebKeySet(validating: Self.response(Array(keySet.utf8))) }
    }

    /// A token of these texts, signed as the provider does.
    func signed(_ header: [UInt8], _ claims: [UInt8]) throws -> String {
        let input = base64URL(Data(header)) + "." + base64URL(Data(claims))
        return input + "."
            + base64URL(try key.signature(for: SHA256.hash(data: Data(input.utf8))).rawRepresentation)
    }

    static let header = #"{"alg":"ES256","kid":"1"}"#
    static let claims =
        #"{"iss":"https://id.acme.example","sub":"user-1","aud":"client","exp":1800003600,"iat":1800000000}"#

    /// What validates responses that are signed.
    var verification: ResponseVerification {
        get throws { ResponseVerification(with: try keys, for: registration, now: Self.now) }
    }

    func request() throws -> PreparedRequest {
        try TokenRequest.refresh(
            Secret(Self.secrets[0]),
            in: RequestContext(at: provider, as: registration, random: SystemRandomSource(), now: Self.now))
    }

    static func response(
        _ body: [UInt8], status: Int = 200, type: String = "application/json", challenge: String? = nil
    ) -> IncomingResponse {
        var fields: HTTPFields = [.contentType: type]
        fields[.wwwAuthenticate] = challenge
        return IncomingResponse(head: HTTPResponse(status: .init(code: status), headerFields: fields), body: body)
    }

    /// An error keeps what was secret in the request to itself.
    static func check(_ error: OAuthError) throws(InputCheck.Violation) {
        try requirePrintable("\(error)")
        for secret in secrets { try require(!"\(error)".contains(secret), "an error tells a secret: \(error)") }
    }
}
