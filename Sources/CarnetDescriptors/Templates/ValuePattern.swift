import CarnetFoundation

/// A regular expression for the whole of a value that somebody else sent.
///
/// Matching takes time bounded by the lengths of pattern and value: see `Docs/decisions/templates.md`.
package struct ValuePattern: Hashable, Sendable {
    package let source: String
    let program: [PatternInstruction]
    /// How many parts of the pattern were read and written to compile it.
    package let compilationSteps: Int

    /// The longest value that is looked at, in bytes.
    package static let longestValue = 2048

    /// - Throws: `TemplateError` that says what is not understood.
    package init(_ source: String) throws(TemplateError) {
        var compiler = try PatternCompiler(source)
        let program = try compiler.compile()
        self.init(source: source, program: program, compilationSteps: compiler.steps)
    }

    /// - Parameter program: What another notation was compiled to.
    init(source: String, program: [PatternInstruction], compilationSteps: Int = 0) {
        (self.source, self.program, self.compilationSteps) = (source, program, compilationSteps)
    }

    package static func == (lhs: Self, rhs: Self) -> Bool { lhs.source == rhs.source }

    package func hash(into hasher: inout Hasher) { hasher.combine(source) }

    /// Whether the whole value has this form.
    package func matches(_ value: String) -> Bool { match(value).slots != nil }

    /// How many steps it takes to match a value: at most three for each instruction at each of its characters.
    package func steps(matching value: String) -> Int { match(value).steps }

    /// What the first group of the pattern matched, or the whole value if it has none; `nil` if the value has another
    /// form.
    package func capture(in value: String) -> String? {
        guard let slots = match(value).slots else { return nil }
        guard hasGroup else { return value }
        guard let start = slots.start, let end = slots.end else { return nil }
        var text = ""
        text.unicodeScalars += Array(value.unicodeScalars)[start..<end]
        return text
    }

    private var hasGroup: Bool { program.contains(.save(isEnd: false)) }

    private struct Slots {
        var start: Int?
        var end: Int?
    }

    private enum Job {
        case visit(Int, at: Int)
        case restore(Slots)
    }

    /// Tries the alternatives in order, each instruction at each position once: more would find nothing new.
    private func match(_ value: String) -> (slots: Slots?, steps: Int) {
        guard value.utf8.count <= Self.longestValue else { return (nil, 0) }
        let text = Array(value.unicodeScalars)
        let width = text.count + 1
        var isVisited = [Bool](repeating: false, count: program.count * width)
        var slots = Slots()
        var jobs = [Job.visit(0, at: 0)]
        var steps = 0
        defer { Work.count(steps) }
        while let job = jobs.popLast() {
            steps += 1
            guard case .visit(let index, let position) = job else {
                if case .restore(let earlier) = job { slots = earlier }
                continue
            }
            guard !isVisited[index * width + position] else { continue }
            isVisited[index * width + position] = true
            switch program[index] {
            case .character(let set):
                if position < text.count, set.contains(text[position]) {
                    jobs.append(.visit(index + 1, at: position + 1))
                }
            case .split(let first, let second):
                jobs.append(.visit(second, at: position))
                jobs.append(.visit(first, at: position))
            case .jump(let target):
                jobs.append(.visit(target, at: position))
            case .save(let isEnd):
                jobs.append(.restore(slots))
                if isEnd { slots.end = position } else { slots.start = position }
                jobs.append(.visit(index + 1, at: position))
            case .border(let isEnd):
                if position == (isEnd ? text.count : 0) { jobs.append(.visit(index + 1, at: position)) }
            case .match:
                if position == text.count { return (slots, steps) }
            }
        }
        return (nil, steps)
    }

    /// A value of this form that is not empty, as short as possible; `nil` if none was found.
    package var shortestValue: String? {
        let unvisited = [Bool](repeating: false, count: program.count)
        var (isVisited, now, later) = (unvisited, [(index: 0, text: "")], [(index: Int, text: String)]())
        while !now.isEmpty {
            while let (index, text) = now.popLast() {
                guard !isVisited[index] else { continue }
                isVisited[index] = true
                switch program[index] {
                case .character(let set): if let some = set.some { later.append((index + 1, text + some)) }
                case .split(let first, let second): now += [(second, text), (first, text)]
                case .jump(let target): now.append((target, text))
                case .save, .border: now.append((index + 1, text))
                case .match: if !text.isEmpty { return matches(text) ? text : nil }
                }
            }
            // The empty value has been everywhere that takes no character.
            if later.first?.text.unicodeScalars.count == 1 { isVisited = unvisited }
            (now, later) = (later.reversed(), [])
        }
        return nil
    }

    /// The instructions as a part of a longer pattern, without the end.
    func part(at start: Int) -> [PatternInstruction] {
        program.dropLast().enumerated().map { index, instruction in
            switch instruction {
            case .split(let first, let second): .split(first + start, second + start)
            case .jump(let target): .jump(target + start)
            // The start and the end of the part are not those of the value.
            case .border: .jump(start + index + 1)
            default: instruction
            }
        }
    }
}

extension ValuePattern: CustomStringConvertible {
    package var description: String { source }
}

extension ValuePattern: DescriptorValue {
    static var shape: Shape { .text("a regular expression for the whole value") }

    init?(_ node: YAMLNode, _ decoder: inout DescriptorDecoder) {
        guard let text = String(node, &decoder) else { return nil }
        do throws(TemplateError) {
            try self.init(text)
        } catch {
            decoder.report(
                .valueNotAllowed,
                "\"\(text)\" is not a pattern: \(error.reason)",
                at: node.span,
                help:
                    "allowed: characters, classes such as [a-z0-9-], \\d \\w \\s, groups, |, and the counts ? * + {2,5}"
            )
            return nil
        }
    }
}
