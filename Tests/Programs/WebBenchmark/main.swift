import Foundation

// swift build -c release --product WebBenchmark && .build/release/WebBenchmark [SECONDS]
//
// What sign-in costs a Hummingbird server on this machine: rates through sockets on loopback, the server's own routes
// without it beside them in the same run, and what waiting sign-ins and sessions take of the memory.

let seconds = CommandLine.arguments.dropFirst().first.flatMap { Double($0) } ?? 2
let site = try BenchmarkSite()

let gate = try await Gate(site).compare(rounds: 5, seconds: seconds)
print(
    String(
        format: "requests a second past RequireSignIn: %.0f, without it %.0f, ratio %.2f", gate.rate, gate.bareRate,
        gate.rate / gate.bareRate))
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
