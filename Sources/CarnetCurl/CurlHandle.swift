import CLibCurl
import Carnet
import CarnetFoundation
import CarnetProtocol
import CarnetTransport

/// One of libcurl's handles for an exchange at a time. Its settings that are the same for every exchange are made once.
final class CurlHandle {
    let easy: UnsafeMutableRawPointer
    private let loop: OpaquePointer
    var exchange: CurlExchange?
    /// The scheme, host and port that are set.
    private var base = ""
    private var headers: UnsafeMutablePointer<curl_slist>?
    /// The first setting that this libcurl refuses.
    private var refused: CURLoption?
    /// libcurl writes here why an exchange failed.
    private let text = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))

    /// - Throws: `TransportError`.
    init(_ trust: CurlTrust, _ loop: OpaquePointer) throws(TransportError) {
        guard let easy = carnet_curl_easy() else { throw TransportError.outOfMemory }
        (self.easy, self.loop) = (easy, loop)
        text.pointee = 0
        check(CURLOPT_ERRORBUFFER, carnet_curl_set_pointer(easy, CURLOPT_ERRORBUFFER, text))
        carnet_curl_watch(easy)
        if carnet_curl_restrict(easy) != CURLE_OK { refused = CURLOPT_PROTOCOLS }
        set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
        set(CURLOPT_HTTP09_ALLOWED, 0)
        set(CURLOPT_NOSIGNAL, 1)
        // A stream may be silent for hours. A host that is gone must not leave it open.
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_FOLLOWLOCATION, 0)
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_CONNECTTIMEOUT_MS, 10_000)
        // As long as libcurl keeps an unused connection.
        set(CURLOPT_MAXAGE_CONN, 15)
        // A name server's response holds for the connection that it was asked for.
        set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
        set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        apply(trust)
        // Empty, so that libcurl does not read the environment.
        set(CURLOPT_PROXY, "")
        set(CURLOPT_NOPROXY, "")
        set(CURLOPT_HTTPPROXYTUNNEL, 1)
        set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        check(
            CURLOPT_HEADERFUNCTION,
            carnet_curl_set_sink(easy, CURLOPT_HEADERFUNCTION) { data, size, count, context in
                let line = UnsafeRawBufferPointer(start: data, count: size * count)
                return CurlHandle.of(context)?.exchange?.take(header: line) == true ? line.count : 0
            })
        check(
            CURLOPT_WRITEFUNCTION,
            carnet_curl_set_sink(easy, CURLOPT_WRITEFUNCTION) { data, size, count, context in
                let bytes = UnsafeRawBufferPointer(start: data, count: size * count)
                return CurlHandle.of(context)?.exchange?.take(body: bytes) == true ? bytes.count : 0
            })
        check(
            CURLOPT_OPENSOCKETFUNCTION,
            carnet_curl_set_opener(easy) { context, _, address in
                guard let address, let handle = CurlHandle.of(context), handle.exchange?.mayConnect(to: address) == true
                else { return -1 }
                return carnet_curl_open(handle.loop, address)
            })
        check(CURLOPT_CLOSESOCKETFUNCTION, carnet_curl_set_closer(easy, loop))
        check(
            CURLOPT_PREREQFUNCTION,
            carnet_curl_set_gate(easy) { context, address, _, _, _ in
                guard let address, CurlHandle.of(context)?.exchange?.maySend(to: String(cString: address)) == true
                else { return CURL_PREREQFUNC_ABORT }
                return CURL_PREREQFUNC_OK
            })
        let context = Unmanaged.passUnretained(self).toOpaque()
        for option in [
            CURLOPT_HEADERDATA, CURLOPT_WRITEDATA, CURLOPT_OPENSOCKETDATA, CURLOPT_PREREQDATA, CURLOPT_PRIVATE,
        ] { check(option, carnet_curl_set_pointer(easy, option, context)) }
        try throwIfRefused()
    }

    deinit {
        carnet_curl_end_easy(easy)
        text.deallocate()
        free(headers)
    }

    /// Why the last exchange failed; empty if libcurl does not say.
    var detail: String { String(cString: text) }

    /// Who issued the last certificate that a server sent, for whom, and until when; empty if it is unknown.
    var certificate: String {
        guard let seen = carnet_curl_certificate_of(easy)?.pointee else { return "" }
        func text<Characters>(_ characters: Characters) -> String {
            withUnsafeBytes(of: characters) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self).quotable(limit: 80)
            }
        }
        func day(_ seconds: Int64) -> String {
            String(Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601).prefix(10))
        }
        let (issuer, subject) = (text(seen.issuer), text(seen.subject))
        return
            " (issued by \(issuer.isEmpty ? "nobody" : "\"\(issuer)\"")\(subject.isEmpty ? "" : " for \"\(subject)\""), "
            + "valid from \(day(seen.start)) to \(day(seen.end)))"
    }

    static func of(_ context: UnsafeMutableRawPointer?) -> CurlHandle? {
        context.map { Unmanaged<CurlHandle>.fromOpaque($0).takeUnretainedValue() }
    }

    /// The settings of one exchange. What the last one set is set anew.
    ///
    /// - Throws: `TransportError`.
    func prepare(for exchange: CurlExchange) throws(TransportError) {
        let message = exchange.message
        if base != message.base {
            base = message.base
            set(CURLOPT_URL, base)
        }
        set(CURLOPT_REQUEST_TARGET, message.path)
        // A server that closes a used connection at this moment would lose a request that is never repeated.
        set(CURLOPT_FRESH_CONNECT, message.takesNewConnection ? 1 : 0)
        text.pointee = 0
        if message.isHead {
            set(CURLOPT_NOBODY, 1)
        } else if let body = message.body {
            set(CURLOPT_POST, 1)
            set(CURLOPT_POSTFIELDSIZE, body.count)
            body.withUnsafeBytes { bytes in
                // Empty arrays may have no address, which would mean to read the body elsewhere.
                let start = bytes.baseAddress.flatMap { bytes.isEmpty ? nil : $0 }
                check(
                    CURLOPT_COPYPOSTFIELDS,
                    start.map { carnet_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0) }
                        ?? carnet_curl_set_text(easy, CURLOPT_COPYPOSTFIELDS, ""))
            }
        } else {
            set(CURLOPT_HTTPGET, 1)
        }
        set(CURLOPT_CUSTOMREQUEST, message.method)
        headers = message.headerLines.withUnsafeBytes { carnet_curl_list($0.baseAddress, $0.count) }
        guard headers != nil else { throw TransportError.outOfMemory }
        check(CURLOPT_HTTPHEADER, carnet_curl_set_pointer(easy, CURLOPT_HTTPHEADER, headers))
        if let proxy = message.proxy {
            set(CURLOPT_PROXY, "\(proxy.isSOCKS ? "socks5h" : "http")://\(proxy.place)")
            set(CURLOPT_HTTPPROXYTUNNEL, proxy.isSOCKS ? 0 : 1)
            if let user = proxy.user {
                set(CURLOPT_PROXYUSERNAME, user)
                set(CURLOPT_PROXYPASSWORD, proxy.password?.reveal() ?? "")
            }
        }
        if let identity = message.identity {
            set(CURLOPT_SSLCERT_BLOB, Array(identity.pem.reveal().utf8))
            set(CURLOPT_SSLKEY_BLOB, Array(identity.pem.reveal().utf8))
        }
        try throwIfRefused()
    }

    /// Forgets the last exchange.
    func clear() {
        carnet_curl_set_pointer(easy, CURLOPT_HTTPHEADER, nil)
        free(headers)
        headers = nil
        carnet_curl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, nil)
    }

    private func apply(_ trust: CurlTrust) {
        switch trust {
        case .system:
            // libcurl keeps what it has read of a file, unless there is a folder, too.
            if carnet_curl_authorities() != nil { set(CURLOPT_CAPATH, nil) }
        case .file(let path):
            set(CURLOPT_CAINFO, path)
            set(CURLOPT_CAPATH, nil)
        case .kept(let file):
            set(CURLOPT_CAINFO, file.path)
            set(CURLOPT_CAPATH, nil)
        case .certificates(let pem):
            set(CURLOPT_CAINFO, nil)
            set(CURLOPT_CAPATH, nil)
            set(CURLOPT_CAINFO_BLOB, pem)
        }
    }

    private func set(_ option: CURLoption, _ value: Int) { check(option, carnet_curl_set_number(easy, option, value)) }

    private func set(_ option: CURLoption, _ value: String?) {
        check(option, carnet_curl_set_text(easy, option, value))
    }

    private func set(_ option: CURLoption, _ value: [UInt8]) {
        check(option, carnet_curl_set_bytes(easy, option, value, value.count))
    }

    private func check(_ option: CURLoption, _ result: CURLcode) {
        if result != CURLE_OK { refused = refused ?? option }
    }

    /// Nothing is requested where a setting was not taken, since it might be the one that protects.
    private func throwIfRefused() throws(TransportError) {
        guard let refused else { return }
        throw TransportError(
            .unsupportedRequest,
            "the system's libcurl has no option \(refused.rawValue); CarnetCurl needs 7.80 or newer, built with OpenSSL"
        )
    }
}

extension TransportError {
    static let outOfMemory = TransportError(.connection, "there is no memory for a connection")
}
