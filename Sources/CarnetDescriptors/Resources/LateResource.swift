import CarnetFoundation

/// A resource whose URL or headers may not be known yet.
package struct LateResource: Sendable {
    let entry: ResourceEntry
    package let url: Template
    package let headers: [Named<String>]
    package let lateHeaders: [Named<Template>]
    let knownURL: WebURL?

    package var title: String { entry.title }
    /// Its names in a map.
    var names: [String] { [entry.id, entry.title].compactMap { $0 } }

    /// Whether it uses more than the registration.
    package var needsToken: Bool {
        ([url] + lateHeaders.map(\.value)).flatMap(\.references).contains { ![.client, .input].contains($0.origin) }
    }

    var known: Resource? { knownURL.map { resource($0, headers) } }

    /// Whether a resource is this one, filled.
    package func made(_ resource: Resource) -> Bool {
        resource.id == entry.id && resource.title == entry.title && resource.method == entry.methods.first
            && resource.requirement == entry.requirement
    }

    private func resource(_ url: WebURL, _ headers: [Named<String>]) -> Resource {
        Resource(
            id: entry.id, title: entry.title, target: url, requirement: entry.requirement, method: entry.methods.first,
            headers: headers)
    }

    /// - Throws: `WebURLError` if a value of its URL is not known, or its host is not trusted.
    func filled(_ values: TemplateValues, trusting hosts: [HostPattern]) throws(WebURLError) -> Resource {
        resource(try values.url(url, trusting: hosts), headers + values.named(lateHeaders))
    }
}

extension InputResolver {
    /// The resources whose URLs are known, and the others, each with the number of known ones before it.
    func resources(
        _ entries: [ResourceEntry]
    ) throws(ResolutionError) -> (known: [Resource], late: [(position: Int, resource: LateResource)]) {
        var known: [Resource] = []
        var late: [(position: Int, resource: LateResource)] = []
        for (index, entry) in entries.enumerated() {
            let resource = try entry.resolve(with: self, key: "resources.\(index)")
            if let resource = resource.known {
                known.append(resource)
            } else {
                late.append((known.count, resource))
            }
        }
        return (known, late)
    }
}
