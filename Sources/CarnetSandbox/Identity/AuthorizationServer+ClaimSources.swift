import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The source of claims whose keys are at a URL.
    func claimSource(at url: WebURL) -> ClaimSource? {
        provider.profile.sources.first { $0.jwks.receives(url) }
    }

    /// The keys of a source, which has one for its first algorithm.
    mutating func keySet(of source: ClaimSource, _ request: ServerRequest) -> Reply {
        guard request.method == .get else { return .methodNotAllowed(request.method, allowed: "GET") }
        guard let document = try? keys(of: source).document() else {
            return .json(["error": "server_error"], status: .internalServerError)
        }
        return .json(document)
    }

    private mutating func keys(of source: ClaimSource) throws(OAuthError) -> KeySet {
        if let made = sourceKeys[source.issuer] { return made }
        guard let keys = try? KeySet(Array(source.algorithms.prefix(1)), seams) else {
            throw .serverError("a key could not be generated")
        }
        sourceKeys[source.issuer] = keys
        return keys
    }

    /// The profile with the claims of each source in a JWT that the source signed (OpenID Connect Core, section
    /// 5.6.2.1), and with one claim that is to be fetched elsewhere, which nobody should.
    mutating func aggregating(_ profile: JSONValue, of user: SandboxUser) -> JSONValue {
        guard !provider.profile.sources.isEmpty, var body = profile.object else { return profile }
        var names = JSONObject()
        var sources = JSONObject()
        for (index, source) in provider.profile.sources.enumerated() {
            var claims = JSONObject()
            claims["iss"] = .string(source.issuer)
            for name in source.claims {
                let standard = StandardClaim.all.first { $0.member == name }
                claims[name] = user.claims[standard?.name ?? name] ?? standard?.example ?? .string("the \(name)")
                body[name] = nil
                names[name] = .string("source\(index)")
            }
            guard let token = try? JSONWebToken.sign(.object(claims), type: "JWT", with: keys(of: source).signer) else {
                continue
            }
            sources["source\(index)"] = ["JWT": .string(token)]
        }
        names["distributed"] = "elsewhere"
        sources["elsewhere"] = ["endpoint": "https://elsewhere.example/claims", "access_token": "x"]
        body["_claim_names"] = .object(names)
        body["_claim_sources"] = .object(sources)
        return .object(body)
    }
}
