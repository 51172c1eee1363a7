extension ProxyKind {
    static let apache = ProxyKind(
        name: "apache", folder: "/etc/apache2",
        files: { setup in
            [
                ProxyFile(path: "carnet.lua", text: setup.apacheScript),
                ProxyFile(path: "sites-available/carnet-site.conf", text: setup.apacheSite),
            ]
        },
        next: { setup in
            environmentStep(setup, unit: "apache2") + [
                "a2enmod \(setup.apacheModules) && a2ensite carnet-site && systemctl restart apache2"
            ]
        })
}

extension ProxySetup {
    fileprivate var apacheModules: String { "proxy proxy_http lua" + (tls == nil ? "" : " ssl") }

    private var apacheAddress: String {
        if case .address(let address) = gateway { address } else { "" }
    }

    fileprivate var apacheSite: String {
        let about = secretVariable.map { name in
            """

            # The secret is \(name) in Apache's environment (systemd: EnvironmentFile=\(folder)/\(ProxyKind.environmentFile), mode 0600).
            """
        }
        let metadata = #"\.well-known/oauth-protected-resource"#
        let (others, own) =
            acceptsTokens
            ? ("\"^/(?!carnet/|\(metadata)$)\"", "<LocationMatch \"^/(carnet/|\(metadata)$)\">")
            : ("\"^/(?!carnet/)\"", "<Location \"/carnet/\">")
        let metadataPass =
            acceptsTokens
            ? "\n    ProxyPassMatch \"^/(\(metadata))$\" http://\(apacheAddress)/$1" : ""
        var certificate = ""
        if case .certificate(let file, let key?) = tls {
            certificate = """

                    SSLEngine on
                    SSLCertificateFile \(file)
                    SSLCertificateKeyFile \(key)
                    SSLProtocol -all +TLSv1.2 +TLSv1.3
                """
        }
        let hooks = """
                ProxyPreserveHost on
                ProxyAddHeaders off
                <LocationMatch \(others)>
                    LuaScope thread
                    LuaHookAccessChecker \(folder)/carnet.lua decide
                </LocationMatch>
                \(own)
                    LuaHookAccessChecker \(folder)/carnet.lua clean
                </\(acceptsTokens ? "LocationMatch" : "Location")>
            """
        let sites = hosts.map { host in
            // A site has a name of its own.
            let name = host.domain.map { "any.\($0)\n    ServerAlias *.\($0)" } ?? host.name
            let passes = host.programs.map {
                "    ProxyPass \($0.path) http://\($0.address)\($0.path) nocanon upgrade=websocket\n"
            }
            return """

                <VirtualHost *:\(port)>
                    ServerName \(name)\(certificate)
                \(hooks)
                    ProxyPass /carnet/ http://\(apacheAddress)/carnet/\(metadataPass)
                \(passes.joined())</VirtualHost>

                """
        }
        return """
            # \(folder)/sites-available/carnet-site.conf: the protected hosts. Apache 2.4.
            #   apt install apache2 lua-socket && a2enmod \(apacheModules)\(about ?? "")
            # The gateway decides about everything but its own pages. Both expressions match the same decoded path, as ProxyPass does.
            # LuaScope: a thread keeps its connection to the gateway. ProxyAddHeaders: carnet.lua sets X-Forwarded-*, once.
            # nocanon: the target goes on as the client sent it.
            \([80, 443].contains(port) ? "" : "Listen \(port)\n")
            # A host that is not listed reaches no program.
            <VirtualHost *:\(port)>
                ServerName catch-all.invalid\(certificate)
                <Location "/">
                    Require all denied
                </Location>
            </VirtualHost>
            \(redirects ? apacheRedirect : "")
            """ + sites.joined()
    }

    fileprivate var apacheScript: String {
        let beginnings = RemovedHeaders.beginnings.map {
            " or lower:find(\"^\($0.lowercased().replacing("-", with: "%-"))\")"
        }.joined()
        return #"""
            -- \#(folder)/carnet.lua: asks Carnet's gateway whether a request may pass. An error in here is Apache's 500: nothing passes.
            local socket = require "socket"
            \#(luaBeginning(socket: "socket.tcp()"))

            -- Not from outside: what the proxy says, and what would serve another sender, path or method than the one decided.
            local ours = {
            \#(wrapped((["x-gateway-secret", "trailer", "te"] + removedBesideBeginnings).map { Self.luaSet([$0]) }, indent: "    ", separator: ", "))
            }

            -- The headers of a refusal that go on to the client.
            local refusal = { ["location"] = true, ["www-authenticate"] = true, ["cache-control"] = true,
                              ["carnet-decision"] = true, ["dpop-nonce"] = true }

            function clean(r)
                for name in pairs(r:headers_in_table()) do
                    local lower = name:lower()
                    -- Programs read "_", "." and more in a name as "-" (X_Auth_User): no such header goes on.
                    if identity[lower] or ours[lower] or lower:find("[^a-z0-9-]")\#(beginnings) then
                        r.headers_in[name] = nil
                    end
                end
                -- A program that takes another upgrade, such as h2c, would get further requests without a decision.
                if (r.headers_in["Upgrade"] or ""):lower() ~= "websocket" then r.headers_in["Upgrade"] = nil end
                -- A header that Connection names would be removed again on the way to the program, ours too. Upgrade needs no Connection here.
                r.headers_in["Connection"] = nil
                r.headers_in["X-Forwarded-Proto"] = \#(isBehindTLS ? "\"https\"" : "r.is_https and \"https\" or \"http\"")
                r.headers_in["X-Forwarded-Host"] = r.headers_in["Host"]
                r.headers_in["X-Forwarded-For"] = r.useragent_ip
                return apache2.DECLINED
            end

            function decide(r)
                clean(r)
                -- The target as the client sent it; with nocanon that is what the program gets, but for "//" after ProxyPass's path.
                if not r.unparsed_uri:find("^/") or r.unparsed_uri:find("^[^?]*//") then return 400 end
                r.headers_in["X-Forwarded-Method"] = r.method
                r.headers_in["X-Forwarded-Uri"] = r.unparsed_uri

                local lines = { question }
                for name, value in pairs(r:headers_in_table()) do
                    if not hop[name:lower()] then lines[#lines + 1] = name .. ": " .. value end
                end

                local status, headers, body = ask(lines)
                if not status then return 503 end

                local allowed = status >= 200 and status < 300
                for _, header in ipairs(headers) do
                    local name, value = header[1], header[2]
                    if not allowed and refusal[name] then
                        local before = r.err_headers_out[name]
                        r.err_headers_out[name] = before and before .. ", " .. value or value
                    elseif allowed and identity[name] then
                        r.headers_in[name] = value
                    end
                end
                if allowed then return apache2.DECLINED end
                if status < 300 then return 503 end
                if body:find("^%s*<") then r:custom_response(status, body) end
                return status
            end
            \#(redirects ? Self.luaRedirect : "")
            """#
    }

    private var apacheRedirect: String {
        // The first is no domain: the origin comes before those.
        let names = zip(hosts, ["ServerName"] + hosts.map { _ in "ServerAlias" }).map { "\($1) \($0.name)" }
        return """

            # Plain HTTP leads to https, for the listed hosts alone.
            <VirtualHost *:80>
                ServerName catch-all.invalid
                <Location "/">
                    Require all denied
                </Location>
            </VirtualHost>
            <VirtualHost *:80>
            \(lines(names, indent: "    ") { $0 })
                <Location "/">
                    LuaHookAccessChecker \(folder)/carnet.lua redirect
                </Location>
            </VirtualHost>

            """
    }

    private static let luaRedirect = """

        -- Plain HTTP leads to https. The name is one of the site's.
        function redirect(r)
            local target = r.hostname .. r.unparsed_uri
            if not target:find("^[%w._-]+/") then return 400 end
            r.err_headers_out["Location"] = "https://" .. target
            return 308
        end

        """
}
