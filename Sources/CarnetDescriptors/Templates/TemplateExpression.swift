package import CarnetFoundation

/// What stands between two braces: a value, or a pure function of values. The list is closed, so that it can be checked
/// before anyone signs in.
package indirect enum TemplateExpression: Hashable, Sendable {
    case literal(String)
    case value(TemplateReference)
    case base64(TemplateExpression)
    case base64url(TemplateExpression)
    case urlencode(TemplateExpression)
    /// The text of a form's value; nothing if it is not properly encoded.
    case urldecode(TemplateExpression)
    case sha256(TemplateExpression)
    /// ASCII letters in lower case.
    case lower(TemplateExpression)
    case hmacSHA256(key: TemplateExpression, message: TemplateExpression)
    case now(TimeForm)
    /// Random bytes in base64url.
    case random(Int)
    /// A random UUID (RFC 9562, section 5.4).
    case uuid
    case join(separator: TemplateExpression, [TemplateExpression])
    /// The first that is there and not empty.
    case first([TemplateExpression])
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
        case .literal, .value, .now, .random, .uuid: []
        case .base64(let operand), .base64url(let operand), .urlencode(let operand), .urldecode(let operand),
            .sha256(let operand), .lower(let operand), .claim(let operand, _), .capture(let operand, _),
            .mapped(let operand, _):
            [operand]
        case .hmacSHA256(let key, let message): [key, message]
        case .join(let separator, let operands): [separator] + operands
        case .first(let operands): operands
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

    /// The values without which there is no text.
    var requiredReferences: [TemplateReference] {
        switch self {
        case .value(let reference): [reference]
        case .first: []
        default: operands.flatMap(\.requiredReferences)
        }
    }

    /// Whether one of several values decides alone.
    package var hasAlternatives: Bool {
        if case .first = self { true } else { operands.contains(where: \.hasAlternatives) }
    }

    /// The texts that stand in for missing values.
    var defaults: [String] {
        guard case .first = self else { return operands.flatMap(\.defaults) }
        return operands.flatMap { operand in
            if case .literal(let text) = operand { [text] } else { operand.defaults }
        }
    }

    package var isRandom: Bool {
        switch self {
        case .random, .uuid: return true
        default: return operands.contains(where: \.isRandom)
        }
    }

    /// Whether the only secrets in it are the account's own tokens.
    var isMadeOfTokens: Bool { references.allSatisfy { !$0.isAlwaysSecret || $0.origin == .token } }

    /// Whether the descriptor's author fixed the value.
    package var isClosed: Bool {
        switch self {
        case .literal, .mapped: true
        default: false
        }
    }

    /// The expression with the inputs in it; `nil` if one has no value.
    ///
    /// - Parameters:
    ///   - secrets: Inputs that stay, and are filled at run time.
    ///   - joinsWhatIsThere: Whether `join` leaves out what has no value.
    func filled(
        keeping secrets: Set<String> = [], joinsWhatIsThere: Bool = false, _ input: (String) -> String?
    ) -> TemplateExpression? {
        func fill(_ operand: TemplateExpression) -> TemplateExpression? {
            operand.filled(keeping: secrets, joinsWhatIsThere: joinsWhatIsThere, input)
        }
        switch self {
        case .literal, .now, .random, .uuid: return self
        case .value(let reference):
            guard reference.origin == .input, !secrets.contains(reference.name) else { return self }
            return input(reference.name).map { .literal($0) }
        case .join(let separator, let operands):
            let filled = operands.compactMap(fill)
            guard let separator = fill(separator), joinsWhatIsThere || filled.count == operands.count
            else { return nil }
            return .join(separator: separator, filled)
        case .first(let operands):
            let filled = operands.compactMap(fill)
            return filled.isEmpty ? nil : .first(filled)
        case .hmacSHA256(let key, let message):
            guard let key = fill(key), let message = fill(message) else { return nil }
            return .hmacSHA256(key: key, message: message)
        case .base64(let operand): return fill(operand).map { .base64($0) }
        case .base64url(let operand): return fill(operand).map { .base64url($0) }
        case .urlencode(let operand): return fill(operand).map { .urlencode($0) }
        case .urldecode(let operand): return fill(operand).map { .urldecode($0) }
        case .sha256(let operand): return fill(operand).map { .sha256($0) }
        case .lower(let operand): return fill(operand).map { .lower($0) }
        case .claim(let operand, let pointer): return fill(operand).map { .claim($0, pointer) }
        case .capture(let operand, let pattern): return fill(operand).map { .capture($0, pattern) }
        case .mapped(let operand, let table): return fill(operand).map { .mapped($0, table: table) }
        }
    }
}
