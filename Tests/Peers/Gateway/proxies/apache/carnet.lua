-- /etc/apache2/carnet.lua: asks Carnet's gateway whether a request may pass. An error in here is Apache's 500: nothing passes.
local socket = require "socket"
local host, port = ("127.0.0.1:4180"):match("^(.*):(%d+)$")
local identity = { ["x-auth-user"] = true, ["x-auth-email"] = true, ["x-auth-groups"] = true, ["x-auth-assertion"] = true }
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
local ours = { ["x-gateway-secret"] = true, ["forwarded"] = true, ["x-real-ip"] = true, ["x-rewrite-url"] = true, ["x-http-method-override"] = true, ["x-http-method"] = true, ["x-method-override"] = true }

-- The headers of a refusal that go on to the client.
local refusal = { ["location"] = true, ["www-authenticate"] = true, ["cache-control"] = true,
                  ["carnet-decision"] = true, ["dpop-nonce"] = true }

function clean(r)
    for name in pairs(r:headers_in_table()) do
        local lower = name:lower()
        -- Programs read "_", "." and more in a name as "-" (X_Auth_User): no such header goes on.
        if identity[lower] or ours[lower] or lower:find("[^a-z0-9-]") or lower:find("^x%-forwarded%-") or lower:find("^x%-original%-") then
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
            r.headers_in[name] = value
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
