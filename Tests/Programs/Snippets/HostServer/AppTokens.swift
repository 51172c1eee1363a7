import CarnetHummingbird
import Hummingbird

// The function of Docs/web.md.

func addAppRoutes(to router: Router<BasicSignInRequestContext>, _ web: WebSignIn) {
    router.post("app/nonce") { request, _ in try web.nonce(for: request.headers[.authorization] ?? "") }
    router.post("app/sign-in") { request, _ in
        let key = request.headers[.authorization] ?? ""
        let token = String(buffer: try await request.body.collect(upTo: 16_384))
        return try await web.account(ofIDToken: token, from: .apple, audiences: ["com.acme.app"], session: key).subject
    }
}
