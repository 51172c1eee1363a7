import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Programs that leave servers behind.
///
/// `Process` waits until a descriptor is closed that it lets its child inherit, and a server that the child started
/// holds it for as long as it runs. Here a child has its three standard descriptors and no other.
enum Command {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    private static let withoutDescriptors = """
        for path in /dev/fd/*; do
            descriptor=${path##*/}
            if [ "$descriptor" -gt 2 ]; then eval "exec $descriptor>&-"; fi
        done
        cd /tmp
        exec "$@"
        """

    /// - Parameters:
    ///   - words: The program, found in `PATH`, and its arguments.
    ///   - input: What it reads; nothing unless given.
    ///   - output: The file that gets what it says.
    static func start(_ words: [String], input: Int32? = nil, output: String) throws -> pid_t {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
        #else
            var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let input {
            posix_spawn_file_actions_adddup2(&actions, input, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let arguments = (["bash", "-c", withoutDescriptors, "bash"] + words).map { strdup($0) } + [nil]
        let environment = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { (arguments + environment).forEach { free($0) } }
        var processID = pid_t()
        let status = posix_spawnp(&processID, "bash", &actions, nil, arguments, environment)
        guard status == 0 else {
            throw Failure(description: "\(words.first ?? ""): \(String(cString: strerror(status)))")
        }
        return processID
    }

    /// - Returns: The exit status, or that of a shell for a signal.
    static func wait(for processID: pid_t) -> Int32 {
        var status: Int32 = 0
        while waitpid(processID, &status, 0) == -1 && errno == EINTR {}
        let signal = status & 0x7f
        return signal == 0 ? (status >> 8) & 0xff : 128 + signal
    }

    /// - Returns: What it says.
    static func run(_ words: [String]) throws -> String {
        let output = FileManager.default.temporaryDirectory.appending(path: "carnet-run-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        let status = wait(for: try start(words, output: output))
        let text = String(decoding: try Data(contentsOf: URL(filePath: output)), as: UTF8.self)
        guard status == 0 else {
            throw Failure(description: "\(words.joined(separator: " ")): status \(status): \(text)")
        }
        return text
    }
}
