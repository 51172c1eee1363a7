extension String {
    /// The text of bytes; `nil` if they are not UTF-8.
    ///
    /// Most strings are ASCII, and the standard library's validation makes a type at run time for each text.
    package init?(utf8 bytes: ArraySlice<UInt8>) {
        if bytes.allSatisfy({ $0 < 0x80 }) {
            self.init(decoding: bytes, as: UTF8.self)
        } else {
            self.init(validating: bytes, as: UTF8.self)
        }
    }

    /// Whether no more than 30 combining characters stand in a row, as in the Stream-Safe Text Format (Unicode Standard
    /// Annex #15, section 13).
    ///
    /// The standard library sorts such a row whenever it compares, hashes or splits a string, which takes time with the
    /// square of the row's length: a name of 64 KiB costs a quarter of a second each time. No language needs a longer
    /// row.
    package var isStreamSafe: Bool {
        // A combining character takes at least two bytes.
        utf8.count <= 2 * Self.longestCombiningRow || hasNoLongRow
    }

    private var hasNoLongRow: Bool {
        Work.count(utf8.count)
        // The first combining character, U+0300, begins with this byte.
        guard withBytes({ $0.contains { $0 >= 0xCC } }) else { return true }
        var row = 0
        for scalar in unicodeScalars {
            let isCombining = scalar.value >= 0x300 && scalar.properties.canonicalCombiningClass != .notReordered
            row = isCombining ? row + 1 : 0
            guard row <= Self.longestCombiningRow else { return false }
        }
        return true
    }

    package static let longestCombiningRow = 30

    /// Whether all bytes are in a range. The compiler compares many with one instruction.
    package func hasOnly(_ bytes: ClosedRange<UInt8>) -> Bool {
        withBytes { text in
            var others: UInt8 = 0
            for byte in text { others |= byte < bytes.lowerBound || byte > bytes.upperBound ? 1 : 0 }
            return others == 0
        }
    }

    /// Whether two strings are the same bytes. `==` holds canonically equivalent strings equal, such as the letter K
    /// and the Kelvin sign; identifiers are compared without normalization (OpenID Connect Core, section 5.7; RFC 3986,
    /// section 6.2.1).
    ///
    /// With the attribute, which `==` has too, a caller need not copy a string of an array before it compares it.
    @_effects(readonly)
    package func isSameBytes(as other: String) -> Bool {
        guard utf8.count == other.utf8.count else { return false }
        return withBytes { bytes in
            other.withBytes { others in
                guard let start = bytes.baseAddress, let other = others.baseAddress else { return bytes.isEmpty }
                return memcmp(start, other, bytes.count) == 0
            }
        }
    }

    /// Calls a body with the bytes. A loop over `utf8` asks for each byte in which of several forms the string is kept.
    @inlinable
    package func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) throws -> Result) rethrows -> Result {
        if let result = try utf8.withContiguousStorageIfAvailable(body) { return result }
        // A string in another form is copied, so that it has its bytes in a row.
        var text = self
        return try text.withUTF8(body)
    }

    /// The longest beginning that has at most so many bytes, without half a scalar at its end.
    ///
    /// `prefix(_:)` counts characters, and one character may have any number of bytes.
    package func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var length = limit
        // The second and later bytes of a scalar are 10xxxxxx.
        while length > 0, utf8[utf8.index(utf8.startIndex, offsetBy: length)] & 0xC0 == 0x80 { length -= 1 }
        return String(Substring(utf8.prefix(length)))
    }

    /// Whether a part is in the text, byte for byte.
    ///
    /// The standard library's search compares characters, which takes many times longer.
    package func holds(_ part: String) -> Bool { withBytes { text in part.withBytes { text.holds($0) } } }

    /// Whether an ASCII character is in the text.
    package func holds(_ byte: UInt8) -> Bool { withBytes { $0.place(of: byte) != nil } }
}

extension String? {
    /// Whether both are missing, or both are there with the same bytes.
    package func isSameBytes(as other: String?) -> Bool {
        switch (self, other) {
        case (nil, nil): true
        case (let own?, let other?): own.isSameBytes(as: other)
        default: false
        }
    }
}

extension Sequence<String> {
    package func containsBytes(of text: String) -> Bool { contains { $0.isSameBytes(as: text) } }
}

extension [String: String] {
    package func isSameBytes(as other: [String: String]) -> Bool {
        count == other.count
            && allSatisfy { name, value in
                guard let index = other.index(forKey: name) else { return false }
                return name.isSameBytes(as: other[index].key) && value.isSameBytes(as: other[index].value)
            }
    }
}

extension [UInt8] {
    /// Whether the bytes of a part are among these.
    package func holds(_ part: String) -> Bool {
        withUnsafeBufferPointer { bytes in part.withBytes { bytes.holds($0) } }
    }

    package func holds(_ byte: UInt8) -> Bool { place(of: byte) != nil }

    package func place(of byte: UInt8, from offset: Int = 0) -> Int? {
        withUnsafeBufferPointer { $0.place(of: byte, from: offset) }
    }
}

extension UnsafeBufferPointer<UInt8> {
    /// Where a byte is from an offset on. The C library looks at many bytes at once.
    package func place(of byte: UInt8, from offset: Int = 0) -> Int? {
        guard let start = baseAddress, offset < count else { return nil }
        let found = memchr(start + offset, Int32(byte), count - offset)
        return found.map { UnsafeRawPointer($0) - UnsafeRawPointer(start) }
    }

    fileprivate func holds(_ part: UnsafeBufferPointer<UInt8>) -> Bool {
        Work.count(count)
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
