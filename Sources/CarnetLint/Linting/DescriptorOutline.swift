import CarnetDescriptors

/// The parts of a linted descriptor that are kept, to compare it with the others.
struct DescriptorOutline {
    let file: SourceFile
    let id: ProviderID?
    let idSpan: SourceSpan
    let parentID: ProviderID?

    init(_ document: DescriptorDocument) {
        file = document.file
        id = document.id
        idSpan = document.span(of: ["id"])
        parentID = document.parentID
    }

    /// The path of the folder that the file is in.
    var folder: Substring {
        let path = file.path
        return path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path[..<$0] } ?? ""
    }
}
