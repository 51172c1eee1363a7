import CarnetDescriptors
import CarnetFoundation
import CarnetLint
import CarnetProtocol

/// What the samples of an error and of a callback show, and in which format samples are.
extension SampleFindings {
    /// A string is the exact body. The engine reads JSON also where the provider is said to send a form.
    var ofFormats: [Diagnostic] {
        let provider = simulation.provider
        var all: [(name: String, written: JSONValue?, format: ResponseFormat, place: Place<JSONValue>)] = [
            ("samples.token", samples.token, rules.format, places.samples.token),
            ("samples.refresh", samples.refresh, provider.refreshResponse.format, places.samples.refresh),
            ("samples.userinfo", samples.userinfo, provider.profile.format, places.samples.userinfo),
        ]
        all += provider.exchange.map { step in
            let name = "exchange.\(step.name).sample"
            return (name, step.value.sample, step.value.response.format, places.exchange[step.name].sample)
        }
        if provider.profile.requests.count == places.profile.requests.all.count {
            all += zip(provider.profile.requests, places.profile.requests.all).map { further, place in
                ("the request's sample", further.sample, further.format, place.sample)
            }
        }
        return all.compactMap { name, written, format, place in
            guard format == .form, let text = written?.string, (try? JSONValue(parsing: text))?.object != nil
            else { return nil }
            return context.finding(
                .claimNotRead, "\(name) is JSON, and its format is form", at: place.keySpan,
                help: "remove 'format', or write the form")
        }
    }

    /// Names in the example of the first callback that are elsewhere than the descriptor says.
    var ofFirstCallback: [Diagnostic] {
        let (descriptor, place) = (context.descriptor, places.profile.callback)
        guard let rules = descriptor.profile.callback,
            let capture = descriptor.callback.capture.items.first(where: { $0.name == rules.capture }),
            let text = samples.callback?[capture.parameter]?.scalarText ?? capture.value.example,
            let said = try? JSONValue(parsing: text)
        else { return [] }
        let read = rules.claims.flatMap(\.value).filter { said[$0] != nil }
        return rules.claims.compactMap { claim in
            guard !said.hasMember(at: claim.value), let node = place.node?.entry(claim.name)?.value else { return nil }
            let names = claim.value.compactMap { $0.tokens.last?.lettersAndDigits }
            let elsewhere = said.members(below: JSONPointer(tokens: []), depth: 3).prefix(256).first {
                !read.contains($0) && names.contains($0.tokens.last?.lettersAndDigits ?? "")
            }
            return (said.member(similarTo: claim.value, besides: read) ?? elsewhere).map { meant in
                context.finding(
                    .claimNotRead, "\(Self.list(claim.value)) finds nothing in the example of the callback",
                    at: node.span, help: "did you mean \(meant)?")
            }
        }
    }

    var ofError: [Diagnostic] {
        guard let sample = samples.error, let serverError = try? simulation.serverError(of: sample) as ServerError??
        else { return [] }
        if let serverError, rules.success.isSuccess(sample) != true {
            if let code = expect.error {
                return code == serverError.code
                    ? [] : [notAsExpected("the error is \(serverError.code)", places.samples.expect.error)]
            }
            guard !RegisteredErrors.ofServer.contains(serverError.code) else { return ofMessage(in: sample) }
            return context.findings(
                .errorNotInSample, "OAuth 2.0 does not define the code of samples.error, \"\(serverError.code)\"",
                at: places.samples.error.keySpan, help: mapping(serverError.code))
        }
        guard serverError == nil else {
            return context.findings(
                .errorNotInSample, "\(section).response.success matches samples.error",
                at: places.samples.error.keySpan, help: "see \(section).response.success")
        }
        let pointers = rules.errors.code.pointers.map(\.description).joined(separator: ", ")
        return context.findings(
            .errorNotInSample, "samples.error has no error code at \(pointers)", at: places.samples.error.keySpan,
            help: helpWithoutCode(sample))
    }

    private func mapping(_ code: String) -> String {
        let isOfClient = code.isCodeOfClient || code.lowercased() == "unauthorized"
        let entry = "\(JSONValue.string(code).jsonText()): \(isOfClient ? "invalid_client" : "invalid_grant")"
        return "map it to the code that it means, for example: "
            + "\(section): { response: { errors: { codes: { \(entry) } } } }"
    }

    /// What lets Carnet find the error: another format, a place, or the meaning of the whole text.
    private func helpWithoutCode(_ sample: JSONValue) -> String {
        let body = Simulation.stated(sample, as: rules.format) ?? sample
        guard let whole = body.scalarText else {
            return "set its place: \(section): { response: { errors: { error: /... } } }"
        }
        let formats: [ResponseFormat] = (sample.isForm ? [.form] : []) + [.jsonp, .guarded]
        if let format = formats.first(where: { Simulation.stated(sample, as: $0)?.object != nil }) {
            return "if the response is so encoded, add \(section): { response: { format: \(format.rawValue) } }"
        }
        let code = String(whole.trimming(\.isWhitespace))
        let isCode = !code.isEmpty && code.utf8.count <= 64 && !code.contains { "<{[\n".contains($0) }
        return isCode ? mapping(code) : "Carnet reads an error code in JSON or a form, or as the whole text"
    }

    /// The place of the message, if the sample has a member of a similar name.
    private func ofMessage(in sample: JSONValue) -> [Diagnostic] {
        let (pointers, place) = (rules.errors.message.pointers, written.errors.message)
        guard place.isWritten, !sample.hasMember(at: pointers),
            let similar = sample.member(similarTo: pointers, besides: rules.errors.code.pointers)
        else { return [] }
        return context.findings(
            .errorNotInSample, "\(Self.list(pointers)) finds nothing in samples.error", at: place.span,
            help: "did you mean \(similar)?")
    }

    var ofCallback: [Diagnostic] {
        guard let sample = samples.callback, let pending = try? simulation.authorization().pending else { return [] }
        let parameters = sample.items.compactMap { item in item.value.scalarText.map { Named(item.name, $0) } }
        do throws(OAuthError) {
            _ = try simulation.validate(callback: parameters, for: pending)
            return []
        } catch {
            // A sample of a refusal is refused.
            guard error.server == nil else { return [] }
            let provider = simulation.provider
            let missing = [provider.callback.rename["code"] ?? "code", provider.stateParameter].filter { name in
                !parameters.contains { $0.name == name }
            }
            let needed =
                "add \(missing.joined(separator: " and ")): the sample has all parameters of a callback; "
                + "if the provider has other names for them, see callback.rename and authorization.state"
            return context.findings(
                .callbackNotAccepted, "the engine rejects samples.callback: \(error.message)",
                at: places.samples.callback.keySpan,
                help: missing.isEmpty ? "see \(error.descriptorKey ?? "callback.rename")" : needed)
        }
    }
}
