// One of several processes that use one account: StoreWorker SANDBOX STORE PLACE LEASE, then commands on standard
// input.
//
//     tokens CALLERS SECONDS   so many callers ask for tokens at that time; says "given N" and perhaps "failed MESSAGE",
//                              then "done"
//     storm CALLERS            so many callers renew without end; says "saved MICROSECONDS" for each, the issue time

let worker = try Worker(arguments: CommandLine.arguments)
worker.say("ready")
while let line = readLine() {
    let words = line.split(separator: " ").map(String.init)
    let callers = Int(words[1]) ?? 1
    switch words[0] {
    case "tokens": try await worker.giveTokens(to: callers, seconds: Double(words[2]) ?? 0)
    default: try await worker.storm(callers: callers)
    }
}
