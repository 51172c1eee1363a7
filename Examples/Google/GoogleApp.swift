import CarnetApple
import Foundation
import SwiftUI

@main
struct GoogleApp: App {
    @State private var profile = Result { try GoogleProfile(SignInModel(OAuthClient(.google))) }

    var body: some Scene {
        WindowGroup {
            switch profile {
            case .success(let profile): GoogleView(profile).task { await profile.signIn.restore() }
            case .failure(let error): Text(verbatim: "\(error)")
            }
        }
    }
}

struct GoogleView: View {
    private let model: GoogleProfile

    init(_ model: GoogleProfile) {
        self.model = model
    }

    var body: some View {
        VStack(spacing: 16) {
            switch model.signIn.phase {
            case .signedIn:
                AsyncImage(url: model.profile?.picture.flatMap { URL(string: $0) })
                    .frame(width: 96, height: 96)
                Text(verbatim: model.profile?.givenName ?? "Given name")
                Text(verbatim: model.profile?.familyName ?? "Family name")
                if let problem = model.problem { Text(verbatim: problem).foregroundStyle(.red) }
                Button("Sign out") { Task { await model.signIn.signOut() } }
            default:
                SignInButton(model.signIn)
                SignInStatus(model.signIn)
            }
        }
        .padding()
        .task(id: model.signIn.phase) { await model.load() }
    }
}
