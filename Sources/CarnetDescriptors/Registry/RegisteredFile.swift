import CarnetFoundation

/// A file of a registry. An embedded one is read when its document is asked for, once for all copies of the registry.
final class RegisteredFile: Sendable {
    let file: SourceFile
    let id: ProviderID?
    let parentID: ProviderID?
    private let read: Lock<DescriptorDocument?>

    init(_ file: SourceFile) {
        self.file = file
        if let outline = file.outline {
            (id, parentID) = (outline.id, outline.parentID)
            read = Lock(nil)
        } else {
            let document = DescriptorDocument(file)
            (id, parentID) = (document.id, document.parentID)
            read = Lock(document)
        }
    }

    var isEmbedded: Bool { file.isEmbedded }

    /// The file as it is written.
    var document: DescriptorDocument {
        read.withLock { read in
            if let read { return read }
            let document = DescriptorDocument(file)
            read = document
            return document
        }
    }
}
