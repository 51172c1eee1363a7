import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
public import HTTPTypes

extension ResourceServer {
    private static let proofAlgorithms = DPoPProof.algorithmNames

    /// The response to a request for the metadata of the resource server (RFC 9728, section 3); `nil` for any other request.
    ///
    /// The document is for anyone. It names the issuers and the scopes of the resource map, so that a client signs in without
    /// configuration.
    public func metadata(for request: HTTPRequest) -> (response: HTTPResponse, body: [UInt8])? {
        let path = (request.path ?? "").utf8.prefix { $0 != UInt8(ascii: "?") }
        guard [.get, .head].contains(request.method), path.elementsEqual(metadataPath.utf8) else { return nil }
        var document = JSONObject()
        document["resource"] = .string(resource.text)
        document["authorization_servers"] = .strings(issuers.compactMap(\.client.provider.issuer))
        let scopes = routes?.scopes ?? []
        if !scopes.isEmpty { document["scopes_supported"] = .strings(scopes) }
        document["bearer_methods_supported"] = .strings(["header"])
        document["dpop_signing_alg_values_supported"] = .strings(Self.proofAlgorithms)
        var response = HTTPResponse(status: .ok)
        response.headerFields[.contentType] = "application/json"
        response.headerFields[.cacheControl] = "public, max-age=3600"
        // It has nothing that depends on the sender, and clients in browsers read it.
        response.headerFields[.accessControlAllowOrigin] = "*"
        let body = Array(JSONValue.object(document).jsonText().utf8)
        return (response, request.method == .head ? [] : body)
    }

    private var metadataPath: String { ResourceMetadata.path(of: resource) }

    func refusal(_ problem: AccessProblem, isDPoP: Bool) -> AccessRefusal {
        var response = HTTPResponse(status: problem.status)
        response.headerFields[.cacheControl] = "no-store"
        switch problem {
        case .unavailable: response.headerFields[.retryAfter] = "10"
        case .wrongMethod(let methods):
            let allowed = methods.contains("GET") ? methods + ["HEAD"] : methods
            response.headerFields[.allow] = allowed.joined(separator: ", ")
        default: break
        }
        if let nonces, let name = HTTPField.Name("DPoP-Nonce"), problem.status == .unauthorized {
            response.headerFields[name] = nonces.nonce(at: clock.now)
        }
        guard problem.hasChallenge else { return AccessRefusal(response: response, reason: problem.reason) }
        var challenge = Challenge()
        challenge.add("error", problem.code)
        challenge.add("error_description", problem.publicDescription)
        switch problem {
        case .insufficientScope(let missing): challenge.add("scope", missing.joined(separator: " "))
        case .insufficientAuthentication(let acr, let maxAge):
            challenge.add("acr_values", acr.isEmpty ? nil : acr.joined(separator: " "))
            challenge.add("max_age", maxAge.map { String($0) })
        default: break
        }
        challenge.add("resource_metadata", "\(resource.scheme)://\(resource.authority)\(metadataPath)")
        // A request without a token may come back with either scheme (RFC 9449, section 7.1).
        let schemes = isDPoP ? ["DPoP"] : problem.code == nil ? ["Bearer", "DPoP"] : ["Bearer"]
        for scheme in schemes {
            var challenge = challenge
            if scheme == "DPoP" { challenge.add("algs", Self.proofAlgorithms.joined(separator: " ")) }
            response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: challenge.field(scheme)))
        }
        return AccessRefusal(response: response, reason: problem.reason)
    }
}

extension JSONValue {
    fileprivate static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
