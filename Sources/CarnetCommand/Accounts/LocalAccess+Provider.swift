import CarnetDescriptors
import CarnetTransport

extension LocalAccess {
    /// The hosts that a descriptor and its inputs name: the user chose them. Hosts that only the metadata names may
    /// not be local.
    static func named(by provider: Provider) -> LocalAccess { .hosts(provider.namedHosts) }
}
