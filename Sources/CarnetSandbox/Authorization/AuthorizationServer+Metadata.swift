import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The metadata document (RFC 8414, section 2; OpenID Connect Discovery, section 3). All that it says is so.
    func metadata(_ request: ServerRequest) -> Reply {
        guard request.method == .get else { return .methodNotAllowed(request.method, allowed: "GET") }
        func list(_ texts: some Sequence<String>) -> JSONValue { .array(texts.map { .string($0) }) }
        var document = JSONObject()
        document["issuer"] = metadataIssuer.map { .string($0) }
        for name in EndpointName.allCases where name.isStandard {
            document[name.metadataName] = endpoints[name].map { .string($0.text) }
        }
        let algorithms = provider.idToken.algorithms.isEmpty ? [.RS256] : provider.idToken.algorithms
        let methods = list(provider.client.authentication.map(\.rawValue))
        document["response_types_supported"] = ["code"]
        document["response_modes_supported"] = list(responseModes.map(\.rawValue))
        if responseModes.contains(where: \.isSigned) {
            document["authorization_signing_alg_values_supported"] = list(
                provider.algorithms(of: provider.callback.jwt).map(\.rawValue))
        }
        document["grant_types_supported"] = list(grantTypes)
        document["subject_types_supported"] = ["public"]
        document["id_token_signing_alg_values_supported"] = list(algorithms.map(\.rawValue))
        document["scopes_supported"] = list(
            provider.scopes.catalog.isEmpty
                ? ["openid", "profile", "email", "offline_access"] : provider.scopes.catalog.map(\.id)
        )
        document["token_endpoint_auth_methods_supported"] = methods
        if endpoints[.revocation] != nil { document["revocation_endpoint_auth_methods_supported"] = methods }
        if endpoints[.introspection] != nil { document["introspection_endpoint_auth_methods_supported"] = methods }
        if demandsPushedRequests { document["require_pushed_authorization_requests"] = true }
        document["request_parameter_supported"] = .bool(provider.authorization.requestObject.use != .never)
        document["request_uri_parameter_supported"] = false
        if provider.authorization.requestObject.use != .never {
            let signing = provider.authorization.requestObject.algorithm.map { [$0] } ?? SignatureAlgorithm.allCases
            document["request_object_signing_alg_values_supported"] = list(signing.map(\.rawValue))
        }
        if provider.authorization.requestObject.use == .always { document["require_signed_request_object"] = true }
        document["prompt_values_supported"] = ["none", "login", "consent", "select_account", "create"]
        document["claims_parameter_supported"] = true
        document["dpop_signing_alg_values_supported"] = ["ES256"]
        document["token_endpoint_auth_signing_alg_values_supported"] = assertionAlgorithms.map(list)
        for (name, response) in [
            ("userinfo", provider.profile.jwt), ("introspection", provider.introspection.jwt),
        ] where response.isRequired {
            document["\(name)_signing_alg_values_supported"] = list(provider.algorithms(of: response).map(\.rawValue))
        }
        if let encryption = provider.idToken.encryption {
            document["id_token_encryption_alg_values_supported"] = [.string(encryption.algorithm.rawValue)]
            document["id_token_encryption_enc_values_supported"] = [.string(encryption.content.rawValue)]
        }
        if !provider.endpoints.mtls.isEmpty {
            document["mtls_endpoint_aliases"] = .object(
                MTLSEndpoints.names.reduce(into: JSONObject()) { aliases, name in
                    aliases[name.metadataName] = provider.endpoints.mtls[name].map { .string($0.text) }
                })
        }
        if provider.client.certificateBoundAccessTokens {
            document["tls_client_certificate_bound_access_tokens"] = true
        }
        if endpoints[.endSession] != nil {
            document["backchannel_logout_supported"] = true
            document["backchannel_logout_session_supported"] = true
            if provider.logout.frontChannel {
                document["frontchannel_logout_supported"] = true
                document["frontchannel_logout_session_supported"] = true
            }
        }
        document["code_challenge_methods_supported"] = ["S256"]
        document["claims_supported"] = list(["sub"] + StandardClaim.all.map(\.member))
        document["authorization_response_iss_parameter_supported"] = .bool(provider.issuer != nil)
        return .json(.object(document))
    }

    private var grantTypes: [String] {
        ["authorization_code", "refresh_token"] + ExtensionGrant.allCases.filter(offers).map(\.rawValue)
    }

    /// The algorithms of assertions (RFC 8414, section 2); `nil` where no method has any.
    private var assertionAlgorithms: [String]? {
        let methods = provider.client.authentication.filter(\.usesAssertion)
        guard !methods.isEmpty else { return nil }
        if let algorithm = provider.client.assertion.algorithm { return [algorithm.rawValue] }
        return AssertionAlgorithm.allCases.filter { algorithm in
            methods.contains(algorithm.isSymmetric ? .clientSecretJWT : .privateKeyJWT)
        }.map(\.rawValue)
    }

    mutating func keySet(_ request: ServerRequest) -> Reply { Self.keySet(request, try? keys()) }

    static func keySet(_ request: ServerRequest, _ keys: @autoclosure () -> KeySet?) -> Reply {
        guard request.method == .get else { return .methodNotAllowed(request.method, allowed: "GET") }
        return keys().map { .json($0.document) } ?? .serverError
    }
}
