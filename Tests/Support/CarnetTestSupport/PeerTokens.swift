package import CarnetFoundation

/// Access tokens that nobody here made, and which of them a resource server must accept: `Tests/Peers/access_tokens.py`.
package struct PeerTokens: Sendable {
    package struct Token: Sendable {
        package let name: String
        package let text: String
        package let isAccepted: Bool
    }

    /// The time of the tokens, in seconds.
    package let now: Double
    package let keys: JSONValue
    package let tokens: [Token]

    package init(issuer: String, audience: String) throws {
        let made = try PeerProgram.answer(
            of: "access_tokens.py", to: ["issuer": .string(issuer), "audience": .string(audience)])
        guard let now = made["now"]?.double, let keys = made["keys"], let tokens = made["tokens"]?.array else {
            throw PeerProgram.Failure(reason: "no tokens were made")
        }
        self.now = now
        self.keys = keys
        self.tokens = tokens.compactMap { token in
            guard let name = token["name"]?.string, let text = token["token"]?.string,
                let isAccepted = token["accepted"]?.bool
            else { return nil }
            return Token(name: name, text: text, isAccepted: isAccepted)
        }
    }
}
