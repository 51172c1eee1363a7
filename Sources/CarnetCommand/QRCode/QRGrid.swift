/// The modules of a QR code with one mask (ISO/IEC 18004, sections 7.7 to 7.10).
struct QRGrid {
    private(set) var modules: [[Bool]]
    /// The modules that are not data: neither filled nor masked.
    private var isFixed: [[Bool]]
    private let version: QRVersion

    init(_ version: QRVersion, _ codewords: [UInt8], mask: Int) {
        self.version = version
        let row = [Bool](repeating: false, count: version.size)
        modules = [[Bool]](repeating: row, count: version.size)
        isFixed = modules
        drawFinders()
        drawTiming()
        drawAlignment()
        drawFormat(mask: mask)
        drawVersion()
        fill(codewords, mask: mask)
    }

    private var size: Int { version.size }

    private mutating func fix(_ row: Int, _ column: Int, _ isDark: Bool) {
        modules[row][column] = isDark
        isFixed[row][column] = true
    }

    private mutating func drawFinders() {
        for (top, left) in [(0, 0), (0, size - 7), (size - 7, 0)] {
            for row in -1...7 {
                for column in -1...7 {
                    guard (0..<size).contains(top + row), (0..<size).contains(left + column) else { continue }
                    let ring = max(abs(row - 3), abs(column - 3))
                    fix(top + row, left + column, ring != 2 && ring != 4)
                }
            }
        }
    }

    private mutating func drawTiming() {
        for index in 8..<size - 8 {
            fix(6, index, index % 2 == 0)
            fix(index, 6, index % 2 == 0)
        }
    }

    private mutating func drawAlignment() {
        guard let last = version.alignment.last else { return }
        for row in version.alignment {
            for column in version.alignment {
                // The corners belong to the finders.
                if (row, column) == (6, 6) || (row, column) == (6, last) || (row, column) == (last, 6) { continue }
                for (y, x) in (-2...2).flatMap({ y in (-2...2).map { (y, $0) } }) {
                    fix(row + y, column + x, max(abs(y), abs(x)) != 1)
                }
            }
        }
    }

    /// Level L and the mask, twice, with the code word of the standard's BCH (15, 5) code.
    private mutating func drawFormat(mask: Int) {
        let data = 0b01 << 3 | mask
        let bits = (data << 10 | Self.remainder(of: data, degree: 10, by: 0x537)) ^ 0x5412
        func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
        for index in 0...5 { fix(index, 8, bit(index)) }
        fix(7, 8, bit(6))
        fix(8, 8, bit(7))
        fix(8, 7, bit(8))
        for index in 9...14 { fix(8, 14 - index, bit(index)) }
        for index in 0...7 { fix(8, size - 1 - index, bit(index)) }
        for index in 8...14 { fix(size - 15 + index, 8, bit(index)) }
        fix(size - 8, 8, true)
    }

    /// The number of the larger versions, twice, with the code word of the BCH (18, 6) code.
    private mutating func drawVersion() {
        guard version.number >= 7 else { return }
        let bits = version.number << 12 | Self.remainder(of: version.number, degree: 12, by: 0x1F25)
        for index in 0..<18 {
            let isDark = bits >> index & 1 == 1
            fix(index / 3, size - 11 + index % 3, isDark)
            fix(size - 11 + index % 3, index / 3, isDark)
        }
    }

    private static func remainder(of data: Int, degree: Int, by generator: Int) -> Int {
        var value = data << degree
        for shift in (0..<8).reversed() where value >> (shift + degree) & 1 == 1 { value ^= generator << shift }
        return value
    }

    /// Upwards and downwards in columns of two from the right, beside what is fixed.
    private mutating func fill(_ codewords: [UInt8], mask: Int) {
        var index = 0
        var isUpwards = true
        for right in stride(from: size - 1, through: 1, by: -2).map({ $0 <= 6 ? $0 - 1 : $0 }) {
            for step in 0..<size {
                let row = isUpwards ? size - 1 - step : step
                for column in [right, right - 1] where !isFixed[row][column] {
                    let isSet = index < codewords.count * 8 && codewords[index / 8] >> (7 - index % 8) & 1 == 1
                    modules[row][column] = isSet != Self.isMasked(row, column, mask)
                    index += 1
                }
            }
            isUpwards.toggle()
        }
    }

    private static func isMasked(_ row: Int, _ column: Int, _ mask: Int) -> Bool {
        switch mask {
        case 0: (row + column) % 2 == 0
        case 1: row % 2 == 0
        case 2: column % 3 == 0
        case 3: (row + column) % 3 == 0
        case 4: (row / 2 + column / 3) % 2 == 0
        case 5: row * column % 2 + row * column % 3 == 0
        case 6: (row * column % 2 + row * column % 3) % 2 == 0
        default: ((row + column) % 2 + row * column % 3) % 2 == 0
        }
    }
}

extension QRGrid {
    /// How hard the grid is to read (ISO/IEC 18004, table 11): the mask with the least is taken.
    var penalty: Int {
        let columns = (0..<size).map { column in modules.map { $0[column] } }
        let lines = modules + columns
        return lines.reduce(0) { $0 + Self.penaltyOfRuns($1) + Self.penaltyOfFinders($1) }
            + penaltyOfBlocks + penaltyOfBalance
    }

    private static func penaltyOfRuns(_ line: [Bool]) -> Int {
        var (sum, run) = (0, 0)
        for index in line.indices {
            run = index > 0 && line[index] == line[index - 1] ? run + 1 : 1
            if run == 5 { sum += 3 } else if run > 5 { sum += 1 }
        }
        return sum
    }

    /// The pattern of a finder: dark 1:1:3:1:1 beside four light modules.
    private static func penaltyOfFinders(_ line: [Bool]) -> Int {
        let finder = [true, false, true, true, true, false, true]
        let light = [Bool](repeating: false, count: 4)
        return line.indices.dropLast(10).reduce(0) { sum, start in
            let part = Array(line[start..<start + 11])
            return sum + (part == finder + light || part == light + finder ? 40 : 0)
        }
    }

    private var penaltyOfBlocks: Int {
        var sum = 0
        for row in 0..<size - 1 {
            for column in 0..<size - 1 {
                let isDark = modules[row][column]
                if modules[row][column + 1] == isDark, modules[row + 1][column] == isDark,
                    modules[row + 1][column + 1] == isDark
                {
                    sum += 3
                }
            }
        }
        return sum
    }

    private var penaltyOfBalance: Int {
        let dark = modules.reduce(0) { $0 + $1.count { $0 } }
        return abs(dark * 20 - size * size * 10) / (size * size) * 10
    }
}
