// Serves the recipes that run on a server, and the service that they ask.
// node serve.mjs SCRIPT: prints its port. Beside it: route.js, proxy.js.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { text } from "node:stream/consumers";
import { NextRequest } from "next/server";

const SCRIPT = readFileSync(process.argv[2]);
const PAGE = `<!doctype html><title>Shop</title><script src="/referral.js" defer></script>`;
const BARE_PAGE = "<!doctype html><title>Shop</title>";
const calls = [];

const server = createServer(async (incoming, outgoing) => {
  const response = await answer(incoming);
  const headers = Object.fromEntries(response.headers);
  delete headers["x-middleware-next"];
  outgoing.writeHead(response.status, headers);
  outgoing.end(Buffer.from(await response.arrayBuffer()));
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
const { port } = server.address();
process.env.AFFILIATES_API = `http://127.0.0.1:${port}/service`;
const { POST } = await import("./route.js");
const { proxy } = await import("./proxy.js");
console.log(port);

async function answer(incoming) {
  const body = await text(incoming);
  const { pathname, hostname } = new URL(`http://${incoming.headers.host}${incoming.url}`);
  // As under Next.js: the address names the server, not the visited host.
  const request = new NextRequest(`http://localhost:3000${incoming.url}`, {
    method: incoming.method,
    headers: incoming.headers,
    body: body || undefined,
  });
  if (pathname === "/calls") return Response.json(calls);
  if (pathname === "/referral.js") return script();
  if (pathname === "/favicon.ico") return new Response("", { status: 404 });
  if (pathname === "/service/api/affiliate_link/visit") return serve(incoming.headers, body);
  if (pathname === "/api/affiliate_link/visit") return POST(request);
  if (hostname !== "next.localhost") return page(PAGE);
  const decided = await proxy(request);
  const goesOn = decided.headers.has("x-middleware-next");
  return goesOn ? page(BARE_PAGE, decided.headers) : decided;
}

function serve(headers, body) {
  const visit = JSON.parse(body);
  calls.push({ headers, visit });
  const { origin, href, searchParams } = new URL(visit.visit_url);
  if (searchParams.get("ref") === "broken") return new Response("", { status: 503 });
  const data = { redirect_url: href.includes("/aff/") ? `${origin}/plans` : `${href}#` };
  if (searchParams.get("ref") !== "nobody") {
    Object.assign(data, { referral_cookie: `token-${calls.length}`, referral_cookie_max_age: 7776000 });
  }
  return Response.json({ data });
}

function page(content, headers = {}) {
  const answered = new Headers(headers);
  answered.set("content-type", "text/html");
  return new Response(content, { headers: answered });
}

function script() {
  return new Response(SCRIPT, { headers: { "content-type": "text/javascript" } });
}
