import CarnetDescriptors

/// One value of a descriptor that may name inputs.
struct TemplateUse {
    let node: YAMLNode
    let template: Template
    let inputNames: [String]
    /// Whether the value is a URL or a host, where a wrong input could change who is asked.
    let isURL: Bool

    static func all(in context: LintContext) -> [TemplateUse] {
        let urls = DescriptorURL.all(in: context).map(\.node) + context.elements("api", "hosts")
        var others: [YAMLNode] = []
        for (section, _, additions) in ProtocolParameters.requests {
            for key in additions + ["headers"] { others += context.entries(section, key).map(\.value) }
        }
        others += (context.entries("profile", "headers") + context.entries("profile", "parameters")).map(\.value)
        others += context.entries("api", "headers").map(\.value)
        for resource in context.elements("resources") {
            others += resource.entry("headers")?.value.entries?.map(\.value) ?? []
        }
        let issuer = context.root.entry("issuer")?.value
        let knowsIssuer = context.descriptor.understandsIssuerPlace
        return urls.compactMap { make($0, isURL: true, knowsIssuer: knowsIssuer && $0 != issuer) }
            + others.compactMap { make($0, isURL: false, knowsIssuer: knowsIssuer) }
    }

    private static func make(_ node: YAMLNode, isURL: Bool, knowsIssuer: Bool) -> TemplateUse? {
        guard let text = node.scalar?.text, let template = try? Template(text) else { return nil }
        let inputs = template.inputNames.filter { !knowsIssuer || $0 != Template.issuerName }
        return TemplateUse(node: node, template: template, inputNames: inputs, isURL: isURL)
    }

    /// The places of an input in the template, braces included.
    func places(of input: String) -> [Substring] {
        ["{\(input)}", "{input.\(input)}"].flatMap { template.source.ranges(of: $0) }.map { template.source[$0] }
    }
}
