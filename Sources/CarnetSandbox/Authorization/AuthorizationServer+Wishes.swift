import CarnetDescriptors
import CarnetFoundation

extension AuthorizationServer {
    /// What the descriptor adds to every request; a prompt may be among other prompts.
    func addedParameters(to received: ReceivedParameters) -> [Named<String>] {
        // A client may ask for more in it.
        let extraScopes = provider.scopes.extra.items.filter { !$0.value.isEmpty }.map { item in
            let separator = provider.scopes.separator
            let all = item.value.joined(separator: separator)
            let sent = received[item.name]
            let isMore = sent.map { $0.hasPrefix(all + separator) } ?? false
            return Named(item.name, isMore ? sent ?? all : all)
        }
        return (provider.authorization.parameters + extraScopes).filter { item in
            item.name != "prompt"
                || received["prompt"]?.split(separator: " ").contains { $0 == item.value } != true
                    && received["prompt"] != "none"
        }
    }

    /// The parameters that narrow down what is asked for, and how the user is to sign in.
    func checkWishes(
        _ received: ReceivedParameters, _ names: ParameterNames, _ request: inout AuthorizationRequest
    ) throws(OAuthError) {
        _ = try checkResources(received, names)
        request.resources = received.values(named: names["resource"])
        if let text = received[names["authorization_details"]] {
            let details = try? JSONValue(parsing: text)
            guard let objects = details?.array, !objects.isEmpty,
                objects.allSatisfy({ $0["type"]?.string?.isEmpty == false })
            else {
                throw OAuthError("invalid_authorization_details", "each detail is an object with a type (RFC 9396)")
            }
            request.details = details
        }
        if let text = received[names["claims"]] {
            guard let claims = (try? JSONValue(parsing: text))?.object,
                claims.members.allSatisfy({ ["userinfo", "id_token"].contains($0.name) && $0.value.object != nil })
            else { throw .invalidRequest("claims is not an object with userinfo and id_token") }
        }
        if let text = received[names["max_age"]] {
            guard let age = Int(text), age >= 0 else { throw .invalidRequest("max_age is not a number of seconds") }
        }
        let prompts = (received[names["prompt"]] ?? "").split(separator: " ")
        guard !prompts.contains("none") || prompts.count == 1 else {
            throw .invalidRequest("prompt=none cannot be combined with another value")
        }
        if let thumbprint = received[names["dpop_jkt"]] {
            guard Base64URL.decode(thumbprint)?.count == 32 else {
                throw .invalidRequest("dpop_jkt is not a thumbprint")
            }
            request.keyThumbprint = thumbprint
        }
        request.acr = received[names["acr_values"]]?.split(separator: " ").first.map(String.init)
    }
}
