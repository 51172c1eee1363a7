import Carnet
import CarnetTransport
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// A body that a server compressed. Nobody asks for that, and some servers always do it.
struct CompressedBody {
    private let bytes: [UInt8]
    private let encoding: String

    /// Nil if the body is not compressed, or is in an encoding that is not known here.
    init?(_ bytes: [UInt8], _ headers: HTTPHeaders) {
        guard !bytes.isEmpty, let encoding = headers.first(name: "content-encoding")?.lowercased(),
            ["gzip", "x-gzip", "deflate"].contains(encoding)
        else { return nil }
        self.bytes = bytes
        self.encoding = encoding == "deflate" ? encoding : "gzip"
    }

    /// - Throws: `TransportError`: `responseTooLarge` if more comes out than the limit allows, `interrupted` if the body is
    ///   damaged.
    func unpacked(_ limits: TransportLimits, from origin: String) throws(TransportError) -> [UInt8] {
        let limit = NIOHTTPDecompression.DecompressionLimit.size(limits.maximumBodyBytes)
        let channel = EmbeddedChannel(handler: NIOHTTPResponseDecompressor(limit: limit))
        defer { _ = try? channel.finish() }
        do {
            let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: ["content-encoding": encoding])
            try channel.writeInbound(HTTPClientResponsePart.head(head))
            try channel.writeInbound(HTTPClientResponsePart.body(ByteBuffer(bytes: bytes)))
            try channel.writeInbound(HTTPClientResponsePart.end(nil))
            var unpacked: [UInt8] = []
            while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
                if case .body(let buffer) = part { unpacked += buffer.readableBytesView }
            }
            return unpacked
        } catch NIOHTTPDecompression.DecompressionError.limit {
            throw TransportError(
                .responseTooLarge,
                "the response of \(origin) is larger than \(limits.maximumBodyBytes) bytes when it is unpacked")
        } catch {
            throw TransportError(.interrupted, "\(origin) sent a compressed response that is damaged or incomplete")
        }
    }
}
