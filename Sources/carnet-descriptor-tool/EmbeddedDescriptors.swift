import CarnetDescriptors
import CarnetLint

/// Descriptors as Swift source: their text, and a constant for each id.
struct EmbeddedDescriptors {
    private let documents: [(id: ProviderID, parent: ProviderID?, file: SourceFile)]

    init(_ documents: [DescriptorDocument]) {
        self.documents = documents.compactMap { document in
            document.isSound ? document.id.map { ($0, document.parentID, document.file) } : nil
        }
    }

    /// Descriptors whose constants would have one name, such as those of `a-b` and `a--b`.
    var conflicts: [Diagnostic] {
        var first: [String: ProviderID] = [:]
        return documents.compactMap { id, _, file in
            let name = Self.constantName(of: id)
            guard let earlier = first.updateValue(first[name] ?? id, forKey: name), earlier != id else { return nil }
            return DuplicateProvider.explanation.diagnostic(
                "the ids \"\(earlier)\" and \"\(id)\" both become the constant \"\(name)\"",
                file: file.path,
                span: DescriptorDocument(file).span(of: ["id"])
            )
        }
    }

    /// What hosts import; the tool itself does without.
    private static let importLine = "public import Carnet"

    var swiftSource: String {
        var source = """
            // Made from the descriptors at build time.
            \(Self.importLine)

            extension ProviderID {

            """
        for (id, _, _) in documents {
            source += "    public static let `\(Self.constantName(of: id))`: ProviderID = \"\(id)\"\n"
        }
        source += """
            }

            enum EmbeddedProviders {
                static let files: [SourceFile] = [

            """
        for (id, parent, file) in documents {
            let name = file.path.split(separator: "/").last.map(String.init) ?? file.path
            let ids = "id: \"\(id)\"" + (parent.map { ", extends: \"\($0)\"" } ?? "")
            let text = Self.literal(file.text)
            source += "        SourceFile(path: \(Self.literal(name)), embedded: \(text), \(ids)),\n"
        }
        return source + "    ]\n}\n"
    }

    /// `some-id` as `someID` would be guesswork: hyphens go, and what follows is capitalised.
    private static func constantName(of id: ProviderID) -> String {
        let words = id.rawValue.split(separator: "-")
        let name =
            (words.first.map(String.init) ?? "")
            + words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }.joined()
        return name.first?.isNumber == true ? "_" + name : name
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
}
