import CLibCurl
import Carnet
import CarnetFoundation
import CarnetTransport

extension TransportError {
    /// Describes the failure of an exchange. libcurl's own description may quote the request.
    ///
    /// - Parameters:
    ///   - systemError: The number of the last system call's error; 0 for none.
    ///   - isTrusted: Whether an authority that is trusted has issued the server's certificate.
    init(_ result: CURLcode, _ message: CurlMessage, systemError: Int32, isTrusted: Bool) {
        let origin = message.route
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST:
            self.init(.connection, "no connection to \(origin): the host name was not found")
        case CURLE_COULDNT_RESOLVE_PROXY:
            self.init(.connection, "no connection to \(origin): the proxy's host name was not found")
        case CURLE_OPERATION_TIMEDOUT:
            self.init(.timeout, "no connection to \(origin) in time")
        case CURLE_COULDNT_CONNECT where systemError == ETIMEDOUT:
            self.init(.timeout, "no connection to \(origin) in time")
        case CURLE_COULDNT_CONNECT:
            let reason = systemError == 0 ? "" : ": \(SystemError.message(systemError))"
            self.init(.connection, "no connection to \(origin)\(reason)")
        case CURLE_PEER_FAILED_VERIFICATION where isTrusted:
            self.init(.tls, "the certificate of \(origin) was issued for another host")
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            self.init(.tls, "the certificate of \(origin) is not trusted")
        case CURLE_SSL_CACERT_BADFILE:
            self.init(
                .tls, "the certificate of \(origin) cannot be checked: the certificate authorities cannot be read")
        case CURLE_SSL_CERTPROBLEM:
            let name = message.identity?.thumbprint ?? ""
            self.init(.tls, "the client's certificate \(name) and its key do not match, or cannot be read")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            self.init(.tls, "the TLS handshake with \(origin) failed")
        case CURLE_URL_MALFORMAT:
            self.init(.unsupportedRequest, "the URL of the request to \(origin) is not valid")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self.init(.interrupted, "\(origin) sent a response that is not HTTP, or that is incomplete")
        case CURLE_OUT_OF_MEMORY:
            self = .outOfMemory
        default:
            self.init(.interrupted, "\(origin) closed the connection before its response was complete")
        }
    }

    /// The proxy has opened no tunnel.
    ///
    /// - Parameter status: The status of its response; 0 if there was none.
    init(proxyStatus status: Int, _ origin: String) {
        guard status != 407 else {
            self.init(
                .connection,
                "no connection to \(origin): the proxy requires a user and password, or rejects the given ones")
            return
        }
        // tinyproxy returns 401 instead of 407 for a wrong password.
        self.init(
            .connection,
            "no connection to \(origin): the proxy refused it, or is not a proxy; check the user and password, "
                + "and the hosts that it allows")
    }
}
