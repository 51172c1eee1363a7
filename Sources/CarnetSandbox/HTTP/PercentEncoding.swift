import CarnetDescriptors
import CarnetFoundation

/// The encoding of `application/x-www-form-urlencoded` (RFC 6749, appendix B).
enum PercentEncoding {
    /// Encodes every byte outside `A-Z a-z 0-9 - . _ ~`, a space as `%20`.
    static func encode(_ text: String) -> String {
        text.utf8.map { byte in
            let hex = String(byte, radix: 16, uppercase: true)
            return isUnreserved(byte) ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + hex
        }.joined()
    }

    /// Encodes a value in the way that a descriptor says.
    static func encode(_ text: String, as encoding: ParameterEncoding) -> String {
        switch encoding {
        case .percent, .repeated: encode(text)
        case .plus: encode(text).replacing("%20", with: "+")
        case .raw: text.map { "!$'()*+,;=:@/?".contains($0) ? String($0) : encode(String($0)) }.joined()
        }
    }

    static func encode(_ pairs: [(name: String, value: String)]) -> String {
        pairs.map { encode($0.name) + "=" + encode($0.value) }.joined(separator: "&")
    }

    /// Decodes `%XX` and `+`; `nil` if an escape is broken or the bytes are not UTF-8.
    static func decode(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(0x20)
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexValue), let low = rest.popFirst().flatMap(hexValue) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8) -> UInt8? {
        Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8($0) }
    }

    static func isUnreserved(_ byte: UInt8) -> Bool { ASCII.isAlphanumeric(byte) || "-._~".utf8.contains(byte) }
}

extension String {
    /// Whether all characters are visible ASCII or spaces, as codes and tokens are (RFC 6749, appendix A).
    var isVisibleASCII: Bool { utf8.allSatisfy { (0x20...0x7E).contains($0) } }
}
