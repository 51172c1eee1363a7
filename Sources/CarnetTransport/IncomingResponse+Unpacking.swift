import CLibZ
package import Carnet
package import CarnetProtocol
import HTTPTypes

extension IncomingResponse {
    /// The response with the body that a server compressed unpacked. Nobody asks for that, and some servers always do it.
    ///
    /// - Parameter encoding: The encoding of the body. In one that is not known here, it stays.
    /// - Throws: `TransportError`: `responseTooLarge` if more comes out than the limit allows, `interrupted` if the body is
    ///   damaged.
    package func unpacked(
        from encoding: String?, _ limits: TransportLimits, origin: String
    ) throws(TransportError) -> IncomingResponse {
        guard !body.isEmpty else { return self }
        // What zlib calls the format: the size of the window, and 16 more for gzip (RFC 1952) in place of zlib's (RFC 1950).
        let format: Int32
        switch encoding?.lowercased() {
        case "gzip", "x-gzip": format = 15 + 16
        case "deflate": format = 15
        default: return self
        }
        let damage = TransportError(
            .interrupted, "\(origin) sent a compressed response that is damaged or incomplete")
        var stream = z_stream()
        guard inflateInit2_(&stream, format, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw damage
        }
        defer { inflateEnd(&stream) }
        var unpacked: [UInt8] = []
        var (input, part) = (body, [UInt8](repeating: 0, count: 16_384))
        var taken = 0
        while true {
            let (status, given) = input.withUnsafeMutableBufferPointer { input in
                part.withUnsafeMutableBufferPointer { part in
                    stream.next_in = input.baseAddress.map { $0 + taken }
                    stream.avail_in = UInt32(clamping: input.count - taken)
                    stream.next_out = part.baseAddress
                    stream.avail_out = UInt32(part.count)
                    let offered = stream.avail_in
                    let status = inflate(&stream, Z_NO_FLUSH)
                    taken += Int(offered - stream.avail_in)
                    return (status, part.count - Int(stream.avail_out))
                }
            }
            guard given <= limits.maximumBodyBytes - unpacked.count else {
                throw TransportError(
                    .responseTooLarge,
                    "the response of \(origin) is larger than \(limits.maximumBodyBytes) bytes when it is unpacked")
            }
            unpacked += part.prefix(given)
            switch status {
            case Z_OK: continue
            case Z_STREAM_END where taken == input.count:
                var head = head
                (head.headerFields[.contentEncoding], head.headerFields[.contentLength]) = (nil, nil)
                return IncomingResponse(head: head, body: unpacked)
            default: throw damage
            }
        }
    }
}
