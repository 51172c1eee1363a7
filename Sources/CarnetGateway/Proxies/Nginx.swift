extension ProxyKind {
    static let nginx = ProxyKind(
        name: "nginx", folder: "/etc/nginx", takesSockets: true,
        files: { setup in
            [
                ProxyFile(path: "carnet-gateway.conf", text: setup.nginxGateway),
                ProxyFile(path: "conf.d/carnet-site.conf", text: setup.nginxSite),
            ]
        },
        secretFile: { _, _, secret in
            ProxyFile(
                path: "carnet-secret.conf", text: "proxy_set_header X-Gateway-Secret \"\(secret)\";\n", isPrivate: true)
        },
        next: { _ in ["nginx -t && nginx -s reload"] })
}

extension ProxySetup {
    private var nginxAddress: String {
        switch gateway {
        case .address(let address): address
        case .socket(let path): "unix:\(path)"
        }
    }

    /// For each server with a certificate.
    private var nginxTLS: String {
        guard case .certificate(let certificate, let key?) = tls else { return "" }
        return """
            # The certificate of all hosts.
            ssl_certificate \(certificate);
            ssl_certificate_key \(key);
            ssl_protocols TLSv1.2 TLSv1.3;


            """
    }

    private var nginxScheme: String { isBehindTLS ? "https" : "$scheme" }

    /// `$host` has no port, and the URLs that a program makes need it.
    private var nginxHost: String { publicPort.map { "$host:\($0)" } ?? "$host" }

    private func variable(_ header: String) -> String {
        header.lowercased().replacing("-", with: "_")
    }

    fileprivate var nginxGateway: String {
        let secret =
            secretVariable == nil
            ? ""
            : "\n    include \(folder)/carnet-secret.conf; # proxy_set_header X-Gateway-Secret \"…\"; mode 0600, owner root."
        let pages = acceptsTokens ? "~ ^/(carnet/|\\.well-known/oauth-protected-resource$)" : "/carnet/"
        return """
            # \(folder)/carnet-gateway.conf: included in each protected `server`.
            # A `location` with a proxy_set_header or error_page of its own loses those of this file: repeat them there.
            \(nginxTLS)auth_request /carnet/decide;              # Every location asks the gateway; a new location is protected from the start.
            \(lines(headers) { "auth_request_set $identity_\(variable($0)) $upstream_http_\(variable($0));" })
            auth_request_set $carnet_signin $upstream_http_location;
            auth_request_set $carnet_decision $upstream_http_carnet_decision;
            auth_request_set $carnet_nonce $upstream_http_dpop_nonce;
            error_page 401 = @carnet_refused;
            error_page 403 = @carnet_forbidden;
            add_header Carnet-Decision $carnet_decision always;
            add_header DPoP-Nonce $carnet_nonce always;

            # nginx drops names with "_", "." and the like (X_Auth_User); both are the default and must stay so.
            underscores_in_headers off;
            ignore_invalid_headers on;
            client_max_body_size 0;                   # The program sets its own limit.

            # Headers for the program. Each line replaces the header of the client; an empty value removes it.
            proxy_http_version 1.1;
            proxy_set_header Host \(nginxHost);
            proxy_set_header Upgrade $carnet_upgrade;
            proxy_set_header Connection $carnet_connection;
            \(lines(headers) { "proxy_set_header \($0) $identity_\(variable($0));" })
            proxy_set_header X-Gateway-Secret "";
            proxy_set_header Destination $http_destination; # One value: the gateway decides about it.
            proxy_set_header X-Forwarded-For $remote_addr;
            proxy_set_header X-Forwarded-Proto \(nginxScheme);
            proxy_set_header X-Forwarded-Host \(nginxHost);
            proxy_set_header X-Forwarded-Method $request_method;
            proxy_set_header X-Forwarded-Uri $request_uri;
            proxy_set_header X-Real-IP $remote_addr;
            # A program that follows these would serve another sender, path or method than the one decided.
            proxy_headers_hash_max_size 4096;
            proxy_headers_hash_bucket_size 128;
            \(wrapped(removed.filter { $0 != "X-Real-IP" }.map { "proxy_set_header \($0) \"\";" }))
            proxy_buffering off;                      # Streams arrive as the program sends them.
            include \(folder)/carnet-own*.conf;       # Lines of your own for every host, such as proxy_read_timeout 1h;

            location ~ ^/carnet/(decide|refused)$ {
                internal;                             # From outside: 404.
                auth_request off;\(secret)
                proxy_pass http://carnet_gateway;
                proxy_set_header Connection "";       # The connection to the gateway stays open.
                proxy_pass_request_body off;
                proxy_pass_request_headers off;       # Nothing of the client's but these:
                proxy_set_header Content-Length "";
                proxy_set_header Cookie $http_cookie;
                proxy_set_header Authorization $http_authorization;
                proxy_set_header DPoP $http_dpop;
                proxy_set_header Accept $http_accept;
                proxy_set_header Sec-Fetch-Mode $http_sec_fetch_mode;
                proxy_set_header User-Agent $http_user_agent;
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header X-Forwarded-Proto \(nginxScheme);
                proxy_set_header X-Forwarded-Host \(nginxHost);
                proxy_set_header X-Forwarded-Method $request_method;
                proxy_set_header X-Forwarded-Uri $request_uri;  # As the client sent it, which is what the program gets.
                # A second target of the request is decided too.
            \(lines(SecondTarget.headers, indent: "    ") { "proxy_set_header \($0) $http_\(variable($0));" })
                proxy_set_header Carnet-Decision $carnet_decision; # For the page of a refusal, which is logged once.
                proxy_hide_header Carnet-Decision;    # add_header above sends both.
                proxy_hide_header DPoP-Nonce;
                proxy_buffering on;
                proxy_buffers 4 16k;
                proxy_buffer_size 16k;                # The identity fits (nginx's own size is 4k).
                proxy_connect_timeout 2s;
                proxy_read_timeout 10s;               # No decision in time is a refusal.
                proxy_intercept_errors on;            # auth_request knows 2xx, 401 and 403 only: the gateway's redirect becomes 401 here
                error_page 301 302 303 307 =401 @carnet_unauthorized;
            }
            location @carnet_unauthorized { return 401; }
            location @carnet_refused {
                absolute_redirect off;
                if ($carnet_signin) { return 302 $carnet_signin; } # … and a redirect again for the browser.
                return 401;
            }
            location @carnet_forbidden {
                if ($request_method = GET) { rewrite ^ /carnet/refused? last; } # The gateway's page. Not for a method with a body:
                return 403;                           # nginx would read all of it first.
            }
            location \(pages) { # The gateway's own: sign-in, callback, sign-out.
                auth_request off;
                proxy_pass http://carnet_gateway;
                proxy_set_header Connection "";           # With "close", nginx would use a connection that ends.
                proxy_buffers 4 16k;
                proxy_buffer_size 16k;
                proxy_set_header Host \(nginxHost);
                proxy_set_header X-Gateway-Secret "";   # The secret goes with decisions only.
                proxy_set_header X-Forwarded-For $remote_addr;
                proxy_set_header X-Forwarded-Proto \(nginxScheme);
                proxy_set_header X-Forwarded-Host \(nginxHost);
                proxy_set_header X-Forwarded-Method "";
                proxy_set_header X-Forwarded-Uri "";
            }

            """
    }

    fileprivate var nginxSite: String {
        let servers = hosts.map { host in
            let rest = host.isWhole ? [] : ["    location / { auth_request off; return 404; }"]
            // No path behind the address: the target goes on as the client sent it.
            let locations = host.programs.map { "    location \($0.path) { proxy_pass http://\($0.address); }" }
            return """

                server {
                    listen \(port)\(tls == nil ? "" : " ssl");
                    server_name \(host.name);
                    include \(folder)/carnet-gateway.conf;
                \((rest + locations).joined(separator: "\n"))
                }

                """
        }
        return """
            # \(folder)/conf.d/carnet-site.conf: the protected hosts. nginx 1.22 or newer, built with auth_request (Debian: yes).
            upstream carnet_gateway { server \(nginxAddress); keepalive \(Self.keptConnections); }
            # A program that takes another upgrade, such as h2c, would get further requests without a decision.
            map $http_upgrade $carnet_upgrade { default ""; ~*^websocket$ websocket; }
            map $carnet_upgrade $carnet_connection { default upgrade; "" ""; }

            server {                                  # A host that is not listed reaches no program.
                listen \(port)\(tls == nil ? " default_server;" : " ssl default_server;\n    ssl_reject_handshake on;\n    ssl_protocols TLSv1.2 TLSv1.3;")
                return 421;
            }

            """ + servers.joined() + (redirects ? nginxRedirect : "")
    }

    private var nginxRedirect: String {
        // A name below a domain is the client's, and nginx accepts every letter in it.
        let check = hosts.contains { $0.domain != nil } ? "\n    if ($host ~ \"[^a-z0-9._-]\") { return 400; }" : ""
        return """

            # Plain HTTP leads to https, for the listed hosts alone.
            server {
                listen 80;
                return 421;
            }
            server {
                listen 80;
                server_name \(hosts.map(\.name).joined(separator: " "));\(check)
                return 308 https://$host$request_uri;
            }

            """
    }
}
