import Crypto

extension HashFunction {
    /// The hash of bytes. Crypto's own function for any data goes through its regions one by one.
    static func hash(_ bytes: [UInt8]) -> Digest {
        var function = Self()
        bytes.withUnsafeBytes { function.update(bufferPointer: $0) }
        return function.finalize()
    }
}
