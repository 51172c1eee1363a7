import CarnetFoundation

/// A TCP socket on 127.0.0.1. A wait returns within 100 milliseconds.
struct LoopbackSocket: Sendable {
    private static let patience: Int32 = 100

    let descriptor: Int32
    let port: Int

    /// Listens on a port that the system chooses.
    static func listening() throws -> Self {
        #if canImport(Glibc)
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw lastError() }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic -> Int32 in
                guard bind(descriptor, generic, length) == 0, listen(descriptor, 64) == 0 else { return -1 }
                return getsockname(descriptor, generic, &length)
            }
        }
        guard result == 0 else {
            let error = lastError()
            SystemCalls.close(descriptor)
            throw error
        }
        return Self(descriptor: descriptor, port: Int(UInt16(bigEndian: address.sin_port)))
    }

    private static func lastError() -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }

    func accept() -> Self? {
        guard waits(for: POLLIN, within: Self.patience) != 0 else { return nil }
        let accepted = SystemCalls.accept(descriptor)
        guard accepted >= 0 else { return nil }
        #if canImport(Darwin)
            var one: Int32 = 1
            setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return Self(descriptor: accepted, port: port)
    }

    /// - Returns: What came, nothing if nothing came yet, or `nil` at the end of the connection.
    func receive() -> [UInt8]? {
        guard waits(for: POLLIN, within: Self.patience) != 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// - Returns: How many bytes were taken, or `nil` at the end of the connection.
    func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard waits(for: POLLOUT, within: Self.patience) != 0 else { return 0 }
        #if canImport(Darwin)
            let flags = MSG_DONTWAIT
        #else
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        let count = bytes.withUnsafeBytes { SystemCalls.send(descriptor, $0.baseAddress, $0.count, flags) }
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }

    /// Whether the other side closes the connection within so many milliseconds.
    func hangsUp(within milliseconds: Int32) -> Bool {
        waits(for: POLLIN, within: milliseconds) != 0 && receive() == nil
    }

    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func endSending() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        SystemCalls.close(descriptor)
    }

    private func waits(for event: some BinaryInteger, within milliseconds: Int32) -> Int32 {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, milliseconds)
    }
}

/// The system calls whose names are also those of methods here.
private enum SystemCalls {
    static func accept(_ descriptor: Int32) -> Int32 {
        #if canImport(Darwin)
            Darwin.accept(descriptor, nil, nil)
        #elseif canImport(Glibc)
            Glibc.accept(descriptor, nil, nil)
        #elseif canImport(Musl)
            Musl.accept(descriptor, nil, nil)
        #endif
    }

    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int, _ flags: Int32) -> Int {
        #if canImport(Darwin)
            Darwin.send(descriptor, bytes, count, flags)
        #elseif canImport(Glibc)
            Glibc.send(descriptor, bytes, count, flags)
        #elseif canImport(Musl)
            Musl.send(descriptor, bytes, count, flags)
        #endif
    }

    static func close(_ descriptor: Int32) {
        #if canImport(Darwin)
            _ = Darwin.close(descriptor)
        #elseif canImport(Glibc)
            _ = Glibc.close(descriptor)
        #elseif canImport(Musl)
            _ = Musl.close(descriptor)
        #endif
    }
}
