/// How a resource server validates access tokens that are JWTs (RFC 9068).
package struct AccessTokenRules: DescriptorSection, Sendable {
    /// Claims, with or without a value, that the provider's access tokens have and its ID tokens have not.
    package internal(set) var markedBy: [String] = []
    package internal(set) var audience = "aud"
    package internal(set) var client = ["client_id", "azp"]

    static let keys: [Key<Self>] = [
        Key(
            "marked_by", \.markedBy,
            "claims that only access tokens have, as NAME or NAME=VALUE; a token with one of them needs no type at+jwt"),
        Key("audience", \.audience, "the claim with the audience; default: aud"),
        Key("client", \.client, "the claims with the client id, of which the first counts; default: client_id, azp"),
    ]
}
