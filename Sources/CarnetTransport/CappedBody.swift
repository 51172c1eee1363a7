package import Carnet

/// A response body with a maximum length, while it arrives.
package struct CappedBody {
    package private(set) var bytes: [UInt8] = []
    private let maximum: Int
    private let origin: String

    /// - Parameter announcedLength: The Content-Length, which may already exceed the maximum.
    /// - Throws: `TransportError`, `responseTooLarge`.
    package init(announcedLength: Int?, limits: TransportLimits, origin: String) throws(TransportError) {
        maximum = limits.maximumBodyBytes
        self.origin = origin
        if let announcedLength, announcedLength > maximum { throw tooLarge }
    }

    /// - Throws: `TransportError`, `responseTooLarge`.
    package mutating func append(_ more: some Collection<UInt8>) throws(TransportError) {
        guard more.count <= maximum - bytes.count else { throw tooLarge }
        bytes.append(contentsOf: more)
    }

    private var tooLarge: TransportError {
        TransportError(.responseTooLarge, "the response of \(origin) is larger than \(maximum) bytes")
    }
}
