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
        entries += [
            "title: " + YAMLText.plainOrQuoted(resource.title), "url: " + YAMLText.plainOrQuoted(resource.path.url),
        ]
        if resource.methods.count > 1 {
            entries.append("method: " + list(resource.methods))
        } else if let method = resource.methods.first, method != "GET" {
            entries.append("method: " + method)
        }
        return entries + self.entries(resource.need)
    }

    private static func entries(_ need: AccessNeed) -> [String] {
        if need.isOpen { return ["anonymous: no security is required"] }
        if need.isClosed { return ["claims: { closed: [] }"] }
        let (allOf, anyOf, _) = need.requirement
        if allOf.count == 1, anyOf.isEmpty { return ["scope: " + YAMLText.plainOrQuoted(allOf[0])] }
        return (allOf.isEmpty ? [] : ["all_of: " + list(allOf)]) + (anyOf.isEmpty ? [] : ["any_of: " + list(anyOf)])
    }

    private static func list(_ texts: [String]) -> String {
        "[" + texts.map(YAMLText.plainOrQuoted).joined(separator: ", ") + "]"
    }
}
