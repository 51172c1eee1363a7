import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// A resource map as YAML, with a resource in each line.
struct ResourceMapText {
    let text: String

    /// - Parameters:
    ///   - path: The file that the resources come from.
    ///   - schemes: The security schemes whose tokens the map accepts.
    init(_ resources: [OpenAPIImport.Resource], of path: String, title: String?, schemes: [String]) {
        let source = ([path] + (title.map { ["(\($0))"] } ?? [])).joined(separator: " ")
        var lines = ["# From \(source.oneLine(limit: 160) ?? "an API's description")"]
        if let schemes = schemes.joined(separator: ", ").oneLine(limit: 160) {
            lines.append("# For access tokens of \(schemes)")
        }
        if resources.contains(where: \.need.isClosed) {
            lines.append("# claims: { closed: [] } refuses every request. The findings of the import say why.")
        }
        let hosts = Set(resources.map { $0.path.host == nil })
        if hosts.count == 2 { lines.append("hosts: [\"*\"]") }
        lines.append(resources.isEmpty ? "resources: []" : "resources:")
        text =
            (lines + resources.map { "  - { \(Self.entries($0).joined(separator: ", ")) }" })
            .joined(separator: "\n") + "\n"
    }

    private static func entries(_ resource: OpenAPIImport.Resource) -> [String] {
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
