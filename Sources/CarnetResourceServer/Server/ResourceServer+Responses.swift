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
        // It has nothing that depends on the sender, and clients in browsers read it.
        let response = HTTPResponse(
            status: .ok,
            headerFields: [
                .contentType: "application/json", .cacheControl: "public, max-age=3600",
                .accessControlAllowOrigin: "*",
            ])
        let body = Array(JSONValue.object(document).jsonText().utf8)
        return (response, request.method == .head ? [] : body)
    }

    private var metadataPath: String { ResourceMetadata.path(of: resource) }

    func refusal(_ problem: AccessProblem, isDPoP: Bool) -> AccessRefusal {
        let (status, code, description, reason) = problem.parts
        var response = HTTPResponse(status: status, headerFields: [.cacheControl: "no-store"])
        switch problem {
        case .unavailable: response.headerFields[.retryAfter] = "10"
        case .wrongMethod(let methods):
            let allowed = methods.contains("GET") ? methods + ["HEAD"] : methods
            response.headerFields[.allow] = allowed.joined(separator: ", ")
        default: break
        }
        if let nonces, let name = HTTPField.Name("DPoP-Nonce"), status == .unauthorized {
            response.headerFields[name] = nonces.nonce(at: clock.now)
        }
        // The response says what a client can do, where another token may help.
        guard code != nil || status == .unauthorized else { return AccessRefusal(response: response, reason: reason) }
        var parameters = [("error", code), ("error_description", description)]
        switch problem {
        case .insufficientScope(let missing): parameters.append(("scope", missing.joined(separator: " ")))
        case .insufficientAuthentication(let acr, let maxAge):
            parameters.append(("acr_values", acr.isEmpty ? nil : acr.joined(separator: " ")))
            parameters.append(("max_age", maxAge.map { String($0) }))
        default: break
        }
        parameters.append(("resource_metadata", "\(resource.scheme)://\(resource.authority)\(metadataPath)"))
        // A request without a token may come back with either scheme (RFC 9449, section 7.1).
        let schemes = isDPoP ? ["DPoP"] : code == nil ? ["Bearer", "DPoP"] : ["Bearer"]
        for scheme in schemes {
            let algorithms = scheme == "DPoP" ? Self.proofAlgorithms.joined(separator: " ") : nil
            let field = Self.challenge(scheme, parameters + [("algs", algorithms)])
            response.headerFields.append(HTTPField(name: .wwwAuthenticate, value: field))
        }
        return AccessRefusal(response: response, reason: reason)
    }

    /// A `WWW-Authenticate` field (RFC 6750, section 3; RFC 9728, section 5.1), with the parameters that have a value. It has
    /// only the characters that RFC 6750, section 3 allows in a description, so that no value can end the quotes.
    private static func challenge(_ scheme: String, _ parameters: [(String, String?)]) -> String {
        let shown = parameters.compactMap { name, value in
            value.map { value in
                let allowed = value.utf8.map { (0x20...0x7E).contains($0) && $0 != 0x22 && $0 != 0x5C ? $0 : 0x27 }
                return "\(name)=\"\(String(decoding: allowed, as: UTF8.self))\""
            }
        }
        return "\(scheme) \(shown.joined(separator: ", "))"
    }
}

extension JSONValue {
    fileprivate static func strings(_ texts: [String]) -> JSONValue { .array(texts.map { .string($0) }) }
}
