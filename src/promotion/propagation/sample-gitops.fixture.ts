import { createServer, request as sendRequest, type IncomingMessage, type ServerResponse } from "node:http";
import { startSampleGithub } from "../../forge/github/sample-github.fixture.ts";
import type { SampleForgeState } from "../../forge/sample-forge.fixture.ts";
import { closeServer, listenOn } from "#base";
import { startGitServer } from "#git";
import { type SampleRepository, sampleRepository } from "../../git/sample-repository.fixture.ts";

/** A GitOps repository under one address: git's own server, and the documented routes of GitHub for its pull requests. */
export interface SampleGitops extends AsyncDisposable {
  readonly url: string;
  /** What `spec.stages[].repository` has. */
  readonly address: string;
  readonly token: string;
  readonly repository: SampleRepository;
  readonly forge: SampleForgeState;
  /** Begun requests, as `git GET /info/refs` and `forge POST /pulls`. */
  readonly requests: string[];
  /** Resolves with the request of that number, before it is answered. */
  when(count: number): Promise<void>;
  /** Merges a pull request as a person does, and leaves its branch. */
  merge(number: number): string;
  show(ref: string, path: string): string;
}

const token = "t0ken-of-the-gitops-forge";

export async function startSampleGitops(files: Readonly<Record<string, string>>): Promise<SampleGitops> {
  const stack = new AsyncDisposableStack();
  const repository = stack.use(await sampleRepository());
  await repository.commit(files);
  const authorization = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  const git = stack.use(await startGitServer(repository.path, { authorization }));
  const github = stack.use(await startSampleGithub());
  const requests: string[] = [];
  const waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  function pass(incoming: IncomingMessage, response: ServerResponse): void {
    const url = incoming.url ?? "/";
    const isForge = url.startsWith("/api/");
    requests.push(`${isForge ? "forge" : "git"} ${incoming.method} ${url.replace(/^.*gitops(\.git)?/, "")}`);
    for (const { count, resolve } of waiting) if (requests.length >= count) resolve();
    const target = new URL(isForge ? url : url.replace("/acme/gitops.git", "/.git"), isForge ? github.url : git.url);
    const headers = { ...incoming.headers, host: target.host };
    const outgoing = sendRequest(target, { method: incoming.method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    outgoing.on("error", () => response.destroy());
    incoming.on("error", () => outgoing.destroy());
    incoming.pipe(outgoing);
  }
  const server = createServer(pass);
  const url = `http://127.0.0.1:${await listenOn(server, "127.0.0.1", 0)}`;
  stack.defer(() => closeServer(server));
  return {
    url,
    address: `${url}/acme/gitops.git`,
    token,
    repository,
    forge: github.state,
    requests,
    when: (count) =>
      new Promise((resolve) => {
        if (requests.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
    merge(number) {
      const pull = github.state.pulls.find((one) => one.number === number);
      if (!pull) throw new Error(`no pull request ${number}`);
      repository.git("merge", "--quiet", "--no-ff", "--message", `Merge ${number}`, pull.head);
      pull.state = "merged";
      return repository.git("rev-parse", "HEAD");
    },
    show: (ref, path) => repository.git("show", `${ref}:${path}`),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
