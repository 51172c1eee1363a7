/// Keys whose templates may use what is known at run time: the place says what that is, to the decoder, the schema, the
/// reference and the linter alike.
extension Key {
    @inline(__always)
    init(
        _ name: String,
        _ path: any WritableKeyPath<Section, NamedList<Template>> & Sendable,
        in place: TemplatePlace,
        removesInherited: Bool = false,
        takesJSON: Bool = false,
        _ summary: String
    ) {
        let value = takesJSON ? Template.jsonShape(in: place) : Template.shape(in: place)
        let shape = Shape.map(of: removesInherited ? .either([value, .null]) : value)
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: false)
        let property = Property(path)
        self.init(description: description, slot: property.slot) { node, section, decoder in
            guard let entries = node.entries else { return decoder.reportWrongType(node, expected: shape) }
            let items = entries.filter { !decoder.deletes($0) }.compactMap { entry in
                removesInherited && entry.value.isNull
                    ? Named(entry.key, .removal)
                    : (takesJSON
                        ? Template(json: entry.value, in: place, &decoder) : Template(entry.value, in: place, &decoder))
                        .map { Named(entry.key, $0) }
            }
            property.modify(in: &section) { $0.items = items }
        } write: {
            property.value(in: $0).json($1)
        }
    }

    @inline(__always)
    init(
        _ name: String,
        _ path: any WritableKeyPath<Section, Template?> & Sendable,
        in place: TemplatePlace,
        _ summary: String
    ) {
        let shape = Template.shape(in: place)
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: false)
        let property = Property(path)
        self.init(description: description, slot: property.slot) { node, section, decoder in
            let template = Template(node, in: place, &decoder)
            property.modify(in: &section) { $0 = template }
        } write: {
            property.value(in: $0)?.json($1)
        }
    }

    @inline(__always)
    init(
        _ name: String,
        _ path: any WritableKeyPath<Section, Template> & Sendable,
        in place: TemplatePlace,
        isRequired: Bool,
        _ summary: String
    ) {
        let shape = Template.shape(in: place)
        let description = KeyDescription(name: name, shape: shape, summary: summary, isRequired: isRequired)
        let property = Property(path)
        self.init(description: description, slot: property.slot) { node, section, decoder in
            if let template = Template(node, in: place, &decoder) { property.modify(in: &section) { $0 = template } }
        } write: {
            property.value(in: $0).json($1)
        }
    }
}
