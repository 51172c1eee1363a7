import CarnetDescriptors
import CarnetFoundation

extension UnlikelyValue {
    /// Slips of the pen that no registry has as an ending.
    private static let noEndings = ["con", "cmo", "ocm", "comm", "ogr", "exmaple", "exampel", "examle"]

    /// A host that is an earlier one of the file and more, or nearly its domain, or has an ending that does not exist.
    func unlikelyHosts(_ context: LintContext) -> [Diagnostic] {
        var known: [[Substring]] = []
        var found: [Diagnostic] = []
        for (host, node, isListed) in hosts(context) where !host.isEmpty {
            let host = host.lowercased()
            let labels = host.split(separator: ".")
            // An input may be a label of its own below a domain.
            guard !labels.suffix(2).contains(where: { $0.contains { "{}".contains($0) } }) else { continue }
            guard labels.count > 1, labels.contains(where: { Int($0) == nil }), !known.contains(labels)
            else { continue }
            if Self.noEndings.contains(labels.last.map(String.init) ?? "") {
                found.append(finding("no host ends in .\(labels.last ?? "")", in: context, at: node.span))
            } else if let near = known.first(where: { Self.isNear(labels, $0, isListed: isListed) }) {
                found += findings(
                    "the host \(host) is nearly \(near.joined(separator: "."))", in: context, at: node.span,
                    help: "if both are the provider's, silence this with a comment and the reason")
            } else {
                known.append(labels)
            }
        }
        return found
    }

    /// The hosts of URLs, and then those of lists, which have no other part of a URL.
    private func hosts(_ context: LintContext) -> [(Substring, YAMLNode, isListed: Bool)] {
        let lists = context.places.api.hosts.elements + context.places.trustedHosts.elements
        return context.urls.map { ($0.host, $0.node, false) }
            + lists.compactMap { node in
                node.scalar.map { (DescriptorURL(node: node, source: "https://\($0.text)").host, node, true) }
            }
    }

    private static func isNear(_ host: [Substring], _ other: [Substring], isListed: Bool) -> Bool {
        let (short, long) = host.count < other.count ? (host, other) : (other, host)
        if long.count > short.count {
            // Behind an ending such as .com may be that of a country.
            return long.starts(with: short) && !(long.count == short.count + 1 && long.last?.utf8.count == 2)
        }
        let (domain, known) = (host.suffix(2).joined(separator: "."), other.suffix(2).joined(separator: "."))
        let (name, end) = (host.dropLast().last ?? "", host.last ?? "")
        guard domain != known else {
            // Below one domain, short names often differ by a letter.
            let (first, second) = (String(host[0]), String(other[0]))
            let isRegion = [first, second].contains { $0.contains { $0.isNumber || $0 == "-" } }
            return host.dropFirst() == other.dropFirst() && min(first.utf8.count, second.utf8.count) > 5
                && first != second && !isRegion && !first.isPlural(of: second) && !second.isPlural(of: first)
                && nearestName(to: first, in: [second], within: 1) != nil
        }
        // Another ending, such as .com beside .net, is common.
        guard end == other.last else {
            let ends = Set([end, other.last ?? ""])
            return name == other.dropLast().last && ends == ["co", "com"]
        }
        let isOtherwiseSame = host.count > 2 && host.dropLast(2) == other.dropLast(2)
        // A list may have the hosts of several services.
        guard name.utf8.count > (isOtherwiseSame ? 2 : 4), isOtherwiseSame || !isListed else { return false }
        return nearestName(to: domain, in: [known], within: 1) != nil
    }
}
