-- /etc/haproxy/carnet.lua: asks Carnet's gateway whether a request may pass.
-- (HAProxy 2.6's own httpclient knows no time limit and asks up to four times.)
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
        connection = core.tcp()
        connection:settimeout(10)
        if not connection:connect(host, tonumber(port)) then return end
        connection:send(request)
        line = connection:receive("*l")
    end
    local status, headers, body, stays = response(connection, line)
    if stays and #kept < 32 then kept[#kept + 1] = connection else connection:close() end
    return status, headers, body
end

core.register_action("carnet", { "http-req" }, function(txn)
    local lines = { question }
    for name, values in pairs(txn.http:req_get_headers()) do
        for i = 0, hop[name] and -1 or #values do lines[#lines + 1] = name .. ": " .. values[i] end
    end
    local status, headers, body = ask(lines)
    if not status or status < 200 then return end              -- Refused by the line after this action.

    if status < 300 then
        for _, header in ipairs(headers) do
            if identity[header[1]] then
                if header[2] == "" then txn.http:req_del_header(header[1])
                else txn.http:req_set_header(header[1], header[2]) end
            end
        end
        local set = txn.http:req_get_headers()                 -- A header that does not fit into the buffer is dropped silently.
        for _, header in ipairs(headers) do
            if identity[header[1]] and header[2] ~= "" and not (set[header[1]] and set[header[1]][0] == header[2]) then return end
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
