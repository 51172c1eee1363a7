#if os(Linux)
    import CLibCrypto
    import CarnetFoundation

    /// A call of libcrypto that failed, or bytes that are no key, signature or encrypted message.
    package struct CryptoError: Error {}

    /// - Throws: `CryptoError`. The details that libcrypto keeps for the thread are removed: the next call would find them.
    func check(_ result: Int32) throws(CryptoError) {
        guard result > 0 else {
            ERR_clear_error()
            throw CryptoError()
        }
    }

    func check(_ pointer: OpaquePointer?) throws(CryptoError) -> OpaquePointer {
        guard let pointer else {
            ERR_clear_error()
            throw CryptoError()
        }
        return pointer
    }

    /// For functions that only say whether something is valid.
    func succeeds(_ body: () throws -> Void) -> Bool { (try? body()) != nil }

    /// For what cannot fail with a working libcrypto, such as a hash.
    func required(_ pointer: OpaquePointer?, _ name: String) -> OpaquePointer {
        guard let pointer else { preconditionFailure("the system's libcrypto has no \(name): check OPENSSL_CONF") }
        return pointer
    }

    func required(_ result: Int32, _ name: String) {
        guard result > 0 else { preconditionFailure("the system's libcrypto failed: \(name)") }
    }

    extension Collection<UInt8> {
        func withContiguousBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
            try withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
        }

        func withCarnetBytes<Result>(_ body: (carnet_bytes) throws -> Result) rethrows -> Result {
            try withContiguousBytes { try body(carnet_bytes(start: $0.baseAddress, count: $0.count)) }
        }
    }

    /// Bytes that are overwritten when the last copy is gone.
    final class SecretBytes: @unchecked Sendable {
        let buffer: UnsafeMutableBufferPointer<UInt8>

        init(count: Int, _ fill: (UnsafeMutableBufferPointer<UInt8>) throws -> Void) rethrows {
            buffer = .allocate(capacity: count)
            buffer.initialize(repeating: 0)
            try fill(buffer)
        }

        convenience init(_ bytes: some Collection<UInt8>) {
            self.init(count: bytes.count) { _ = $0.update(fromContentsOf: bytes) }
        }

        deinit {
            OPENSSL_cleanse(buffer.baseAddress, buffer.count)
            buffer.deallocate()
        }

        var bytes: carnet_bytes { carnet_bytes(start: buffer.baseAddress, count: buffer.count) }
    }

    package struct SymmetricKey: Sendable {
        let secret: SecretBytes

        init(secret: SecretBytes) { self.secret = secret }
        package init(data: some Collection<UInt8>) { secret = SecretBytes(data) }

        package var bitCount: Int { secret.buffer.count * 8 }

        package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try body(UnsafeRawBufferPointer(secret.buffer))
        }
    }

    /// The result of a key agreement, which is no key yet.
    package struct SharedSecret: Sendable {
        let secret: SecretBytes

        package func withUnsafeBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
            try body(UnsafeRawBufferPointer(secret.buffer))
        }
    }
#endif
