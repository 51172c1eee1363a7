import Carnet
import CarnetTransport

#if os(Linux)
    import CarnetCurl
#else
    import CarnetHTTP
#endif

/// The transport of the command line: the system's libcurl on Linux, so that no second copy of BoringSSL is compiled. See
/// `Docs/decisions/transports.md`.
func makeNetworkTransport(
    localAccess: LocalAccess, network: NetworkSettings = .environment
) -> any Transport {
    #if os(Linux)
        CurlTransport(localAccess: localAccess, network: network)
    #else
        AsyncHTTPTransport(localAccess: localAccess, network: network)
    #endif
}
