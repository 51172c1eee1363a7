import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

extension EarlierVersion {
    /// Reads an earlier version of the files of a lint run.
    ///
    /// - Parameter name: A file, a folder or a git revision.
    /// - Throws: `Failure` if it is none of them, or a file cannot be read.
    init(named name: String, of input: LintInput) throws {
        if Path.isFolder(name) {
            self.init(try Self.files(ofFolder: name, input))
        } else if !Path.isAbsent(name) {
            self.init(try Self.files(of: name, input))
        } else {
            self.init(try Self.files(atRevision: name, input))
        }
    }

    private static func files(ofFolder folder: String, _ input: LintInput) throws -> [File] {
        let linted = input.paths.first(where: Path.isFolder)
        let sources = try read(folder)
        guard !sources.isEmpty else {
            throw Failure(
                .usage, "--against \(folder): the folder has no descriptor",
                next: ["name the folder of the earlier descriptors"])
        }
        return sources.map { source in
            let name = source.path.lastComponent
            let successor = input.files.first { $0.path.lastComponent == name }?.path
            return File(
                source, successor: successor ?? (linted ?? folder) + "/" + name,
                role: linted == nil && successor == nil ? .candidate : .predecessor)
        }
    }

    private static func files(of path: String, _ input: LintInput) throws -> [File] {
        let own = try SourceFile(readingFrom: path)
        let successor = input.files.count == 1 ? input.files.first : nil
        let others = try read(Path.parent(of: path)).filter { $0.bytes != own.bytes }
        return others.map { File($0, successor: $0.path, role: .parent) }
            + [File(own, successor: successor?.path ?? path, role: successor == nil ? .candidate : .predecessor)]
    }

    private static func read(_ folder: String) throws -> [SourceFile] {
        let (files, unreadable) = try DescriptorFolder(folder).files()
        if let error = unreadable.first { throw error }
        return files
    }

    private static func files(atRevision name: String, _ input: LintInput) throws -> [File] {
        var files: [File] = []
        for path in input.paths {
            let isFolder = path != "-" && Path.isFolder(path)
            guard let path = path == "-" ? input.stdinPath : path else { continue }
            let folder = isFolder ? path : Path.parent(of: path)
            let repository = GitRepository(folder: folder)
            guard let commit = repository.commit(name) else {
                let complaint = repository.complaint()
                throw Failure(
                    .usage,
                    "--against \(name): no such file or folder, and git knows no such revision of \(folder)"
                        + (complaint.map { ": \($0)" } ?? ""),
                    next: [
                        complaint == nil
                            ? "in a clone that is not complete, fetch it first: git fetch --depth 1 origin BRANCH"
                            : "repair what git says, or name a file or folder"
                    ])
            }
            let prefix =
                !isFolder
                ? String(path.dropLast(path.lastComponent.count)) : path.hasSuffix("/") ? path : path + "/"
            for (file, bytes) in try repository.descriptors(of: commit) {
                let successor = prefix + file
                guard !files.contains(where: { $0.successor == successor }) else { continue }
                files.append(
                    File(
                        SourceFile(path: "\(name):\(successor)", bytes: bytes), successor: successor,
                        role: isFolder || successor == path ? .predecessor : .candidate))
            }
        }
        return files
    }
}

extension String {
    fileprivate var lastComponent: String { String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...]) }
}

/// What git knows of a folder. It is asked by its command, which also reads packed objects.
private struct GitRepository {
    let folder: String

    /// - Parameter revision: Also `REVISION...`, for the point where the current branch left it.
    func commit(_ revision: String) -> String? {
        guard revision.hasSuffix("...") else { return verified(revision) }
        guard let other = verified(String(revision.dropLast(3))) else { return nil }
        return line(of: ["merge-base", other, "HEAD"])
    }

    private func verified(_ revision: String) -> String? {
        line(of: ["rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"])
    }

    /// The descriptors of the folder, without those of folders in it.
    func descriptors(of commit: String) throws -> [(name: String, bytes: [UInt8])] {
        guard let list = run(["ls-tree", "-z", commit]) else {
            throw Failure(.failed, "git cannot list \(folder) in \(commit)")
        }
        return try list.split(separator: 0).compactMap { entry in
            let parts = String(decoding: entry, as: UTF8.self).split(separator: "\t", maxSplits: 1)
            let fields = (parts.first ?? "").split(separator: " ")
            guard parts.count == 2, fields.count == 3, fields[1] == "blob", !parts[1].hasPrefix("."),
                parts[1].hasSuffix(".yaml") || parts[1].hasSuffix(".yml")
            else { return nil }
            guard let bytes = run(["cat-file", "blob", String(fields[2])]) else {
                throw Failure(.failed, "git cannot read \(parts[1]) of \(folder) in \(commit)")
            }
            return (String(parts[1]), bytes)
        }
    }

    private func line(of arguments: [String], _ errors: String = " 2>/dev/null") -> String? {
        run(arguments, errors).map { String(decoding: $0.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self) }
    }

    /// Why git, or the shell without it, reads nothing of the folder; `nil` if it does.
    func complaint() -> String? {
        guard run(["rev-parse", "--git-dir"]) == nil else { return nil }
        return line(of: ["rev-parse", "--git-dir"], " 2>&1 || true")?.quotable(limit: 200)
    }

    /// - Returns: The output; `nil` if git fails.
    private func run(_ arguments: [String], _ errors: String = " 2>/dev/null") -> [UInt8]? {
        let command = (["git", "-C", folder] + arguments).map(\.shellWord).joined(separator: " ")
        guard let stream = popen(command + errors, "r") else { return nil }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65536)
        while case let count = fread(&buffer, 1, buffer.count, stream), count > 0 { bytes += buffer[..<count] }
        return pclose(stream) == 0 ? bytes : nil
    }
}
