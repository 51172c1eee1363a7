import CarnetFoundation

/// The hosts at which a transport may reach this machine and the local network.
///
/// A URL can come from metadata or from a user's input. Without this check, it could reach services of this machine,
/// the local network, or the metadata service of a cloud. Hosts that a descriptor itself names need no permission.
public struct LocalAccess: Hashable, Sendable {
    private let allowedHosts: Set<String>?

    /// Public addresses only.
    public static let none = LocalAccess(allowedHosts: [])

    /// Every address, for a program on a user's own machine with the user's own descriptors and inputs.
    public static let all = LocalAccess(allowedHosts: nil)

    /// Local addresses at these hosts.
    ///
    /// - Parameter names: Hosts as in URLs, without the port: `127.0.0.1`, `id.corp.example`, `[::1]`.
    public static func hosts(_ names: Set<String>) -> LocalAccess {
        LocalAccess(allowedHosts: Set(names.map { HostName($0).text }))
    }

    package func adding(_ hosts: Set<String>) -> LocalAccess {
        LocalAccess(allowedHosts: allowedHosts.map { $0.union(hosts.map { HostName($0).text }) })
    }

    package func allows(_ host: String) -> Bool { allowedHosts?.contains(HostName(host).text) ?? true }
}
