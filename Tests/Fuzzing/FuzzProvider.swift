import Carnet
import CarnetDescriptors
import CarnetProtocol
import Crypto
import Foundation
import HTTPTypes

/// The provider and the client that the messages are for.
struct FuzzProvider: Sendable {
    struct BadDescriptor: Error {}

    static let now = Date(timeIntervalSince1970: 1_800_000_000)
    static let issuer = "https://id.acme.example"
    static let secrets = ["s3cret-refresh-token", "s3cret-client"]

    let descriptor: ProviderDescriptor
    let provider: Provider
    let registration: ClientRegistration
    private let key: P256.Signing.PrivateKey

    init(_ more: String = "") throws {
        let text = """
            carnet: 1
            id: acme
            name: Acme
            issuer: https://id.acme.example
            endpoints:
              authorization: https://id.acme.example/authorize
              token: https://id.acme.example/token
              userinfo: https://id.acme.example/userinfo
              jwks: https://id.acme.example/jwks
            api: { hosts: [api.acme.example] }
            id_token: { algorithms: [ES256, RS256, EdDSA] }
            scopes: { default: [openid] }

            """
        let document = DescriptorDocument(SourceFile(path: "acme.yaml", text: text + more))
        guard let descriptor = document.descriptor else { throw BadDescriptor() }
        self.descriptor = descriptor
        provider = try descriptor.resolve()
        registration = ClientRegistration(
            clientID: "client", clientSecret: Secret(Self.secrets[1]), redirectURI: "https://app.example/callback")
        key = try P256.Signing.PrivateKey(rawRepresentation: Data(1...32))
    }

    /// The provider's keys, as its answer has them.
    var keySet: String {
        let point = key.publicKey.rawRepresentation
        let (x, y) = (Self.base64URL(point.prefix(32)), Self.base64URL(point.suffix(32)))
        return #"{"keys":[{"kty":"EC","crv":"P-256","use":"sig","alg":"ES256","kid":"1","x":"\#(x)","y":"\#(y)"}]}"#
    }

    var keys: JSONWebKeySet {
        get throws { try JSONWebKeySet(judging: Self.answer(Array(keySet.utf8))) }
    }

    /// A token of these texts, signed as the provider does.
    func signed(_ header: [UInt8], _ claims: [UInt8]) throws -> String {
        let input = Self.base64URL(Data(header)) + "." + Self.base64URL(Data(claims))
        return input + "."
            + Self.base64URL(try key.signature(for: SHA256.hash(data: Data(input.utf8))).rawRepresentation)
    }

    static let header = #"{"alg":"ES256","kid":"1"}"#
    static let claims =
        #"{"iss":"https://id.acme.example","sub":"user-1","aud":"client","exp":1800003600,"iat":1800000000}"#

    func request() throws -> PreparedRequest {
        try TokenRequest.refresh(
            Secret(Self.secrets[0]), at: provider, as: registration, random: SystemRandomSource(), now: Self.now)
    }

    static func answer(
        _ body: [UInt8], status: Int = 200, type: String = "application/json", challenge: String? = nil
    ) -> IncomingResponse {
        var fields: HTTPFields = [.contentType: type]
        fields[.wwwAuthenticate] = challenge
        return IncomingResponse(head: HTTPResponse(status: .init(code: status), headerFields: fields), body: body)
    }

    static func base64URL(_ data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    /// An error keeps what was secret in the request to itself.
    static func check(_ error: OAuthError) throws(InputCheck.Violation) {
        try requirePrintable("\(error)")
        for secret in secrets { try require(!"\(error)".contains(secret), "an error tells a secret: \(error)") }
    }
}
