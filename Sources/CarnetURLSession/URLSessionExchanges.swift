import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTransport
import Foundation
import HTTPTypes

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The running exchanges of one session, by task.
///
/// An exchange ends at its first event. Later events of its task are ignored, since not every Foundation reports the
/// end of a cancelled task soon.
final class URLSessionExchanges: NSObject, URLSessionDataDelegate, Sendable {
    typealias Continuation = CheckedContinuation<IncomingResponse, any Error>

    private struct Exchange {
        var limits: TransportLimits
        var origin: String
        var continuation: Continuation
        var head: HTTPResponse?
        var body: CappedBody?
    }

    private let exchanges = Lock<[Int: Exchange]>([:])

    func begin(_ task: URLSessionDataTask, limits: TransportLimits, origin: String, _ continuation: Continuation) {
        exchanges.withLock {
            $0[task.taskIdentifier] = Exchange(limits: limits, origin: origin, continuation: continuation)
        }
        task.resume()
        // The handler of an earlier cancellation has found nothing to end.
        if Task.isCancelled { cancel(task) }
    }

    func cancel(_ task: URLSessionTask) {
        let exchange = remove(task)
        // Before the caller continues: on Linux a running task whose peer closes the connection can end the process.
        task.cancel()
        exchange?.continuation.resume(throwing: CancellationError())
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        let goesOn = update(dataTask) { exchange in
            guard let response = response as? HTTPURLResponse, let head = HTTPResponse(response) else {
                throw TransportError(.interrupted, "\(exchange.origin) sent a response that is not HTTP")
            }
            let isHead = dataTask.originalRequest?.httpMethod == "HEAD"
            let length = isHead ? nil : head.headerFields[.contentLength].flatMap { Int($0) }
            exchange.head = head
            exchange.body = try CappedBody(announcedLength: length, limits: exchange.limits, origin: exchange.origin)
        }
        completionHandler(goesOn ? .allow : .cancel)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if !update(dataTask, { try $0.body?.append(data) }) { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        end(task) { exchange in
            if let error {
                throw TransportError(
                    urlSession: error, origin: exchange.origin, receivedNothing: exchange.head == nil)
            }
            guard let head = exchange.head else { throw TransportError.closed(exchange.origin, receivedNothing: true) }
            return IncomingResponse(head: head, body: exchange.body?.bytes ?? [])
        }
    }

    /// Changes an exchange; an error ends it.
    ///
    /// - Returns: Whether the exchange continues.
    private func update(_ task: URLSessionTask, _ change: (inout Exchange) throws -> Void) -> Bool {
        let failure: (any Error)? = exchanges.withLock { exchanges in
            // Moved out, not copied: the body may be long.
            guard var exchange = exchanges.removeValue(forKey: task.taskIdentifier) else { return CancellationError() }
            defer { exchanges[task.taskIdentifier] = exchange }
            do {
                try change(&exchange)
                return nil
            } catch {
                return error
            }
        }
        guard let failure else { return true }
        end(task) { _ in throw failure }
        return false
    }

    private func end(_ task: URLSessionTask, _ outcome: (Exchange) throws -> IncomingResponse) {
        guard let exchange = remove(task) else { return }
        exchange.continuation.resume(with: Result { try outcome(exchange) })
    }

    private func remove(_ task: URLSessionTask) -> Exchange? {
        exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
    }
}

extension HTTPResponse {
    fileprivate init?(_ response: HTTPURLResponse) {
        guard (100...999).contains(response.statusCode) else { return nil }
        self.init(status: .init(code: response.statusCode))
        for (name, value) in response.allHeaderFields {
            guard let name = (name as? String).flatMap({ HTTPField.Name($0) }), let value = value as? String else {
                continue
            }
            headerFields.append(HTTPField(name: name, value: value))
        }
    }
}

extension TransportError {
    /// Describes the failure of an exchange: the system's error contains the URL.
    fileprivate init(urlSession error: any Error, origin: String, receivedNothing: Bool) {
        switch (error as? URLError)?.code {
        case .cannotFindHost, .dnsLookupFailed: self = .unknownHost(origin)
        case .cannotConnectToHost: self.init(.connection, "no connection to \(origin)")
        case .notConnectedToInternet, .internationalRoamingOff, .dataNotAllowed:
            self.init(.connection, "no connection to \(origin): this device is offline")
        case .timedOut: self.init(.timeout, "\(origin) did not respond in time")
        case .secureConnectionFailed: self = .handshake(origin)
        case .serverCertificateUntrusted, .serverCertificateHasUnknownRoot, .serverCertificateHasBadDate,
            .serverCertificateNotYetValid, .clientCertificateRejected, .clientCertificateRequired:
            self = .untrusted(origin)
        case .appTransportSecurityRequiresSecureConnection:
            self.init(.unsupportedRequest, "this application may not send requests without TLS, as to \(origin)")
        // Foundation on Linux has no code for it, only libcurl's message.
        case .unknown where error.localizedDescription.hasPrefix("SSL"):
            self.init(.tls, "the certificate of \(origin) is not trusted, or the TLS handshake failed")
        case .networkConnectionLost: self = .closed(origin, receivedNothing: receivedNothing)
        case .dataLengthExceedsMaximum:
            self.init(.responseTooLarge, "the response of \(origin) is larger than the system allows")
        default: self.init(.interrupted, "the connection to \(origin) broke, or the response is not HTTP")
        }
    }
}
