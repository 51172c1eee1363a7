package import CarnetFoundation

/// The hash functions for templates, from the module that fills them.
package protocol TemplateDigests: Sendable {
    func sha256(_ bytes: [UInt8]) -> [UInt8]
    func hmacSHA256(key: [UInt8], message: [UInt8]) -> [UInt8]
}

/// What is known at one moment, to fill templates with. The time is the same in all of them, so that a signature and
/// the time that it signs agree.
package struct TemplateValues: Sendable {
    /// A string and whether it may be seen.
    package struct Value: Hashable, Sendable {
        package var text: String
        package var isSecret: Bool

        package init(_ text: String, isSecret: Bool = false) {
            self.text = text
            self.isSecret = isSecret
        }
    }

    package var known: [TemplateReference: Value] = [:]
    /// The elements of values that are lists. Only `join` reads them.
    package var lists: [TemplateReference: [String]] = [:]
    package var tables: NamedList<NamedList<String>>
    package var now: Date
    package let random: @Sendable (Int) -> [UInt8]
    package let digests: any TemplateDigests
    /// Whether `join` leaves out what is missing, instead of having no value then: half a name is a name, and half of what a
    /// request hashes or signs is wrong.
    package var joinsWhatIsThere = false

    package init(
        tables: NamedList<NamedList<String>>, now: Date, random: @escaping @Sendable (Int) -> [UInt8],
        digests: any TemplateDigests
    ) {
        (self.tables, self.now, self.random, self.digests) = (tables, now, random, digests)
    }

    /// The longest text that a template makes, in bytes: that of a string of a file. Templates of templates multiply.
    static let longest = YAMLLimits().maximumScalarBytes

    /// The filled text; `nil` if a value without a default is not known, or if it is too long.
    package func fill(_ template: Template) -> Value? {
        guard !template.isRemoval else { return nil }
        var output = Value("")
        for part in template.parts {
            switch part {
            case .literal(let text): output.text += text
            // Inputs were filled when the descriptor was resolved.
            case .input: return nil
            case .late(let expression, let fallback):
                if let bytes = evaluate(expression) {
                    output.text += template.isJSON ? bytes.text.inJSON : bytes.text
                    output.isSecret = output.isSecret || isSecret(expression)
                } else if let fallback {
                    output.text += template.isJSON ? fallback.inJSON : fallback
                } else {
                    return nil
                }
            }
            guard output.text.utf8.count <= Self.longest else { return nil }
        }
        return output
    }

    /// The text of one expression; `nil` if a value is not known.
    package func text(of expression: TemplateExpression) -> String? { evaluate(expression)?.text }

    package func isSecret(_ expression: TemplateExpression) -> Bool {
        expression.isSecret { known[$0]?.isSecret ?? false }
    }

    /// A hash is bytes, and lower-case hexadecimal where a string is wanted.
    private enum Outcome {
        case text(String)
        case digest([UInt8])

        var text: String {
            switch self {
            case .text(let text): text
            case .digest(let bytes):
                bytes.map { Self.hexadecimal[Int($0 >> 4)] + Self.hexadecimal[Int($0 & 15)] }.joined()
            }
        }

        var bytes: [UInt8] {
            switch self {
            case .text(let text): Array(text.utf8)
            case .digest(let bytes): bytes
            }
        }

        private static let hexadecimal = "0123456789abcdef".map(String.init)
    }

    /// - Returns: `nil` also for what a function makes too long. Each makes at most three bytes of one.
    private func evaluate(_ expression: TemplateExpression) -> Outcome? {
        guard let outcome = outcome(of: expression) else { return nil }
        if case .text(let text) = outcome, text.utf8.count > Self.longest, !expression.operands.isEmpty { return nil }
        return outcome
    }

    private func outcome(of expression: TemplateExpression) -> Outcome? {
        switch expression {
        case .literal(let text): return .text(text)
        case .value(let reference): return known[reference].map { .text($0.text) }
        case .base64(let operand):
            return evaluate(operand).map { .text(Data($0.bytes).base64EncodedString()) }
        case .base64url(let operand): return evaluate(operand).map { .text(Base64URL.encode($0.bytes)) }
        case .urlencode(let operand): return evaluate(operand).map { .text(Self.percentEncoded($0.text)) }
        case .urldecode(let operand): return evaluate(operand).flatMap { Self.formDecoded($0.text) }.map { .text($0) }
        case .sha256(let operand): return evaluate(operand).map { .digest(digests.sha256($0.bytes)) }
        case .hmacSHA256(let key, let message):
            guard let key = evaluate(key), let message = evaluate(message) else { return nil }
            return .digest(digests.hmacSHA256(key: key.bytes, message: message.bytes))
        case .lower(let operand): return evaluate(operand).map { .text(Self.lowercased($0.text)) }
        case .now(let form): return .text(Self.text(of: now, form))
        case .uuid: return .text(Self.uuid(random(16)))
        case .random(let count): return .text(Base64URL.encode(random(count)))
        case .join(let separator, let operands):
            guard let separator = evaluate(separator) else { return nil }
            var (texts, length): ([String], Int) = ([], 0)
            for operand in operands {
                guard let part = evaluate(operand).map({ [$0.text] }) ?? elements(of: operand) else {
                    guard joinsWhatIsThere else { return nil }
                    continue
                }
                texts += part
                length += part.reduce(0) { $0 + $1.utf8.count + separator.text.utf8.count }
                guard length <= 2 * Self.longest else { return nil }
            }
            return texts.isEmpty ? nil : .text(texts.joined(separator: separator.text))
        case .first(let operands): return operands.lazy.compactMap(evaluate).first { !$0.bytes.isEmpty }
        case .claim(let token, let pointer):
            return evaluate(token).flatMap { JSONValue(claimsOf: $0.text)?[pointer]?.scalarText }.map { .text($0) }
        case .capture(let operand, let pattern):
            return evaluate(operand).flatMap { pattern.capture(in: $0.text) }.map { .text($0) }
        case .mapped(let operand, let table):
            return evaluate(operand).flatMap { tables[table]?[$0.text] }.map { .text($0) }
        }
    }

    private func elements(of expression: TemplateExpression) -> [String]? {
        if case .value(let reference) = expression { lists[reference] } else { nil }
    }

    package static func text(of date: Date, _ form: TemplateExpression.TimeForm) -> String {
        switch form {
        case .seconds: String(Int(date.timeIntervalSince1970.rounded(.down)))
        case .milliseconds: String(Int((date.timeIntervalSince1970 * 1000).rounded(.down)))
        case .iso8601: date.formatted(.iso8601)
        }
    }

    private static func percentEncoded(_ text: String) -> String {
        text.utf8.map { byte in
            ASCII.isUnreserved(byte)
                ? String(UnicodeScalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
        }.joined()
    }

    private static func formDecoded(_ text: String) -> String? {
        text.withBytes { PercentDecoding.text(of: $0[...], plus: UInt8(ascii: " ")) }
    }

    private static func lowercased(_ text: String) -> String {
        String(decoding: text.utf8.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }, as: UTF8.self)
    }

    /// RFC 9562, section 5.4.
    private static func uuid(_ random: [UInt8]) -> String {
        var bytes = random + Array(repeating: 0, count: max(0, 16 - random.count))
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Outcome.digest(Array(bytes.prefix(16))).text
        var groups: [Substring] = []
        var rest = digits[...]
        for length in [8, 4, 4, 4, 12] {
            groups.append(rest.prefix(length))
            rest = rest.dropFirst(length)
        }
        return groups.joined(separator: "-")
    }
}
