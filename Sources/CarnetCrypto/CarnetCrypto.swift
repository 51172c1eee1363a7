// Every module imports this one for cryptography: see Docs/decisions/crypto.md. On Linux it is the system's libcrypto with
// the names of swift-crypto, and as much of its interface as the package uses.
#if !os(Linux)
    @_exported import Crypto
    @_exported import CryptoExtras

    extension HashFunction {
        /// The hash of bytes. Crypto's own function for any data goes through its regions one by one.
        package static func hash(_ bytes: [UInt8]) -> Digest {
            var function = Self()
            bytes.withUnsafeBytes { function.update(bufferPointer: $0) }
            return function.finalize()
        }
    }

    extension _RSA.Encryption.PrivateKey {
        /// The key that signs, for decryption.
        package init(_ key: _RSA.Signing.PrivateKey) throws { try self.init(derRepresentation: key.derRepresentation) }
    }
#endif
