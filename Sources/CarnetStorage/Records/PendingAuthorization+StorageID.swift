import CarnetCrypto
package import CarnetProtocol

extension PendingAuthorization {
    /// A key for an index that does not reveal the state.
    package var storageID: String { Self.storageID(id) }

    package static func storageID(_ id: Secret) -> String { SHA256.hash(data: Array(id.reveal().utf8)).hexadecimal }
}
