import CLibCurl
import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTransport

extension TransportError {
    /// Describes the failure of an exchange. libcurl's own description may quote the request.
    ///
    /// - Parameters:
    ///   - systemError: The number of the last system call's error; 0 for none.
    ///   - verification: OpenSSL's result for the server's certificate.
    ///   - certificate: What is known of the server's certificate; empty for nothing.
    ///   - detail: libcurl's own description.
    ///   - receivedNothing: Whether no byte of a response has arrived.
    init(
        _ result: CURLcode, _ message: CurlMessage, systemError: Int32, verification: Int, certificate: String,
        detail: String, receivedNothing: Bool
    ) {
        let origin = message.route
        let certified = origin + certificate
        switch result {
        case CURLE_COULDNT_RESOLVE_HOST: self = .unknownHost(origin)
        case CURLE_COULDNT_RESOLVE_PROXY: self = .proxy(origin, "the proxy's host name was not found")
        case CURLE_OPERATION_TIMEDOUT: self.init(.timeout, "no connection to \(origin) in time")
        case CURLE_COULDNT_CONNECT where systemError == ETIMEDOUT:
            self.init(.timeout, "no connection to \(origin) in time")
        case CURLE_COULDNT_CONNECT:
            let reason = systemError == 0 ? "" : ": \(SystemError.message(systemError))"
            self.init(.connection, "no connection to \(origin)\(reason)")
            if message.proxy != nil { hint = Advice.proxy.next }
        case CURLE_PEER_FAILED_VERIFICATION where Self.trusted.contains(verification): self = .otherHost(certified)
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            self = .untrusted(certified, verification: verification)
        case CURLE_SSL_CACERT_BADFILE:
            self.init(
                .tls, "the certificate of \(origin) cannot be checked: the certificate authorities cannot be read")
        case CURLE_SSL_CERTPROBLEM:
            let name = message.identity?.thumbprint ?? ""
            self.init(.tls, "the client's certificate \(name) and its key do not match, or cannot be read")
        case CURLE_SSL_CONNECT_ERROR, CURLE_SSL_CIPHER, CURLE_USE_SSL_FAILED:
            // Only what OpenSSL says, such as "wrong version number".
            let reason = detail.split(separator: "::").last.map { String($0.prefix { $0 != "(" }) } ?? ""
            self = .handshake(origin, reason: detail.contains("::") ? reason.quotable(limit: 80) : nil)
        case CURLE_URL_MALFORMAT: self.init(.unsupportedRequest, "the URL of the request to \(origin) is not valid")
        case CURLE_UNSUPPORTED_PROTOCOL, CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING:
            self.init(.interrupted, "\(origin) sent a response that is not HTTP, or that is incomplete")
        case CURLE_OUT_OF_MEMORY: self = .outOfMemory
        default: self = .closed("\(origin)", receivedNothing: receivedNothing)
        }
    }

    /// OpenSSL's results where the authority is not what is wrong: none yet, which libcurl begins with, and another host's
    /// name or address.
    private static let trusted = [0, 1, 62, 64]

    private static func untrusted(_ origin: String, verification: Int) -> TransportError {
        let clock = "check the clock of this machine; if it is right, the server needs a new certificate"
        return switch verification {
        case 9: .untrusted(origin, reason: "it is not valid yet", hint: clock)
        case 10: .untrusted(origin, reason: "it has expired", hint: clock)
        case 18: .untrusted(origin, reason: "it is self-signed")
        case 19: .untrusted(origin, reason: "its authority, which the server sent, is not trusted on this machine")
        case 20, 21: .untrusted(origin, reason: "its issuer is not among the authorities of this machine")
        case 23: .untrusted(origin, reason: "it was revoked", hint: "")
        default: .untrusted(origin)
        }
    }

    /// The proxy has opened no tunnel.
    ///
    /// - Parameter status: The status of its response; 0 if there was none.
    init(proxyStatus status: Int, _ origin: String) {
        let reason =
            switch status {
            // A SOCKS proxy has no status.
            case 0: "the proxy refused it, or is not a proxy; check the user and password, and the hosts that it allows"
            // tinyproxy returns 401 instead of 407 for a wrong password.
            case 401, 407: "the proxy requires a user and password, or rejects the given ones"
            default: "the proxy refused it with status \(status)"
            }
        self = .proxy(origin, reason)
    }
}
