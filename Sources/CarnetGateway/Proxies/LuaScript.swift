/// The part that the scripts of all proxies with Lua share.
extension ProxySetup {
    /// The beginning of a script. It declares `identity`, `hop`, `question` (the first lines of a request for a decision) and `ask`.
    ///
    /// - Parameter socket: The expression that makes a socket.
    func luaBeginning(socket: String) -> String {
        let (declaration, place) =
            switch gateway {
            case .address(let address):
                ("local host, port = (\"\(address)\"):match(\"^(.*):(%d+)$\")\n", "host, tonumber(port)")
            case .socket(let path): ("", "\"unix@\(path)\"")
            }
        let secret = secretVariable.map { #"\r\nX-Gateway-Secret: " .. (os.getenv("\#($0)") or "")"# } ?? "\""
        return #"""
            \#(declaration)local identity = { \#(Self.luaSet(headers)) }
            local question = "GET /carnet/decide HTTP/1.1\#(secret)

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
                    connection = \#(socket)
                    connection:settimeout(10)
                    if not connection:connect(\#(place)) then return end
                    connection:send(request)
                    line = connection:receive("*l")
                end
                local status, headers, body, stays = response(connection, line)
                if stays and #kept < 32 then kept[#kept + 1] = connection else connection:close() end
                return status, headers, body
            end
            """#
    }

    /// The entries of a table with these names of headers, in lower case.
    static func luaSet(_ names: [String]) -> String {
        names.map { "[\"\($0.lowercased())\"] = true" }.joined(separator: ", ")
    }
}
