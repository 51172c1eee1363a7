/// What a build embeds of one descriptor.
struct EmbeddedDescriptor: Hashable, Sendable {
    /// A value that the host supplies.
    struct Input: Hashable, Sendable {
        var name: String
        var title: String?
        /// Whether there is no default, and it may not be omitted.
        var isRequired: Bool
        var isSecret: Bool
        /// Empty if any value may be given.
        var allowed: [String]

        fileprivate var constantName: String { EmbeddedDescriptor.constantName(of: name) }

        /// The cases of its enumeration. Empty for a secret, or if two values would have one name, such as `1.0` and `10`.
        fileprivate var cases: [String] {
            let names = allowed.map(EmbeddedDescriptor.constantName)
            return isSecret || names.contains("") || Set(names).count < names.count ? [] : names
        }
    }

    var id: String
    var parent: String?
    var file: String
    var text: String
    /// Those of the parents included.
    var inputs: [Input]

    var constantName: String { Self.constantName(of: id) }

    /// `some-id` as `someID` would be guesswork: what is no letter or digit goes, and what follows is capitalised.
    static func constantName(of id: String) -> String {
        let words = id.split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }
        let name =
            (words.first.map(String.init) ?? "")
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isNumber == true ? "_" + name : name
    }
}

extension [EmbeddedDescriptor] {
    /// The Swift file that embeds the descriptors: their text, a constant for each id, and a function for the inputs of each
    /// that has any.
    var swiftSource: String {
        var source = """
            // swift-format-ignore-file
            // Made from the descriptors: do not edit.
            \(Self.importLine)

            extension ProviderID {

            """
        for descriptor in self {
            source += "    public static let `\(descriptor.constantName)`: ProviderID = \"\(descriptor.id)\"\n"
        }
        source += """
            }

            enum EmbeddedProviders {
                static let files: [SourceFile] = [

            """
        for descriptor in self {
            let name = descriptor.file.split(separator: "/").last.map(String.init) ?? descriptor.file
            let ids = "id: \"\(descriptor.id)\"" + (descriptor.parent.map { ", extends: \"\($0)\"" } ?? "")
            let text = Self.literal(descriptor.text)
            source += "        SourceFile(path: \(Self.literal(name)), embedded: \(text), \(ids)),\n"
        }
        return source + "    ]\n}\n" + inputFunctions
    }

    /// What hosts import; the tools themselves do without.
    private static var importLine: String { "public import Carnet" }

    private var inputFunctions: String {
        let described = filter { !$0.inputs.isEmpty }
        guard !described.isEmpty else { return "" }
        var source = "\nextension [String: String] {\n"
        for descriptor in described {
            source += "    /// The inputs of `\(descriptor.id)`, for `ClientRegistration`.\n"
            for input in descriptor.inputs {
                guard let title = input.title else { continue }
                source += "    /// - Parameter \(input.constantName): \(Self.comment(title))\n"
            }
            let inputs = descriptor.inputs.filter(\.isRequired) + descriptor.inputs.filter { !$0.isRequired }
            let parameters = inputs.map { input in
                "`\(input.constantName)`: \(descriptor.type(of: input))" + (input.isRequired ? "" : "? = nil")
            }
            source += "    public static func `\(descriptor.constantName)`(\(parameters.joined(separator: ", ")))"
            let members = inputs.map { input in
                let value = "`\(input.constantName)`"
                let member = input.isSecret ? ".reveal()" : input.cases.isEmpty ? "" : ".rawValue"
                return "\(Self.literal(input.name)): \(value)\(input.isRequired || member.isEmpty ? "" : "?")\(member)"
            }
            let values = "[\(members.joined(separator: ", "))]"
            source += " -> [String: String] { "
            source +=
                inputs.allSatisfy(\.isRequired) ? values : "(\(values) as [String: String?]).compactMapValues(\\.self)"
            source += " }\n"
        }
        source += "}\n"
        for descriptor in described where descriptor.inputs.contains(where: { !$0.cases.isEmpty }) {
            source += "\n/// The values that inputs of `\(descriptor.id)` may have.\n"
            source += "public enum \(descriptor.valuesName) {\n"
            for input in descriptor.inputs where !input.cases.isEmpty {
                source += "    public enum \(EmbeddedDescriptor.typeName(of: input.name)): String, Sendable {\n"
                for (name, value) in zip(input.cases, input.allowed) {
                    source += "        case `\(name)` = \(Self.literal(value))\n"
                }
                source += "    }\n"
            }
            source += "}\n"
        }
        return source
    }

    /// A Swift string literal: every character that could end or escape it is written as its number.
    private static func literal(_ text: String) -> String {
        var literal = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n": literal += "\\n"
            case "\"", "\\": literal += "\\" + String(Character(scalar))
            case " "..."~": literal.unicodeScalars.append(scalar)
            default: literal += "\\u{\(String(scalar.value, radix: 16))}"
            }
        }
        return literal + "\""
    }

    /// One line of a comment: nothing that ends it.
    private static func comment(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.map { (" "..."~").contains($0) ? $0 : " " }))
    }
}

extension EmbeddedDescriptor {
    fileprivate static func typeName(of name: String) -> String {
        let name = constantName(of: name)
        return name.prefix(1).uppercased() + name.dropFirst()
    }

    fileprivate var valuesName: String { Self.typeName(of: id) + "Inputs" }

    fileprivate func type(of input: Input) -> String {
        if input.isSecret { return "Secret" }
        return input.cases.isEmpty ? "String" : "\(valuesName).\(Self.typeName(of: input.name))"
    }
}
