import CarnetApple
import Foundation
import SwiftUI

@main
struct CloudentityApp: App {
    @State private var bank = Result { try CloudentityApp.makeBank() }

    var body: some Scene {
        WindowGroup {
            switch bank {
            case .success(let bank): BankView(bank).task { await bank.signIn.restore() }
            case .failure(let error): Text(verbatim: "\(error)")
            }
        }
    }

    private static func makeBank() throws -> Bank {
        let scopeData = Bundle.main.url(forResource: "scopeData", withExtension: "json")
        // The resources of scopeData.json are on this machine.
        let client = try OAuthClient(
            .cloudentity, transport: URLSessionTransport(localAccess: .hosts(["localhost"])))
        return try Bank(
            SignInModel(client),
            scopeData: SourceFile(
                path: "scopeData.json", text: scopeData.map { try String(contentsOf: $0, encoding: .utf8) } ?? ""))
    }
}

struct BankView: View {
    private let bank: Bank

    init(_ bank: Bank) {
        self.bank = bank
    }

    var body: some View {
        VStack {
            if bank.signIn.session == nil {
                SignInButton(bank.signIn)
                SignInStatus(bank.signIn)
            } else {
                TabView {
                    ScrollView { Text(verbatim: bank.payload) }.tabItem { Text("Payload") }
                    ScrollView { Text(verbatim: bank.header) }.tabItem { Text("Header") }
                    NavigationStack {
                        List(bank.resources, id: \.url) { resource in
                            NavigationLink(resource.title) { ResourceView(bank, resource) }
                        }
                    }
                    .tabItem { Text("Resources") }
                }
                SignInStatus(bank.signIn)
                if let problem = bank.problem { Text(verbatim: problem).foregroundStyle(.red) }
                Button("Sign out") { Task { await bank.signIn.signOut() } }
            }
        }
        .padding()
        .task(id: bank.signIn.phase) { await bank.load() }
    }
}

struct ResourceView: View {
    private let bank: Bank
    private let resource: Resource
    @State private var response: String?

    init(_ bank: Bank, _ resource: Resource) {
        self.bank = bank
        self.resource = resource
    }

    var body: some View {
        ScrollView {
            if let response {
                Text("Response").font(.headline)
                Text(verbatim: response)
            } else {
                ProgressView("Fetching resource...")
            }
        }
        .task { response = await bank.fetch(resource) }
    }
}
