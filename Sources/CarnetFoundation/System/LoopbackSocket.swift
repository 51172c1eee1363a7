/// A TCP socket on 127.0.0.1 or ::1. A wait returns within 100 milliseconds.
package struct LoopbackSocket: Sendable {
    private static let patience: Int32 = 100

    package let descriptor: Int32
    package let port: Int

    /// Listens on a loopback address; with port 0, on a port that the system chooses.
    ///
    /// - Throws: `POSIXError`.
    package static func listening(on name: SocketName = .ipv4(port: 0)) throws -> Self {
        #if canImport(Glibc)
            let descriptor = socket(name.family, Int32(SOCK_STREAM.rawValue), 0)
        #else
            let descriptor = socket(name.family, SOCK_STREAM, 0)
        #endif
        guard descriptor >= 0 else { throw lastError() }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        // A port that was just freed can be used again; one in use cannot.
        var isOn: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isOn, socklen_t(MemoryLayout<Int32>.size))
        guard name.withAddress({ bind(descriptor, $0, $1) }) == 0, listen(descriptor, 64) == 0,
            let bound = SocketName({ getsockname(descriptor, $0, $1) })
        else {
            let error = lastError()
            closeSocket(descriptor)
            throw error
        }
        return Self(descriptor: descriptor, port: bound.port)
    }

    private static func lastError() -> POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }

    /// The addresses of a connection: of this side, and of the other; `nil` if the connection was reset.
    package var names: (here: SocketName, there: SocketName)? {
        let descriptor = descriptor
        guard let here = SocketName({ getsockname(descriptor, $0, $1) }),
            let there = SocketName({ getpeername(descriptor, $0, $1) })
        else { return nil }
        return (here, there)
    }

    package func accept() -> Self? {
        guard waits(for: POLLIN, within: Self.patience) != 0 else { return nil }
        let accepted = acceptConnection(descriptor)
        guard accepted >= 0 else {
            // Without a free descriptor, the connection keeps waiting.
            if errno == EMFILE || errno == ENFILE { poll(nil, 0, Self.patience) }
            return nil
        }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        #if canImport(Darwin)
            var one: Int32 = 1
            setsockopt(accepted, SOL_SOCKET, SO_NOSIGPIPE, &one, socklen_t(MemoryLayout<Int32>.size))
        #endif
        return Self(descriptor: accepted, port: port)
    }

    /// - Returns: What came, nothing if nothing came yet, or `nil` at the end of the connection.
    package func receive() -> [UInt8]? {
        guard waits(for: POLLIN, within: Self.patience) != 0 else { return [] }
        var buffer = [UInt8](repeating: 0, count: 16_384)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        return count > 0 ? Array(buffer.prefix(count)) : nil
    }

    /// - Returns: How many bytes were taken, or `nil` at the end of the connection.
    package func send(_ bytes: ArraySlice<UInt8>) -> Int? {
        guard waits(for: POLLOUT, within: Self.patience) != 0 else { return 0 }
        #if canImport(Darwin)
            let flags = MSG_DONTWAIT
        #else
            let flags = Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)
        #endif
        let count = bytes.withUnsafeBytes { sendBytes(descriptor, $0, flags) }
        if count >= 0 { return count }
        return errno == EAGAIN ? 0 : nil
    }

    /// Whether the other side closes the connection within so many milliseconds.
    package func hangsUp(within milliseconds: Int32) -> Bool {
        waits(for: POLLIN, within: milliseconds) != 0 && receive() == nil
    }

    package func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    package func endSending() { shutdown(descriptor, Int32(SHUT_WR)) }

    /// Ends all waits for the socket, in any thread. Somebody has to close it nevertheless.
    package func interrupt() { shutdown(descriptor, Int32(SHUT_RDWR)) }

    package func close() { closeSocket(descriptor) }

    private func waits(for event: some BinaryInteger, within milliseconds: Int32) -> Int32 {
        var entry = pollfd(fd: descriptor, events: Int16(event), revents: 0)
        return poll(&entry, 1, milliseconds)
    }
}

// The system calls whose names are also those of methods here.

private func acceptConnection(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }

private func sendBytes(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}

private func closeSocket(_ descriptor: Int32) { _ = close(descriptor) }
