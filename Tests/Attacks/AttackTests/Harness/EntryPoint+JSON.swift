import Carnet
import CarnetDescriptors
import CarnetProtocol
import CarnetTesting
import Foundation

@testable import Fuzzing

/// JSON that costs more than its length where a reader is careless.
enum CostlyJSON: String, CaseIterable {
    case deep, flat, wide, equalNames, namesAlike, escapes, surrogates, digits, blanks, elements, marks, markedNames
    case beginningOfASecret

    /// Whether a reader comes to the end of it.
    var isReadWhole: Bool { ![.deep, .equalNames, .marks].contains(self) }

    /// Members of an object, of about so many bytes.
    func members(_ length: Int) -> String {
        func each(_ bytes: Int, _ part: (Int) -> String) -> String {
            (0..<length / bytes).map(part).joined(separator: ",")
        }
        func repeated(_ part: String) -> String { String(repeating: part, count: length / part.utf8.count) }
        return switch self {
        case .deep: #""x":"# + repeated("[")
        case .flat: #""x":["# + each(6) { _ in "[[[]]]" } + "]"
        case .wide: each(10) { "\"k\($0)\":0" }
        case .equalNames: each(6) { _ in #""x":0"# }
        case .namesAlike: each(120) { "\"\(String(repeating: "k", count: 100))\($0)\":0" }
        case .escapes: #""x":""# + repeated("\\u0041") + "\""
        case .surrogates: #""x":""# + repeated("\\ud83c\\udf31") + "\""
        case .digits: #""x":"# + repeated("9")
        case .blanks: #""x":"# + repeated(" ") + "0"
        case .elements: #""x":["# + each(2) { _ in "0" } + "]"
        case .marks: #""x":""# + repeated("\u{301}\u{327}") + "\""
        case .markedNames:
            each(80) { "\"\($0)\(String(repeating: "\u{301}\u{327}", count: 15))\":0" }
        case .beginningOfASecret: #""x":""# + repeated("a") + "\""
        }
    }
}

extension EntryPoint {
    private typealias Reader = @Sendable (FuzzProvider, PreparedRequest, IncomingResponse) throws -> Void

    /// Every response that is JSON, in each of the costly shapes.
    static func responses() throws -> [EntryPoint] {
        let acme = try FuzzProvider(
            """
            token: { response: { capture: { site: { from: /k1, pattern: '(a|aa)*b?', optional: true } } } }
            profile:
              from: token
              claims: { subject: /x, name: /k2, email: [/k3, /k4] }
            revocation: { success: { field: /x } }

            """)
        let pushed = try AuthorizationRequest(
            to: acme.provider.discovered, as: acme.registration, random: SeededRandomSource(seed: 1),
            now: FuzzProvider.now)
        let token = #""access_token":"aaaab","token_type":"Bearer","expires_in":60"#
        let issuer = #""issuer":"https://id.acme.example""#
        let error = #""error":"aaaa","error_description":"aaaaa aaaa","error_uri":"aa""#
        let readers: [(name: String, members: String, status: Int, read: Reader)] = [
            ("token", token, 200, { _ = try TokenResponse(validating: $2, to: $1, from: $0.provider) }),
            ("token error", error, 400, { _ = try TokenResponse(validating: $2, to: $1, from: $0.provider) }),
            ("shown", token, 200, { _ = RedactedResponse($2, to: $1) }),
            ("keys", #""keys":[]"#, 200, { _ = try JSONWebKeySet(validating: $2) }),
            (
                "metadata", issuer, 200,
                { acme, _, response in
                    let metadata = try ProviderMetadata(validating: response, for: acme.resolved)
                    _ = metadata.drift(from: acme.resolved)
                    _ = acme.resolved.merging(metadata)
                }
            ),
            (
                "userinfo", #""sub":"u""#, 200,
                { _ = try Profile(validating: $2, to: $1, from: $0.provider, subject: "u") }
            ),
            (
                "introspection", #""active":true"#, 200,
                { _ = try Introspection(validating: $2, to: $1, from: $0.provider, now: FuzzProvider.now) }
            ),
            (
                "device", #""device_code":"d","user_code":"u","expires_in":60"#, 200,
                { acme, request, response in
                    _ = try DeviceAuthorization(
                        validating: response, to: request, scopes: [], from: acme.provider, now: FuzzProvider.now)
                }
            ),
            ("device poll", error, 400, { _ = try DevicePoll(validating: $2, to: $1, from: $0.provider) }),
            (
                "registration", #""client_id":"c""#, 201,
                { _ = try RegisteredClient(validating: $2, to: $1, for: ClientMetadata(redirectURIs: [])) }
            ),
            (
                "pushed request", #""request_uri":"urn:x:1","expires_in":60"#, 201,
                { _ = try pushed.referring(to: $2, request: $1, at: $0.provider.discovered, now: FuzzProvider.now) }
            ),
            ("revocation", "", 200, { try RevocationResponse.validate($2, to: $1, from: $0.provider) }),
            ("resource", error, 403, { try ResourceRequest.validate($2, to: $1) }),
        ]
        return readers.flatMap { reader in
            CostlyJSON.allCases.map { shape in
                EntryPoint(name: "\(reader.name), \(shape)", isReadWhole: shape.isReadWhole) { length in
                    let members = [reader.members, shape.members(length)].filter { !$0.isEmpty }
                    let body = Array("{\(members.joined(separator: ","))}".utf8)
                    let response = FuzzProvider.response(body, status: reader.status)
                    // The server chose the token that is sent back to it.
                    let secret = Secret(String(repeating: "a", count: length / 4) + "b")
                    let request = try TokenRequest.refresh(
                        secret,
                        in: RequestContext(
                            at: acme.provider, as: acme.registration, random: SystemRandomSource(),
                            now: FuzzProvider.now))
                    return Attack(length: body.count) { try? reader.read(acme, request, response) }
                }
            }
        }
    }
}
