import type { IncomingMessage } from "node:http";
import { type Clock, InputError, type Logger, Secret } from "#base";
import { ApiError, type KubeClient, reviewAccess, reviewToken, type UserInfo } from "#kube";
import { declareBuild, upstreamGroup } from "#promotion";
import { type PortAnswer, type OpenPort, openPort, type PortOptions } from "./open-port.ts";
import { readBody } from "./read-body.ts";
import { readBuild } from "./read-build.ts";

export interface BuildsServerOptions extends PortOptions {
  /** Reviews callers, and creates Snapshots. */
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now">;
  readonly log: Logger;
}

/** The audience of callers' tokens: a token that Tenon receives is valid for nothing else. */
export const buildsAudience = "tenon";

const route = /^\/namespaces\/([a-z0-9]([-a-z0-9]*[a-z0-9])?)\/builds$/;
const largestBody = 16 * 1_024;
/** Each unknown caller costs the API server a review, so there are never more of them. */
const mostAtOnce = 32;
const patienceMs = 30_000;

/**
 * Serves `POST /namespaces/NAMESPACE/builds`, by which any CI says what it built. The caller's token must be for the audience
 * `tenon`, and the caller must have the right to create Snapshots in the namespace; sent again, a build changes nothing.
 */
export async function serveBuilds({ port, host, client, clock, log }: BuildsServerOptions): Promise<OpenPort> {
  let running = 0;

  async function answer(request: IncomingMessage, signal: AbortSignal): Promise<PortAnswer> {
    const [, namespace] = route.exec(new URL(request.url ?? "/", "http://localhost").pathname) ?? [];
    if (namespace === undefined) return refuse(404, "not found", "send builds to /namespaces/NAMESPACE/builds");
    if (request.method !== "POST") return refuse(405, "expected POST", undefined, { allow: "POST" });
    const [, token] = /^Bearer +(\S+)$/i.exec(request.headers.authorization ?? "") ?? [];
    const caller =
      token === undefined ? undefined : await reviewToken(client, new Secret(token), buildsAudience, signal);
    if (!caller) return refuseToken(token);
    const right = { verb: "create", group: upstreamGroup, resource: "snapshots", namespace };
    if (!(await reviewAccess(client, caller, right, signal)).isAllowed) {
      log.warn("refused a build: the caller may not create Snapshots", { namespace, user: caller.user });
      return refuse(
        403,
        `${caller.user} may not create Snapshots in namespace ${namespace}`,
        `bind a Role to it that allows create on snapshots.${upstreamGroup}`,
      );
    }
    const body = await readBody(request, largestBody);
    if (!body) return refuse(413, `the body is larger than ${largestBody / 1_024} KiB`);
    return await declare(body, namespace, caller, signal);
  }

  async function declare(
    body: Buffer,
    namespace: string,
    { user }: UserInfo,
    signal: AbortSignal,
  ): Promise<PortAnswer> {
    const read = readBuild(body);
    if (read.kind === "refused") {
      return refuse(400, read.problem, 'send {"component": "web", "image": "REPOSITORY@sha256:...", "commit": "..."}');
    }
    const build = { namespace, commit: undefined, ...read.build, startedAt: clock.now() };
    const { snapshot, isKnown } = await declareBuild(build, client, signal);
    const { name } = snapshot.metadata;
    if (!isKnown) log.info("a CI declared a build", { namespace, component: build.component, snapshot: name, user });
    return json(isKnown ? 200 : 201, { namespace, snapshot: name, isNew: !isKnown });
  }

  return await openPort({ port, host }, async (request) => {
    if (running >= mostAtOnce) return refuse(429, "too many requests at once", "send it again", { "retry-after": "1" });
    running += 1;
    try {
      return await answer(request, AbortSignal.timeout(patienceMs));
    } catch (error) {
      if (error instanceof InputError) return refuse(422, error.what, error.next);
      // A quota, for example: the caller's own rights are known by now.
      if (error instanceof ApiError && error.isForbidden)
        return refuse(409, `cannot create the Snapshot: ${error.message}`);
      if (error instanceof ApiError && (error.isInvalid || error.isBadRequest))
        return refuse(422, `cannot create the Snapshot: ${error.message}`, "correct what the message names");
      log.warn("a declared build failed", { error });
      return refuse(503, "Tenon cannot do this now", "send it again", { "retry-after": "5" });
    } finally {
      running -= 1;
    }
  });
}

function refuseToken(token: string | undefined): PortAnswer {
  const next = `send Authorization: Bearer TOKEN, with a token for the audience ${buildsAudience}`;
  const headers = { "www-authenticate": `Bearer realm="${buildsAudience}"` };
  return refuse(401, token === undefined ? "the request has no token" : "the token is not valid", next, headers);
}

function refuse(
  status: number,
  error: string,
  next?: string,
  headers: Readonly<Record<string, string>> = {},
): PortAnswer {
  const { text, headers: type } = json(status, { error, ...(next === undefined ? {} : { next }) });
  // What is left of the body is not read.
  return { status, text, headers: { ...type, connection: "close", ...headers } };
}

function json(status: number, value: object): PortAnswer & { readonly headers: Readonly<Record<string, string>> } {
  return { status, text: `${JSON.stringify(value)}\n`, headers: { "content-type": "application/json" } };
}
