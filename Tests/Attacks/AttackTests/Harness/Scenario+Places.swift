import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetTestSupport
import CarnetTesting
import Crypto
import Foundation

/// The places in a script's texts, which are filled when a response is made.
extension Scenario {
    /// What looks random, and is the same in every run.
    func unguessable() -> String {
        let number = state.withLock { state in
            state.issued += 1
            return state.issued
        }
        return base64URL(Data(SHA256.hash(data: Data("secret \(number)".utf8))))
    }

    func filled(_ json: JSONValue, for request: Request) throws -> JSONValue {
        let number = state.withLock { $0.responded[request.path, default: 0] }
        var filled = Self.map(json) { text in
            text.replacingOccurrences(of: "{n}", with: String(number))
                .replacingOccurrences(of: "{secret}", with: text.contains("{secret}") ? unguessable() : "")
        }
        if filled["id_token"]?.string == "{id_token}" {
            let idToken = try token(for: request, with: filled["access_token"]?.string ?? "")
            filled = Self.map(filled) { $0 == "{id_token}" ? idToken : $0 }
        }
        remember(
            ["access_token", "refresh_token", "id_token", "device_code", "client_secret", "registration_access_token"]
                .compactMap { filled[$0]?.string })
        return filled
    }

    /// The ID token of a response, signed or forged as the script says.
    func token(for request: Request, with accessToken: String) throws -> String {
        let (token, nonce) = state.withLock { state in
            (state.script.idToken, request.form["code"].flatMap { state.nonces[$0] } ?? state.lastNonce)
        }
        return try compact(token, nonce: nonce, accessToken: accessToken, code: request.form["code"] ?? "")
    }

    func compact(_ token: Token, nonce: String, accessToken: String, code: String = "") throws -> String {
        let now = Int(clock.now.timeIntervalSince1970)
        func hash(_ text: String) -> String { base64URL(Data(SHA256.hash(data: Data(text.utf8))).prefix(16)) }
        let claims = Self.map(.object(token.claims), numbers: true) { text in
            switch text {
            case "{nonce}": nonce
            case "{at_hash}": hash(accessToken)
            case "{c_hash}": hash(code)
            default: text.hasPrefix("{now") ? String(now + (Int(text.dropFirst(4).dropLast()) ?? 0)) : text
            }
        }
        let input = SigningKey.signingInput(
            JSONValue.object(token.header).jsonText(), token.rawClaims ?? claims.jsonText())
        let signature = try token.algorithm.map { try token.key.signature($0, over: Data(input.utf8)) } ?? Data()
        return try token.forge(input + "." + base64URL(signature))
    }

    /// The value with its texts changed; `{now...}` becomes a number.
    private static func map(_ json: JSONValue, numbers: Bool = false, _ change: (String) -> String) -> JSONValue {
        switch json {
        case .string(let text):
            return numbers && text.hasPrefix("{now") ? .number(change(text)) : .string(change(text))
        case .array(let elements): return .array(elements.map { map($0, numbers: numbers, change) })
        case .object(let object):
            var mapped = JSONObject()
            for member in object.members { mapped[member.name] = map(member.value, numbers: numbers, change) }
            return .object(mapped)
        default: return json
        }
    }

    /// What a token says, whoever signed it.
    static func claims(of token: String) -> [JSONObject.Member] {
        let payload = token.split(separator: ".").dropFirst().first.flatMap { Base64URL.decode($0.utf8) }
        return payload.flatMap { try? JSONValue(parsing: $0) }?.object?.members ?? []
    }
}
