import CarnetDescriptors
import CarnetFoundation
import CarnetStorage

/// The descriptors of resources at which somebody signed in by URL. A later command finds the account by the same URL, and
/// asks nobody again which authorization server the resource has.
struct KnownResources {
    private let folder: PrivateFolder

    init(_ environment: HostEnvironment) {
        folder = PrivateFolder(path: ConfigurationFolder(environment).resources)
    }

    /// - Throws: `TokenStoreError` if the file cannot be written.
    func save(_ entry: ProviderRegistry.Entry) throws {
        try folder.create()
        try folder.replace("\(entry.descriptor.id).yaml", with: entry.document.file.bytes)
    }

    /// The URL of the resource whose descriptor was saved here or is found now, and at which Carnet registered its client.
    ///
    /// - Parameter redirectURI: That of the sign-in, if it is known.
    static func url(of entry: ProviderRegistry.Entry, registeredWith redirectURI: String? = nil) -> String? {
        let (id, path, resource) = (entry.descriptor.id, entry.document.file.path, entry.descriptor.resource?.source)
        guard redirectURI == nil || redirectURI.isSameBytes(as: Self.redirectURI(of: id)) else { return nil }
        return path == resource || path.hasSuffix("/resources/\(id).yaml") ? resource : nil
    }

    /// The redirect URI of a client that registers itself, with a port of its own. Some servers compare the port, although
    /// RFC 8252, section 7.3 says that a loopback URI may have any.
    ///
    /// - Parameter attempt: Counts the ports that are in use.
    static func redirectURI(of id: ProviderID, attempt: Int = 0) -> String {
        // No service is registered for these ports (RFC 6335, section 6), and Linux gives none of them to a connection of
        // another program, whose closed connection would hold it for a minute.
        let hash = id.rawValue.utf8.reduce(5381) { ($0 &* 33 &+ Int($1)) & 0xFFFF_FFFF }
        return "http://127.0.0.1:\(61_000 + (hash + attempt) % 4_536)/callback"
    }

    /// The first of them whose port can be had.
    static func freeRedirectURI(of id: ProviderID) -> String {
        (0..<5).map { redirectURI(of: id, attempt: $0) }.first { !isInUse($0) } ?? redirectURI(of: id)
    }

    /// Whether another program listens at the port of a redirect URI.
    static func isInUse(_ uri: String) -> Bool {
        guard let port = (try? WebURL(uri))?.port else { return false }
        return (try? Failure.checkPort(port)) == nil
    }
}
