import CarnetDescriptors

/// One value of a descriptor that may name inputs.
struct TemplateUse: Sendable {
    let node: YAMLNode
    let template: Template
    let inputNames: [String]
    /// Whether the value is a URL or a host, where a wrong input could change who is asked.
    let isURL: Bool

    static func all(in descriptor: ProviderDescriptor, root: YAMLNode, urls: [DescriptorURL]) -> [TemplateUse] {
        let hosts = root.elements(at: ["api", "hosts"])
        var others: [YAMLNode] = []
        for (section, _, additions) in ProtocolParameters.requests {
            for key in additions + ["headers"] {
                others += root.entries(at: section + [key]).map(\.value)
            }
        }
        for path in [["profile", "headers"], ["profile", "parameters"], ["api", "headers"]] {
            others += root.entries(at: path).map(\.value)
        }
        for resource in root.elements(at: ["resources"]) { others += resource.entries(at: ["headers"]).map(\.value) }
        for further in root.elements(at: ["profile", "requests"]) {
            for key in ["headers", "parameters"] { others += further.entries(at: [key]).map(\.value) }
        }
        others += root.elements(at: ["issuer_match", "any_of"])
        for step in root.entries(at: ["exchange"]) {
            for key in ["headers", "parameters"] { others += step.value.entries(at: [key]).map(\.value) }
        }
        others += root.entries(at: ["connection", "derive"]).map(\.value)
        for call in root.connectionCalls {
            for key in ["headers", "parameters"] { others += call.entries(at: [key]).map(\.value) }
        }
        for section in AssertionSection.all {
            others += ["audience", "issuer", "subject", "key_id"].compactMap { root.node(at: section.path + [$0]) }
            others += root.entries(at: section.path + ["claims"]).map(\.value)
        }
        others += [root.node(at: ["authorization", "request_object", "audience"])].compactMap { $0 }
        let knowsIssuer = descriptor.understandsIssuerPlace
        return urls.compactMap { make($0.node, isURL: true, knowsIssuer: knowsIssuer && $0.path != ["issuer"]) }
            + hosts.compactMap { make($0, isURL: true, knowsIssuer: knowsIssuer) }
            + others.compactMap { make($0, isURL: false, knowsIssuer: knowsIssuer) }
    }

    private static func make(_ node: YAMLNode, isURL: Bool, knowsIssuer: Bool) -> TemplateUse? {
        guard let text = node.scalar?.text, text.utf8.contains(UInt8(ascii: "{")),
            let template = try? Template(text, in: .anywhere)
        else {
            return nil
        }
        let inputs = template.inputNames.filter { !knowsIssuer || $0 != Template.issuerName }
        return TemplateUse(node: node, template: template, inputNames: inputs, isURL: isURL)
    }

    /// The first place of an input in the template, braces included.
    func place(of input: String) -> Substring {
        let range = ["{\(input)}", "{input.\(input)}"].lazy.compactMap { template.source.firstRange(of: $0) }.first
        return range.map { template.source[$0] } ?? template.source[...]
    }
}

extension YAMLNode {
    /// The requests of the section `connection`.
    var connectionCalls: [YAMLNode] {
        entries(at: ["connection", "lookups"]).map(\.value)
            + ["on_connect", "on_disconnect"].flatMap { elements(at: ["connection", $0]) }
    }
}
