#if os(Linux)
    import CarnetFoundation

    /// The TCP sockets of this machine, as Linux writes them to `/proc/net/tcp` and `/proc/net/tcp6`.
    struct SocketTable {
        private static let established = "01"

        private let rows: [ArraySlice<UInt8>]

        /// - Returns: `nil` if there is no row.
        init?(_ text: [UInt8]) {
            // The line of headings has no colon.
            rows = text.split(separator: UInt8(ascii: "\n")).filter { $0.contains(UInt8(ascii: ":")) }
            guard !rows.isEmpty else { return nil }
        }

        /// Whether the socket at `there` that is connected to `here` is open in both directions, and belongs to one of
        /// the users; `nil` if the table does not have it.
        func isOpen(from there: SocketName, to here: SocketName, of users: Set<uid_t>) -> Bool? {
            let pairs = zip(Self.spellings(there), Self.spellings(here))
            let found = rows.compactMap(Row.init).filter { row in
                pairs.contains { row.local.elementsEqual($0.utf8) && row.remote.elementsEqual($1.utf8) }
            }
            guard !found.isEmpty else { return nil }
            return found.allSatisfy { row in
                row.state.elementsEqual(Self.established.utf8) && row.user.map(users.contains) ?? false
            }
        }

        private struct Row {
            let local, remote, state: ArraySlice<UInt8>
            let user: uid_t?

            init?(_ line: ArraySlice<UInt8>) {
                // Number, local and remote address, state, queues, timer, retransmissions, user, and more.
                let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 8)
                guard columns.count > 7 else { return nil }
                (local, remote, state) = (columns[1], columns[2], columns[3])
                user = uid_t(String(decoding: columns[7], as: UTF8.self))
            }
        }

        /// An address as in the table: its 32-bit words in hexadecimal, in this machine's byte order, then the port. A
        /// socket for IPv6 that is connected over IPv4 is in the second file, with mapped addresses.
        private static func spellings(_ address: SocketName) -> [String] {
            let port = ":" + hex(address.port, digits: 4)
            let parts = address.words.map { hex(Int($0), digits: 8) }
            return (address.words.starts(with: SocketName.mapping) ? [parts[3] + port] : []) + [parts.joined() + port]
        }

        private static func hex(_ number: Int, digits: Int) -> String {
            let text = String(number, radix: 16, uppercase: true)
            return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
        }
    }
#endif
