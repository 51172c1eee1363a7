/// Keys whose templates may use what is known at run time: the place says what that is, to the decoder, the schema, the
/// reference and the linter alike.
extension Key {
    init(
        _ name: String,
        _ path: any WritableKeyPath<Section, NamedList<Template>> & Sendable,
        in place: TemplatePlace,
        _ summary: String
    ) {
        let shape = Shape.map(of: Template.shape(in: place))
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: false)
        self.init(description: description, slot: Slot(path)) { node, section, decoder in
            guard let entries = node.entries else { return decoder.reportWrongType(node, expected: shape) }
            section[keyPath: path].items = entries.filter { !decoder.deletes($0) }.compactMap { entry in
                Template(entry.value, in: place, &decoder).map { Named(entry.key, $0) }
            }
        } write: {
            $0[keyPath: path].json($1)
        }
    }

    init(
        _ name: String,
        _ path: any WritableKeyPath<Section, Template?> & Sendable,
        in place: TemplatePlace,
        _ summary: String
    ) {
        let shape = Template.shape(in: place)
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: false)
        self.init(description: description, slot: Slot(path)) { node, section, decoder in
            section[keyPath: path] = Template(node, in: place, &decoder)
        } write: {
            $0[keyPath: path]?.json($1)
        }
    }

    init(
        _ name: String,
        _ path: any WritableKeyPath<Section, Template> & Sendable,
        in place: TemplatePlace,
        isRequired: Bool,
        _ summary: String
    ) {
        let shape = Template.shape(in: place)
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: isRequired)
        self.init(description: description, slot: Slot(path)) { node, section, decoder in
            if let template = Template(node, in: place, &decoder) { section[keyPath: path] = template }
        } write: {
            $0[keyPath: path].json($1)
        }
    }
}
