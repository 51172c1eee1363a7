package import CarnetFoundation

extension IPAddress {
    /// The addresses of a host according to the system's resolver. It may wait for the network.
    package static func lookUp(_ host: String) -> [IPAddress] {
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, nil, &list) == 0 else { return [] }
        defer { freeaddrinfo(list) }
        var addresses: [IPAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = entry.ai_addr.flatMap({ IPAddress(socketAddress: $0, family: entry.ai_family) }) {
                addresses.append(address)
            }
            next = entry.ai_next
        }
        return addresses
    }
}
