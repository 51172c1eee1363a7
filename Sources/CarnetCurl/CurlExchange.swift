import CLibCurl
import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTransport
import HTTPTypes

/// One request and what has arrived of its response. libcurl calls it on the thread of its handle.
final class CurlExchange {
    /// The maximum size of all header fields of a response, those of interim responses (1xx) included.
    static let maximumHeaderBytes = 80 << 10

    let message: CurlMessage
    let route: CurlRoute
    let continuation: CurlConnections.Continuation
    var deadline: Duration
    /// Whether it counts among those that run at a time.
    var hasPlace = false
    /// Nil unless it runs.
    var handle: CurlHandle? {
        didSet {
            oldValue?.exchange = nil
            handle?.exchange = self
        }
    }

    private var headerBytes = 0
    private var head: HTTPResponse?
    private var lastName: HTTPField.Name?
    private var announcedLength: Int?
    /// Nil until the header is complete.
    private var body: CappedBody?
    private var isStreamed = false
    /// Why the exchange was ended here.
    private var failure: TransportError?
    private var hasRefusedAddress = false
    private var isSent = false

    init(_ message: CurlMessage, _ route: CurlRoute, _ continuation: CurlConnections.Continuation, deadline: Duration) {
        (self.message, self.route, self.continuation, self.deadline) = (message, route, continuation, deadline)
    }

    // MARK: Before the request

    /// Before a connection is made.
    func mayConnect(to address: UnsafeMutablePointer<curl_sockaddr>) -> Bool {
        guard let start = carnet_curl_address(address) else { return false }
        guard isAllowed(IPAddress(socketAddress: start, family: address.pointee.family)) else {
            hasRefusedAddress = true
            return false
        }
        return true
    }

    /// On a connection that is ready, new or not: the last moment before the request.
    func maySend(to address: String) -> Bool {
        goesOn { () throws(TransportError) in
            // An earlier request for the same host may have been allowed more.
            guard isAllowed(IPAddress(numericHost: address)) else {
                throw TransportError(localAddressOf: message.origin)
            }
            // libcurl would send it again where the server closes a connection that was used before.
            guard !isSent else { throw brokenOff }
            try message.limits.checkMoment(message.origin)
            isSent = true
        }
    }

    /// Takes a step of the exchange, which ends with its error.
    private func goesOn(_ step: () throws(TransportError) -> Void) -> Bool {
        do throws(TransportError) {
            try step()
            return true
        } catch {
            failure = error
            return false
        }
    }

    private func isAllowed(_ address: @autoclosure () -> IPAddress?) -> Bool {
        message.mayBeLocal || address().map { $0.isPublic || $0.standsForName } ?? false
    }

    // MARK: The response

    func take(header line: UnsafeRawBufferPointer) -> Bool {
        // Trailers follow the body, and nobody reads them.
        guard body == nil else { return true }
        return goesOn { () throws(TransportError) in
            headerBytes += line.count
            guard headerBytes <= Self.maximumHeaderBytes else { throw tooLargeHeader }
            try read(line.prefix { $0 != UInt8(ascii: "\r") && $0 != UInt8(ascii: "\n") })
        }
    }

    private func read(_ line: Slice<UnsafeRawBufferPointer>) throws(TransportError) {
        guard let first = line.first else { return try endHeader() }
        if line.starts(with: "HTTP/".utf8) {
            head = try HTTPResponse(statusLine: line, from: message.origin)
            announcedLength = nil
        } else if first == UInt8(ascii: " ") || first == UInt8(ascii: "\t") {
            // An obsolete form of a value that goes on (RFC 9112, section 5.2).
            guard let name = lastName, let value = head?.headerFields[name] else { return }
            head?.headerFields[name] = value + " " + Self.text(line)
        } else if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
            lastName = HTTPField.Name(String(decoding: line[..<colon], as: UTF8.self))
            guard let name = lastName else { return }
            let value = Self.text(line[line.index(after: colon)...])
            if name == .contentLength { announcedLength = Int(value) }
            head?.headerFields.append(HTTPField(name: name, value: value))
        }
    }

    private static func text(_ bytes: Slice<UnsafeRawBufferPointer>) -> String {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let rest = bytes.drop(while: isSpace)
        return String(
            decoding: rest[..<(rest.lastIndex { !isSpace($0) }.map { $0 + 1 } ?? rest.startIndex)], as: UTF8.self)
    }

    private func endHeader() throws(TransportError) {
        guard let status = head?.status.code, !(100..<200).contains(status) else {
            // An interim response.
            head = nil
            return
        }
        if let head, let stream = message.stream, stream.takes(head) {
            isStreamed = true
            deadline = .seconds(1 << 40)
            stream.begin(head)
        }
        body = try CappedBody(
            announcedLength: message.isHead || isStreamed ? nil : announcedLength, limits: message.limits,
            origin: message.origin)
    }

    func take(body bytes: UnsafeRawBufferPointer) -> Bool {
        goesOn { () throws(TransportError) in
            if !isStreamed {
                try body?.append(bytes)
            } else if message.stream?.take(Array(bytes)) != true {
                throw TransportError(.interrupted, "the rest of \(message.origin)'s response was not wanted")
            }
        }
    }

    // MARK: The end

    func outcome(_ result: CURLcode) -> Result<IncomingResponse, any Error> {
        if let failure { return .failure(failure) }
        guard result == CURLE_OK, let head, let body else { return .failure(error(result)) }
        return .success(IncomingResponse(head: head, body: body.bytes))
    }

    private var tooLargeHeader: TransportError {
        TransportError(
            .responseTooLarge,
            "the header of \(message.origin)'s response is larger than \(Self.maximumHeaderBytes) bytes")
    }

    private var brokenOff: TransportError { .closed(message.origin, receivedNothing: headerBytes == 0) }

    private func error(_ result: CURLcode) -> TransportError {
        if hasRefusedAddress, result == CURLE_COULDNT_CONNECT { return TransportError(localAddressOf: message.origin) }
        guard let easy = handle?.easy else { return brokenOff }
        // A line without end fills libcurl's own buffer.
        if result == CURLE_OUT_OF_MEMORY || result == carnet_curl_too_large, isSent, body == nil {
            return tooLargeHeader
        }
        let isTunnelled = (200..<300).contains(carnet_curl_number(easy, CURLINFO_HTTP_CONNECTCODE))
        let untunnelled: Set = [
            CURLE_RECV_ERROR.rawValue, CURLE_SEND_ERROR.rawValue, CURLE_GOT_NOTHING.rawValue,
            CURLE_WEIRD_SERVER_REPLY.rawValue, CURLE_UNSUPPORTED_PROTOCOL.rawValue, CURLE_PROXY.rawValue,
        ]
        if let proxy = message.proxy, proxy.isSOCKS ? result == CURLE_PROXY : !isTunnelled,
            untunnelled.contains(result.rawValue)
        {
            return TransportError(proxyStatus: carnet_curl_number(easy, CURLINFO_HTTP_CONNECTCODE), message.route)
        }
        return TransportError(
            result, message, systemError: Int32(clamping: carnet_curl_number(easy, CURLINFO_OS_ERRNO)),
            verification: carnet_curl_number(easy, CURLINFO_SSL_VERIFYRESULT),
            certificate: handle?.certificate ?? "", detail: handle?.detail ?? "", receivedNothing: headerBytes == 0)
    }
}

extension HTTPResponse {
    /// - Throws: `TransportError`, `interrupted`.
    fileprivate init(statusLine: Slice<UnsafeRawBufferPointer>, from origin: String) throws(TransportError) {
        func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") }
        let afterVersion = statusLine.drop { !isSpace($0) }.dropFirst()
        let digits = afterVersion.prefix { !isSpace($0) }
        guard let code = Int(String(decoding: digits, as: UTF8.self)), (100...999).contains(code) else {
            throw TransportError(.interrupted, "\(origin) sent a response that is not HTTP")
        }
        let reason = String(decoding: afterVersion.dropFirst(digits.count + 1), as: UTF8.self)
        self.init(status: .init(code: code, reasonPhrase: reason))
    }
}
