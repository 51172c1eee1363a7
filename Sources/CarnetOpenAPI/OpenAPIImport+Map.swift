import CarnetDescriptors
import CarnetFoundation
import CarnetLint

extension OpenAPIImport {
    /// The resource map as YAML, with a resource in each line.
    func resourceMap(title: String?) -> String {
        let source = ([document.file.path] + (title.map { ["(\($0))"] } ?? [])).joined(separator: " ")
        var lines = ["# From \(source.oneLine(limit: 160) ?? "an API's description")"]
        if let schemes = acceptedSchemes.joined(separator: ", ").oneLine(limit: 160) {
            lines.append("# For access tokens of \(schemes)")
        }
        if resources.contains(where: \.need.isClosed) {
            lines.append("# claims: { closed: [] } refuses every request. The findings of the import say why.")
        }
        if Set(resources.map { $0.path.host == nil }).count == 2 { lines.append("hosts: [\"*\"]") }
        lines.append(resources.isEmpty ? "resources: []" : "resources:")
        lines += resources.map { "  - { \(Self.entries($0).joined(separator: ", ")) }" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func entries(_ resource: Resource) -> [String] {
        var entries = resource.id.map { ["id: " + YAMLText.plainOrQuoted($0)] } ?? []
        entries.append("title: " + YAMLText.plainOrQuoted(resource.title))
        entries.append("url: " + YAMLText.plainOrQuoted(resource.path.url))
        if resource.methods != ["GET"] {
            entries.append("method: " + (resource.methods.count > 1 ? list(resource.methods) : resource.methods[0]))
        }
        if resource.need.isOpen { return entries + ["anonymous: no security is required"] }
        if resource.need.isClosed { return entries + ["claims: { closed: [] }"] }
        let (allOf, anyOf, _) = resource.need.requirement
        if allOf.count == 1, anyOf.isEmpty { return entries + ["scope: " + YAMLText.plainOrQuoted(allOf[0])] }
        if !allOf.isEmpty { entries.append("all_of: " + list(allOf)) }
        if !anyOf.isEmpty { entries.append("any_of: " + list(anyOf)) }
        return entries
    }

    private static func list(_ texts: [String]) -> String {
        "[" + texts.map(YAMLText.plainOrQuoted).joined(separator: ", ") + "]"
    }
}
