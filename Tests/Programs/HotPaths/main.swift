import Foundation

// HotPaths NAME COUNT does the work COUNT times on one thread; counts.py counts what it costs.

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let path = arguments.first.flatMap(HotPath.init), let count = Int(arguments.last ?? ""),
    count > 0
else {
    FileHandle.standardError.write(
        Data("usage: HotPaths \(HotPath.allCases.map(\.rawValue).joined(separator: "|")) COUNT\n".utf8))
    exit(2)
}
do {
    try MainThreadExecutor().run(path.work(count))
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
