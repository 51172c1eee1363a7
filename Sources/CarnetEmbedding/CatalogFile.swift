/// What the embedding needs of a file of the catalogue: `id`, `extends` and the names of its inputs, found line by line.
///
/// The files of the catalogue are block mappings with two spaces for each level. A test compares what is found here with what
/// the decoder reads, for each of them. Descriptors of a host are read by the decoder.
package struct CatalogFile: Hashable, Sendable {
    fileprivate struct Input: Hashable {
        let name: String
        /// Whether it is `null`, and so removes the parent's.
        let isRemoved: Bool
        /// The lines below its name, by key. A list has one value for each item.
        var values: [String: [String]] = [:]
    }

    package private(set) var id = ""
    package private(set) var parent: String?
    private var inputs: [Input] = []
    private let name: String
    private let text: String

    /// - Returns: `nil` without an id.
    package init?(name: String, text: String) {
        self.name = name
        self.text = text
        var section = ""
        var key = ""
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let indent = line.prefix { $0 == " " }.count
            let content = line.dropFirst(indent)
            guard !content.isEmpty, content.first != "#" else { continue }
            if indent >= 6, section == "inputs", content.hasPrefix("- "), !inputs.isEmpty {
                inputs[inputs.count - 1].values[key, default: []].append(Self.value(content.dropFirst(2)))
                continue
            }
            guard let colon = content.firstIndex(of: ":") else { continue }
            let value = Self.value(content[content.index(after: colon)...])
            switch (indent, section) {
            case (0, _):
                section = String(content[..<colon])
                if section == "id" { id = value }
                if section == "extends" { parent = value }
            case (2, "inputs"):
                inputs.append(Input(name: String(content[..<colon]), isRemoved: value == "null"))
            case (4, "inputs") where !inputs.isEmpty:
                key = String(content[..<colon])
                inputs[inputs.count - 1].values[key] = value.isEmpty ? [] : Self.items(of: value)
            default: continue
            }
        }
        guard !id.isEmpty else { return nil }
    }

    /// A descriptor for each file, with the inputs of those that it extends.
    package static func descriptors(of files: [CatalogFile]) -> [EmbeddedDescriptor] {
        let byID = Dictionary(files.map { ($0.id, $0) }) { first, _ in first }
        return files.map { file in
            var chain = [file]
            while let parent = chain.last?.parent.flatMap({ byID[$0] }), !chain.contains(parent) {
                chain.append(parent)
            }
            var inputs: [Input] = []
            for input in chain.reversed().flatMap(\.inputs) {
                if input.isRemoved {
                    inputs.removeAll { $0.name == input.name }
                } else if let index = inputs.firstIndex(where: { $0.name == input.name }) {
                    inputs[index].values.merge(input.values) { _, own in own }
                } else {
                    inputs.append(input)
                }
            }
            return EmbeddedDescriptor(
                id: file.id, parent: file.parent, file: file.name, text: file.text, inputs: inputs.map(\.embedded))
        }
    }

    /// A value of one line, without its quotes and the comment behind it.
    private static func value(_ text: Substring) -> String {
        let text = text.drop { $0 == " " }
        guard let quote = text.first, quote == "\"" || quote == "'" else {
            var plain = text.prefix(while: { $0 != "#" })
            while plain.last == " " { plain.removeLast() }
            return String(plain)
        }
        return String(text.dropFirst().prefix { $0 != quote })
    }

    /// The items of `[a, b]`, or the value itself.
    private static func items(of value: String) -> [String] {
        guard value.hasPrefix("["), value.hasSuffix("]") else { return [value] }
        return value.dropFirst().dropLast().split(separator: ",").map { Self.value($0) }
    }
}

extension CatalogFile.Input {
    fileprivate var embedded: EmbeddedDescriptor.Input {
        let hasDefault = values["default"].map { $0 != ["null"] } ?? false
        return EmbeddedDescriptor.Input(
            name: name, title: values["title"]?.first, isRequired: !hasDefault && values["optional"] != ["true"],
            isSecret: values["secret"] == ["true"], allowed: values["enum"] ?? [])
    }
}
