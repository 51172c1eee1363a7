import AsyncHTTPClient
import Carnet
import CarnetFoundation
import CarnetTransport
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

extension TransportError {
    /// Describes the failure of an exchange. The library's own description may quote the request.
    init(_ error: any Error, origin: String) {
        switch error {
        case let error as TransportError: self = error
        case is LocalAddressRefused: self.init(localAddressOf: origin)
        case let error as HTTPClientError: self.init(error, origin: origin)
        case let error as NIOConnectionError: self.init(error, origin: origin)
        case let error as IOError: self.init(error, origin: origin)
        case ChannelError.connectTimeout: self.init(.timeout, "no connection to \(origin) in time")
        case is NIOSSLExtraError, is OtherHost: self = .otherHost(origin)
        case let error as NIOSSLError: self.init(error, origin: origin)
        case is BoringSSLError: self = .handshake(origin)
        case is HTTPParserError:
            self.init(.interrupted, "\(origin) sent a response that is not HTTP, or that is incomplete")
        default: self.init(.interrupted, "the connection to \(origin) broke")
        }
    }

    private init(_ error: HTTPClientError, origin: String) {
        switch error {
        case .connectTimeout, .deadlineExceeded, .readTimeout, .writeTimeout, .tlsHandshakeTimeout,
            .getConnectionFromPoolTimeout:
            self.init(.timeout, "\(origin) did not respond in time")
        case .proxyAuthenticationRequired:
            self = .proxy(origin, "the proxy requires a user and password, or rejects the given ones")
        case .invalidProxyResponse, .httpProxyHandshakeTimeout, .socksHandshakeTimeout:
            // tinyproxy returns 401 instead of 407 for a wrong password.
            self = .proxy(
                origin,
                "the proxy refused it, or is not a proxy; check the user and password, and the hosts that it allows")
        case .alreadyShutdown: self.init(.connection, "no connection to \(origin): the transport was shut down")
        case .invalidURL, .emptyHost, .emptyScheme:
            self.init(.unsupportedRequest, "the URL of the request to \(origin) is not valid")
        case .traceRequestWithBody: self.init(.unsupportedRequest, "a TRACE request to \(origin) cannot have a body")
        default: self.init(.interrupted, "\(origin) closed the connection before its response was complete")
        }
    }

    private init(_ error: NIOConnectionError, origin: String) {
        let causes = error.connectionErrors.map(\.error)
        if let cause = causes.lazy.compactMap({ $0 as? IOError }).first {
            self.init(cause, origin: origin)
        } else if causes.isEmpty {
            self = .unknownHost(origin)
        } else {
            self.init(.timeout, "no connection to \(origin) in time")
        }
    }

    private init(_ error: IOError, origin: String) {
        switch error.errnoCode {
        case ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, ENETDOWN, EADDRNOTAVAIL, EACCES, EPERM, EMFILE, ENFILE:
            self.init(.connection, "no connection to \(origin): \(SystemError.message(error.errnoCode))")
        case ETIMEDOUT: self.init(.timeout, "no connection to \(origin) in time")
        default: self.init(.interrupted, "the connection to \(origin) broke: \(SystemError.message(error.errnoCode))")
        }
    }

    private init(_ error: NIOSSLError, origin: String) {
        switch error {
        case .uncleanShutdown:
            self.init(.interrupted, "\(origin) closed the connection before its response was complete")
        case .handshakeFailed(let cause) where String(describing: cause).contains("CERTIFICATE_VERIFY_FAILED"):
            self = .untrusted(origin)
        case .noCertificateToValidate, .unableToValidateCertificate: self = .untrusted(origin)
        default: self = .handshake(origin)
        }
    }
}
