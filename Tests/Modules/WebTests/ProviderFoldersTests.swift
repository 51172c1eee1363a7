import CarnetSandbox
import CarnetWeb
import Foundation
import HTTPTypes
import Testing

@Suite("Folders of providers that are read again")
struct ProviderFoldersTests {
    private let path: String
    private let site: Site

    init() throws {
        path = FileManager.default.temporaryDirectory.appending(path: "carnet-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        site = try Site()
    }

    private func write(_ text: String, to name: String = "acme.yaml") throws {
        try text.write(toFile: "\(path)/\(name)", atomically: true, encoding: .utf8)
    }

    private func folder(beside base: ProviderRegistry = ProviderRegistry()) -> ProviderFolders {
        ProviderFolders([path], beside: base, clients: site.clients, makeClient: makeClient)
    }

    private var makeClient: @Sendable (ProviderDescriptor) async throws -> OAuthClient? {
        { [site] in try site.client(of: $0) }
    }

    @Test("A changed file takes effect, and one that did not change makes no new client")
    func change() async throws {
        try write(Site.acme)
        let folder = folder()
        #expect(await folder.reload().replaced == ["acme"])
        #expect(await folder.reload().replaced.isEmpty)
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Two"))
        #expect(await folder.reload().replaced == ["acme"])
        #expect(site.clients["acme"]?.provider.name == "Acme Two")
    }

    @Test("A file with a mistake is reported with its position, and the earlier version stays in use")
    func mistake() async throws {
        try write(Site.acme)
        let folder = folder()
        _ = await folder.reload()
        try write(Site.acme.replacing("scopes:", with: "scope:"))
        let reload = await folder.reload()
        #expect(reload.replaced.isEmpty)
        #expect(
            reload.problems.contains { $0.contains("acme.yaml:5:1") && $0.contains("K001") }, "\(reload.problems)")
        var browser = Browser(site)
        #expect(try await browser.signIn().head.status == .seeOther)
    }

    @Test("A session continues when its provider's file changes")
    func sessionGoesOn() async throws {
        var browser = Browser(site)
        _ = try await browser.signIn()
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Two"))
        _ = await folder().reload()
        #expect(try await site.web.liveSession(of: browser.request) != nil)
    }

    @Test("A file that now leads elsewhere gets no credential of those who are signed in, and nobody is signed out")
    func changeThatLeadsElsewhere() async throws {
        try write(Site.acme)
        let folder = folder()
        _ = await folder.reload()
        var browser = Browser(site)
        _ = try await browser.signIn()
        let account = try #require(browser.session?.accounts.first)
        try write(Site.acme + "endpoints: { token: 'https://evil.example/token' }\n")
        #expect(await folder.reload().replaced == ["acme"])
        let session = try #require(try await site.web.tokenSession(of: account))
        let error = try await #require(throws: OAuthError.self) { try await session.refresh() }
        #expect(error.kind == .bindingMismatch && error.step == .refresh)
        try write(Site.acme)
        _ = await folder.reload()
        _ = try await site.web.tokenSession(of: account)?.refresh()
    }

    @Test("A folder that could not override cannot when it is read again, and that is reported")
    func folderThatOverridesNothing() async throws {
        var base = ProviderRegistry()
        base.add([SourceFile(path: "acme.yaml", text: Site.acme)], origin: .builtIn)
        try base.add(folder: path, overriding: false)
        try write(Site.acme.replacing("id.acme.example", with: "evil.example"))
        try write(Site.globex, to: "globex.yaml")
        let reload = await folder(beside: base).reload()
        #expect(reload.replaced == ["globex"])
        #expect(reload.problems.count == 1 && reload.problems[0].contains("acme.yaml: the id acme is in use"))
        #expect(site.clients["acme"]?.provider.issuer == "https://id.acme.example")
    }

    @Test("A folder that could not override adds nothing while a file of another folder cannot be read")
    func folderThatWaits() async throws {
        let other = path + "-other"
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: other) }
        var base = ProviderRegistry()
        try base.add(folder: other)
        try base.add(folder: path, overriding: false)
        let folders = ProviderFolders([other, path], beside: base, clients: site.clients, makeClient: makeClient)
        try write(Site.globex, to: "globex.yaml")
        try Data("no descriptor".utf8).write(to: URL(filePath: "\(other)/globex.yaml"))
        let waiting = await folders.reload()
        #expect(waiting.replaced.isEmpty && waiting.problems.contains { $0.contains("the folder adds nothing") })
        try FileManager.default.removeItem(atPath: "\(other)/globex.yaml")
        #expect(await folders.reload().replaced == ["globex"])
        try write(Site.globex.replacing("Globex", with: "Evil"), to: "globex.yaml")
        try Data("no descriptor".utf8).write(to: URL(filePath: "\(other)/globex.yaml"))
        let kept = await folders.reload()
        #expect(kept.replaced.isEmpty && kept.removed.isEmpty)
    }

    @Test("A new file is a new provider")
    func newProvider() async throws {
        try write(Site.globex, to: "globex.yaml")
        _ = await folder().reload()
        #expect(site.clients.all.map(\.provider.id) == ["acme", "globex"])
    }

    @Test("A folder that is gone is reported")
    func noFolder() async throws {
        try FileManager.default.removeItem(atPath: path)
        #expect(!(await folder().reload()).problems.isEmpty)
    }

    @Test("A file can extend what is beside the folder, and is read again when that changes")
    func extending() async throws {
        var base = ProviderRegistry()
        base.add([SourceFile(path: "globex.yaml", text: Site.globex)], origin: .builtIn)
        try write("carnet: 1\nid: acme\nname: Acme Three\nextends: globex\n")
        let folder = folder(beside: base)
        #expect(await folder.reload().replaced == ["acme"])
        #expect(site.clients["acme"]?.provider.issuer == "https://id.globex.example")
    }

    @Test("A provider that is known beside the folder keeps its client until its file changes")
    func known() async throws {
        try write(Site.acme)
        var base = ProviderRegistry()
        try base.add(folder: path)
        let folder = folder(beside: base)
        #expect(await folder.reload().replaced.isEmpty)
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Two"))
        #expect(await folder.reload().replaced == ["acme"])
        try write("no descriptor")
        #expect(await folder.reload().replaced.isEmpty)
        #expect(site.clients["acme"]?.provider.name == "Acme Two")
    }

    @Test("A file that is gone takes its provider with it, and brings it back")
    func removed() async throws {
        try write(Site.acme)
        let folder = folder()
        _ = await folder.reload()
        var browser = Browser(site)
        _ = try await browser.signIn()
        try FileManager.default.removeItem(atPath: "\(path)/acme.yaml")
        let reload = await folder.reload()
        #expect(reload.removed == ["acme"] && reload.problems.isEmpty)
        #expect(site.clients.all.isEmpty)
        #expect(try await site.web.liveSession(of: browser.request) == nil)
        #expect(await folder.reload().removed.isEmpty)
        try write(Site.acme)
        #expect(await folder.reload().replaced == ["acme"])
        #expect(try await site.web.liveSession(of: browser.request) != nil)
    }

    @Test("A file that is given to another provider takes the old one away")
    func renamed() async throws {
        try write(Site.acme)
        let folder = folder()
        _ = await folder.reload()
        try write(Site.globex)
        let reload = await folder.reload()
        #expect(reload.replaced == ["globex"] && reload.removed == ["acme"])
    }

    @Test("Deleting a file restores the provider that it overrode; a mistake in the file does not")
    func unhidden() async throws {
        var base = ProviderRegistry()
        base.add([SourceFile(path: "acme.yaml", text: Site.acme)], origin: .builtIn)
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Two"))
        let folder = folder(beside: base)
        #expect(await folder.reload().replaced == ["acme"])
        try write("no descriptor")
        #expect(await folder.reload().replaced.isEmpty)
        #expect(site.clients["acme"]?.provider.name == "Acme Two")
        try FileManager.default.removeItem(atPath: "\(path)/acme.yaml")
        let reload = await folder.reload()
        #expect(reload.replaced == ["acme"] && reload.removed.isEmpty)
        #expect(site.clients["acme"]?.provider.name == "Acme")
    }

    @Test("The last of several folders wins, whichever was changed last")
    func severalFolders() async throws {
        let second = "\(path)/second"
        try FileManager.default.createDirectory(atPath: second, withIntermediateDirectories: true)
        try write(Site.acme)
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Two"), to: "second/acme.yaml")
        let folders = ProviderFolders([path, second], clients: site.clients, makeClient: makeClient)
        #expect(await folders.reload().replaced == ["acme"])
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Three"))
        #expect(await folders.reload().replaced.isEmpty)
        #expect(site.clients["acme"]?.provider.name == "Acme Two")
        try FileManager.default.removeItem(atPath: "\(second)/acme.yaml")
        #expect(await folders.reload().replaced == ["acme"])
        #expect(site.clients["acme"]?.provider.name == "Acme Three")
    }

    @Test("A provider whose registration was taken away is no more")
    func unregistered() async throws {
        try write(Site.acme)
        let folder = ProviderFolders([path], clients: site.clients) { [makeClient] descriptor in
            descriptor.name == "Acme" ? try await makeClient(descriptor) : nil
        }
        #expect(await folder.reload().replaced == ["acme"])
        try write(Site.acme.replacing("name: Acme", with: "name: Acme Two"))
        #expect(await folder.reload().removed == ["acme"])
        #expect(site.clients.all.isEmpty)
    }
}
