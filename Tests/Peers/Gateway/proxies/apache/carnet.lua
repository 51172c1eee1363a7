-- /etc/apache2/carnet.lua: asks Carnet's gateway whether a request may pass. An error in here is Apache's 500: nothing passes.
local socket = require "socket"
local host, port = ("127.0.0.1:4180"):match("^(.*):(%d+)$")
local identity = { ["x-auth-user"] = true, ["x-auth-email"] = true, ["x-auth-groups"] = true, ["x-auth-assertion"] = true, ["cookie"] = true }
local question = "GET /carnet/decide HTTP/1.1\r\nX-Gateway-Secret: " .. (os.getenv("CARNET_PROXY_SECRET") or "")

-- Headers that describe the client's connection or body; the sub-request has neither.
local hop = { ["connection"] = true, ["upgrade"] = true, ["transfer-encoding"] = true, ["content-length"] = true,
              ["keep-alive"] = true, ["te"] = true, ["trailer"] = true, ["expect"] = true }

-- The rest of a response: its status, the headers as a list of { name, value }, the body, and whether the connection
-- takes another request. Nothing when it is not whole.
local function response(connection, line)
    local status = tonumber(((line or ""):match("^HTTP/1%.[01] (%d%d%d)%f[^%d]")))
    local headers, length, stays = {}, nil, true
    while status do
        line = connection:receive("*l")
        if not line then return end
        if line == "" then break end
        local name, value = line:match("^([^:]+):%s*(.-)%s*$")
        if not name then return end
        name = name:lower()
        headers[#headers + 1] = { name, value }
        if name == "content-length" then length = tonumber(value) end
        if name == "connection" or name == "transfer-encoding" then stays = false end
    end
    local body = length and length > 0 and length <= 65536 and connection:receive(length) or ""
    return status, headers, body, stays and length == #body
end

local kept = {}                                        -- Connections that wait for the next decision.

local function ask(lines)
    local request, began, line = table.concat(lines, "\r\n") .. "\r\n\r\n", os.time(), nil
    local connection = table.remove(kept)
    if connection then
        connection:send(request)
        line = connection:receive("*l")
    end
    if connection and not line then                    -- Closed by the gateway, and so are those that waited longer.
        connection:close()
        while #kept > 0 do table.remove(kept):close() end
        if os.time() - began > 1 then return end       -- It did not close, it hangs.
    end
    if not line then
        connection = socket.tcp()
        connection:settimeout(10)
        if not connection:connect(host, tonumber(port)) then return end
        connection:send(request)
        line = connection:receive("*l")
    end
    local status, headers, body, stays = response(connection, line)
    if stays and #kept < 32 then kept[#kept + 1] = connection else connection:close() end
    return status, headers, body
end

-- Not from outside: what the proxy says, and what would serve another sender, path or method than the one decided.
local ours = {
    ["x-gateway-secret"] = true, ["trailer"] = true, ["te"] = true, ["x-servlet-path"] = true,
    ["x-rewritten-path"] = true, ["x-http-path"] = true, ["x-http-uri"] = true, ["x-http-url"] = true,
    ["x-internal-path"] = true, ["x-nginx-uri"] = true, ["x-upstream-uri"] = true, ["x-backend-uri"] = true,
    ["x-target-uri"] = true, ["x-replaced-uri"] = true, ["x-wsgi-script-name"] = true, ["x-relative-url-root"] = true,
    ["x-baseurl"] = true, ["x-mountpoint"] = true, ["x-stripped-prefix"] = true, ["x-pathinfo"] = true,
    ["x-nextjs-rewritten-path"] = true, ["x-webobjects-adaptor-url"] = true, ["x-orig-url"] = true,
    ["x-orig-uri"] = true, ["x-orig-path"] = true, ["original-url"] = true, ["x-rewritten-url"] = true,
    ["x-scriptname"] = true, ["script-name"] = true, ["x-path-info"] = true, ["path-info"] = true, ["x-path"] = true,
    ["x-path-prefix"] = true, ["x-path-override"] = true, ["x-traversal-path"] = true, ["x-replaced-path"] = true,
    ["x-hass-ingress-path"] = true, ["x-basepath"] = true, ["base-url"] = true, ["base-path"] = true,
    ["x-context-path"] = true, ["x-contextpath"] = true, ["x-root-path"] = true, ["x-root-url"] = true,
    ["x-app-path"] = true, ["x-app-prefix"] = true, ["x-app-root"] = true, ["x-app-base"] = true,
    ["x-application-path"] = true, ["x-application-root"] = true, ["x-application-prefix"] = true,
    ["x-mount-path"] = true, ["x-mount-point"] = true, ["x-sub-path"] = true, ["x-subpath"] = true, ["x-sub-uri"] = true,
    ["x-subfolder"] = true, ["x-prefix"] = true, ["x-url-prefix"] = true, ["x-uri-prefix"] = true,
    ["x-url-scheme-path"] = true, ["x-location-path"] = true, ["x-external-path"] = true, ["x-external-url"] = true,
    ["x-public-path"] = true, ["x-public-url"] = true, ["x-real-path"] = true, ["x-real-url"] = true,
    ["x-real-uri"] = true, ["x-request-uri"] = true, ["x-request-url"] = true, ["x-request-path"] = true,
    ["x-requested-path"] = true, ["x-requested-uri"] = true, ["x-requested-url"] = true, ["request-uri"] = true,
    ["request-base"] = true, ["x-request-base"] = true, ["x-uri"] = true, ["x-url"] = true, ["uri"] = true,
    ["url"] = true, ["http-url"] = true, ["x-url-path"] = true, ["x-uri-path"] = true, ["x-url-override"] = true,
    ["x-uri-override"] = true, ["x-unencoded-url"] = true, ["unencoded-url"] = true, ["x-waws-unencoded-url"] = true,
    ["x-http-destinationurl"] = true, ["x-http-path-override"] = true, ["x-http-url-override"] = true,
    ["x-http-uri-override"] = true, ["x-redirect-url"] = true, ["x-upstream-path"] = true, ["x-backend-path"] = true,
    ["x-route-path"] = true, ["x-router-path"] = true, ["x-gateway-path"] = true, ["x-gateway-prefix"] = true,
    ["x-service-path"] = true, ["x-target-path"] = true, ["x-target-url"] = true, ["x-couchdb-requested-path"] = true,
    ["x-couchdb-vhost-path"] = true, ["x-matched-path"] = true, ["x-now-route-matches"] = true,
    ["x-nextjs-rewrite"] = true, ["x-nextjs-matched-path"] = true, ["x-astro-path"] = true, ["x-rstudio-request"] = true,
    ["x-rstudio-root-path"] = true, ["x-rstudio-virtual-path"] = true, ["x-rsc-request"] = true,
    ["rstudio-connect-app-base-url"] = true, ["x-sendfile-type"] = true, ["x-accel-mapping"] = true,
    ["forwarded"] = true, ["x-forwarded"] = true, ["x-host"] = true, ["x-host-override"] = true, ["x-http-host"] = true,
    ["x-http-host-override"] = true, ["x-orig-host"] = true, ["original-host"] = true, ["x-real-host"] = true,
    ["x-server-name"] = true, ["x-server-port"] = true, ["x-backend-host"] = true, ["x-upstream-host"] = true,
    ["x-target-host"] = true, ["x-external-host"] = true, ["x-public-host"] = true, ["x-canonical-host"] = true,
    ["x-vhost"] = true, ["x-virtual-host"] = true, ["x-odoo-dbfilter"] = true, ["disguised-host"] = true,
    ["was-default-hostname"] = true, ["forwarded-host"] = true, ["x-scheme"] = true, ["x-url-scheme"] = true,
    ["x-client-scheme"] = true, ["x-request-scheme"] = true, ["x-protocol-scheme"] = true, ["x-https"] = true,
    ["https"] = true, ["x-ssl"] = true, ["x-secure"] = true, ["x-appservice-proto"] = true, ["x-sp-edge-scheme"] = true,
    ["x-forward-proto"] = true, ["front-end-https"] = true, ["x-front-end-https"] = true,
    ["cloudfront-forwarded-proto"] = true, ["cf-visitor"] = true, ["fastly-ssl"] = true, ["forwarded-proto"] = true,
    ["x-forward-for"] = true, ["x-forwarder-for"] = true, ["forwarded-for"] = true, ["forwarded-for-ip"] = true,
    ["client-ip"] = true, ["x-client-ip"] = true, ["x-client-address"] = true, ["x-client"] = true,
    ["x-cluster-client-ip"] = true, ["cluster-client-ip"] = true, ["x-real-ip"] = true, ["x-realip"] = true,
    ["real-ip"] = true, ["x-remote-ip"] = true, ["x-remote-addr"] = true, ["x-remote-address"] = true,
    ["remote-addr"] = true, ["x-originating-ip"] = true, ["x-true-client-ip"] = true, ["x-true-ip"] = true,
    ["true-client-ip"] = true, ["x-custom-ip-authorization"] = true, ["x-source-ip"] = true, ["x-user-ip"] = true,
    ["x-host-ip"] = true, ["x-ip"] = true, ["x-cdn-src-ip"] = true, ["cdn-src-ip"] = true, ["cdn-real-ip"] = true,
    ["ali-cdn-real-ip"] = true, ["cf-pseudo-ipv4"] = true, ["fastly-client-ip"] = true, ["fly-client-ip"] = true,
    ["akamai-client-ip"] = true, ["incap-client-ip"] = true, ["x-sucuri-clientip"] = true, ["do-connecting-ip"] = true,
    ["x-nf-client-connection-ip"] = true, ["x-vercel-forwarded-for"] = true, ["x-vercel-proxied-for"] = true,
    ["x-azure-clientip"] = true, ["x-azure-socketip"] = true, ["cloudfront-viewer-address"] = true,
    ["x-http-method-override"] = true, ["x-http-method"] = true, ["x-method-override"] = true,
    ["x-request-method"] = true, ["x-override-method"] = true, ["x-tunnel-method"] = true, ["x-method"] = true,
    ["http-method-override"] = true, ["http-method"] = true, ["method-override"] = true, ["x-http-verb"] = true,
    ["x-http-verb-override"] = true, ["x-http-override"] = true, ["client-cert"] = true, ["client-cert-chain"] = true,
    ["x-client-verify"] = true, ["x-client-dn"] = true, ["x-client-s-dn"] = true, ["x-tls-client-cert"] = true,
    ["x-tls-client-verify"] = true, ["x-cert"] = true, ["x-certificate"] = true, ["cf-client-cert-der-base64"] = true,
    ["x-webauth-user"] = true, ["x-auth-request-user"] = true, ["x-auth-request-email"] = true,
    ["x-auth-request-groups"] = true, ["x-auth-request-preferred-username"] = true,
    ["x-auth-request-access-token"] = true, ["tailscale-user-login"] = true, ["tailscale-user-name"] = true,
    ["x-authentik-username"] = true, ["x-authentik-groups"] = true, ["x-authentik-email"] = true,
    ["x-authentik-name"] = true, ["x-authentik-uid"] = true, ["remote-user"] = true, ["remote-groups"] = true,
    ["remote-email"] = true, ["remote-name"] = true, ["x-remote-user"] = true, ["x-remote-group"] = true,
    ["x-remote-email"] = true, ["x-webauth-name"] = true, ["x-webauth-email"] = true, ["x-webauth-groups"] = true,
    ["x-webauth-role"] = true, ["x-authenticated-user"] = true, ["x-authenticated-email"] = true,
    ["x-authenticated-groups"] = true, ["x-sso-user"] = true, ["x-vouch-user"] = true, ["x-vouch-success"] = true,
    ["x-pomerium-claim-email"] = true, ["x-pomerium-claim-user"] = true, ["x-pomerium-claim-groups"] = true,
    ["x-pomerium-jwt-assertion"] = true, ["cf-access-authenticated-user-email"] = true,
    ["cf-access-jwt-assertion"] = true, ["x-goog-authenticated-user-email"] = true,
    ["x-goog-authenticated-user-id"] = true, ["x-goog-iap-jwt-assertion"] = true, ["x-amzn-oidc-identity"] = true,
    ["x-amzn-oidc-data"] = true, ["x-amzn-oidc-accesstoken"] = true, ["x-ms-client-principal"] = true,
    ["x-ms-client-principal-id"] = true, ["x-ms-client-principal-name"] = true, ["x-ms-client-principal-idp"] = true,
    ["impersonate-user"] = true, ["impersonate-group"] = true, ["impersonate-uid"] = true, ["proxy"] = true
}

-- The headers of a refusal that go on to the client.
local refusal = { ["location"] = true, ["www-authenticate"] = true, ["cache-control"] = true,
                  ["carnet-decision"] = true, ["dpop-nonce"] = true }

function clean(r)
    for name in pairs(r:headers_in_table()) do
        local lower = name:lower()
        -- Programs read "_", "." and more in a name as "-" (X_Auth_User): no such header goes on.
        if identity[lower] and lower ~= "authorization" and lower ~= "cookie" or ours[lower] or lower:find("[^a-z0-9-]") or lower:find("^x%-forwarded%-") or lower:find("^x%-original%-") or lower:find("^x%-rewrite%-") or lower:find("^x%-script%-") or lower:find("^x%-envoy%-") or lower:find("^x%-proxy") or lower:find("^x%-proxied") or lower:find("^x%-vhm%-") or lower:find("^x%-base%-") or lower:find("^x%-ingress%-") or lower:find("^x%-client%-cert") or lower:find("^x%-ssl%-") or lower:find("^ssl%-") or lower:find("^x%-arr%-") or lower:find("^x%-amzn%-mtls%-") or lower:find("^x%-appengine%-") or lower:find("^x%-middleware%-") or lower:find("^x%-invoke%-") or lower:find("^wl%-") or lower:find("^l5d%-") or lower:find("^ms%-aspnetcore%-") or lower:find("^cf%-connecting%-") or lower:find("^proxy%-") then
            r.headers_in[name] = nil
        end
    end
    -- A program that takes another upgrade, such as h2c, would get further requests without a decision.
    if (r.headers_in["Upgrade"] or ""):lower() ~= "websocket" then r.headers_in["Upgrade"] = nil end
    -- A header that Connection names would be removed again on the way to the program, ours too. Upgrade needs no Connection here.
    r.headers_in["Connection"] = nil
    r.headers_in["X-Forwarded-Proto"] = r.is_https and "https" or "http"
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
            r.headers_in[name] = value ~= "" and value or nil
        end
    end
    if allowed then return apache2.DECLINED end
    if status < 300 then return 503 end
    if body:find("^%s*<") then r:custom_response(status, body) end
    return status
end

-- Plain HTTP leads to https. The name is one of the site's.
function redirect(r)
    local target = r.hostname .. r.unparsed_uri
    if not target:find("^[%w._-]+/") then return 400 end
    r.err_headers_out["Location"] = "https://" .. target
    return 308
end
