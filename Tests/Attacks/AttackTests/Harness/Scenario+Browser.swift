import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import Foundation

/// The browser of a user who consents.
extension Scenario {
    /// The callback that the authorization server sends the browser back with.
    func callback(_ request: AuthorizationRequest) -> AuthorizationCallback {
        AuthorizationCallback(url: "\(script.callbackLocation ?? Self.redirectURI)?\(callbackQuery(request))")
    }

    /// The parameters of the callback, encoded.
    func callbackQuery(_ request: AuthorizationRequest) -> String {
        callbackQuery(ofURL: request.url)
    }

    func callbackQuery(ofURL url: String) -> String {
        var query = PercentEncoding.decodeForm(String(url.drop { $0 != "?" }.dropFirst())) ?? []
        if query.contains(where: { $0.name == "request_uri" }),
            let pushed = log.last(where: { $0.form["nonce"] != nil })
        {
            query += PercentEncoding.decodeForm(pushed.body) ?? []
        }
        if let object = query.first(where: { $0.name == "request" }) {
            query += Self.claims(of: object.value).compactMap { claim in claim.value.string.map { (claim.name, $0) } }
        }
        let nonce = query.first { $0.name == "nonce" }?.value ?? ""
        let code = unguessable()
        let script = state.withLock { state in
            state.nonces[code] = nonce
            state.lastNonce = nonce
            return state.script
        }
        let id = query.first { $0.name == "state" }?.value ?? ""
        remember(query.filter { ["state", "nonce", "code_challenge"].contains($0.name) }.map(\.value) + [code, id])
        func filled(_ text: String) -> String {
            text.replacingOccurrences(of: "{code}", with: code).replacingOccurrences(of: "{state}", with: id)
        }
        if let raw = script.rawCallback { return filled(raw) }
        if var response = script.response {
            for member in response.claims.members {
                if let text = member.value.string { response.claims[member.name] = .string(filled(text)) }
            }
            guard let token = try? compact(response, nonce: "", accessToken: "") else { return "" }
            remember([token])
            return "response=\(token)\(script.afterResponse)"
        }
        return script.callback
            .map { "\($0.name)=\(PercentEncoding.encode(filled($0.value)))" }.joined(separator: "&")
    }
}
