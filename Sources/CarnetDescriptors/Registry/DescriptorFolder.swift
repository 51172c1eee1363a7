import CarnetFoundation

/// A folder of descriptors: its `.yaml` and `.yml` files, not those of folders inside it.
package struct DescriptorFolder: Sendable {
    package let path: String

    package init(_ path: String) {
        self.path = path
    }

    /// The paths of the descriptors, sorted by name; hidden files are not descriptors.
    ///
    /// - Throws: `SourceFileError` if the folder cannot be read.
    package func descriptorPaths() throws(SourceFileError) -> [String] {
        let names: [String]
        do {
            names = try FileManager.default.contentsOfDirectory(atPath: path)
        } catch {
            throw SourceFileError(path: path, reason: .other("the folder cannot be read"))
        }
        let prefix = path.hasSuffix("/") ? path : path + "/"
        return
            names
            .filter { !$0.hasPrefix(".") && ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) }
            .sorted()
            .map { prefix + $0 }
    }

    /// The descriptors, and why some could not be read at all.
    ///
    /// - Throws: `SourceFileError` if the folder cannot be read.
    package func files() throws(SourceFileError) -> (read: [SourceFile], unreadable: [SourceFileError]) {
        var read: [SourceFile] = []
        var unreadable: [SourceFileError] = []
        for path in try descriptorPaths() {
            do throws(SourceFileError) {
                read.append(try SourceFile(readingFrom: path))
            } catch {
                unreadable.append(error)
            }
        }
        return (read, unreadable)
    }
}

extension SourceFile {
    /// The descriptors in the folder of the file that it extends, the farthest first. Nothing else of the folder is read.
    ///
    /// - Parameter known: Paths that are not read.
    /// - Throws: `SourceFileError` for one that cannot be read.
    package func parentsBeside(except known: Set<String> = []) throws(SourceFileError) -> [SourceFile] {
        var (parents, seen): ([SourceFile], Set<String>) = ([], known.union([path]))
        while parents.count < Inheritance.maximumDepth,
            let parent = try (parents.first ?? self).parentBeside(except: seen)
        {
            seen.insert(parent.path)
            parents.insert(parent, at: 0)
        }
        return parents
    }

    private func parentBeside(except known: Set<String>) throws(SourceFileError) -> SourceFile? {
        guard bytes.holds("xtends"), let id = DescriptorDocument(self).parentID else { return nil }
        let folder = Path.folder(of: path)
        for ending in ["yaml", "yml"] {
            let path = (folder.isEmpty || folder == "/" ? folder : folder + "/") + "\(id).\(ending)"
            guard !known.contains(path), !Path.isAbsent(path) else { continue }
            let file = try SourceFile(readingFrom: path)
            if DescriptorDocument(file).id == id { return file }
        }
        return nil
    }
}

extension ProviderRegistry {
    /// Adds every descriptor of a folder.
    ///
    /// - Parameter overriding: Whether a descriptor may override another one with its id; see
    /// `add(_:origin:overriding:)`.
    /// - Returns: The files that could not be read at all.
    /// - Throws: `SourceFileError` if the folder cannot be read.
    @discardableResult
    public mutating func add(folder path: String, overriding: Bool = true) throws(SourceFileError) -> [SourceFileError]
    {
        let origin = Origin.folder(path)
        do throws(SourceFileError) {
            let files = try DescriptorFolder(path).files()
            add(files.read, unreadable: files.unreadable, origin: origin, overriding: overriding)
            return files.unreadable
        } catch {
            add([], unreadable: [error], origin: origin, overriding: overriding)
            throw error
        }
    }
}
