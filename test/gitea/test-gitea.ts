import { randomUUID } from "node:crypto";
import { Agent, request } from "undici";
import type { GiteaAccess } from "./start-gitea.ts";

/** An account and a token of it. */
export interface GiteaUser {
  readonly name: string;
  readonly token: string;
}

export interface GiteaRepository {
  /** For git, such as `https://127.0.0.1:3000/user/name.git`. */
  readonly address: string;
  /** In the API, such as `/repos/user/name`. */
  readonly path: string;
  readonly owner: GiteaUser;
}

export interface GiteaAnswer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test says what it expects of an answer
  readonly body: any;
}

/** Prepares and reads a Gitea by its API, apart from the adapter that tests are about. */
export class TestGitea implements AsyncDisposable {
  readonly access: GiteaAccess;
  readonly #agent: Agent;

  constructor(access: GiteaAccess) {
    this.access = access;
    this.#agent = new Agent({ connect: { ca: access.certificateAuthority }, connections: 4 });
  }

  /** Calls below `/api/v1`, as the administrator unless a token or `Basic ...` is given. */
  async call(method: string, path: string, body?: unknown, as: string = this.access.token): Promise<GiteaAnswer> {
    const answer = await request(`${this.access.url}/api/v1${path}`, {
      dispatcher: this.#agent,
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of HTTP
      method: method as "GET",
      headers: { authorization: as.includes(" ") ? as : `token ${as}`, "content-type": "application/json" },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    return { status: answer.statusCode, body: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : text };
  }

  /** The same, for an answer that must be a success. */
  async expect(method: string, path: string, body?: unknown, as?: string): Promise<GiteaAnswer["body"]> {
    const answer = await this.call(method, path, body, as);
    if (answer.status >= 200 && answer.status < 300) return answer.body;
    throw new Error(`Gitea answers ${answer.status} to ${method} ${path}: ${JSON.stringify(answer.body)}`);
  }

  /** A new account; what its token may do is everything, or these scopes, such as `read:repository`. */
  async createUser(scopes: readonly string[] = ["all"]): Promise<GiteaUser> {
    const name = `user-${randomUUID().slice(0, 8)}`;
    const account = { username: name, email: `${name}@tests.invalid`, password: name, must_change_password: false };
    await this.expect("POST", "/admin/users", account);
    return { name, token: await this.createToken(name, scopes) };
  }

  /** One more token of an account that `createUser` made. */
  async createToken(user: string, scopes: readonly string[]): Promise<string> {
    const basic = `Basic ${Buffer.from(`${user}:${user}`).toString("base64")}`;
    const token = { name: randomUUID(), scopes };
    const { sha1 } = await this.expect("POST", `/users/${user}/tokens`, token, basic);
    return sha1;
  }

  async revokeToken(user: string, token: string): Promise<void> {
    const basic = `Basic ${Buffer.from(`${user}:${user}`).toString("base64")}`;
    const tokens = await this.expect("GET", `/users/${user}/tokens`, undefined, basic);
    const found = tokens.find((one: { token_last_eight: string }) => token.endsWith(one.token_last_eight));
    await this.expect("DELETE", `/users/${user}/tokens/${found.id}`, undefined, basic);
  }

  /** A new repository with these files in one commit on branch `main`, of a new account unless one is given. */
  async createRepository(
    files: Readonly<Record<string, string | Uint8Array>>,
    given?: GiteaUser,
  ): Promise<GiteaRepository> {
    const owner = given ?? (await this.createUser());
    const name = `gitops-${randomUUID().slice(0, 8)}`;
    await this.expect("POST", "/user/repos", { name, default_branch: "main" }, owner.token);
    const address = `${this.access.url}/${owner.name}/${name}.git`;
    const repository = { address, path: `/repos/${owner.name}/${name}`, owner };
    await this.commit(repository, files);
    return repository;
  }

  /** One commit on a branch, with new contents of these files; returns its hash. */
  async commit(
    { path, owner }: GiteaRepository,
    files: Readonly<Record<string, string | Uint8Array>>,
    branch = "main",
  ): Promise<string> {
    const changes = Object.entries(files).map(([file, content]) => {
      return { operation: "upload", path: file, content: Buffer.from(content).toString("base64") };
    });
    const body = { branch, message: "as a person", files: changes };
    const { commit } = await this.expect("POST", `${path}/contents`, body, owner.token);
    return commit.sha;
  }

  /** A file of a branch; undefined if it is not there. */
  async readFile({ path }: GiteaRepository, file: string, branch: string): Promise<string | undefined> {
    const raw = `${path}/raw/${file}?ref=${encodeURIComponent(branch)}`;
    const { status, body } = await this.call("GET", raw);
    return status === 200 ? body : undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#agent.destroy();
  }
}
