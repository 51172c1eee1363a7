import CarnetFoundation
import NIOCore

/// The open connections of one server.
///
/// Where there are too many, the connection that has waited longest for a client closes, so that slow clients cannot keep
/// others out. If every connection has a request in progress, the new one closes.
final class OpenConnections: Sendable {
    private struct Entry {
        let channel: any Channel
        /// The network; `nil` for a proxy.
        let address: [UInt8]?
        /// Since when it waits for its client, as a position in the order of all such times; `nil` during a request.
        var waitsSince: Int?
    }

    private struct Table {
        var entries: [ObjectIdentifier: Entry] = [:]
        var counts: [[UInt8]: Int] = [:]
        var time = 0

        mutating func tick() -> Int {
            time += 1
            return time
        }

        mutating func remove(_ id: ObjectIdentifier) -> (any Channel)? {
            guard let entry = entries.removeValue(forKey: id) else { return nil }
            if let address = entry.address {
                let count = (counts[address] ?? 1) - 1
                counts[address] = count > 0 ? count : nil
            }
            return entry.channel
        }

        /// Takes the connection out that has waited longest, of all or of one address.
        mutating func removeLongestWaiting(of address: [UInt8]?) -> (any Channel)? {
            let waiting = entries.filter {
                $0.value.waitsSince != nil && (address == nil || $0.value.address == address)
            }
            guard let id = waiting.min(by: { ($0.value.waitsSince ?? 0) < ($1.value.waitsSince ?? 0) })?.key else {
                return nil
            }
            return remove(id)
        }
    }

    private let limits: ServerLimits
    private let table = Lock(Table())

    init(_ limits: ServerLimits) {
        self.limits = limits
    }

    var count: Int { table.withLock(\.entries.count) }

    func add(_ channel: any Channel) {
        let peer = channel.remoteAddress
        let isProxy = peer.map(limits.proxies) ?? false
        let address = isProxy ? nil : IPAddress.network(of: peer?.ipAddress ?? "")
        let closing: (any Channel)? = table.withLock { table in
            let isFull = table.entries.count >= limits.connections
            let isFullForAddress = address.map { (table.counts[$0] ?? 0) >= limits.connectionsPerAddress } ?? false
            var closing: (any Channel)?
            if isFull || isFullForAddress {
                closing = table.removeLongestWaiting(of: isFullForAddress ? address : nil)
                guard closing != nil else { return channel }
            }
            let time = table.tick()
            table.entries[ObjectIdentifier(channel)] = Entry(channel: channel, address: address, waitsSince: time)
            if let address { table.counts[address, default: 0] += 1 }
            return closing
        }
        closing?.close(promise: nil)
    }

    func remove(_ channel: any Channel) {
        _ = table.withLock { $0.remove(ObjectIdentifier(channel)) }
    }

    /// Notes whether a connection waits for its client, rather than the client for the server.
    func note(_ channel: any Channel, isWaiting: Bool) {
        table.withLock { table in
            let time = isWaiting ? table.tick() : nil
            table.entries[ObjectIdentifier(channel)]?.waitsSince = time
        }
    }
}
