/// A size of QR code at error correction level L (ISO/IEC 18004, tables 7 and 9).
struct QRVersion {
    let number: Int
    /// How many codewords of error correction each block has.
    let correction: Int
    /// The data codewords of each block.
    let blocks: [Int]
    /// The rows and columns of alignment patterns.
    let alignment: [Int]

    var size: Int { 17 + 4 * number }
    private var dataCount: Int { blocks.reduce(0, +) }
    private var countBits: Int { number < 10 ? 8 : 16 }
    /// How many bytes of text fit, beside the four bits of the mode and the count.
    var byteCapacity: Int { (dataCount * 8 - 4 - countBits) / 8 }

    static let all = [
        QRVersion(number: 1, correction: 7, blocks: [19], alignment: []),
        QRVersion(number: 2, correction: 10, blocks: [34], alignment: [6, 18]),
        QRVersion(number: 3, correction: 15, blocks: [55], alignment: [6, 22]),
        QRVersion(number: 4, correction: 20, blocks: [80], alignment: [6, 26]),
        QRVersion(number: 5, correction: 26, blocks: [108], alignment: [6, 30]),
        QRVersion(number: 6, correction: 18, blocks: [68, 68], alignment: [6, 34]),
        QRVersion(number: 7, correction: 20, blocks: [78, 78], alignment: [6, 22, 38]),
        QRVersion(number: 8, correction: 24, blocks: [97, 97], alignment: [6, 24, 42]),
        QRVersion(number: 9, correction: 30, blocks: [116, 116], alignment: [6, 26, 46]),
        QRVersion(number: 10, correction: 18, blocks: [68, 68, 69, 69], alignment: [6, 28, 50]),
    ]

    /// The codewords of a string in byte mode, blocks interleaved, each with its error correction.
    func codewords(for bytes: [UInt8]) -> [UInt8] {
        var bits = QRBits()
        bits.append(0b0100, count: 4)
        bits.append(bytes.count, count: countBits)
        for byte in bytes { bits.append(Int(byte), count: 8) }
        var data = bits.bytes
        var padding: UInt8 = 0xEC
        while data.count < dataCount {
            data.append(padding)
            padding ^= 0xEC ^ 0x11
        }
        var rest = data[...]
        let parts = blocks.map { length in
            defer { rest = rest.dropFirst(length) }
            return Array(rest.prefix(length))
        }
        let corrections = parts.map { ReedSolomon.remainder(of: $0, count: correction) }
        return Self.interleaved(parts) + Self.interleaved(corrections)
    }

    private static func interleaved(_ blocks: [[UInt8]]) -> [UInt8] {
        let longest = blocks.map(\.count).max() ?? 0
        return (0..<longest).flatMap { index in blocks.compactMap { index < $0.count ? $0[index] : nil } }
    }
}

/// Bits that become bytes, the last one filled up with zeros.
private struct QRBits {
    private var bits: [Bool] = []

    mutating func append(_ value: Int, count: Int) {
        for shift in (0..<count).reversed() { bits.append(value >> shift & 1 == 1) }
    }

    var bytes: [UInt8] {
        stride(from: 0, to: bits.count, by: 8).map { start in
            (0..<8).reduce(0) { byte, offset in
                byte << 1 | (start + offset < bits.count && bits[start + offset] ? 1 : 0)
            }
        }
    }
}

/// Error correction over GF(256) with the polynomial x⁸ + x⁴ + x³ + x² + 1.
enum ReedSolomon {
    /// The remainder of the data, times xⁿ, by the generator polynomial of degree n.
    static func remainder(of data: [UInt8], count: Int) -> [UInt8] {
        var generator: [UInt8] = [1]
        var root: UInt8 = 1
        for _ in 0..<count {
            var next = generator + [0]
            for (index, coefficient) in generator.enumerated() { next[index + 1] ^= product(coefficient, root) }
            generator = next
            root = product(root, 2)
        }
        var remainder = [UInt8](repeating: 0, count: count)
        for byte in data {
            let factor = byte ^ remainder.removeFirst()
            remainder.append(0)
            for index in remainder.indices { remainder[index] ^= product(generator[index + 1], factor) }
        }
        return remainder
    }

    static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
        var (left, right, sum) = (UInt16(left), right, UInt16(0))
        while right > 0 {
            if right & 1 == 1 { sum ^= left }
            left <<= 1
            if left > 0xFF { left ^= 0x11D }
            right >>= 1
        }
        return UInt8(truncatingIfNeeded: sum)
    }
}
