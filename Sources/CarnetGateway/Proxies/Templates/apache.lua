-- <<folder>>/carnet.lua: asks Carnet's gateway whether a request may pass. An error in here is Apache's 500: nothing passes.
local socket = require "socket"
<<beginning>>

-- Not from outside: what the proxy says, and what would serve another sender, path or method than the one decided.
local ours = {
<<removed>>
}

-- The headers of a refusal that go on to the client.
local refusal = { ["location"] = true, ["www-authenticate"] = true, ["cache-control"] = true,
                  ["carnet-decision"] = true, ["dpop-nonce"] = true }

function clean(r)
    for name in pairs(r:headers_in_table()) do
        local lower = name:lower()
        -- Programs read "_", "." and more in a name as "-" (X_Auth_User): no such header goes on.
        if identity[lower] and lower ~= "authorization" and lower ~= "cookie" or ours[lower] or lower:find("[^a-z0-9-]")<<#beginnings>> or lower:find("^<<escaped>>")<</beginnings>> then
            r.headers_in[name] = nil
        end
    end
    -- A program that takes another upgrade, such as h2c, would get further requests without a decision.
    if (r.headers_in["Upgrade"] or ""):lower() ~= "websocket" then r.headers_in["Upgrade"] = nil end
    -- A header that Connection names would be removed again on the way to the program, ours too. Upgrade needs no Connection here.
    r.headers_in["Connection"] = nil
    r.headers_in["X-Forwarded-Proto"] = <<#behindTLS>>"https"<</behindTLS>><<^behindTLS>>r.is_https and "https" or "http"<</behindTLS>>
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
<<#redirects>>

-- Plain HTTP leads to https. The name is one of the site's.
function redirect(r)
    local target = r.hostname .. r.unparsed_uri
    if not target:find("^[%w._-]+/") then return 400 end
    r.err_headers_out["Location"] = "https://" .. target
    return 308
end
<</redirects>>
