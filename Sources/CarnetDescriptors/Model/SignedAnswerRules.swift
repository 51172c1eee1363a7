/// How an answer that is a JWT is signed, and encrypted if it is.
package struct SignedAnswerRules: Sendable {
    package internal(set) var algorithms: [SignatureAlgorithm] = []
    package internal(set) var encryption: TokenEncryption?

    init() {}
}

extension SignedAnswerRules: DescriptorSection {
    static let shorthand: String? = "algorithms"

    static let keys: [Key<Self>] = [
        Key(
            "algorithms", \.algorithms,
            "the accepted signature algorithms; by default those announced, else those of ID tokens"),
        Key("encryption", \.encryption, "how it is encrypted for the client; not at all if not said"),
    ]
}
