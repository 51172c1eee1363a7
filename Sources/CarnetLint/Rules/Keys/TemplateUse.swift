import CarnetDescriptors
import CarnetFoundation

/// One value of a descriptor that may name inputs.
struct TemplateUse: Sendable {
    let node: YAMLNode
    let template: Template
    let inputNames: [String]
    /// Whether the value is a URL or a host, where a wrong input could change who is asked.
    let isURL: Bool
    /// Whether the value is a host, without a scheme.
    let isHost: Bool
    /// Whether Carnet keeps a secret in it out of sight: it is a parameter or a header of a request of its own.
    let hidesSecrets: Bool
    /// Whether the value is a JSON Pointer, or what is compared with a sample.
    let isPointer: Bool
    /// The parameters that a standard defines for the request whose header it is.
    let parameters: Set<String>

    static func all(
        in descriptor: ProviderDescriptor, _ places: Place<DescriptorRules>, urls: [DescriptorURL],
        requests: [MessageSection], calls: [ConnectionCall], assertions: [AssertionSection], scopes: [ScopeUse]
    ) -> [TemplateUse] {
        let knowsIssuer = descriptor.understandsIssuerPlace
        var uses: [TemplateUse] = []
        func add(
            _ node: YAMLNode?, _ template: Template? = nil, isURL: Bool = false, isHost: Bool = false,
            knowsIssuer: Bool = knowsIssuer, hidesSecrets: Bool = false, isPointer: Bool = false,
            parameters: Set<String> = []
        ) {
            guard let value = node, let text = value.scalar?.text else {
                // The strings of a JSON value.
                for part in node?.parts ?? [] {
                    add(part, isURL: isURL, knowsIssuer: knowsIssuer, hidesSecrets: hidesSecrets)
                }
                return
            }
            guard text.holds(UInt8(ascii: "{")), let template = template ?? (try? Template(text, in: .anywhere))
            else { return }
            let inputs = template.inputNames.filter { !knowsIssuer || $0 != Template.issuerName }
            uses.append(
                TemplateUse(
                    node: value, template: template, inputNames: inputs, isURL: isURL, isHost: isHost,
                    hidesSecrets: hidesSecrets, isPointer: isPointer, parameters: parameters))
        }
        func add(_ lists: Place<NamedList<Template>>...) {
            for entry in lists.flatMap(\.entries) { add(entry.value, hidesSecrets: true) }
        }
        /// The decoder accepts only inputs in a pointer, and in a condition of a claim.
        func add(pointersIn node: YAMLNode?) {
            if let text = node?.scalar?.text, text.holds(UInt8(ascii: "{")), let template = try? Template(text) {
                add(node, template, isPointer: true)
            }
            for element in node?.elements ?? [] { add(pointersIn: element) }
            for entry in node?.entries ?? [] { add(pointersIn: entry.value) }
        }
        for url in urls { add(url.node, url.template, isURL: true, knowsIssuer: knowsIssuer && url.kind != .issuer) }
        for host in places.api.hosts.elements { add(host, isURL: true, isHost: true) }
        for request in requests {
            // The browser shows the requests that it makes.
            let hidesSecrets = ![.authorization, .pushedAuthorization, .logout].contains(request.kind)
            for entry in request.added { add(entry.value, hidesSecrets: hidesSecrets) }
            for entry in request.headers { add(entry.value, hidesSecrets: true, parameters: request.parameters) }
        }
        add(places.api.headers, places.api.parameters)
        for resource in places.resources.all { add(resource.headers) }
        for further in places.profile.requests.all {
            add(further.request.headers, further.request.parameters, further.conditions)
        }
        let response = places.token.response
        for node in [response.root.node, response.fields.node, response.success.field.node] { add(pointersIn: node) }
        for capture in response.capture.named() { add(pointersIn: capture.value.pointers.node) }
        for node in [places.profile.root.node] + places.profile.claims.entries.map(\.value) { add(pointersIn: node) }
        for further in places.profile.requests.all {
            for node in [further.root.node] + further.claims.entries.map(\.value) { add(pointersIn: node) }
        }
        for derived in places.profile.derive.named() { add(derived.value.template.node) }
        for issuer in places.issuerMatch.issuers { add(issuer) }
        for step in places.exchange.named() { add(step.value.request.headers, step.value.request.parameters) }
        for derived in places.connection.derive.named() { add(derived.value.template.node) }
        for lookup in places.connection.lookups.named() { add(lookup.value.conditions) }
        for call in calls { add(call.place.headers, call.place.parameters) }
        for input in places.inputs.named() { add(input.value.defaultValue.node, knowsIssuer: false) }
        for assertion in assertions where assertion.place.isWritten {
            let place = assertion.place
            for word in [place.audience, place.issuer, place.subject, place.keyID] { add(word.node) }
            for claim in place.claims.entries { add(claim.value) }
        }
        add(places.authorization.requestObject.audience.node)
        for scope in scopes { add(scope.node) }
        return uses
    }

    /// The first place of an input in the template, braces included.
    func place(of input: String) -> Substring { place(ofAny: ["{\(input)}", "{input.\(input)}"]) }

    /// The place of a value in the template: with its braces where it is all that is between them.
    func place(of value: TemplateReference) -> Substring { place(ofAny: ["{\(value)}", "\(value)"]) }

    private func place(ofAny texts: [String]) -> Substring {
        let range = texts.lazy.compactMap { template.source.firstRange(of: $0) }.first
        return range.map { template.source[$0] } ?? template.source[...]
    }
}
