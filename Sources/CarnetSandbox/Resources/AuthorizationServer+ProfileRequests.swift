import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// The further requests of the profile, at the URLs of the samples' values and of each user's claims.
    private var furtherRequests: [ProfileRequest] {
        let requests = provider.profile.requests
        guard requests.contains(where: { $0.url == nil }) else { return requests }
        var users = options.users
        if case .automatic(let user) = options.approval { users.insert(user, at: 0) }
        let sample = valuesOfURLs
        return (requests.contains(where: \.takesClaims) ? users : [.sample]).flatMap { user in
            sample.flatMap { values in
                var values = values
                setClaims(in: &values, of: user)
                return requests.map { $0.at($0.url ?? (try? values.url($0.lateURL, trusting: provider.trustedHosts))) }
            }
        }
    }

    /// What further requests of the profile may take of the responses before them.
    private func setClaims(in values: inout TemplateValues, of user: SandboxUser) {
        guard provider.profile.requests.contains(where: \.takesClaims) else { return }
        for claim in Identity(user, at: provider).claims { values.set(.claim, claim.name, claim.value.scalarText) }
        for further in provider.profile.requests {
            let further = further.filled(values, trusting: provider.trustedHosts)
            let holders = further.holders(in: Self.body(of: further, about: user)) ?? []
            for claim in further.claims where claim.name != "subject" {
                guard let text = further.value(of: claim.value, in: holders)?.scalarText else { continue }
                values.set(.claim, claim.name, text)
            }
        }
    }

    func profileRequest(at url: WebURL) -> ProfileRequest? {
        let candidates = furtherRequests.filter { $0.url?.receives(url) ?? false }
        return candidates.first { Self.query(of: url, has: own($0.request)) } ?? candidates.first
    }

    /// Whether a URL at the path of the userinfo endpoint is for that endpoint. A further request of the profile, or a
    /// resource, may be at the same path with a query of its own.
    func isUserinfo(_ url: WebURL) -> Bool {
        let own = own(provider.profile.request)
        if !own.isEmpty, Self.query(of: url, has: own) { return true }
        let isFurther = furtherRequests.contains {
            $0.url?.receives(url) ?? false && !self.own($0.request).isEmpty
                && Self.query(of: url, has: self.own($0.request))
        }
        let ownQuery = endpoints[.userinfo]?.queryParts.count ?? 0
        let isResource = resources.contains { $0.target.queryParts.count > ownQuery && $0.target.receives(url) }
        return !isFurther && !isResource
    }

    /// The parameters of a request that not every request has.
    private func own(_ request: ResolvedRequest) -> [Named<String>] {
        request.parameters.filter { parameter in !provider.api.parameters.contains { $0.name == parameter.name } }
    }

    private static func query(of url: WebURL, has parameters: [Named<String>]) -> Bool {
        guard let received = try? ReceivedParameters(form: url.query ?? "") else { return false }
        return parameters.allSatisfy { received[$0.name]?.isSameBytes(as: $0.value) ?? false }
    }

    /// Responds to an additional request of the profile with its claims.
    ///
    /// A list has another object before the right one, so that a client which takes the first is found out.
    mutating func profile(_ request: ServerRequest, for further: ProfileRequest) -> Reply {
        profileReply(request, for: further).succeeding(as: further.outcome.success)
    }

    private mutating func profileReply(_ request: ServerRequest, for further: ProfileRequest) -> Reply {
        respond(request, as: further.format, like: further.sample) { (server) throws(BearerRefusal) in
            guard request.method.rawValue == further.request.method.rawValue else {
                throw .methodNotAllowed(further.request.method.rawValue)
            }
            let replaced = further.request.late.headers + server.provider.profile.request.late.headers
            let (access, grant) = try server.bearer(request, in: further.tokenIn, replacedBy: replaced)
            var values = server.values(of: request, with: access, grant)
            server.setClaims(in: &values, of: grant.user)
            let stated = further.ownRequest
            if further.tokenIn != nil {
                try server.checkOfAPI(
                    request, values, besides: stated.headers.names + ["content-type"], stated.parameters.names)
            }
            let hosts = server.provider.trustedHosts
            let own = further.takesClaims ? try? values.url(further.lateURL, trusting: hosts) : nil
            guard let url = own ?? further.url else { throw .badRequest("the URL of the request is not known") }
            guard url.receives(request.url) else { throw .badRequest("the URL has the claims of another user") }
            try server.check(
                request, at: url, against: try server.filled(further.request, values, for: request))
            let missing = further.requirement.missing(from: server.effectiveScopes(access.scopes))
            guard missing.isEmpty else { throw .insufficientScope(missing) }
            let further = further.filled(values, trusting: hosts)
            let body = server.completed(
                Self.body(of: further, about: grant.user), of: request, at: url, with: stated.parameters,
                granting: access, to: grant.user)
            return further.outcome.success.adding(to: body)
        }
    }

    /// A body with what the samples of other requests with its method, URL and parameters say, as a server has one
    /// response for all of them. The first sample counts where two contradict each other.
    ///
    /// - Parameters:
    ///   - url: The URL of the descriptor that the request is for.
    ///   - parameters: Those that the descriptor adds to it.
    func completed(
        _ body: JSONValue, of request: ServerRequest, at url: WebURL, with parameters: NamedList<Template>,
        granting access: AccessToken, to user: SandboxUser
    ) -> JSONValue {
        let scopes = effectiveScopes(access.scopes)
        func isSame(_ other: WebURL, _ method: String, _ others: NamedList<Template>) -> Bool {
            method.isSameBytes(as: request.method.rawValue) && other.receives(url) && url.receives(other)
                && Set(others.items.map { Named($0.name, $0.value.source) })
                    == Set(parameters.items.map { Named($0.name, $0.value.source) })
        }
        let further = furtherRequests.filter { further in
            further.sample != nil && further.requirement.missing(from: scopes).isEmpty
                && further.url.map { isSame($0, further.request.method.rawValue, further.ownRequest.parameters) }
                    ?? false
        }
        let calls = connectionCalls(at: url).filter {
            isSame($0.url, ($0.rules.method ?? .get).rawValue, $0.rules.parameters)
        }
        return (further.map { Self.body(of: $0, about: user) } + calls.map(\.response)).reduce(body) {
            $0.completed(with: $1)
        }
    }

    private static func body(of further: ProfileRequest, about user: SandboxUser) -> JSONValue {
        let lists = further.claims.filter { $0.value.isList && $0.value.isOfCandidates }
        var sample = further.sample?.read(as: further.format)
        for claim in further.claims {
            guard let elements = claim.value.elements, let pointer = claim.value.pointers.first else { continue }
            let place = JSONPointer(tokens: further.root.tokens + pointer.tokens)
            if let list = sample?[place] { sample?.set(elements.meeting(in: list), at: place) }
        }
        if let sample, !lists.contains(where: { user.claims[$0.name] != nil }) {
            return sample.response(
                below: further.root, meeting: further.conditions, fixed: further.fixedConditions)
        }
        func object(_ value: (String) -> JSONValue) -> JSONValue {
            var object = JSONValue.object(JSONObject())
            for claim in further.claims.wholeFirst {
                let value = claim.value.isPresence ? value(claim.name).asTime : value(claim.name)
                guard let pointer = claim.value.pointersInCandidate.first else { continue }
                let elements = claim.value.isOfCandidates ? nil : claim.value.elements
                object.set(elements?.list(of: value, over: object[pointer]) ?? value, at: pointer)
            }
            return object
        }
        let shape =
            sample.flatMap { further.holders(in: $0)?.first }
            ?? object { name in
                user.claims[name] ?? StandardClaim.all.first { $0.name == name }?.example ?? "1"
            }
        var right = lists.isEmpty ? [shape] : elements(of: lists, about: user, like: shape)
        var body = JSONValue.object(JSONObject())
        guard !further.conditions.isEmpty || !lists.isEmpty else {
            body.set(shape, at: further.root)
            return body
        }
        var wrong = object { _ in "another" }
        for condition in further.conditions {
            let place = JSONPointer(ofCondition: condition.name)
            let isTruth = ["true", "false"].contains(condition.value)
            for index in right.indices {
                right[index].set(isTruth ? .bool(condition.value == "true") : .string(condition.value), at: place)
            }
            wrong.set(isTruth ? .bool(condition.value != "true") : "another", at: place)
        }
        body.set(.array(further.conditions.isEmpty ? right : [wrong] + right), at: further.root)
        return body
    }

    /// An element for each value that the user has in lists.
    private static func elements(
        of lists: [Named<ClaimPlace>], about user: SandboxUser, like shape: JSONValue
    ) -> [JSONValue] {
        let columns = lists.wholeFirst.map { list in
            let place = list.value.pointersInCandidate.first
            return (place, user.claims[list.name]?.array ?? [place.flatMap { shape[$0] } ?? "1"])
        }
        return (0..<(columns.map(\.1.count).max() ?? 0)).map { row in
            var element = shape
            for case (let place?, let values) in columns where values.indices.contains(row) {
                element.set(values[row], at: place)
            }
            return element
        }
    }
}

extension [Named<ClaimPlace>] {
    /// In this order, no claim that is a whole element replaces another that is a member of it.
    fileprivate var wholeFirst: Self {
        func isWhole(_ claim: Element) -> Bool { claim.value.pointersInCandidate.first == .whole }
        return filter(isWhole) + filter { !isWhole($0) }
    }
}
