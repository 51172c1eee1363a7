package import CarnetDescriptors
import CarnetFoundation

/// The only encoder of parameters (RFC 6749, appendix B; RFC 3986, section 2.1).
package enum PercentEncoding {
    /// Encodes every byte outside `A-Z a-z 0-9 - . _ ~`. A space becomes `%20`, which form and query decoders both
    /// accept.
    ///
    /// - Parameter encoding: What the descriptor's `encoding` says.
    package static func encode(_ text: String, as encoding: ParameterEncoding = .percent) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 2)
        encode(text, as: encoding, into: &output)
        return String(decoding: output, as: UTF8.self)
    }

    static func encode(_ text: String, as encoding: ParameterEncoding = .percent, into output: inout [UInt8]) {
        text.withBytes { bytes in
            Work.count(bytes.count)
            var start = 0
            for place in bytes.indices where !ASCII.isUnreserved(bytes[place]) {
                let byte = bytes[place]
                if encoding == .raw && isKeptRaw(byte) { continue }
                output.append(contentsOf: bytes[start..<place])
                if byte == 0x20 && encoding == .plus {
                    output.append(UInt8(ascii: "+"))
                } else {
                    output.append(UInt8(ascii: "%"))
                    output.append(hexDigit(byte >> 4))
                    output.append(hexDigit(byte & 0xF))
                }
                start = place + 1
            }
            output.append(contentsOf: bytes[start...])
        }
    }

    /// `name=value` pairs joined by `&`.
    package static func encode(_ parameters: [(name: String, value: String)]) -> String {
        parameters.map { "\(encode($0.name))=\(encode($0.value))" }.joined(separator: "&")
    }

    /// Decodes `application/x-www-form-urlencoded`; `+` is a space.
    ///
    /// - Returns: `nil` for what `PercentDecoding` refuses.
    package static func decodeForm(_ text: String) -> [(name: String, value: String)]? {
        text.withBytes { bytes in
            Work.count(bytes.count)
            var pairs: [(name: String, value: String)] = []
            var start = 0
            while start < bytes.count {
                let end = bytes.place(of: UInt8(ascii: "&"), from: start) ?? bytes.count
                defer { start = end + 1 }
                guard start < end else { continue }
                let pair = bytes[start..<end]
                let equals = pair.firstIndex(of: UInt8(ascii: "=")) ?? end
                guard let name = PercentDecoding.text(of: pair[..<equals], plus: 0x20),
                    let value = PercentDecoding.text(of: pair[equals...].dropFirst(), plus: 0x20)
                else { return nil }
                pairs.append((name, value))
            }
            return pairs
        }
    }

    /// Whether the value of a `Content-Type` field says that the body is a form (RFC 9110, section 8.3.1).
    package static func isForm(_ contentType: String?) -> Bool {
        guard let contentType else { return false }
        func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        var type = contentType.utf8.prefix { $0 != UInt8(ascii: ";") }.drop(while: isSpace)
        while let last = type.last, isSpace(last) { type = type.dropLast() }
        return type.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }
            .elementsEqual("application/x-www-form-urlencoded".utf8)
    }

    /// Decodes a part of a URL other than a form; `+` stays.
    ///
    /// - Returns: `nil` like `decodeForm`.
    package static func decode(_ text: String) -> String? {
        text.withBytes { PercentDecoding.text(of: $0[...], plus: UInt8(ascii: "+")) }
    }

    /// The bytes as a lenient reader decodes them: what is no valid encoding stays.
    package static func decodedBytes(_ bytes: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = rest.first.flatMap(PercentDecoding.hexValue),
                let low = rest.dropFirst().first.flatMap(PercentDecoding.hexValue)
            {
                output.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                output.append(byte)
            }
        }
        return output
    }

    /// What a URL may have in its query as it is, besides what is unreserved (RFC 3986, section 3.4), except for `&`.
    private static func isKeptRaw(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "!"), UInt8(ascii: "$"), UInt8(ascii: "'")...UInt8(ascii: ","), UInt8(ascii: "/"),
            UInt8(ascii: ":")...UInt8(ascii: ";"), UInt8(ascii: "="), UInt8(ascii: "?")...UInt8(ascii: "@"):
            true
        default: false
        }
    }

    private static func hexDigit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "A") + value - 10
    }
}
