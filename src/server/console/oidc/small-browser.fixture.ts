/** A browser that keeps cookies, and shows where it is sent. */
export class SmallBrowser {
  readonly cookies = new Map<string, string>();
  readonly #origin: () => string;

  /** `origin` is that of the console. */
  constructor(origin: () => string) {
    this.#origin = origin;
  }

  async go(url: string, init: RequestInit = {}): Promise<{ status: number; to: string; body: string }> {
    const headers = new Headers(init.headers);
    headers.set("cookie", [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const answer = await fetch(url, { ...init, headers, redirect: "manual", signal: AbortSignal.timeout(300_000) });
    for (const line of answer.headers.getSetCookie()) {
      const [name = "", value = ""] = (line.split(";", 1)[0] ?? "").split("=");
      if (value === "") this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    return { status: answer.status, to: answer.headers.get("location") ?? "", body: await answer.text() };
  }

  /** To the provider and, unless stopped there, back. */
  async begin(to = "/"): Promise<string> {
    const login = await this.go(`${this.#origin()}/oidc/login?to=${encodeURIComponent(to)}`);
    return (await this.go(login.to)).to;
  }

  async logIn(to?: string): Promise<string> {
    return (await this.go(await this.begin(to))).to;
  }

  get hasSession(): boolean {
    return this.cookies.has("tenon-session");
  }

  async read(path: string) {
    const { status, body } = await this.go(`${this.#origin()}${path}`);
    return { status, body: JSON.parse(body) };
  }
}
