-- <<folder>>/carnet.lua: asks Carnet's gateway whether a request may pass.
-- (HAProxy 2.6's own httpclient knows no time limit and asks up to four times.)
<<beginning>>

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
