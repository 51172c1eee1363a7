import CarnetFoundation

/// One step of a compiled pattern.
enum PatternInstruction: Hashable, Sendable {
    case character(PatternCharacters)
    case split(Int, Int)
    case jump(Int)
    /// The start or the end of the first group.
    case save(isEnd: Bool)
    /// `^` or `$`: the start or the end of the value.
    case border(isEnd: Bool)
    case match
}

/// A set of characters.
struct PatternCharacters: Hashable, Sendable {
    var ranges: [ClosedRange<UInt32>] = []
    var isInverted = false

    /// The unreserved characters of RFC 3986, section 2.3.
    static let unreserved = PatternCharacters(
        ranges: [0x2D...0x2E, 0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A, 0x7E...0x7E])

    /// The only character of the set.
    var single: UInt32? { ranges.count == 1 && ranges[0].count == 1 && !isInverted ? ranges[0].lowerBound : nil }

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        ranges.contains { $0.contains(scalar.value) } != isInverted
    }

    /// A printable character of the set, a letter or a digit if it has one.
    var some: String? {
        let usual = Array("a1A".unicodeScalars) + (0x21...0x7E as ClosedRange<UInt8>).map { Unicode.Scalar($0) }
        let scalar = usual.first(where: contains) ?? ranges.first.flatMap { Unicode.Scalar($0.lowerBound) }
        return scalar.map { String(Character($0)) }
    }
}

/// Reads a regular expression and makes a program of it: no back references, no look-around, nothing that takes more
/// than one pass.
///
/// Every part of the syntax tree becomes at least one instruction, and the program has a greatest length. So compiling
/// is bounded too, for any nesting of counts.
struct PatternCompiler {
    private indirect enum Node {
        case characters(PatternCharacters)
        case border(isEnd: Bool)
        case sequence([Node])
        case alternatives([Node])
        case group(Node)
        case repeated(Node, least: Int, most: Int?)

        /// Whether it matches nothing but the empty text and becomes no instruction: a group without content.
        var isEmpty: Bool {
            if case .sequence(let nodes) = self { nodes.isEmpty } else { false }
        }
    }

    static let longestSource = 256
    static let longestProgram = 1024
    private static let greatestDepth = 16

    private let source: [Unicode.Scalar]
    private var position = 0
    private var depth = 0
    private var hasGroup = false
    private var program: [PatternInstruction] = []
    /// How many parts of the pattern were read and written so far.
    private(set) var steps = 0

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
            let node = try quantified(atom)
            if !node.isEmpty { nodes.append(node) }
        }
        return nodes.count == 1 ? nodes[0] : .sequence(nodes)
    }

    private mutating func atom() throws(TemplateError) -> Node {
        guard let scalar = next else { throw TemplateError(reason: "it ends too early") }
        position += 1
        steps += 1
        switch scalar {
        case "(": return try group()
        case "[": return .characters(try characterClass())
        case ".": return .characters(PatternCharacters(ranges: [0x0A...0x0A], isInverted: true))
        case "\\": return .characters(try escape())
        case "^", "$": return .border(isEnd: scalar == "$")
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
            guard take(":") else { throw TemplateError(reason: "of the groups with (? only (?: is supported") }
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
        guard let counts = try counts() else { return atom }
        if case .border = atom { throw TemplateError(reason: "^ and $ cannot be repeated") }
        guard try self.counts() == nil else { throw TemplateError(reason: "a count follows another count") }
        // A repeated empty part is still empty.
        return atom.isEmpty ? atom : .repeated(atom, least: counts.least, most: counts.most)
    }

    private mutating func counts() throws(TemplateError) -> (least: Int, most: Int?)? {
        if take("*") { return (0, nil) }
        if take("+") { return (1, nil) }
        if take("?") { return (0, 1) }
        return next == "{" ? try bracedCounts() : nil
    }

    /// `{2}`, `{2,}` or `{2,5}`; any other brace is a character.
    private mutating func bracedCounts() throws(TemplateError) -> (least: Int, most: Int?)? {
        guard let close = source[position...].firstIndex(of: "}") else { return nil }
        let text = String(String.UnicodeScalarView(source[(position + 1)..<close]))
        let parts = text.utf8.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts[0].first != nil, parts.allSatisfy({ $0.allSatisfy(ASCII.isDigit) }) else {
            return nil
        }
        // A number that no program has room for is as good as any other such number.
        func number(_ digits: Substring.UTF8View) -> Int { Int(String(Substring(digits))) ?? Self.longestProgram + 1 }
        let least = number(parts[0])
        let most = parts.count == 1 ? least : parts[1].isEmpty ? nil : number(parts[1])
        guard least <= most ?? least else { throw TemplateError(reason: "the counts {\(text)} are in the wrong order") }
        guard most != 0 else { throw TemplateError(reason: "the count {\(text)} matches nothing") }
        position = close + 1
        return (least, most)
    }

    private mutating func characterClass() throws(TemplateError) -> PatternCharacters {
        var set = PatternCharacters()
        set.isInverted = take("^")
        while let scalar = next, scalar != "]" || set.ranges.isEmpty {
            let start = try member()
            guard next == "-", position + 1 < source.count, source[position + 1] != "]", let first = start.single else {
                set.ranges += start.ranges
                continue
            }
            position += 1
            guard let last = try member().single, last >= first else {
                throw TemplateError(reason: "a range between brackets is in the wrong order")
            }
            set.ranges.append(first...last)
        }
        guard take("]") else { throw TemplateError(reason: "a [ has no ]") }
        return set
    }

    /// A character between brackets, or the characters of an escape.
    private mutating func member() throws(TemplateError) -> PatternCharacters {
        let scalar = source[position]
        position += 1
        guard scalar == "\\" else { return PatternCharacters(ranges: [scalar.value...scalar.value]) }
        let escaped = try escape()
        guard !escaped.isInverted else {
            throw TemplateError(reason: "an escape such as \\D is not allowed between brackets")
        }
        return escaped
    }

    private mutating func escape() throws(TemplateError) -> PatternCharacters {
        guard let scalar = next else { throw TemplateError(reason: "there is nothing after \\") }
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
                // By its number, where it is none of ASCII: it may be a control character, or nothing that shows.
                let name = scalar.isASCII ? String(scalar) : "U+" + String(scalar.value, radix: 16, uppercase: true)
                throw TemplateError(reason: "\\\(name) is not known")
            }
            return PatternCharacters(ranges: [scalar.value...scalar.value])
        }
    }

    private mutating func append(_ instruction: PatternInstruction) throws(TemplateError) {
        guard program.count < Self.longestProgram else {
            throw TemplateError(reason: "its counts expand it to more than \(Self.longestProgram) steps")
        }
        program.append(instruction)
    }

    private mutating func emit(_ node: Node) throws(TemplateError) {
        steps += 1
        switch node {
        case .characters(let set): try append(.character(set))
        case .border(let isEnd): try append(.border(isEnd: isEnd))
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
