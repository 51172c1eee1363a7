#if os(Linux)
    import CarnetFoundation
    import Foundation
    import NIOCore
    import Testing

    @testable import CarnetUserAgent

    /// The table of sockets as kernels on little-endian machines print it.
    @Suite("Socket table", .enabled(if: UInt16(littleEndian: 1) == 1, "the addresses are in the other byte order"))
    struct SocketTableTests {
        private static let headings = [
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode",
            "  sl  local_address                         remote_address                        st tx_queue rx_queue "
                + "tr tm->when retrnsmt   uid  timeout inode",
        ]
        private static let here = "127.0.0.1:8080"
        private static let there = "127.0.0.1:41668"

        /// - Parameter pair: The columns of the two addresses.
        private func row(_ pair: String, state: String = "01", user: String = " 1000") -> String {
            "  12: \(pair) \(state) 00000000:00000000 00:00000000 00000000 \(user)        0 53712 1 "
                + "00000000a2f4b1c3 20 4 30 10 -1                "
        }

        private let peer = "0100007F:A2C4 0100007F:1F90"

        private func address(_ text: String) throws -> SocketAddress {
            let colon = try #require(text.lastIndex(of: ":"))
            return try SocketAddress(
                ipAddress: String(text[..<colon]), port: try #require(Int(text[text.index(after: colon)...])))
        }

        private func isOpen(
            _ rows: [String], from there: String = there, to here: String = here, of users: Set<uid_t> = [0, 1000]
        ) throws -> Bool? {
            let text = ([Self.headings[0]] + rows).joined(separator: "\n") + "\n"
            let table = try #require(SocketTable(Array(text.utf8)))
            return table.isOpen(from: try address(there).name, to: try address(here).name, of: users)
        }

        @Test("An open socket of an allowed user is accepted, one of another is not")
        func owner() throws {
            #expect(try isOpen([row(peer)]) == true)
            #expect(try isOpen([row(peer, user: "    0")]) == true)
            #expect(try isOpen([row(peer, user: " 1001")]) == false)
            #expect(try isOpen([row(peer, user: "65534")]) == false)
            #expect(try isOpen([row(peer, user: "4294967295")]) == false)
            #expect(try isOpen([row(peer, user: "4294968296")]) == false)
            #expect(try isOpen([row(peer, user: "    -")]) == false)
        }

        @Test("A socket in any other state is not accepted, whoever owns it", arguments: 2...13)
        func state(number: Int) throws {
            let state = "0" + String(number, radix: 16, uppercase: true)
            for user in ["    0", " 1000"] { #expect(try isOpen([row(peer, state: state, user: user)]) == false) }
        }

        @Test(
            "Only the row with both addresses and both ports counts",
            arguments: [
                "0100007F:1F90 0100007F:A2C4", "0200007F:A2C4 0100007F:1F90", "0100007F:A2C4 0200007F:1F90",
                "0100007F:A2C5 0100007F:1F90", "0100007F:A2C4 0100007F:1F91", "0100007F:A2C4 00000000:0000",
                "00000000:1F90 00000000:0000",
            ])
        func others(pair: String) throws {
            #expect(try isOpen([row(pair)]) == nil)
            #expect(try isOpen([row(pair, user: " 1001"), row(peer)]) == true)
            #expect(try isOpen([row(pair), row(peer, user: " 1001")]) == false)
        }

        @Test("Of two rows that fit, none may be foreign")
        func twoRows() throws {
            #expect(try isOpen([row(peer), row(peer, state: "06", user: "    0")]) == false)
            #expect(try isOpen([row(peer, user: " 1001"), row(peer)]) == false)
        }

        @Test("IPv6 addresses, and IPv4 addresses of sockets for IPv6")
        func longAddresses() throws {
            let loopback = "00000000000000000000000001000000"
            let mapped = "0000000000000000FFFF00000100007F"
            let (other, own) = ("::1:41668", "::1:8080")
            #expect(try isOpen([row("\(loopback):A2C4 \(loopback):1F90")], from: other, to: own) == true)
            #expect(try isOpen([row("\(mapped):A2C4 \(mapped):1F90")], from: other, to: own) == nil)
            #expect(try isOpen([row("\(mapped):A2C4 \(mapped):1F90")]) == true)
            #expect(try isOpen([row("\(mapped):A2C4 \(mapped):1F90", user: " 1001")]) == false)
            #expect(try isOpen([row("\(loopback):A2C4 \(loopback):1F90")]) == nil)
            let (far, near) = ("::ffff:127.0.0.1:41668", "::ffff:127.0.0.1:8080")
            #expect(try isOpen([row(peer)], from: far, to: near) == true)
        }

        @Test("A row that breaks off is no row")
        func damage() throws {
            #expect(try isOpen(["  12: 0100007F:A2C4 0100007F:1F90 01", ":", "::::"]) == nil)
        }

        @Test("Without a row there is no table", arguments: ["", "\n\n"] + headings)
        func noTable(text: String) {
            #expect(SocketTable(Array(text.utf8)) == nil)
        }

        @Test("`nobody` is allowed only where it may be any user that this namespace does not have")
        func nobody() {
            func allowed(_ map: String?) -> Set<uid_t> {
                LoopbackPeer.allowedUsers(user: 1000, map: map.map { Array($0.utf8) })
            }
            #expect(allowed("         0          0 4294967295\n") == [0, 1000])
            #expect(allowed(nil) == [0, 1000])
            #expect(allowed("         0       1000          1\n") == [0, 1000, 65_534])
            #expect(allowed("0 1000 1\n1 100000 65536\n") == [0, 1000, 65_534])
            #expect(allowed("") == [0, 1000, 65_534])
        }
    }
#endif
