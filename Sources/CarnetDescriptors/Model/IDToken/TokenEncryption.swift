/// The registered encryption algorithms of a client's ID tokens or signed responses (OpenID Connect Dynamic Client
/// Registration, section 2). A token never chooses them.
package struct TokenEncryption: Hashable, DescriptorSection, Sendable {
    /// How the key of the content is brought, called `id_token_encrypted_response_alg` at registration.
    package internal(set) var algorithm = KeyManagementAlgorithm.rsaOAEP256
    /// How the content is encrypted, called `id_token_encrypted_response_enc` at registration.
    package internal(set) var content = ContentEncryption.a128CBCHS256

    init() {}

    package init(_ algorithm: KeyManagementAlgorithm, _ content: ContentEncryption = .a128CBCHS256) {
        self.algorithm = algorithm
        self.content = content
    }

    static let keys: [Key<Self>] = [
        Key("algorithm", \.algorithm, isRequired: true, "the key management algorithm (RFC 7518, section 4.1)"),
        Key(
            "content", \.content,
            "the content encryption algorithm (RFC 7518, section 5.1); default: A128CBC-HS256, as in client registration"
        ),
    ]
}

/// The key management algorithm (RFC 7518, section 4.1). RSA1_5 is not supported: a response to wrong padding reveals
/// the key (RFC 8725, section 3.2).
package enum KeyManagementAlgorithm: String, DescriptorChoice, Sendable {
    case rsaOAEP = "RSA-OAEP"
    case rsaOAEP256 = "RSA-OAEP-256"
    case ecdhES = "ECDH-ES"
    case ecdhESA128KW = "ECDH-ES+A128KW"
    case ecdhESA256KW = "ECDH-ES+A256KW"
}

/// The content encryption algorithm (RFC 7518, section 5.1).
package enum ContentEncryption: String, DescriptorChoice, Sendable {
    case a128GCM = "A128GCM"
    case a256GCM = "A256GCM"
    case a128CBCHS256 = "A128CBC-HS256"
    case a256CBCHS512 = "A256CBC-HS512"

    /// The length of the key in bytes.
    package var keyLength: Int {
        switch self {
        case .a128GCM: 16
        case .a256GCM, .a128CBCHS256: 32
        case .a256CBCHS512: 64
        }
    }
}
