import CarnetDescriptors
import CarnetFoundation

/// One URL of a descriptor as it is written, places for inputs included, cut into its parts (RFC 3986, section 3).
///
/// Many rules look at each, so it is an object, which is not copied part by part.
final class DescriptorURL: Sendable {
    /// The kinds of URL that the rules distinguish.
    enum Kind {
        case issuer, endpoint, other
    }

    let kind: Kind
    /// The path of the key, for messages.
    let name: String
    let node: YAMLNode
    /// The value as it was decoded; `nil` if the model has no such URL.
    let template: Template?
    /// The text; where it starts with `{issuer}`, what comes after that.
    let source: String
    /// Whether the URL continues the issuer, so that its scheme and host are the issuer's.
    let continuesIssuer: Bool
    /// Whether a URL that starts with `/` is one below `api.base_url`.
    let takesBase: Bool

    /// Without the colon; `nil` if the text does not start with a scheme and `//`.
    let scheme: Substring?
    let authority: Substring
    /// The user information of the authority with its `@`.
    let userInformation: Substring?
    /// The host without user information and port.
    let host: Substring
    let query: Substring?
    /// From the `#` on.
    let fragment: Substring?

    init(
        _ kind: Kind = .other, name: String = "", node: YAMLNode, template: Template? = nil, source: String,
        continuesIssuer: Bool = false, takesBase: Bool = false
    ) {
        self.takesBase = takesBase
        self.kind = kind
        self.name = name
        self.node = node
        self.template = template
        self.source = source
        self.continuesIssuer = continuesIssuer

        // Every delimiter is ASCII, so bytes are enough.
        let bytes = Array(source.utf8)
        func place(_ offset: Int) -> String.Index { source.utf8.index(source.startIndex, offsetBy: offset) }
        func text(_ range: Range<Int>) -> Substring { source[place(range.lowerBound)..<place(range.upperBound)] }

        let bodyEnd = bytes.firstIndex(of: UInt8(ascii: "#")) ?? bytes.count
        fragment = bodyEnd < bytes.count ? text(bodyEnd..<bytes.count) : nil
        let question = bytes[..<bodyEnd].firstIndex(of: UInt8(ascii: "?"))
        query = question.map { text($0 + 1..<bodyEnd) }

        let colon = bytes[..<(question ?? bodyEnd)].firstIndex(of: UInt8(ascii: ":"))
        guard let colon, bytes[colon...].starts(with: "://".utf8), Self.isScheme(bytes[..<colon]) else {
            scheme = nil
            authority = text(0..<0)
            userInformation = nil
            host = authority
            return
        }
        scheme = text(0..<colon)
        let start = colon + 3
        let end = bytes[start...].firstIndex { [0x2F, 0x3F, 0x23].contains($0) } ?? bytes.count
        authority = text(start..<end)
        let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@"))
        userInformation = at.map { text(start..<$0 + 1) }
        let hostStart = at.map { $0 + 1 } ?? start
        let hostAndPort = bytes[hostStart..<end]
        let isBracketed = hostAndPort.first == UInt8(ascii: "[")
        let close = isBracketed ? hostAndPort.firstIndex(of: UInt8(ascii: "]")).map { $0 + 1 } : nil
        host = text(hostStart..<(close ?? hostAndPort.firstIndex(of: UInt8(ascii: ":")) ?? end))
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.first.map(ASCII.isLetter) == true
            && bytes.allSatisfy { ASCII.isAlphanumeric($0) || "+-.".utf8.contains($0) }
    }

    /// The parts of the path.
    var segments: [Substring] {
        let rest = source.utf8[authority.endIndex...].prefix { ![0x3F, 0x23].contains($0) }
        return rest.split(separator: 0x2F).map { Substring($0) }
    }

    /// The names in the query with the stretch that each takes.
    var queryParameters: [(name: String, text: Substring)] {
        (query ?? "").split(separator: "&").map { part in
            (String(part.prefix { $0 != "=" }), part)
        }
    }

    /// The text with a stand-in for each input, to see whether what is written out is a URL.
    var filled: String {
        let origin = continuesIssuer ? "https://issuer.example" : ""
        guard source.holds(UInt8(ascii: "{")) else { return origin + source }
        var output = Array(origin.utf8)
        var rest = Array(source.utf8)[...]
        while let open = rest.firstIndex(of: UInt8(ascii: "{")),
            let close = rest[open...].firstIndex(of: UInt8(ascii: "}"))
        {
            output += rest[..<open]
            // A digit may stand anywhere in a host, a port, a path and a query.
            output.append(UInt8(ascii: "1"))
            rest = rest[(close + 1)...]
        }
        output += rest
        return String(decoding: output, as: UTF8.self)
    }
}

extension DescriptorURL {
    fileprivate static let issuerPlaces = ["{\(Template.issuerName)}", "{input.\(Template.issuerName)}"]

    /// Every URL that a request can go to.
    static func all(
        in descriptor: ProviderDescriptor, _ places: Place<DescriptorRules>, calls: [ConnectionCall]
    ) -> [DescriptorURL] {
        var urls: [DescriptorURL] = []
        func add(
            _ name: @autoclosure () -> String, _ template: Template?, _ place: @autoclosure () -> Place<Template>,
            _ kind: Kind = .other, takesBase: Bool = false
        ) {
            guard let template, let node = place().node else { return }
            let (source, continuesIssuer) = descriptor.written(template, takesBase: takesBase)
            urls.append(
                DescriptorURL(
                    kind, name: name(), node: node, template: template, source: source,
                    continuesIssuer: continuesIssuer, takesBase: takesBase))
        }
        add("resource", descriptor.resource, places.resource)
        add("issuer", descriptor.issuer, places.issuer, .issuer)
        add("discovery_url", descriptor.discoveryURL, places.discoveryURL)
        let endpoints = places.endpoints
        for name in EndpointName.allCases {
            add(
                "endpoints.\(name.rawValue)", descriptor.endpoints[name], endpoints[name], .endpoint,
                takesBase: name == .userinfo)
        }
        for name in descriptor.endpoints.mtls.isEmpty ? [] : MTLSEndpoints.names {
            add(
                "endpoints.mtls_endpoint_aliases.\(name.rawValue)", descriptor.endpoints.mtls[name],
                endpoints.mtls[name], .endpoint)
        }
        for (index, resource) in descriptor.resources.enumerated() {
            add("resources.\(index).url", resource.url, places.resources[index].url, takesBase: true)
        }
        for (index, further) in descriptor.profile.requests.enumerated() {
            add("profile.requests.\(index).url", further.url, places.profile.requests[index].url, takesBase: true)
        }
        for (index, source) in descriptor.profile.sources.enumerated() {
            add("profile.sources.\(index).jwks", source.jwks, places.profile.sources[index].jwks)
        }
        add("api.base_url", descriptor.api.baseURL, places.api.baseURL)
        for step in descriptor.exchange.items {
            add("exchange.\(step.name).url", step.value.url, places.exchange[step.name].url)
        }
        for call in calls { add("\(call.name).url", call.rules.url, call.place.url, takesBase: true) }
        return urls
    }
}

extension ProviderDescriptor {
    /// A URL as far as its author wrote it out, and whether something else stands before that.
    fileprivate func written(_ template: Template, takesBase: Bool) -> (source: String, continuesIssuer: Bool) {
        if template.startsLate { return (String(template.outline.dropFirst("{1}".count)), true) }
        if takesBase, self.api.baseURL != nil, template.source.hasPrefix("/") { return (template.outline, true) }
        if template.isLate { return (template.outline, false) }
        guard template.source.utf8.first == UInt8(ascii: "{"), understandsIssuerPlace,
            let issuer = DescriptorURL.issuerPlaces.first(where: template.source.hasPrefix)
        else { return (template.source, false) }
        return (String(template.source.dropFirst(issuer.count)), true)
    }
}

extension ProviderDescriptor {
    /// Whether `{issuer}` stands for the descriptor's own issuer, rather than for an input of that name.
    var understandsIssuerPlace: Bool { self.issuer != nil && self.inputs[Template.issuerName] == nil }
}
