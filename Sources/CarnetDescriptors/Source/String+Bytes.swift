#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

extension String {
    /// The text of bytes; `nil` if they are not UTF-8.
    ///
    /// Most texts are ASCII, and the standard library's validation makes a type at run time for each text.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            self.init(validating: bytes, as: UTF8.self)
        }
    }

    /// Whether a part is in the text, byte for byte.
    ///
    /// The standard library's search compares characters, which takes many times longer.
    package func holds(_ part: String) -> Bool {
        var (text, part) = (self, part)
        return text.withUTF8 { text in part.withUTF8 { text.holds($0) } }
    }
}

extension [UInt8] {
    /// Whether the bytes of a part are among these.
    package func holds(_ part: String) -> Bool {
        var part = part
        return withUnsafeBufferPointer { bytes in part.withUTF8 { bytes.holds($0) } }
    }
}

extension UnsafeBufferPointer<UInt8> {
    fileprivate func holds(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        guard let wanted = part.baseAddress, let first = part.first else { return true }
        guard let bytes = baseAddress, count >= part.count else { return false }
        let end = bytes + (count - part.count + 1)
        var place = bytes
        while let found = memchr(place, Int32(first), end - place) {
            if memcmp(found, wanted, part.count) == 0 { return true }
            place = bytes + (found - UnsafeMutableRawPointer(mutating: bytes) + 1)
        }
        return false
    }
}
