import Carnet
import CarnetDescriptors
import CarnetFoundation
import CarnetProtocol
import CarnetStoreTestSupport
import Foundation
import Testing

@testable import CarnetStorage

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#endif

/// A store that cannot be written says why, and keeps what it had.
@Suite("Unavailable store")
struct UnavailableStoreTests {
    private let key = Connection.test().key
    private let new = Connection.test(token: "new")

    private func failing(_ code: Int32, after bytes: Int = 0) -> FileSystemCalls {
        var calls = FileSystemCalls.system
        let left = Counter(bytes)
        calls.write = { descriptor, buffer in
            let count = left.take(buffer.count)
            guard count > 0 else {
                errno = code
                return -1
            }
            return FileSystemCalls.system.write(descriptor, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        return calls
    }

    /// The old record is what it was, and nothing else is left behind.
    private func expectUntouched(_ temporary: TemporaryStore, _ before: [String: Data]) async throws {
        #expect(try temporary.files() == before)
        #expect(try await temporary.store().load(key)?.connection == .test())
    }

    @Test("Full disk loses nothing", arguments: [0, 1, 100])
    func fullDiskLosesNothing(bytesThatFit: Int) async throws {
        let temporary = try TemporaryStore()
        let revision = try await temporary.store().save(.test(), replacing: nil)
        let before = try temporary.files()
        let full = temporary.store(calls: failing(ENOSPC, after: bytesThatFit))
        let error = await expectStoreError(.unavailable, naming: temporary.folder) {
            try await full.save(new, replacing: revision)
        }
        #expect(error?.reason.hasSuffix("No space left on device") == true)
        try await expectUntouched(temporary, before)
    }

    @Test("Full disk at first save leaves no half key")
    func fullDiskAtFirstSaveLeavesNoHalfKey() async throws {
        let temporary = try TemporaryStore()
        let full = temporary.store(calls: failing(ENOSPC, after: 16))
        await expectStoreError(.unavailable, naming: "\(temporary.folder)/key") {
            try await full.save(.test(), replacing: nil)
        }
        #expect(try temporary.files().keys.sorted() == ["lock"])
        _ = try await temporary.store().save(.test(), replacing: nil)
    }

    @Test("Full disk is found out before a save")
    func fullDiskIsFoundOutBeforeASave() async throws {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        let before = try temporary.files()
        try await temporary.store().prepareToSave(key)
        let full = temporary.store(calls: failing(ENOSPC, after: 1000))
        await expectStoreError(.unavailable, naming: temporary.folder) { try await full.prepareToSave(key) }
        try await expectUntouched(temporary, before)
    }

    @Test("Failed sync loses nothing")
    func failedSyncLosesNothing() async throws {
        let temporary = try TemporaryStore()
        let revision = try await temporary.store().save(.test(), replacing: nil)
        let before = try temporary.files()
        var calls = FileSystemCalls.system
        calls.sync = { _ in
            errno = EIO
            return -1
        }
        let broken = temporary.store(calls: calls)
        await expectStoreError(.unavailable, naming: temporary.folder) {
            try await broken.save(new, replacing: revision)
        }
        try await expectUntouched(temporary, before)
    }

    @Test("Failed rename loses nothing")
    func failedRenameLosesNothing() async throws {
        let temporary = try TemporaryStore()
        let revision = try await temporary.store().save(.test(), replacing: nil)
        let before = try temporary.files()
        var calls = FileSystemCalls.system
        calls.rename = { _, _ in
            errno = EROFS
            return -1
        }
        let readOnly = temporary.store(calls: calls)
        let error = await expectStoreError(.unavailable, naming: try temporary.recordPath()) {
            try await readOnly.save(new, replacing: revision)
        }
        #expect(error?.reason.hasSuffix("Read-only file system") == true)
        try await expectUntouched(temporary, before)
    }

    @Test("Record is on the disk before it has its name")
    func recordIsOnTheDiskBeforeItHasItsName() async throws {
        let temporary = try TemporaryStore()
        let steps = Steps()
        var calls = FileSystemCalls.system
        calls.write = { descriptor, buffer in
            steps.add("write")
            return FileSystemCalls.system.write(descriptor, buffer)
        }
        calls.sync = { descriptor in
            steps.add("sync")
            return FileSystemCalls.system.sync(descriptor)
        }
        calls.rename = { from, to in
            steps.add("rename")
            return FileSystemCalls.system.rename(from, to)
        }
        let key = try StoreKeySource.bytes(TemporaryStore.key)
        _ = try await temporary.store(key: key, calls: calls).save(.test(), replacing: nil)
        #expect(steps.all == ["write", "sync", "rename", "sync"])
    }

    /// A process that was ended in the middle of a save leaves its temporary file.
    @Test("Leftover of a crash is ignored and removed")
    func leftoverOfACrashIsIgnoredAndRemoved() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let path = try temporary.recordPath()
        let leftover = Data(try Data(contentsOf: URL(filePath: path)).prefix(60))
        for file in [path + ".tmp", "\(temporary.folder)/0123.record.tmp"] {
            try leftover.write(to: URL(filePath: file))
        }
        #expect(try await store.load(key)?.connection == .test())
        #expect(try await store.keys() == [key])
        _ = try await store.save(new, replacing: nil)
        #expect(try await store.load(key)?.connection == new)
        #expect(try !temporary.files().keys.contains { $0.hasSuffix(".tmp") })
    }

    @Test("Folder that others may use is rejected", arguments: [0o750, 0o705, 0o777])
    func folderThatOthersMayUseIsRefused(mode: Int) async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        try temporary.setMode(mode, temporary.folder)
        let error = await expectStoreError(.unavailable) { try await store.load(key) }
        #expect(
            error?.reason == "\(temporary.folder) can be used by other users; run: chmod 700 '\(temporary.folder)'"
        )
        await expectStoreError(.unavailable) { try await store.save(new, replacing: nil) }
        await expectStoreError(.unavailable) { try await store.keys() }
    }

    @Test("Files that others may use are rejected", arguments: [0o640, 0o604, 0o620])
    func filesThatOthersMayUseAreRefused(mode: Int) async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let files = [
            (path: "\(temporary.folder)/key", kind: TokenStoreError.Kind.unavailable),
            (path: try temporary.recordPath(), kind: .unreadable),
        ]
        for (path, kind) in files {
            try temporary.setMode(mode, path)
            let error = await expectStoreError(kind) { try await store.load(key) }
            #expect(error?.reason == "\(path) can be used by other users; run: chmod 600 '\(path)'")
            try temporary.setMode(0o600, path)
        }
        #expect(try await store.load(key)?.connection == .test())
    }

    @Test("Folder of another user is rejected", .enabled(if: geteuid() == 0))
    func folderOfAnotherUserIsRefused() async throws {
        let temporary = try TemporaryStore()
        _ = try await temporary.store().save(.test(), replacing: nil)
        #expect(chown(temporary.folder, 65_534, 65_534) == 0)
        let error = await expectStoreError(.unavailable) { try await temporary.store().load(key) }
        #expect(error?.reason == "\(temporary.folder) belongs to another user")
    }

    @Test("Symbolic links are not followed")
    func symbolicLinksAreNotFollowed() async throws {
        let temporary = try TemporaryStore()
        let store = temporary.store()
        _ = try await store.save(.test(), replacing: nil)
        let path = try temporary.recordPath()
        try FileManager.default.moveItem(atPath: path, toPath: "\(temporary.root)/moved")
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "\(temporary.root)/moved")
        await expectStoreError(.unreadable, naming: path) { try await store.load(key) }
    }

    @Test("File in place of the folder is named")
    func fileInPlaceOfTheFolderIsNamed() async throws {
        let temporary = try TemporaryStore()
        try Data().write(to: URL(filePath: temporary.folder))
        for attempt in [
            { try await temporary.store().load(key).map { _ in } ?? () },
            { _ = try await temporary.store().save(new, replacing: nil) },
            { _ = try await temporary.store().inventory() },
        ] as [() async throws -> Void] {
            let error = await expectStoreError(.unavailable, naming: temporary.folder, attempt)
            #expect(error?.reason.hasSuffix("Not a directory") == true)
        }
    }

    #if os(Linux)
        @Test("Folder that cannot be made is named")
        func folderThatCannotBeMadeIsNamed() async throws {
            let store = FileTokenStore(folder: "/proc/carnet/tokens")
            await expectStoreError(.unavailable, naming: "/proc/carnet") { try await store.save(new, replacing: nil) }
        }
    #endif

    private final class Counter: Sendable {
        private let left: Lock<Int>
        init(_ count: Int) { left = Lock(count) }

        func take(_ wanted: Int) -> Int {
            left.withLock { left in
                let taken = min(left, wanted)
                left -= taken
                return taken
            }
        }
    }

    private final class Steps: Sendable {
        private let steps = Lock<[String]>([])
        var all: [String] { steps.withLock { $0 } }
        func add(_ step: String) { steps.withLock { $0.append(step) } }
    }
}
