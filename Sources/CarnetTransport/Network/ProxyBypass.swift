import CarnetFoundation

/// The hosts that are reached without a proxy, read as curl reads `NO_PROXY`.
struct ProxyBypass: Sendable {
    private enum Entry: Sendable {
        case everything
        /// A domain with all below it, without a dot in front.
        case domain(String)
        case range(IPAddress, Int?)
    }

    private let entries: [Entry]

    init(_ texts: [String]) {
        entries = texts.compactMap { text in
            let name = HostName(text).text
            if text == "*" { return .everything }
            let parts = name.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if let first = parts.first, let address = IPAddress(numericHost: first) {
                guard parts.count == 2 else { return .range(address, nil) }
                // A range that is none must not become a single address.
                return Int(parts[1]).map { .range(address, $0) }
            }
            let domain = String(name.drop { $0 == "." })
            return domain.isEmpty ? nil : .domain(domain)
        }
    }

    func contains(_ host: String) -> Bool {
        let host = HostName(host)
        let (name, address) = (host.text, host.address)
        return entries.contains { entry in
            switch entry {
            case .everything: true
            case .range(let network, let length): address?.isInside(network, length) ?? false
            case .domain(let domain):
                address == nil && (name.utf8.elementsEqual(domain.utf8) || name.hasByteSuffix("." + domain))
            }
        }
    }
}

extension String {
    fileprivate func hasByteSuffix(_ suffix: String) -> Bool {
        utf8.count > suffix.utf8.count && utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }
}
