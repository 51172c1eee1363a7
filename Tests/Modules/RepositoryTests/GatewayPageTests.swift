import CarnetTestSupport
import Foundation
import Testing

@Suite("The configurations of proxies")
struct GatewayPageTests {
    @Test(
        "The page of a proxy shows the configuration that the tests start",
        arguments: ["nginx", "caddy", "traefik", "haproxy", "apache"])
    func page(proxy: String) throws {
        let page = try Repository.file("Docs/gateway/\(proxy).md").text
        let folder = "Tests/Peers/Gateway/proxies/\(proxy)"
        let files = try FileManager.default.contentsOfDirectory(atPath: Repository.root.appending(path: folder).path)
        #expect(!files.isEmpty)
        for file in files {
            let text = try Repository.file("\(folder)/\(file)").text.trimmingCharacters(in: .newlines)
            #expect(page.contains("```text\n\(text)\n```"), "\(folder)/\(file)")
        }
    }
}
