/// What a browser stores of `Set-Cookie` fields and sends back, written from RFC 6265bis (draft 20) alone and on bytes: it
/// shares nothing with the code that reads cookies here.
struct BrowserJar {
    /// Who sends a response.
    struct Sender {
        let host: String
        let isSecure: Bool
    }

    private struct Cookie {
        var name: [UInt8]
        var value: [UInt8]
        var domain: String
        var isHostOnly: Bool
        var path: [UInt8]
        var isSecureOnly: Bool
        var order: Int
    }

    /// The attributes that decide who gets a cookie.
    private struct Attributes {
        var domain: String?
        var path: [UInt8]?
        var isSecure = false
    }

    /// In lower case; no cookie is set for it.
    private static let publicSuffix = "example"
    private static let lengthLimit = 4096
    private static let attributeLimit = 1024

    private var cookies: [Cookie] = []
    private var count = 0

    /// Section 5.6: reads one `Set-Cookie` field.
    mutating func receive(_ field: [UInt8], from sender: Sender) {
        // Step 1: a control character other than the tab, and the cookie is ignored.
        guard !field.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) else { return }
        let semicolon = field.firstIndex(of: 0x3B) ?? field.endIndex
        let pair = field[..<semicolon]
        var name: [UInt8] = []
        var value = Self.withoutBlanks(pair)
        if let equals = pair.firstIndex(of: 0x3D) {
            name = Self.withoutBlanks(pair[..<equals])
            value = Self.withoutBlanks(pair[(equals + 1)...])
        }
        guard name.count + value.count <= Self.lengthLimit, !name.isEmpty || !value.isEmpty else { return }
        let attributes = Self.attributes(field[semicolon...])
        store(name, value, attributes, from: sender)
    }

    private static func attributes(_ bytes: ArraySlice<UInt8>) -> Attributes {
        var attributes = Attributes()
        for part in bytes.split(separator: 0x3B) {
            let equals = part.firstIndex(of: 0x3D) ?? part.endIndex
            let name = lowercased(withoutBlanks(part[..<equals]))
            let value = equals < part.endIndex ? withoutBlanks(part[(equals + 1)...]) : []
            guard value.count <= attributeLimit else { continue }
            switch String(decoding: name, as: UTF8.self) {
            case "domain":
                let domain = value.first == 0x2E ? Array(value.dropFirst()) : value
                attributes.domain = String(decoding: lowercased(domain), as: UTF8.self)
            case "path": attributes.path = value.first == 0x2F ? value : nil
            case "secure": attributes.isSecure = true
            default: break
            }
        }
        return attributes
    }

    /// Section 5.7: decides whether the cookie is kept.
    private mutating func store(_ name: [UInt8], _ value: [UInt8], _ attributes: Attributes, from sender: Sender) {
        var isHostOnly = true
        var domain = sender.host
        if let wanted = attributes.domain, !wanted.isEmpty {
            if wanted == Self.publicSuffix {
                guard wanted == sender.host else { return }
            } else {
                guard Self.isHost(sender.host, in: wanted) else { return }
                (isHostOnly, domain) = (false, wanted)
            }
        }
        guard !attributes.isSecure || sender.isSecure else { return }
        let path = attributes.path ?? [0x2F]
        // What a response over http sets must not stand in the way of what is for https alone.
        if !sender.isSecure, !attributes.isSecure,
            cookies.contains(where: { old in
                old.isSecureOnly && old.name == name
                    && (Self.isHost(old.domain, in: domain) || Self.isHost(domain, in: old.domain))
                    && Self.isPath(path, below: old.path)
            })
        {
            return
        }
        // Names are compared with the prefixes in any case.
        let prefixed = Self.lowercased(name.isEmpty ? value : name)
        let isHostPrefixed = prefixed.starts(with: "__host-".utf8)
        let isSecurePrefixed = prefixed.starts(with: "__secure-".utf8)
        guard !name.isEmpty || !(isHostPrefixed || isSecurePrefixed) else { return }
        if isHostPrefixed || isSecurePrefixed { guard attributes.isSecure else { return } }
        if isHostPrefixed { guard isHostOnly, attributes.domain == nil, attributes.path == [0x2F] else { return } }
        cookies.removeAll { old in
            old.name == name && old.domain == domain && old.isHostOnly == isHostOnly && old.path == path
        }
        count += 1
        cookies.append(
            Cookie(
                name: name, value: value, domain: domain, isHostOnly: isHostOnly, path: path,
                isSecureOnly: attributes.isSecure, order: count))
    }

    /// Section 5.8: what goes into the `Cookie` field of a request, cookie by cookie.
    func sent(to host: String, path: String) -> [[UInt8]] {
        cookies.filter { cookie in
            (cookie.isHostOnly ? cookie.domain == host : Self.isHost(host, in: cookie.domain))
                && Self.isPath(Array(path.utf8), below: cookie.path)
        }
        .sorted { ($1.path.count, $0.order) < ($0.path.count, $1.order) }
        .map { $0.name.isEmpty ? $0.value : $0.name + [0x3D] + $0.value }
    }

    private static func isHost(_ host: String, in domain: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)")
    }

    /// Section 5.1.4.
    private static func isPath(_ path: [UInt8], below other: [UInt8]) -> Bool {
        path == other || path.starts(with: other) && (other.last == 0x2F || path.dropFirst(other.count).first == 0x2F)
    }

    private static func withoutBlanks(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var bytes = bytes
        while bytes.first == 0x20 || bytes.first == 0x09 { bytes = bytes.dropFirst() }
        while bytes.last == 0x20 || bytes.last == 0x09 { bytes = bytes.dropLast() }
        return Array(bytes)
    }

    private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
        bytes.map { (0x41...0x5A).contains($0) ? $0 + 0x20 : $0 }
    }
}
