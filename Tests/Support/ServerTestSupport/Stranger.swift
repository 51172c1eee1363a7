#if os(Linux)
    import CarnetUserAgent
    import Foundation

    /// A program of another user of this machine, which connects to a loopback port.
    public struct Stranger: Sendable, CustomStringConvertible {
        /// What the program does after its request.
        public enum Ending: String, CaseIterable, Sendable {
            case open, halfClosed, closed, reset
        }

        let user: UInt32
        let ending: Ending

        public init(user: UInt32, ending: Ending) {
            self.user = user
            self.ending = ending
        }

        public var description: String { "user \(user), \(ending)" }

        public static let need: String = "only root can run a program as another user, with setpriv and perl"
        public static let isPossible =
            geteuid() == 0
            && ["/usr/bin/setpriv", "/usr/bin/perl"].allSatisfy { FileManager.default.isExecutableFile(atPath: $0) }

        /// An ordinary user, and the user `nobody` of many daemons where this process sees all users.
        public static let all: [Stranger] = [1, 65_534].filter { !LoopbackPeer.allowedUsers.contains($0) }.flatMap {
            user in
            Ending.allCases.map { Stranger(user: user, ending: $0) }
        }

        private static let program = """
            use Socket;
            my ($port, $request, $ending) = @ARGV;
            socket(S, PF_INET, SOCK_STREAM, 0) && connect(S, sockaddr_in($port, INADDR_LOOPBACK)) or die;
            syswrite(S, $request);
            setsockopt(S, SOL_SOCKET, SO_LINGER, pack("ii", 1, 0)) if $ending eq "reset";
            shutdown(S, 1) if $ending eq "halfClosed";
            if ($ending eq "reset" || $ending eq "closed") { close(S); exit }
            print while <S>;
            """

        /// - Parameter fields: Lines of the header besides `Host`.
        /// - Returns: The response; empty if the program did not wait for it, or got none.
        public func get(_ path: String, _ port: Int, host: String? = nil, fields: [String] = []) async throws -> String
        {
            let lines = ["GET \(path) HTTP/1.1", "Host: \(host ?? "127.0.0.1:\(port)")"] + fields
            let request = lines.joined(separator: "\r\n") + "\r\n\r\n"
            return try await Task.detached { [user, ending] in
                let process = Process()
                let output = Pipe()
                process.executableURL = URL(filePath: "/usr/bin/setpriv")
                process.arguments = [
                    "--reuid=\(user)", "--regid=\(user)", "--clear-groups", "/usr/bin/perl", "-e", Self.program,
                    "\(port)", request, ending.rawValue,
                ]
                process.currentDirectoryURL = URL(filePath: "/")
                process.standardOutput = output
                try process.run()
                let data = try output.fileHandleForReading.readToEnd() ?? Data()
                process.waitUntilExit()
                return String(decoding: data, as: UTF8.self)
            }.value
        }

        /// Whether the response, if the program waited for one, has this status.
        public func isRefused(_ response: String, _ status: Int) -> Bool {
            [.closed, .reset].contains(ending) ? response.isEmpty : response.hasPrefix("HTTP/1.1 \(status) ")
        }
    }
#endif
