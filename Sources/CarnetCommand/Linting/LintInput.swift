import CarnetDescriptors
import CarnetFoundation
import CarnetLint

/// The files that a lint run looks at.
struct LintInput {
    private(set) var files: [SourceFile] = []
    /// Files that were asked for and cannot be read.
    private(set) var unreadable: [SourceFileError] = []
    private(set) var stdinPath: String?
    /// What files that were named extend in their folders.
    private(set) var parents: [SourceFile] = []
    /// The files and folders that were asked for.
    let paths: [String]

    private typealias Read = Result<SourceFile, SourceFileError>

    /// - Throws: `Failure` if there is nothing to look at.
    init(_ paths: [String], stdinName: String?) throws {
        var stdin: Read?
        var names: [String] = []
        self.paths = paths.isEmpty ? [Path.isFolder("providers") ? "providers" : "."] : paths
        for path in self.paths {
            if path == "-" {
                guard stdin == nil else { continue }
                stdin = Read { () throws(SourceFileError) in
                    try SourceFile(readingStandardInputAs: stdinName ?? "<stdin>")
                }
                names.append(path)
            } else if Path.isFolder(path) {
                do throws(SourceFileError) {
                    let descriptors = try DescriptorFolder(path).descriptorPaths()
                    names += descriptors
                    if descriptors.isEmpty {
                        unreadable.append(SourceFileError(path: path, reason: .other("the folder has no descriptors")))
                    }
                } catch {
                    unreadable.append(error)
                }
            } else {
                names.append(path)
            }
        }
        // Other files are looked at all the same.
        if names.isEmpty, let error = unreadable.first {
            throw Failure(.usage, error.description, next: ["a descriptor's file name ends with .yaml or .yml"])
        }
        stdinPath = (try? stdin?.get())?.path
        let read = names.concurrentMap { [stdin] name in
            if name == "-", let stdin { return stdin }
            return Read { () throws(SourceFileError) in try SourceFile(readingFrom: name) }
        }
        for result in read {
            switch result {
            case .success(let file): files.append(file)
            case .failure(let error): unreadable.append(error)
            }
        }
        let named = Set(self.paths + [stdinName].compactMap { $0 })
        for file in files where named.contains(file.path) {
            do throws(SourceFileError) {
                parents += try file.parentsBeside(except: Set((files + parents).map(\.path)))
            } catch {
                unreadable.append(error)
            }
        }
    }

    /// Fixes the files, and writes the changed ones.
    ///
    /// - Returns: The fixed stdin; `nil` if it is not among the files.
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
        console.note("fixed \(counted(counts.fixes, "finding")) in \(counted(counts.files, "file"))")
        return stdin
    }

    /// Replaces a file as a whole, or leaves it as it is; what somebody has written to it meanwhile is not lost.
    private static func write(_ file: SourceFile, over original: SourceFile) throws {
        let current = try SourceFile(readingFrom: file.path)
        // Another process has fixed it meanwhile.
        guard current != file else { return }
        guard current == original else { throw SourceFileError(path: file.path, reason: .changed) }
        try NewFiles.explaining("the fixed text cannot be written: ") {
            try NewFiles.replaceContent(of: file.path, with: file.bytes)
        }
    }
}
