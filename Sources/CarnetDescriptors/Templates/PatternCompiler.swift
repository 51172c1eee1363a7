/// One step of a compiled pattern.
enum PatternInstruction: Hashable, Sendable {
    case character(PatternCharacters)
    case split(Int, Int)
    case jump(Int)
    /// The start or the end of the first group.
    case save(isEnd: Bool)
    case match
}

/// A set of characters.
struct PatternCharacters: Hashable, Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isInverted = false

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isInverted
    }
}

/// Reads a regular expression and makes a program of it: no back references, no look-around, nothing that takes more than
/// one pass.
struct PatternCompiler {
    private indirect enum Node {
        case characters(PatternCharacters)
        case sequence([Node])
        case alternatives([Node])
        case group(Node)
        case repeated(Node, least: Int, most: Int?)
    }

    private static let longestSource = 256
    private static let longestProgram = 1024
    private static let highestCount = 64
    private static let greatestDepth = 16

    private let source: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    private var hasGroup = false
    private var program: [PatternInstruction] = []

    init(_ source: String) throws(TemplateError) {
        self.source = Array(source.unicodeScalars)
        guard self.source.count <= Self.longestSource else {
            throw TemplateError(reason: "it is longer than \(Self.longestSource) characters")
        }
    }

    mutating func compile() throws(TemplateError) -> [PatternInstruction] {
        let node = try alternatives()
        guard position == source.count else { throw TemplateError(reason: "a ) has no (") }
        try emit(node)
        try append(.match)
        return program
    }

    private var next: Unicode.Scalar? { position < source.count ? source[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func alternatives() throws(TemplateError) -> Node {
        var all = [try sequence()]
        while take("|") { all.append(try sequence()) }
        return all.count == 1 ? all[0] : .alternatives(all)
    }

    private mutating func sequence() throws(TemplateError) -> Node {
        var nodes: [Node] = []
        while let scalar = next, scalar != "|", scalar != ")" {
            let atom = try atom()
            nodes.append(try quantified(atom))
        }
        return .sequence(nodes)
    }

    private mutating func atom() throws(TemplateError) -> Node {
        guard let scalar = next else { throw TemplateError(reason: "it ends too early") }
        position += 1
        switch scalar {
        case "(": return try group()
        case "[": return .characters(try characterClass())
        case ".": return .characters(PatternCharacters(ranges: [0x0A...0x0A], isInverted: true))
        case "\\": return .characters(try escape())
        case "^", "$":
            throw TemplateError(reason: "\(scalar) is not needed: a pattern is for the whole value")
        case "*", "+", "?":
            throw TemplateError(reason: "there is nothing before \(scalar) to repeat")
        default: return .characters(PatternCharacters(ranges: [scalar.value...scalar.value]))
        }
    }

    private mutating func group() throws(TemplateError) -> Node {
        depth += 1
        guard depth <= Self.greatestDepth else { throw TemplateError(reason: "its groups are nested too deeply") }
        var isCapturing = true
        if take("?") {
            guard take(":") else { throw TemplateError(reason: "of the groups with (? only (?: is known") }
            isCapturing = false
        }
        isCapturing = isCapturing && !hasGroup
        if isCapturing { hasGroup = true }
        let inner = try alternatives()
        guard take(")") else { throw TemplateError(reason: "a ( has no )") }
        depth -= 1
        return isCapturing ? .group(inner) : inner
    }

    private mutating func quantified(_ atom: Node) throws(TemplateError) -> Node {
        let node: Node
        if take("*") {
            node = .repeated(atom, least: 0, most: nil)
        } else if take("+") {
            node = .repeated(atom, least: 1, most: nil)
        } else if take("?") {
            node = .repeated(atom, least: 0, most: 1)
        } else if next == "{", let counts = try counts() {
            node = .repeated(atom, least: counts.least, most: counts.most)
        } else {
            return atom
        }
        if let next, "*+?".unicodeScalars.contains(next) {
            throw TemplateError(reason: "a count stands behind another one")
        }
        return node
    }

    /// `{2}`, `{2,}` or `{2,5}`; any other brace is a character.
    private mutating func counts() throws(TemplateError) -> (least: Int, most: Int?)? {
        guard let close = source[position...].firstIndex(of: "}") else { return nil }
        let text = source[(position + 1)..<close].map { Character($0) }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard let least = parts.first.flatMap({ Int(String($0)) }), parts.count <= 2,
            text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ",") })
        else { return nil }
        let most = parts.count == 1 ? least : Int(String(parts[1]))
        guard max(least, most ?? 0) <= Self.highestCount, least <= most ?? least else {
            throw TemplateError(reason: "a count is at most \(Self.highestCount), the lower one first")
        }
        position = close + 1
        return (least, most)
    }

    private mutating func characterClass() throws(TemplateError) -> PatternCharacters {
        var set = PatternCharacters()
        set.isInverted = take("^")
        while let scalar = next, scalar != "]" || set.ranges.isEmpty {
            position += 1
            if scalar == "\\" {
                let escaped = try escape()
                guard !escaped.isInverted else {
                    throw TemplateError(reason: "an escape such as \\D cannot stand between brackets")
                }
                set.ranges += escaped.ranges
                continue
            }
            var end = scalar
            if next == "-", position + 1 < source.count, source[position + 1] != "]" {
                end = source[position + 1]
                guard end.value >= scalar.value, end != "\\" else {
                    throw TemplateError(reason: "a range between brackets runs backwards")
                }
                position += 2
            }
            set.ranges.append(scalar.value...end.value)
        }
        guard take("]") else { throw TemplateError(reason: "a [ has no ]") }
        return set
    }

    private mutating func escape() throws(TemplateError) -> PatternCharacters {
        guard let scalar = next else { throw TemplateError(reason: "there is nothing behind \\") }
        position += 1
        switch scalar {
        case "d", "D": return PatternCharacters(ranges: [0x30...0x39], isInverted: scalar == "D")
        case "w", "W":
            return PatternCharacters(
                ranges: [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A], isInverted: scalar == "W")
        case "s", "S":
            return PatternCharacters(ranges: [0x09...0x0D, 0x20...0x20], isInverted: scalar == "S")
        default:
            guard scalar.value < 0x80, !ASCII.isAlphanumeric(UInt8(scalar.value)) else {
                throw TemplateError(reason: "\\\(scalar) is not known")
            }
            return PatternCharacters(ranges: [scalar.value...scalar.value])
        }
    }
}

extension PatternCompiler {
    private mutating func append(_ instruction: PatternInstruction) throws(TemplateError) {
        guard program.count < Self.longestProgram else { throw TemplateError(reason: "its counts make it too long") }
        program.append(instruction)
    }

    private mutating func emit(_ node: Node) throws(TemplateError) {
        switch node {
        case .characters(let set): try append(.character(set))
        case .sequence(let nodes):
            for node in nodes { try emit(node) }
        case .group(let inner):
            try append(.save(isEnd: false))
            try emit(inner)
            try append(.save(isEnd: true))
        case .alternatives(let nodes): try emit(alternatives: nodes)
        case .repeated(let inner, let least, let most):
            for _ in 0..<least { try emit(inner) }
            guard let most else { return try emit(anyNumberOf: inner) }
            for _ in least..<most {
                let start = program.count
                try append(.split(start + 1, start))
                try emit(inner)
                program[start] = .split(start + 1, program.count)
            }
        }
    }

    private mutating func emit(alternatives nodes: [Node]) throws(TemplateError) {
        var ends: [Int] = []
        for node in nodes.dropLast() {
            let start = program.count
            try append(.split(start + 1, start))
            try emit(node)
            ends.append(program.count)
            try append(.jump(0))
            program[start] = .split(start + 1, program.count)
        }
        if let last = nodes.last { try emit(last) }
        for end in ends { program[end] = .jump(program.count) }
    }

    private mutating func emit(anyNumberOf inner: Node) throws(TemplateError) {
        let start = program.count
        try append(.split(start + 1, start))
        try emit(inner)
        try append(.jump(start))
        program[start] = .split(start + 1, program.count)
    }
}
