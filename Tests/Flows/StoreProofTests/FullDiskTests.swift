import Carnet
import CarnetStoreTestSupport
import CarnetTesting
import Foundation
import Testing

/// A small file system of its own, which only root can make.
private final class SmallDisk: Sendable {
    let path: String

    static let isPossible: Bool = {
        guard geteuid() == 0 else { return false }
        return (try? SmallDisk()) != nil
    }()

    struct MountError: Error {}

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "carnet-disk-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        try Self.run("mount", "-t", "tmpfs", "-o", "size=2m,mode=700", "tmpfs", path)
    }

    deinit {
        try? Self.run("umount", "-l", path)
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes until nothing more fits.
    func fill() throws {
        guard FileManager.default.createFile(atPath: path + "/filling", contents: nil) else { throw MountError() }
        let handle = try FileHandle(forWritingTo: URL(filePath: path + "/filling"))
        defer { try? handle.close() }
        for size in [65_536, 4096, 1] {
            while (try? handle.write(contentsOf: Data(repeating: 1, count: size))) != nil {}
        }
    }

    func empty() throws {
        try FileManager.default.removeItem(atPath: path + "/filling")
    }

    func makeReadOnly() throws {
        try Self.run("mount", "-o", "remount,ro", path)
    }

    private static func run(_ arguments: String...) throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = arguments
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw MountError() }
    }
}

@Suite("Full disk", .serialized, .enabled(if: SmallDisk.isPossible, "a small disk takes root's rights to mount"))
struct FullDiskTests {
    private let disk: SmallDisk
    private let clock = ManualClock(now: Date(timeIntervalSince1970: 1_800_000_000))

    init() throws {
        disk = try SmallDisk()
    }

    private func location(_ kind: StoreLocation.Kind) -> StoreLocation {
        StoreLocation(kind, kind == .files ? "\(disk.path)/tokens" : "\(disk.path)/tokens.sqlite")
    }

    private func expectTryLater(_ error: (any Error)?) {
        let isStore = (error as? TokenStoreError)?.kind == .unavailable
        #expect(isStore || (error as? OAuthError)?.disposition == .tryLater, "\(error.map { "\($0)" } ?? "no error")")
    }

    @Test("Full disk spends no refresh token", arguments: [StoreLocation.Kind.files, .sqlite])
    func fullDiskSpendsNoRefreshToken(kind: StoreLocation.Kind) async throws {
        let storm = try await Storm(kind, at: location(kind))
        let store = try storm.location.open()
        try await storm.signIn(store, clock: clock)
        let session = try #require(try await storm.client(store, clock: clock).session(for: StormProvider.key.account))
        clock.advance(by: .seconds(10_000))
        try disk.fill()
        let error = await #expect(throws: (any Error).self) { try await session.tokens() }
        expectTryLater(error)
        #expect(await storm.refreshes() == 0)
        try disk.empty()
        #expect(try await session.tokens().isExpiring(within: 0, at: clock.now) == false)
        #expect(await storm.refreshes() == 1)
    }

    @Test("Read only disk spends no refresh token", arguments: [StoreLocation.Kind.files, .sqlite])
    func readOnlyDiskSpendsNoRefreshToken(kind: StoreLocation.Kind) async throws {
        let storm = try await Storm(kind, at: location(kind))
        try await storm.signIn(clock: clock)
        try disk.makeReadOnly()
        let store = try storm.location.open()
        clock.advance(by: .seconds(10_000))
        let error = await #expect(throws: (any Error).self) {
            try await storm.client(store, clock: clock).session(for: StormProvider.key.account)?.tokens()
        }
        expectTryLater(error)
        #expect(await storm.refreshes() == 0)
    }
}
