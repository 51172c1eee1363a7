import Carnet
import CarnetFoundation
import CarnetWeb

/// What the pages of the demonstration load, from here alone.
enum DemoAssets {
    /// The colours of the sign-in buttons: a style sheet, because style attributes are not allowed.
    static func brands(_ providers: [Provider]) -> String {
        providers.map { provider in
            provider.display.color.map { "\n.brand-\(provider.id) { background: \($0); color: \($0.textColor); }" }
                ?? ""
        }.joined()
    }

    /// Lints while somebody types. Without it the form does the same.
    static let script = text(PackageResources.descriptor_js)
    static let icon = text(PackageResources.icon_svg)
    static let style = text(PackageResources.style_css) + SequenceDiagram.style.text

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
}
