extension DescriptorDocument {
    /// What the descriptor says, all keys of the language, with its templates filled as the engine fills them.
    ///
    /// It follows the table of keys and names none of them, so a new key is there without a word about it.
    ///
    /// - Parameters:
    ///   - environment: The name of a variant; `nil` for the descriptor as it is.
    ///   - values: The values of the inputs, and of `issuer`.
    package func filled(environment: String?, with values: [String: String]) -> JSONValue {
        let tree = environment.flatMap { name in
            descriptor?.environments[name].flatMap { rules in
                root.map { ProviderDescriptor.variantTree(rules.tree, of: $0) }
            }
        }
        guard let root = tree ?? root else { return .null }
        let shown = (descriptor?.inputs.items ?? []).filter { !$0.value.isSecret }.map(\.name)
        let declared = Set(shown).union([Template.issuerName])
        return Filler(file: file.path, values: values, declared: declared)
            .value(root.withoutEntries(["environments"]), ProviderDescriptor.shape) ?? .null
    }
}

/// Turns a tree into JSON along its shape.
private struct Filler {
    let file: String
    let values: [String: String]
    /// The names that inputs fill; placeholders with other names are not inputs.
    let declared: Set<String>

    /// - Returns: `nil` for a string that uses an input without a value: the engine leaves it out. A template that
    ///   waits for the run time stays as it is written.
    func value(_ node: YAMLNode, _ shape: Shape) -> JSONValue? {
        switch node.content {
        case .mapping(let entries):
            var object = JSONObject()
            for entry in entries {
                let member = shape.member(entry.key)
                if let value = value(entry.value, member ?? .json) { object[entry.key] = value }
            }
            return .object(object)
        case .sequence(let elements):
            return .array(elements.compactMap { value($0, shape.element ?? .json) })
        case .scalar(let scalar):
            guard shape.takesTemplate, let template = try? Template(scalar.text),
                !template.inputNames.isEmpty, template.inputNames.allSatisfy(declared.contains)
            else { return plain(node) }
            return template.filled { values[$0] }.map(JSONValue.string)
        }
    }

    private func plain(_ node: YAMLNode) -> JSONValue? {
        var decoder = DescriptorDecoder(file: file)
        return JSONValue(node, &decoder)
    }
}

extension Shape {
    fileprivate func member(_ name: String) -> Shape? {
        switch self {
        case .section(let section): section.keys.first { $0.name == name }?.shape
        case .map(let value): value
        case .either(let shapes): shapes.lazy.compactMap { $0.member(name) }.first
        default: nil
        }
    }

    fileprivate var element: Shape? {
        switch self {
        case .list(let element): element
        case .either(let shapes): shapes.lazy.compactMap(\.element).first
        default: nil
        }
    }

    /// Whether a string of this shape is a template; a redirect form looks like one, and its places are not inputs.
    /// Where a template may also use what is known at run time, its phrase goes on.
    fileprivate var takesTemplate: Bool {
        switch (self, Template.shape) {
        case (.text(let phrase, _, _), .text(let template, _, _)): phrase.hasPrefix(template)
        case (.either(let shapes), _): shapes.contains(where: \.takesTemplate)
        default: false
        }
    }
}
