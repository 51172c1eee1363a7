import CarnetDescriptors
import CarnetLint
import Foundation

/// The files that a lint run looks at.
struct LintInput {
    private(set) var files: [SourceFile] = []
    /// Files that were asked for and cannot be read.
    private(set) var unreadable: [SourceFileError] = []
    private var stdinPath: String?

    /// - Throws: `Failure` if there is nothing to look at.
    init(_ paths: [String], stdinName: String?) throws {
        for path in paths.isEmpty ? [Self.defaultPath] : paths {
            if path == "-" {
                guard stdinPath == nil else { continue }
                do {
                    let file = try Self.readStdin(stdinName ?? "<stdin>")
                    stdinPath = file.path
                    files.append(file)
                } catch let error as SourceFileError {
                    unreadable.append(error)
                }
            } else if Self.isFolder(path) {
                let descriptors = try DescriptorFolder(path).descriptorPaths()
                guard !descriptors.isEmpty else {
                    throw Failure(
                        .usage,
                        "\(path): no descriptors in this folder",
                        next: ["a descriptor is a file whose name ends with .yaml or .yml"]
                    )
                }
                for path in descriptors { read(path) }
            } else {
                read(path)
            }
        }
    }

    private static var defaultPath: String { isFolder("providers") ? "providers" : "." }

    private static func isFolder(_ path: String) -> Bool {
        var isDirectory: ObjCBool = false
        return FileManager.default.fileExists(atPath: path, isDirectory: &isDirectory) && isDirectory.boolValue
    }

    private mutating func read(_ path: String) {
        do throws(SourceFileError) {
            files.append(try SourceFile(readingFrom: path))
        } catch {
            unreadable.append(error)
        }
    }

    private static func readStdin(_ name: String) throws -> SourceFile {
        let limit = YAMLLimits().maximumBytes
        var bytes: [UInt8] = []
        while bytes.count <= limit, let chunk = try FileHandle.standardInput.read(upToCount: 1 << 16), !chunk.isEmpty {
            bytes += chunk
        }
        guard bytes.count <= limit else { throw SourceFileError(path: name, reason: .tooLarge(maximumBytes: limit)) }
        return SourceFile(path: name, bytes: bytes)
    }

    /// Mends the files, and writes those that changed.
    ///
    /// - Returns: stdin, mended; `nil` if it is not among the files.
    mutating func fix(_ console: Console, with linter: Linter) throws -> SourceFile? {
        var stdin: SourceFile?
        var counts: (fixes: Int, files: Int) = (0, 0)
        for (index, file) in files.enumerated() {
            let (fixed, applied) = LintFixer.fix(file, with: linter)
            files[index] = fixed
            if file.path == stdinPath { stdin = fixed }
            guard applied > 0 else { continue }
            counts = (counts.fixes + applied, counts.files + 1)
            if file.path != stdinPath { try Self.write(fixed, over: file) }
        }
        func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }
        console.note("fixed \(count(counts.fixes, "finding")) in \(count(counts.files, "file"))")
        return stdin
    }

    /// Replaces a file as a whole, or leaves it as it is; what somebody has written to it meanwhile is not lost.
    private static func write(_ file: SourceFile, over original: SourceFile) throws {
        guard try SourceFile(readingFrom: file.path) == original else {
            throw SourceFileError(path: file.path, reason: .changed)
        }
        do {
            // A link stays one: its target is what is replaced.
            let target = URL(filePath: file.path).resolvingSymlinksInPath()
            let mode = try FileManager.default.attributesOfItem(atPath: target.path)[.posixPermissions]
            try Data(file.bytes).write(to: target, options: .atomic)
            if let mode { try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: target.path) }
        } catch {
            throw Failure(.broken, "\(file.path): the mended text cannot be written")
        }
    }
}
