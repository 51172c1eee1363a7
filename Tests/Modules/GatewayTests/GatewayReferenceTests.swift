import CarnetDescriptors
import CarnetGateway
import CarnetTestSupport
import Foundation
import Testing

/// `Docs/gateway-reference.md` is made from the table of keys. With `CARNET_UPDATE_DOCS=1` in the environment it is written
/// anew.
@Suite("Reference of gateway files")
struct GatewayReferenceTests {
    private static let introduction = """
        # Reference of gateway files

        For operators of a gateway: every key of a gateway file, version 1. [The guide](gateway.md) explains them by task. `carnet schema
        --gateway` prints them as a JSON Schema. This page is generated from the table of keys in the code.

        In a heading, `[]` stands for each element of a list, and `NAME` for a name that you choose. Keys in bold are required. `X_env` names an
        environment variable, and `X_file` a file; of such keys a file has at most one.

        """

    @Test("The page is current")
    func page() throws {
        let page = Self.introduction + DescriptorReference.tables(of: GatewayFile.shape, root: "The gateway file")
        let path = "Docs/gateway-reference.md"
        if ProcessInfo.processInfo.environment["CARNET_UPDATE_DOCS"] == "1" {
            try Data(page.utf8).write(to: Repository.root.appending(path: path))
        }
        let written = try? Repository.file(path).text
        #expect(written == page, "\(path) is not current; run the tests with CARNET_UPDATE_DOCS=1")
        let keys = GatewayFile.shape.sectionUses().flatMap { $0.section.keys.map(\.name) }
        #expect(keys.count >= 50)
        for key in keys { #expect(page.contains("`\(key)`"), "\(key)") }
    }
}
