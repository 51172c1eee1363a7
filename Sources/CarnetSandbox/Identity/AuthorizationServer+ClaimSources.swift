import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The keys of a source, which has one for its first algorithm.
    mutating func keySet(of source: ClaimSource, _ request: ServerRequest) -> Reply {
        Self.keySet(request, try? keys(of: source))
    }

    private mutating func keys(of source: ClaimSource) throws(OAuthError) -> KeySet {
        if let made = sourceKeys[source.issuer] { return made }
        let keys = try newKeys(Array(source.algorithms.prefix(1)))
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
