package import Carnet
package import CarnetCurl
package import CarnetHTTP

/// The transports of this package that do everything: what is tested of one is tested of all.
package enum NetworkTransport: String, CaseIterable, Sendable {
    case asyncHTTPClient, libcurl

    package func make(
        localAccess: LocalAccess = .none, network: NetworkSettings = .environment
    ) -> any ClosableTransport {
        switch self {
        case .asyncHTTPClient: AsyncHTTPTransport(localAccess: localAccess, network: network)
        case .libcurl: CurlTransport(localAccess: localAccess, network: network)
        }
    }

    /// - Parameter file: Its certificates are trusted besides.
    package func make(
        trusting file: String, localAccess: LocalAccess = .none, network: NetworkSettings = .environment
    ) -> any ClosableTransport {
        make(localAccess: localAccess, network: network.trusting(certificatesAt: file))
    }
}

package protocol ClosableTransport: Transport {
    func shutdown() async
}

extension AsyncHTTPTransport: ClosableTransport {}
extension CurlTransport: ClosableTransport {}
