// One of several processes that use one account: StoreWorker PROVIDER STORE PLACE LEASE, then commands on standard
// input.
//
//     tokens CALLERS SECONDS   so many callers ask for tokens at that time; says "given N" and perhaps "failed MESSAGE",
//                              then "done"
//     storm CALLERS            so many callers refresh without end; says "saved MICROSECONDS" for each, the issue time
//     refresh TRANSPORT LIMIT  refreshes once at a RotatingProvider within so many seconds, over urlsession or nio; says
//                              "saved TOKEN" or "failed MESSAGE"
//     faults NUMBER PLAN       plays its part in a FaultPlan until "stop", then says "done"

let worker = try Worker(arguments: CommandLine.arguments)
worker.say("ready")
while let line = readLine() {
    let words = line.split(separator: " ", maxSplits: 2).map(String.init)
    switch words[0] {
    case "tokens": try await worker.giveTokens(to: Int(words[1]) ?? 1, seconds: Double(words[2]) ?? 0)
    case "storm": try await worker.storm(callers: Int(words[1]) ?? 1)
    case "refresh": await worker.refresh(over: words[1], limit: Double(words[2]) ?? 1)
    case "faults": try worker.beginFaults(number: Int(words[1]) ?? 0, plan: words[2])
    case "stop": worker.stopFaults()
    default: worker.say("failed: what is \(words[0])?")
    }
}
