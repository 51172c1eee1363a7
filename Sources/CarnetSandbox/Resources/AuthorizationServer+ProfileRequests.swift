import CarnetDescriptors
import HTTPTypes

extension AuthorizationServer {
    /// The further request of the profile that a URL is for.
    func profileRequest(at url: WebURL) -> ProfileRequest? {
        provider.profileRequests.first { $0.url.receives(url) }
    }

    /// Answers a further request of the profile with the claims that it is made for.
    ///
    /// A list has another object before the right one, so that a client which takes the first is found out.
    func profile(_ request: ServerRequest, for further: ProfileRequest) -> Reply {
        answer(request, as: further.format) { () throws(BearerRefusal) in
            guard request.method.rawValue == further.request.method.rawValue else {
                throw .methodNotAllowed(further.request.method.rawValue)
            }
            let (_, grant) = try bearer(request, in: provider.profileTokenPlacement)
            try check(request, at: further.url, against: further.request)
            let user = grant.user
            func object(_ value: (String) -> JSONValue) -> JSONValue {
                var object = JSONValue.object(JSONObject())
                for claim in further.claims {
                    if let pointer = claim.value.first { object.set(value(claim.name), at: pointer) }
                }
                return object
            }
            var right = object { name in
                user.claims[name] ?? StandardClaim.all.first { $0.name == name }?.example ?? "1"
            }
            var body = JSONValue.object(JSONObject())
            guard !further.conditions.isEmpty else {
                body.set(right, at: further.root)
                return body
            }
            var wrong = object { _ in "another" }
            for condition in further.conditions {
                let place = JSONPointer(tokens: [condition.name])
                right.set(condition.value, at: place)
                wrong.set(condition.value.bool.map { .bool(!$0) } ?? "another", at: place)
            }
            body.set([wrong, right], at: further.root)
            return body
        }
    }
}
