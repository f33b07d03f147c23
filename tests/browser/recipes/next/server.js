// As much of next/server as the recipe uses, by its documentation.
export class NextRequest extends Request {
  get cookies() {
    const pairs = (this.headers.get("cookie") ?? "").split("; ").map((pair) => pair.split("="));
    return {
      get: (name) => {
        const found = pairs.find(([key]) => key === name);
        return found && { name, value: decodeURIComponent(found[1]) };
      },
    };
  }
}

export class NextResponse extends Response {
  static next() {
    return new NextResponse(null, { headers: { "x-middleware-next": "1" } });
  }

  static redirect(url) {
    return new NextResponse(null, { status: 307, headers: { location: url } });
  }

  get cookies() {
    return {
      set: (name, value, { maxAge, path, sameSite, secure }) =>
        this.headers.append(
          "set-cookie",
          `${name}=${encodeURIComponent(value)}; Path=${path}; Max-Age=${maxAge}; ` +
            `SameSite=${sameSite}${secure ? "; Secure" : ""}`
        ),
      delete: (name) => this.headers.append("set-cookie", `${name}=; Path=/; Max-Age=0`),
    };
  }
}
