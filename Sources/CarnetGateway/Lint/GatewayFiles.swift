package import CarnetDescriptors
import CarnetLint

/// Gateway files and files of expected decisions, for `carnet lint`.
package struct GatewayFiles: OtherFiles {
    private let registry: ProviderRegistry?

    /// - Parameter registry: The known providers; `nil` if it is not checked whether the providers of a file exist.
    package init(registry: ProviderRegistry?) {
        self.registry = registry
    }

    /// Those about a file that the gateway can nevertheless decide by.
    package var suppressibleCodes: [String] {
        GatewayRuleCatalog.advisory.map(\.explanation.code).filter { !GatewayRuleCatalog.unsilenced.contains($0) }
    }

    package func fits(_ root: YAMLNode) -> Bool { GatewayFile.fits(root) || ExpectedDecisions.fits(root) }

    package func check(_ file: SourceFile, reader: YAMLReader) -> (mistakes: [Diagnostic], findings: [Diagnostic]) {
        if let root = reader.read(file).root, !GatewayFile.fits(root), ExpectedDecisions.fits(root) {
            do throws(GatewayFileMistake) {
                _ = try ExpectedDecisions(file)
                return ([], [])
            } catch {
                return (error.diagnostics, [])
            }
        }
        let gateway = GatewayFile(file, reader: reader)
        guard let rules = gateway.rules, let root = gateway.root else { return (gateway.diagnostics, []) }
        let context = GatewayContext(path: file.path, root: root, rules: rules, registry: registry)
        return (gateway.diagnostics, context.diagnostics(of: GatewayRuleCatalog.advisory))
    }
}
