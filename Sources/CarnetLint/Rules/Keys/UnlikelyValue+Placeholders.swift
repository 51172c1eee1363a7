import CarnetDescriptors
import CarnetFoundation

extension UnlikelyValue {
    /// Placeholders that nobody replaced, outside of examples.
    func placeholders(_ node: YAMLNode, _ context: LintContext) -> [Diagnostic] {
        guard let text = node.scalar?.text else {
            let entries = (node.entries ?? []).filter { !["sample", "samples", "inputs", "example"].contains($0.key) }
            return ((node.elements ?? []) + entries.map(\.value)).flatMap { placeholders($0, context) }
        }
        let host = text.hasPrefix("http") ? (try? WebURL(text))?.authority[...] ?? "" : ""
        let parts = text.split { !$0.isLetter && $0 != "_" } + [host.hasPrefix("www.") ? host.dropFirst(4) : host]
        let words = ["TODO", "FIXME", "CHANGEME", "CHANGE_ME", "example.com", "example.org", "example.net"]
        return words.filter { word in parts.contains { $0 == word } }.prefix(1).map { word in
            finding("\(word) is a placeholder", in: context, at: node.span, help: "write the provider's own value")
        }
    }

    /// Whether a word is the name of a value, without the braces around it.
    private static func isName(_ word: Substring) -> Bool {
        [TemplateOrigin.client, .callback, .token].contains { origin in
            origin.builtInNames.contains { word == "\(origin.rawValue).\($0)" }
        }
    }

    /// Places of values as other languages write them, such as `${name}`, `%s` and `/:name`, or without braces.
    func placesOfOthers(_ context: LintContext) -> [Diagnostic] {
        let urls = context.urls.map { (node: $0.node, isURL: true) }
        let values = context.root.additions.prefix(256).map { (node: $0.entry.value, isURL: false) }
        return (urls + values).compactMap { node, isURL in
            guard let text = node.scalar?.text else { return nil }
            let parts = text.split { "/?&=".contains($0) }
            let place: Substring?
            if text.holds("${") {
                place = "${"
            } else if isURL {
                place = parts.dropFirst(2).first { part in
                    part == "%s" || part == "%d"
                        || part.utf8.count > 1 && part.first == ":"
                            && part.utf8.dropFirst().allSatisfy { ASCII.isLetter($0) || $0 == UInt8(ascii: "_") }
                }
            } else {
                place =
                    ["%s", "%d"].contains(text) ? text[...] : text.split(separator: " ").first(where: Self.isName)
            }
            return place.map { place in
                finding(
                    "\(place) is sent as it is written", in: context, at: node.span,
                    help: "the place of an input is {name}, and of another value {origin.name}")
            }
        }
    }

    /// Lists of texts in a query or a form, where JSON has no meaning.
    func listsInForms(_ context: LintContext) -> [Diagnostic] {
        context.messages.flatMap { message -> [Diagnostic] in
            // A refresh inherits the encoding.
            let inherited = message.kind == .refresh ? context.places.rules(of: .token)?.body.node : nil
            let isJSON = (message.rules?.body.node ?? inherited)?.scalar?.text == "json"
            let encoded = Set(message.encode.map(\.key))
            return message.added.compactMap { entry in
                guard !isJSON, !encoded.contains(entry.key), let elements = entry.value.elements, !elements.isEmpty,
                    // An extra parameter with scopes is joined by their separator.
                    !context.places.scopes.extra.entries.contains(where: { $0.key == entry.key }),
                    elements.allSatisfy({ $0.scalar != nil })
                else { return nil }
                return finding(
                    "the list is sent as JSON text in one parameter", in: context, at: entry.value.span,
                    help: "write one text, or encode: { \(entry.key): repeated }")
            }
        }
    }
}
