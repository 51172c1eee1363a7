package import CarnetDescriptors
package import CarnetTransport

extension LocalAccess {
    /// The hosts that a descriptor and its inputs name: the user chose them. Hosts that only the metadata names may
    /// not be local.
    package static func named(by provider: Provider) -> LocalAccess { .hosts(provider.namedHosts) }
}
