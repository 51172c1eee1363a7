import CarnetCrypto

/// A name for a used token, short enough for any index: providers choose the ids of their tokens.
package struct UsedTokenID: Hashable, Sendable {
    /// 64 hexadecimal digits.
    package let text: String

    package init(_ id: String) { text = SHA256.hash(data: Array(id.utf8)).hexadecimal }
}
