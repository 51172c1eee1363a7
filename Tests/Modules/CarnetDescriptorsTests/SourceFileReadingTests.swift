import CarnetFoundation
import Foundation
import Testing

@testable import CarnetDescriptors

@Suite("Source file reading")
struct SourceFileReadingTests {
    private func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "carnet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func reason(_ path: String, maximumBytes: Int = 1 << 20) -> SourceFileError.Reason? {
        do throws(SourceFileError) {
            _ = try SourceFile(readingFrom: path, maximumBytes: maximumBytes)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test("A file is read byte by byte, up to the limit")
    func aFileIsReadByte() throws {
        try withFolder { folder in
            let path = folder.appending(path: "ä.yaml").path
            let bytes = (0..<200_000).map { UInt8(truncatingIfNeeded: $0) }
            try Data(bytes).write(to: URL(filePath: path))
            #expect(try SourceFile(readingFrom: path, maximumBytes: 200_000).bytes == bytes)
            #expect(reason(path, maximumBytes: 199_999) == .tooLarge(maximumBytes: 199_999))
        }
    }

    @Test("An empty file is read")
    func anEmptyFileIsRead() throws {
        try withFolder { folder in
            let path = folder.appending(path: "empty.yaml").path
            try Data().write(to: URL(filePath: path))
            #expect(try SourceFile(readingFrom: path).bytes == [])
        }
    }

    #if canImport(Glibc)
        @Test("A file whose name is not UTF-8 is rejected with that reason")
        func aFileWhoseName() throws {
            try withFolder { folder in
                let name = Array(folder.path.utf8CString.dropLast()) + [0x2F, 0x61, CChar(bitPattern: 0xFF), 0]
                let descriptor = open(name, O_CREAT | O_WRONLY, 0o600)
                #expect(descriptor >= 0)
                close(descriptor)
                let listed = try #require(try FileManager.default.contentsOfDirectory(atPath: folder.path).first)
                #expect(reason("\(folder.path)/\(listed)") == .nameNotUTF8)
            }
        }
    #endif

    @Test("What is no file is rejected without waiting")
    func whatIsNoFileIsRefused() throws {
        try withFolder { folder in
            #expect(reason(folder.path) == .isDirectory)
            #expect(reason(folder.appending(path: "none.yaml").path) == .notFound)
            #expect(reason("\(folder.path)/none.yaml\0x") == .notFound)
            let fifo = folder.appending(path: "fifo.yaml").path
            #expect(mkfifo(fifo, 0o600) == 0)
            #expect(reason(fifo) == .notRegularFile)
            #expect(reason("/dev/zero") == .notRegularFile)
        }
    }

    @Test(
        "A file without permission is reported as such", .enabled(if: geteuid() != 0, "a superuser may read everything")
    )
    func aFileWithoutPermissionIsReported() throws {
        try withFolder { folder in
            let path = folder.appending(path: "secret.yaml").path
            try Data("a".utf8).write(to: URL(filePath: path))
            #expect(chmod(path, 0) == 0)
            #expect(reason(path) == .permissionDenied)
        }
    }

    @Test("A file that is written to while it is read is rejected")
    func aFileThatIsWritten() throws {
        try withFolder { folder in
            let path = folder.appending(path: "busy.yaml").path
            try Data("a: b\n".utf8).write(to: URL(filePath: path))
            func read(whileReading change: @escaping () -> Void) -> SourceFileError.Reason? {
                do throws(SourceFileError) {
                    _ = try SourceFile(readingFrom: path, maximumBytes: 1000, whileReading: change)
                    return nil
                } catch {
                    return error.reason
                }
            }
            func append(_ text: String) {
                guard let handle = FileHandle(forWritingAtPath: path) else { return }
                handle.seekToEndOfFile()
                handle.write(Data(text.utf8))
                handle.closeFile()
            }
            #expect(read {} == nil)
            #expect(read { append("c: d\n") } == .changed)
            #expect(read { truncate(path, 2) } == .changed)
            #expect(read { append(String(repeating: "x", count: 2000)) } == .changed)
        }
    }

    @Test("Links in a circle are reported in the words of the system", arguments: ["loop.yaml", "other.yaml"])
    func linksInACircleAreReported(name: String) throws {
        try withFolder { folder in
            let manager = FileManager.default
            let (loop, other) = (folder.appending(path: "loop.yaml").path, folder.appending(path: "other.yaml").path)
            try manager.createSymbolicLink(atPath: loop, withDestinationPath: other)
            try manager.createSymbolicLink(atPath: other, withDestinationPath: loop)
            let expected = String(cString: strerror(ELOOP))
            #expect(reason(folder.appending(path: name).path) == .other(expected))
        }
    }

    @Test("An error names the file and the reason")
    func anErrorNamesTheFile() {
        let error = SourceFileError(path: "acme.yaml", reason: .tooLarge(maximumBytes: 1 << 20))
        #expect(error.description == "acme.yaml: larger than 1 MiB")
        #expect(error.diagnostic.code == "D003")
        #expect(SourceFileError(path: "acme.yaml", reason: .isDirectory).diagnostic.code == "D016")
    }
}
