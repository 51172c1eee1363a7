/// Keys whose templates may use what is known at run time: the place says what that is, to the decoder, the schema, the
/// reference and the linter alike.
extension Key {
    @inline(__always)
    init(
        _ name: String, _ path: any WritableKeyPath<Section, NamedList<Template>> & Sendable, in place: TemplatePlace,
        removesInherited: Bool = false, takesJSON: Bool = false, _ summary: String
    ) {
        let value = takesJSON ? Template.jsonShape(in: place) : Template.shape(in: place)
        let shape = Shape.map(of: removesInherited ? .either([value, .null]) : value)
        self.init(name, path, shape, summary) { node, decoder in
            guard let entries = decoder.named(node, shape) else { return nil }
            return NamedList(
                entries.compactMap { entry in
                    removesInherited && entry.value.isNull
                        ? Named(entry.key, .removal)
                        : (takesJSON
                            ? Template(json: entry.value, in: place, &decoder)
                            : Template(entry.value, in: place, &decoder))
                            .map { Named(entry.key, $0) }
                })
        } write: {
            $0.json($1)
        }
    }

    @inline(__always)
    init(
        _ name: String, _ path: any WritableKeyPath<Section, Template?> & Sendable, in place: TemplatePlace,
        _ summary: String
    ) {
        let shape = Template.shape(in: place)
        self.init(name, path, shape, summary, read: { Template($0, in: place, &$1) }) { $0?.json($1) }
    }

    @inline(__always)
    init(
        _ name: String, _ path: any WritableKeyPath<Section, Template> & Sendable, in place: TemplatePlace,
        isRequired: Bool, _ summary: String
    ) {
        let shape = Template.shape(in: place)
        self.init(name, path, shape, isRequired: isRequired, summary, read: { Template($0, in: place, &$1) }) {
            $0.json($1)
        }
    }
}
