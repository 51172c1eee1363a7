import CarnetDescriptors
import CarnetFoundation

/// What the captured values that name the user are for one user. All other values are those of the samples.
struct Person {
    private let subject: String?
    private let naming: [TemplateReference]

    /// - Parameter user: `nil` for nobody, as for the one in the samples.
    init(_ user: SandboxUser?, at provider: Provider) {
        subject = user?.claims["subject"]?.scalarText
        naming = provider.profile.subjectTemplate?.references ?? []
    }

    init(of grant: Grant?, at provider: Provider) {
        self.init(grant?.extensionGrant == nil ? grant?.user : nil, at: provider)
    }

    func value(of capture: Named<CallbackCapture>) -> String {
        own(TemplateReference(.callback, capture.name), capture.value.pattern) ?? capture.example
    }

    /// - Returns: `nil` if the value is that of the sample.
    func value(of capture: Named<ResponseCapture>, _ origin: TemplateOrigin) -> String? {
        own(TemplateReference(origin, capture.name), capture.value.pattern)
    }

    private func own(_ reference: TemplateReference, _ pattern: ValuePattern?) -> String? {
        guard naming.contains(reference), let subject, pattern?.matches(subject) ?? true else { return nil }
        return subject
    }
}
