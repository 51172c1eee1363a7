import Foundation

// swift build -c release --product WebBenchmark && $(swift build -c release --show-bin-path)/WebBenchmark [SECONDS]
//
// What sign-in costs a Hummingbird server on this machine: rates through sockets on loopback, the server's own routes
// without it beside them in the same run, and what waiting sign-ins and sessions take of the memory.

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 2
let site = try BenchmarkSite()

func report(_ what: String, _ rates: Gate.Rates) {
    print(
        "requests a second past \(what):",
        String(
            format: "%.0f, without it %.0f, ratio %.2f", rates.rate, rates.bareRate, rates.rate / rates.bareRate))
}

let gate = Gate(site)
report("RequireSignIn", try await gate.signedIn(rounds: 5, seconds: seconds))
for (what, keepsStates) in [("tokens that are known", true), ("tokens that are validated each time", false)] {
    report(
        "ResourceServerMiddleware, \(what)",
        try await gate.withToken(keepsStates: keepsStates, rounds: 5, seconds: seconds))
}
let signIns = try await SignInLoad(site).measure(workers: 16, seconds: 2 * seconds)
print(String(format: "complete sign-ins a second: %.0f", signIns))

let memory = try await WebMemory(count: 100_000)
print(String(format: "100000 pending sign-ins in cookies: %.0f MiB", memory.stateless))
print(String(format: "100000 pending sign-ins in a store of 100000: %.0f MiB", memory.pending))
print(String(format: "100000 more, of which the store keeps 100000 in all: %.0f MiB more", memory.flood))
print(
    String(
        format: "100000 live sessions: %.0f MiB in the store in memory, %.2f times the text of their tokens",
        memory.sessions, memory.sessions / WebMemory.tokens(100_000)))
