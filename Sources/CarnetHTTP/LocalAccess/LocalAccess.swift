/// At which hosts a transport may reach this machine and the local network.
///
/// A URL can come from outside, by discovery or in a person's input. Without this it could reach what nobody outside can:
/// services of this machine, the local network, the metadata service of a cloud. Hosts that a descriptor itself names need
/// no permission: whoever wrote it into the program's configuration meant them.
public struct LocalAccess: Hashable, Sendable {
    private let allowedHosts: Set<String>?

    /// Nothing but public addresses.
    public static let none = LocalAccess(allowedHosts: [])

    /// Every address, for a program at a person's own machine whose descriptors and inputs are that person's.
    public static let all = LocalAccess(allowedHosts: nil)

    /// Local addresses at hosts that are named here.
    ///
    /// - Parameter names: As they stand in URLs, without the port: `127.0.0.1`, `id.corp.example`, `[::1]`.
    public static func hosts(_ names: Set<String>) -> LocalAccess {
        LocalAccess(allowedHosts: Set(names.map { $0.lowercased() }))
    }

    package func adding(_ hosts: Set<String>) -> LocalAccess {
        LocalAccess(allowedHosts: allowedHosts.map { $0.union(hosts) })
    }

    package func allows(_ host: String) -> Bool {
        allowedHosts?.contains(host.lowercased()) ?? true
    }
}
