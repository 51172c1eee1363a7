package import CarnetDescriptors
import CarnetFoundation

/// Needs the parent's file, so it is no rule of a single one.
package enum ExtendsClosedProvider {
    package static let explanation = DiagnosticExplanation(
        "M007", name: "extends-closed-provider", severity: .warning,
        summary: "A descriptor extends one whose provider is closed to new applications, or ends.",
        rationale: """
            The file inherits the parent's `status`. If its own provider still accepts applications, such as another \
            server with the same software, it says so with `status: open`. Otherwise its users cannot register an \
            application, or sign in only until the date of the status.
            """)

    /// - Parameter document: A file with what it inherits.
    static func check(_ document: DescriptorDocument) -> [Diagnostic] {
        guard let parent = document.parent, let descriptor = document.decoded, !descriptor.status.isOpen,
            document.ownRoot?.entry("status") == nil, let remark = descriptor.status.remark
        else { return [] }
        return [
            explanation.diagnostic(
                "\(parent.id.map { "\"\($0)\"" } ?? "the parent") \(remark.hasPrefix("ends") ? remark : "is \(remark)")",
                file: document.file.path, span: document.span(of: ["extends"]),
                help: "extend another provider, or write 'status: open' if this one accepts applications")
        ]
    }
}
