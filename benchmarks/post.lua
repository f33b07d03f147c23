-- Sends the prepared visits in turn; reports one JSON line.
-- args[1]: a file with one visit on each line: client address, space, body.
-- args[2]: how many of them to leave out at first.

local prepared = {}
local position = 0

function init(args)
  position = tonumber(args[2])
  for line in io.lines(args[1]) do
    local address, body = line:match("^(%S+) (.+)$")
    prepared[#prepared + 1] = wrk.format("POST", "/api/affiliate_link/visit", {
      ["Content-Type"] = "application/json",
      ["Origin"] = "https://shop.example.com",
      ["X-Forwarded-For"] = address,
    }, body)
  end
end

function request()
  position = position % #prepared + 1
  return prepared[position]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '\n{"answered": %d, "seconds": %.6f, "p50_ms": %.3f, "p99_ms": %.3f, "failed": %d}\n',
    summary.requests,
    summary.duration / 1e6,
    latency:percentile(50) / 1000,
    latency:percentile(99) / 1000,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout
  ))
end
