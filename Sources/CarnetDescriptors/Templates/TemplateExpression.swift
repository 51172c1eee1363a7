/// What stands between two braces: a value, or a pure function of values. The list is closed, so that it can be checked
/// before anyone signs in.
package indirect enum TemplateExpression: Hashable, Sendable {
    case literal(String)
    case value(TemplateReference)
    case base64(TemplateExpression)
    case base64url(TemplateExpression)
    case urlencode(TemplateExpression)
    case sha256(TemplateExpression)
    case hmacSHA256(key: TemplateExpression, message: TemplateExpression)
    case now(TimeForm)
    /// Random bytes in base64url.
    case random(Int)
    case join(separator: TemplateExpression, [TemplateExpression])
    /// A claim of a JWT, at a pointer. The signature is not checked: the issuer itself sent the token.
    case claim(TemplateExpression, JSONPointer)
    case capture(TemplateExpression, ValuePattern)
    /// The replacement of a value, from `tables`.
    case mapped(TemplateExpression, table: String)

    package enum TimeForm: String, CaseIterable, Hashable, Sendable {
        case seconds = "s"
        case milliseconds = "ms"
        case iso8601
    }
}

extension TemplateExpression {
    package var operands: [TemplateExpression] {
        switch self {
        case .literal, .value, .now, .random: []
        case .base64(let operand), .base64url(let operand), .urlencode(let operand), .sha256(let operand),
            .claim(let operand, _), .capture(let operand, _), .mapped(let operand, _):
            [operand]
        case .hmacSHA256(let key, let message): [key, message]
        case .join(let separator, let operands): [separator] + operands
        }
    }

    package var references: [TemplateReference] {
        if case .value(let reference) = self { return [reference] }
        return operands.flatMap(\.references)
    }

    /// Whether the value must not be seen. A hash of a secret counts too; a claim of a token and an entry of a table do
    /// not.
    package func isSecret(_ marked: (TemplateReference) -> Bool = { _ in false }) -> Bool {
        switch self {
        case .value(let reference): reference.isAlwaysSecret || marked(reference)
        case .claim, .mapped: false
        default: operands.contains { $0.isSecret(marked) }
        }
    }

    package var isRandom: Bool {
        if case .random = self { return true }
        return operands.contains(where: \.isRandom)
    }

    /// Whether the descriptor's author fixed the value.
    package var isClosed: Bool {
        switch self {
        case .literal, .mapped: true
        default: false
        }
    }

    /// The expression with the inputs in it; `nil` if one has no value.
    func filled(_ input: (String) -> String?) -> TemplateExpression? {
        func fill(_ all: [TemplateExpression]) -> [TemplateExpression]? {
            let filled = all.compactMap { $0.filled(input) }
            return filled.count == all.count ? filled : nil
        }
        switch self {
        case .literal, .now, .random: return self
        case .value(let reference):
            guard reference.origin == .input else { return self }
            return input(reference.name).map { .literal($0) }
        case .join(let separator, let operands):
            guard let separator = separator.filled(input), let operands = fill(operands) else { return nil }
            return .join(separator: separator, operands)
        case .hmacSHA256(let key, let message):
            guard let key = key.filled(input), let message = message.filled(input) else { return nil }
            return .hmacSHA256(key: key, message: message)
        case .base64(let operand): return operand.filled(input).map { .base64($0) }
        case .base64url(let operand): return operand.filled(input).map { .base64url($0) }
        case .urlencode(let operand): return operand.filled(input).map { .urlencode($0) }
        case .sha256(let operand): return operand.filled(input).map { .sha256($0) }
        case .claim(let operand, let pointer): return operand.filled(input).map { .claim($0, pointer) }
        case .capture(let operand, let pattern): return operand.filled(input).map { .capture($0, pattern) }
        case .mapped(let operand, let table): return operand.filled(input).map { .mapped($0, table: table) }
        }
    }
}
