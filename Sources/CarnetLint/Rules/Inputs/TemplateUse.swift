import CarnetDescriptors

/// One value of a descriptor that may name inputs.
struct TemplateUse: Sendable {
    let node: YAMLNode
    let template: Template
    let inputNames: [String]
    /// Whether the value is a URL or a host, where a wrong input could change who is asked.
    let isURL: Bool

    static func all(
        in descriptor: ProviderDescriptor, root: YAMLNode, urls: [DescriptorURL], requests: [MessageSection]
    ) -> [TemplateUse] {
        let knowsIssuer = descriptor.understandsIssuerPlace
        var uses: [TemplateUse] = []
        func add(_ node: YAMLNode, isURL: Bool = false, knowsIssuer: Bool = knowsIssuer) {
            if let use = make(node, isURL: isURL, knowsIssuer: knowsIssuer) { uses.append(use) }
        }
        func addValues(of node: YAMLNode?, _ keys: String...) {
            for key in keys {
                for entry in node?.entry(key)?.value.entries ?? [] { add(entry.value) }
            }
        }
        for url in urls { add(url.node, isURL: true, knowsIssuer: knowsIssuer && url.path != ["issuer"]) }
        let api = root.entry("api")?.value
        for host in api?.entry("hosts")?.value.elements ?? [] { add(host, isURL: true) }
        for request in requests {
            for entry in request.added { add(entry.value) }
            addValues(of: request.node, "headers")
        }
        addValues(of: root.entry("profile")?.value, "headers", "parameters")
        addValues(of: api, "headers")
        for resource in root.elements(at: ["resources"]) { addValues(of: resource, "headers") }
        for further in root.elements(at: ["profile", "requests"]) { addValues(of: further, "headers", "parameters") }
        for issuer in root.elements(at: ["issuer_match", "any_of"]) { add(issuer) }
        for step in root.entries(at: ["exchange"]) { addValues(of: step.value, "headers", "parameters") }
        addValues(of: root.entry("connection")?.value, "derive")
        for call in root.connectionCalls { addValues(of: call, "headers", "parameters") }
        for section in AssertionSection.all {
            guard let assertion = root.node(at: section.path) else { continue }
            for key in ["audience", "issuer", "subject", "key_id"] {
                if let word = assertion.entry(key) { add(word.value) }
            }
            addValues(of: assertion, "claims")
        }
        if let audience = root.node(at: ["authorization", "request_object", "audience"]) { add(audience) }
        return uses
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
