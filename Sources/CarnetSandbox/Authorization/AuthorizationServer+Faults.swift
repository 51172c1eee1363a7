import CarnetDescriptors
import CarnetFoundation
import HTTPTypes

extension AuthorizationServer {
    /// Whether a fault is in the response to the current request.
    func has(_ fault: SandboxFault) -> Bool { options.faults.contains(fault) || chosenFault == fault }

    /// The faults that a person may choose for a sign-in, if the provider has what they change.
    var faultsOfOneSignIn: [SandboxFault] {
        SandboxFault.allCases.filter { fault in
            switch fault {
            case .wrongNonce, .badSignature, .rotatedKey, .wrongAudience, .expiredIDToken, .missingIDToken,
                .missingAccessTokenHash, .unsignedIDToken, .wrongIDTokenIssuer, .weakSignIn:
                issuesIDTokens
            case .missingIssuer, .wrongIssuer: provider.issuer != nil
            case .userinfo500, .userinfoWrongSubject: endpoints[.userinfo] != nil
            case .revocation500: endpoints[.revocation] != nil
            // A denial has a button of its own; the metadata and the keys are for everybody, and a device polls before a person signs in.
            case .denied, .metadata500, .keys500, .slowDown: false
            default: true
            }
        }
    }

    /// What was chosen on the page of the sign-in from which one of these strings comes, as its code or token.
    func faultChosen(with texts: [String]) -> SandboxFault? {
        texts.lazy.compactMap { text in
            let grantID = ledger.codes[text]?.grantID ?? ledger.grantID(of: text)
            return grantID.flatMap { ledger.grants[$0]?.chosenFault }
        }.first
    }

    /// The refusal of a request that comes too soon after another, if the server is busy (RFC 6585, section 4).
    ///
    /// - Parameter endpoint: `nil` for a resource.
    mutating func refusalIfBusy(_ request: ServerRequest, at endpoint: EndpointName?) -> Reply? {
        guard has(.busy) else { return nil }
        let place: String
        switch endpoint {
        case .token, .refresh, .deviceToken: place = "token"
        case .userinfo, nil: place = request.url.path
        default: return nil
        }
        let now = seams.now()
        guard let end = ledger.busyPlaces[place], now < end else {
            ledger.busyPlaces[place] = now.addingTimeInterval(5)
            return nil
        }
        return .json(
            ["error": "temporarily_unavailable", "error_description": "there were too many requests"],
            status: .tooManyRequests, [.retryAfter: String(Int(end.timeIntervalSince(now).rounded(.up)))])
    }
}

extension ServerRequest {
    var allParameters: ReceivedParameters {
        let sent =
            try? mediaType == "application/json" ? ReceivedParameters(json: body) : ReceivedParameters(form: body)
        return ReceivedParameters((query?.pairs ?? []) + (sent?.pairs ?? []))
    }

    /// Every text that may be a code or a token: of the headers, the query and the body.
    var possibleCredentials: [String] {
        let headers = head.headerFields.map { $0.value.split(separator: " ").last.map { String($0) } ?? "" }
        // Where a value is sent as it is, a plus sign is one.
        let raw = [url.query ?? "", mediaType == "application/json" ? "" : String(decoding: body, as: UTF8.self)]
            .compactMap { try? ReceivedParameters(raw: $0) }
        return headers + (allParameters.pairs + raw.flatMap(\.pairs)).map(\.value)
    }
}
