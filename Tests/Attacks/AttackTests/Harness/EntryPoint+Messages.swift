import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetTestSupport
import CarnetTesting
import CarnetWeb
import Foundation
import HTTPTypes

@testable import CarnetProtocol
@testable import Fuzzing

extension EntryPoint {
    /// Parts that a form, a query or a cookie can have by the thousand.
    private static let parts: [(name: String, text: @Sendable (Int) -> String)] = [
        ("parameters", { (0..<$0 / 8).map { "a\($0)=1" }.joined(separator: "&") }),
        ("ampersands", { String(repeating: "&", count: $0) }),
        ("equals signs", { "a" + String(repeating: "=", count: $0) }),
        ("escapes", { "x=" + String(repeating: "%61", count: $0 / 3) }),
        ("plus signs", { "x=" + String(repeating: "+", count: $0) }),
        ("a long value", { "x=" + String(repeating: "a", count: $0) }),
        ("a long name", { String(repeating: "a", count: $0) + "=1" }),
        ("states", { (0..<$0 / 8).map { _ in "state=a" }.joined(separator: "&") }),
        ("marked names", { (0..<$0 / 200).map { "\($0)\(Self.marks(30))=1" }.joined(separator: "&") }),
        ("marks", { "\(Self.marks($0 / 6))=1" }),
    ]

    private static func marks(_ count: Int) -> String { String(repeating: "%CC%81%CC%A7", count: count / 2) }

    /// Callbacks and the requests of a provider's logout.
    static func forms() throws -> [EntryPoint] {
        let acme = try FuzzProvider(
            """
            callback:
              capture: { x: { pattern: '(a|aa)+b?', example: a, optional: true } }
              verify: { parameter: hmac }
            logout: { front_channel: true }

            """)
        let pending = try AuthorizationRequest(
            to: acme.provider.discovered, as: acme.registration, random: SeededRandomSource(seed: 1),
            now: FuzzProvider.now
        ).pending
        let address = "https://app.example/callback"
        let state = "state=\(pending.id.reveal())&code=c&hmac=00"
        let readers: [(name: String, read: @Sendable (String) throws -> Void)] = [
            (
                "callback",
                { form in
                    let callback = AuthorizationCallback(url: "\(address)?\(state)&\(form)#\(form)")
                    _ = pending.matches(callback)
                    _ = try pending.validate(
                        callback, from: acme.provider.discovered, now: FuzzProvider.now, clientSecret: Secret("s"))
                }
            ),
            (
                "posted callback",
                { form in
                    let callback = AuthorizationCallback(postedTo: address, form: form)
                    _ = callback.signedTexts(at: acme.provider, for: acme.registration)
                    _ = try pending.validate(callback, from: acme.provider.discovered, now: FuzzProvider.now)
                }
            ),
            (
                "callback at another address",
                { form in
                    let callback = AuthorizationCallback(url: "app:\(form)?\(state)")
                    _ = try pending.validate(callback, from: acme.provider.discovered, now: FuzzProvider.now)
                }
            ),
            (
                "back-channel logout",
                { form in
                    _ = try BackChannelLogoutRequest.logoutToken(
                        in: Array(form.utf8), mediaType: "application/x-www-form-urlencoded")
                }
            ),
            (
                "front-channel logout",
                { form in
                    let request = AuthorizationCallback(url: "\(address)?iss=https://id.acme.example&\(form)")
                    _ = try FrontChannelLogout(validating: request, from: acme.provider)
                }
            ),
            ("form-encoded response", { _ = FuzzProvider.response(Array($0.utf8)).formObject }),
        ]
        return readers.flatMap { reader in
            parts.map { part in
                EntryPoint(name: "\(reader.name), \(part.name)", isReadWhole: part.name != "marks") { length in
                    let form = part.text(length)
                    return Attack(length: form.utf8.count) { try? reader.read(form) }
                }
            }
        }
    }

    /// `WWW-Authenticate`, of which a beginning is read.
    static func challenges() throws -> [EntryPoint] {
        let acme = try FuzzProvider()
        let lists = [
            "Bearer a=b, ", "Basic realm=\"x\", ", ",", "=", "\"", "\\", "a", " ", "error=aaaa,", "scope=\"a a a\" ",
            "aaaaaa", "\u{301}\u{327}", "\u{301}=a,",
        ]
        return lists.map { list in
            EntryPoint(name: "challenge, \(list.debugDescription)", isReadWhole: false) { length in
                let text = "Bearer error=\"" + String(repeating: list, count: length / list.utf8.count)
                let tokens = TokenSet(
                    accessToken: Secret(String(repeating: "a", count: length / 4) + "b"), tokenType: "Bearer",
                    scopes: [],
                    issuedAt: FuzzProvider.now)
                let request = try ResourceRequest.make(
                    try WebURL("https://api.acme.example/x"), tokens: tokens, at: acme.provider)
                let responses = [401, 403].flatMap { status in
                    [text, String(text.dropFirst(14))].map {
                        FuzzProvider.response([], status: status, type: text, challenge: $0)
                    }
                }
                return Attack(length: text.utf8.count) {
                    for response in responses { try? ResourceRequest.validate(response, to: request) }
                }
            }
        }
    }

    /// Tokens whose header or claims are costly JSON, and such as are none.
    static func tokens() throws -> [EntryPoint] {
        let acme = try FuzzProvider()
        let keys = try acme.keys
        let expectations = try IDTokenExpectations(
            from: acme.provider.discovered, as: acme.registration, nonce: .ofRefresh, accessToken: Secret("access"))
        let logout = try LogoutTokenExpectations(from: acme.provider.discovered, as: acme.registration)
        let readers: [(name: String, read: @Sendable (Secret) throws -> Void)] = [
            (
                "ID token",
                { _ = try IDToken(validating: $0, with: keys, expecting: expectations, now: FuzzProvider.now) }
            ),
            ("stored ID token", { _ = try IDToken(storedAfterValidation: $0) }),
            (
                "logout token",
                { _ = try LogoutToken(validating: $0, with: keys, expecting: logout, now: FuzzProvider.now) }
            ),
            ("end of an access token", { _ = TokenExpiry(claimOf: $0) }),
        ]
        let header = FuzzProvider.header
        let signed = readers.flatMap { reader in
            CostlyJSON.allCases.map { shape in
                EntryPoint(name: "\(reader.name), \(shape)", isReadWhole: false) { length in
                    let claims = FuzzProvider.claims.dropLast() + "," + shape.members(length) + "}"
                    let token = Secret(try acme.signed(Array(header.utf8), Array(claims.utf8)))
                    return Attack(length: token.reveal().utf8.count) { try? reader.read(token) }
                }
            }
        }
        let headers = CostlyJSON.allCases.map { shape in
            EntryPoint(name: "header of a token, \(shape)") { length in
                let header = #"{"alg":"ES256",\#(shape.members(length))}"#
                let token = Secret(base64URL(Data(header.utf8)) + ".e30.AA")
                return Attack(length: token.reveal().utf8.count) { _ = try? JSONWebSignature(token, step: .idToken) }
            }
        }
        let encrypted = ["a.", "....", "AAAA", ".", "!"].map { part in
            EntryPoint(name: "encrypted token, \(part)", isReadWhole: part == "AAAA") { length in
                let token = Secret("e30.AA.AA." + String(repeating: part, count: length / part.utf8.count) + ".AA")
                return Attack(length: token.reveal().utf8.count) {
                    _ = JSONWebEncryption.hasForm(of: token)
                    _ = try? JSONWebEncryption(token, step: .idToken)
                    _ = try? JSONWebSignature(token, step: .idToken)
                }
            }
        }
        return signed + headers + encrypted
    }

    /// The `Cookie` field of a request.
    static func cookies() -> [EntryPoint] {
        let parts: [(name: String, text: String)] = [
            ("cookies", "a=b; "), ("semicolons", ";"), ("equals signs", "="), ("blanks", "a   "), ("a long name", "a"),
            ("names alike", "__Host-carnet-session=; "),
        ]
        return parts.map { part in
            EntryPoint(name: "cookie, \(part.name)", isReadWhole: false) { length in
                var request = HTTPRequest(method: .get, scheme: "https", authority: "app.example", path: "/")
                let text = String(repeating: part.text, count: length / part.text.utf8.count)
                request.headerFields[.cookie] = text
                return Attack(length: text.utf8.count) { [request] in
                    let cookies = ReceivedCookies(request, namesBeginningWith: "__Host-carnet-")
                    _ = cookies["__Host-carnet-session"]
                }
            }
        }
    }
}
