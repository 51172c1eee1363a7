import Foundation

/// The input under test, in a file that outlives the program.
struct CurrentInput: ~Copyable {
    struct Failure: Error {
        let path: String
    }

    private let descriptor: Int32

    init(path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC, 0o600)
        guard descriptor >= 0 else { throw Failure(path: path) }
    }

    deinit {
        close(descriptor)
    }

    func note(_ bytes: [UInt8]) {
        _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        ftruncate(descriptor, off_t(bytes.count))
    }
}
