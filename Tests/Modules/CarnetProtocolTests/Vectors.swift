import CarnetDescriptors
import CarnetFoundation
import Foundation

/// The vectors of the standards, which lie as files beside the tests.
enum Vectors {
    static func file(_ name: String) throws -> JSONValue {
        let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors")
        return try JSONValue(parsing: Array(Data(contentsOf: folder.appending(path: name))))
    }
}

extension JSONValue {
    /// A member of members, by their names.
    func at(_ names: String...) -> JSONValue {
        names.reduce(self) { $0[$1] ?? .null }
    }
}
