extension ProxyKind {
    static let haproxy = ProxyKind(
        name: "haproxy", folder: "/etc/haproxy", takesSockets: true, certificate: .oneFile,
        files: { setup in
            [
                ProxyFile(path: "carnet.lua", text: setup.haproxyScript),
                ProxyFile(path: "haproxy.cfg", text: setup.haproxyConfiguration),
            ]
        },
        next: { setup in
            environmentStep(setup, unit: "haproxy") + [
                "haproxy -c -f \(setup.folder)/haproxy.cfg && systemctl restart haproxy"
            ]
        })
}

extension ProxySetup {
    fileprivate var haproxyConfiguration: String {
        let about = secretVariable.map { name in
            """

            # The secret is \(name) in its environment (systemd: EnvironmentFile=\(folder)/\(ProxyKind.environmentFile), mode 0600).
            """
        }
        let address =
            switch gateway {
            case .address(let address): address;
            case .socket(let path): "unix@\(path)"
            }
        let names = hosts.indices.map { "host\($0 + 1)" }
        // Rules of one name are alternatives, and a line has at most 64 words.
        let tests = zip(names, hosts).flatMap { name, host in
            let value = host.domain.map { "-m reg ^[a-z0-9._-]+[.]\($0.replacing(".", with: "[.]"))$" } ?? host.name
            return [name, "listed"].map { "    acl \($0) req.hdr(host),host_only -i \(value)" }
        }
        let uses = zip(names, hosts).flatMap { name, host in
            let programs = host.programs.map { program in
                let path = program.path == "/" ? "" : " { path_beg \(program.path) }"
                return "    use_backend program\(program.number) if \(name)\(path)"
            }
            return host.isWhole ? programs : programs + ["    use_backend none if \(name)"]
        }
        var binds = "bind :\(port)"
        if case .certificate(let file, _) = tls {
            binds +=
                " ssl crt \(file) strict-sni alpn h2,http/1.1 ssl-min-ver TLSv1.2" + (redirects ? "\n    bind :80" : "")
        }
        let redirect =
            redirects
            ? "\n    http-request redirect location https://%[req.hdr(host),host_only]%[pathq] code 308 unless { ssl_fc }"
            : ""
        let metadata = acceptsTokens ? "\n    acl gateway path \(Self.metadataPath)" : ""
        return """
            # \(folder)/haproxy.cfg: the protected hosts. HAProxy 2.6 or newer with Lua (Debian: yes).\(about ?? "")
            global
                user haproxy
                group haproxy
                lua-load-per-thread \(folder)/carnet.lua

            defaults
                mode http
                timeout connect 5s
                timeout client 60s
                timeout server 60s
                timeout tunnel 1h
                timeout http-request 10s
            .if version_atleast(3.2)
                option http-drop-request-trailers
            .endif

            frontend sites
                \(binds)

            \(tests.joined(separator: "\n"))
                http-request deny deny_status 421 unless listed     # A host that is not listed reaches no program.
                http-request deny deny_status 400 if { req.hdr_cnt(host) gt 1 }
                # One form of target, one path: without scheme and host, never empty.
                http-request deny deny_status 400 unless { path_beg / }
                http-request set-uri %[pathq]\(redirect)

                # Programs read "_", "." and more in a name as "-" (X_Auth_User): no such header goes on.
                http-request del-header [^A-Za-z0-9-] -m reg
            \(lines(headers, indent: "    ") { "http-request del-header \($0.lowercased())" })
                http-request del-header x-gateway-secret
                # A program that follows these would serve another sender, path or method than the one decided.
            \(lines(RemovedHeaders.beginnings, indent: "    ") { "http-request del-header \($0.lowercased()) -m beg" })
            \(lines(removedBesideBeginnings, indent: "    ") { "http-request del-header \($0.lowercased())" })
                # Before HAProxy 3.2, an unannounced trailer goes on: no program behind may merge trailers into headers.
                http-request del-header te
                http-request deny deny_status 400 if { req.hdr_cnt(trailer) gt 0 }

                # A program that takes another upgrade, such as h2c, would get further requests without a decision.
                http-request del-header upgrade if !{ req.fhdr(upgrade) -i websocket } or { req.fhdr_cnt(upgrade) gt 1 }

                # A header that Connection names would be removed on the way to the program, ours too.
                http-request del-header connection
                http-request set-header Connection upgrade if { req.fhdr(upgrade) -m found }

                http-request set-header X-Forwarded-For %[src]
                http-request set-header X-Forwarded-Proto \(isBehindTLS ? "https" : "%[ssl_fc,iif(https,http)]")
                http-request set-header X-Forwarded-Host %[req.hdr(host)]
                acl gateway path_beg /carnet/                             # The gateway's own: sign-in, callback, sign-out.\(metadata)
                http-request set-header X-Forwarded-Method %[method] if !gateway
                http-request set-header X-Forwarded-Uri %[pathq] if !gateway

                http-request lua.carnet if !gateway
                # A script that fails lets the request go on: so what was not allowed is refused here.
                http-request deny deny_status 503 unless gateway or { var(txn.carnet_allowed) -m bool }

                use_backend carnet if gateway
            \(uses.joined(separator: "\n"))
                default_backend none

            backend carnet
                server gateway \(address)
            \(lines(programs) { "backend program\($0.number)\n    server program \($0.address)" })
            backend none
                http-request deny deny_status 404

            """
    }

    fileprivate var haproxyScript: String {
        return #"""
            -- \#(folder)/carnet.lua: asks Carnet's gateway whether a request may pass.
            -- (HAProxy 2.6's own httpclient knows no time limit and asks up to four times.)
            \#(luaBeginning(socket: "core.tcp()"))

            core.register_action("carnet", { "http-req" }, function(txn)
                local lines = { question }
                for name, values in pairs(txn.http:req_get_headers()) do
                    for i = 0, hop[name] and -1 or #values do lines[#lines + 1] = name .. ": " .. values[i] end
                end
                local status, headers, body = ask(lines)
                if not status or status < 200 then return end              -- Refused by the line after this action.

                if status < 300 then
                    for _, header in ipairs(headers) do
                        if identity[header[1]] then txn.http:req_set_header(header[1], header[2]) end
                    end
                    local set = txn.http:req_get_headers()                 -- A header that does not fit into the buffer is dropped silently.
                    for _, header in ipairs(headers) do
                        if identity[header[1]] and not (set[header[1]] and set[header[1]][0] == header[2]) then return end
                    end
                    txn:set_var("txn.carnet_allowed", true)
                    return
                end

                local reply = txn:reply({ status = status, body = body })  -- Any other response is the client's.
                for _, header in ipairs(headers) do
                    if not hop[header[1]] then reply:add_header(header[1], header[2]) end
                end
                txn:done(reply)
            end)

            """#
    }
}
