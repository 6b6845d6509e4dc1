import { hash } from "node:crypto";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { deleteCookie, getCookie, setCookie } from "hono/cookie";
import type { z } from "zod";
import { type Clock, describeError, InputError, type Logger, redact, Secret } from "#base";
import { annotations, Plug } from "#coupling";
import { ApiError, type ClusterAccess, ConnectionError, fixedCredentials } from "#kube";
import {
  AttentionQuery,
  ConsoleList,
  consoleLists,
  consoleRoutes,
  type Done,
  type Failure,
  GraphQuery,
  GraphTextQuery,
  ListQuery,
  Login,
  type LoginAnswer,
  type SessionAnswer,
} from "./console-api.ts";
import type { ConsoleData } from "./console-data.ts";
import { addActivityRoutes } from "./activity-routes.ts";
import { addClusterRoutes } from "./cluster-routes.ts";
import { addDataRoutes } from "./data-routes.ts";
import { addEnvironmentRoutes } from "./environment-routes.ts";
import type { DesiredIntegrations } from "./desired-integrations.ts";
import { explainObject } from "./explain-object.ts";
import { answerGraph, answerGraphText } from "./graph-routes.ts";
import { guardRequests } from "./guard-requests.ts";
import type { OidcTokens } from "./oidc/oidc-login.ts";
import { mountOidcRoutes, type OidcOptions } from "./oidc/oidc-routes.ts";
import { LoginRefused } from "./oidc/verify-id-token.ts";
import { Person } from "./person.ts";
import { addPlanRoutes } from "./plan-routes.ts";
import { collectAttention, queryRows } from "./query-rows.ts";
import type { ConsoleSession, SessionBook } from "./session-book.ts";
import { type FailureStatus, parseInput, Refused, withoutRole } from "./refused.ts";
import { SharedObjects } from "./shared-objects.ts";
import { SharedPersons } from "./shared-persons.ts";
import { streamChanges } from "./stream-changes.ts";
import { addValuesRoutes } from "./values-routes.ts";

export interface ConsoleAppOptions {
  /** Where the API server is, and the credentials of the person who started the console. */
  readonly access: ClusterAccess;
  /** Names of namespaces to ask about, for persons who may not list namespaces. */
  readonly candidates: (signal: AbortSignal) => Promise<readonly string[]>;
  readonly sessions: SessionBook;
  /** The addresses that the console has in browsers. */
  readonly origins: () => readonly string[];
  readonly isReadOnly: boolean;
  /** The identity provider, as a further way to log in. */
  readonly oidc?: OidcOptions | undefined;
  /** The data to show, plan and apply, if any. */
  readonly data?: ConsoleData | undefined;
  /** What that data runs on this cluster. */
  readonly desired?: DesiredIntegrations | undefined;
  /** Called when the link was used, which makes it worthless. */
  readonly onLinkUsed: () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How someone logs in. */
interface LoginWay {
  readonly by: "link" | "token" | "oidc";
  /** Equal for equal credentials; a login at a provider has its own, which are renewed for it alone. */
  readonly key?: string;
  readonly login?: OidcTokens;
}

const cookie = "tenon-session";
const largestBody = 32 * 1_024;
/** Each attempt costs the API server a request. */
const mostLogins = 8;

/** The JSON API of the console. Every request to the API server is made with the credentials of the session's person. */
export function createConsoleApp(options: ConsoleAppOptions): Hono {
  const { access, candidates, sessions, origins, isReadOnly, oidc, data, desired, onLinkUsed, clock, log } = options;
  const app = new Hono();
  const shared = new SharedObjects();
  const persons = new SharedPersons();
  let loggingIn = 0;

  app.use(guardRequests(origins));
  app.use("/api/*", async (context, next) => {
    context.header("cache-control", "no-store");
    await next();
  });
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: (context) => fail(context, 413, `the body is larger than ${largestBody / 1_024} KiB`),
    }),
  );

  if (oidc) {
    mountOidcRoutes(app, {
      ...oidc,
      access,
      origins,
      begin: (context, own, login) => begin(context, own, { by: "oidc", login }),
      clock,
      log,
    });
  }

  app.get(consoleRoutes.ways.path, (context) => {
    const answer: z.infer<typeof LoginAnswer> = oidc ? { provider: oidc.provider.options.issuer.host } : {};
    return context.json(answer);
  });

  app.post(consoleRoutes.login.path, async (context) => {
    const login = Login.safeParse(await context.req.json().catch(() => undefined));
    if (!login.success) return fail(context, 400, "expected a link or a token");
    if (loggingIn >= mostLogins) return fail(context, 429, "too many people log in at once", "try again");
    loggingIn += 1;
    try {
      return await startSession(context, login.data);
    } finally {
      loggingIn -= 1;
    }
  });

  app.use("/api/*", async (context, next) => {
    const session = await sessionOf(context);
    if (!session)
      return fail(
        context,
        401,
        "you are not logged in",
        "open the link that `tenon console` printed, or log in with a token",
      );
    return await next();
  });

  app.get(consoleRoutes.session.path, (context) =>
    withSession(context, ({ person }, signal) => describePerson(person, signal)),
  );

  app.delete(consoleRoutes.logout.path, async (context) => {
    const key = getCookie(context, cookie);
    const login = (await sessionOf(context))?.person.login;
    if (key !== undefined) await sessions.end(key);
    deleteCookie(context, cookie, { path: "/" });
    // The session has ended, whatever the provider says.
    const goTo = await login?.end(`${origins()[0]}/`, context.req.raw.signal).catch((error: unknown) => {
      log.warn("console: the identity provider was not told of a logout", { error: describeError(error) });
      return undefined;
    });
    const answer: z.infer<typeof Done> = { done: "logged out", ...(goTo === undefined ? {} : { goTo }) };
    return context.json(answer);
  });

  app.get(consoleRoutes.attention.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const lists = await Promise.all(consoleLists.map((list) => person.list(list).rows(signal)));
      const query = parseInput(AttentionQuery, context.req.query());
      const problem = firstProblem(person, consoleLists);
      const rows = lists.flat().map(({ row }) => row);
      return { ...collectAttention(rows, query), ...(problem === undefined ? {} : { problem }) };
    }),
  );

  app.get(consoleRoutes.list.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const list = person.list(requireList(context));
      const query = parseInput(ListQuery, context.req.query());
      const rows = await list.rows(signal);
      const problem = list.absent ?? list.problem ?? list.incomplete;
      return { ...queryRows(rows, query), ...(problem === undefined ? {} : { problem }) };
    }),
  );

  app.get(consoleRoutes.graph.path, (context) =>
    withSession(context, ({ person }, signal) =>
      answerGraph(person, parseInput(GraphQuery, context.req.query()), signal),
    ),
  );

  app.get(consoleRoutes.graphText.path, (context) =>
    withSession(context, ({ person }, signal) =>
      answerGraphText(person, parseInput(GraphTextQuery, context.req.query()), signal),
    ),
  );

  app.get(consoleRoutes.object.path, (context) =>
    withSession(context, async ({ person }, signal) =>
      orNotFound(await explainObject(requireList(context), keyIn(context), person, isReadOnly, signal)),
    ),
  );

  app.post(consoleRoutes.retry.path, (context) =>
    withSession(context, async ({ person }, signal) => {
      const list = requireList(context);
      if (isReadOnly) throw new Refused(403, "this console is read-only");
      if (list !== "plugs" && list !== "sockets") throw new Refused(400, "only plugs and sockets can be retried");
      const key = keyIn(context);
      const ref = { apiVersion: Plug.apiVersion, kind: list === "plugs" ? "Plug" : "Socket", ...key };
      const body = { metadata: { annotations: { [annotations.retry]: new Date(clock.now()).toISOString() } } };
      await person.client.patch(ref, { type: "merge", body, fieldManager: "tenon" }, signal);
      const { user } = await person.identify(signal);
      log.info("console: a person retried an object", { user, kind: ref.kind, ...key });
      return { done: `${ref.kind} ${key.namespace}/${key.name}: retrying` };
    }),
  );

  app.get(consoleRoutes.changes.path, async (context) => {
    const session = await sessionOf(context);
    const lists = (context.req.query("lists") ?? "").split(",").filter(isList);
    if (!session || lists.length === 0) return fail(context, 400, "expected the names of lists in lists");
    const { signal } = context.req.raw;
    const problem = await Promise.all(lists.map((list) => session.person.list(list).ready(signal))).catch(failureOf);
    if (problem && !Array.isArray(problem)) return fail(context, problem.status, problem.error, problem.next);
    context.header("content-type", "text/event-stream");
    // Proxies that collect answers would hold the events back.
    context.header("x-accel-buffering", "no");
    const lastId = context.req.header("last-event-id");
    const check = async (until: AbortSignal): Promise<void> => {
      await session.person.identify(until).catch(async (error: unknown) => {
        const key = getCookie(context, cookie);
        if (failureOf(error).status === 401 && key !== undefined) await sessions.end(key);
      });
    };
    return context.body(streamChanges({ session, lists, lastId, check, clock, request: signal }));
  });

  addPlanRoutes(app, { data, withSession, isReadOnly, clock, log });
  addDataRoutes(app, { data, withSession });
  addValuesRoutes(app, { data, withSession });
  addClusterRoutes(app, { data, withSession });
  addActivityRoutes(app, { data, withSession });
  addEnvironmentRoutes(app, withSession);

  app.all("/api/*", (context) => fail(context, 404, "not found"));

  async function startSession(context: Context, login: z.infer<typeof Login>): Promise<Response> {
    if ("link" in login && !sessions.useLink(login.link)) {
      return fail(context, 401, "this link was used before, or is too old", "`tenon console` prints a new one");
    }
    const own = "link" in login ? access : accessWith(access, new Secret(login.token));
    const way: LoginWay =
      "link" in login ? { by: "link", key: "link" } : { by: "token", key: `token ${hash("sha256", login.token)}` };
    try {
      return context.json(await begin(context, own, way));
    } catch (error) {
      const { status, error: what, next } = failureOf(error);
      return fail(context, status, what, next);
    } finally {
      if ("link" in login) onLinkUsed();
    }
  }

  /** A session of who has this access, in this browser. */
  async function begin(
    context: Context,
    own: ClusterAccess,
    { by, key: credentials, login }: LoginWay,
  ): Promise<SessionAnswer> {
    const signal = AbortSignal.any([context.req.raw.signal, AbortSignal.timeout(30_000)]);
    const held = persons.take(
      credentials,
      () => new Person({ access: own, isStarter: by === "link", candidates, shared, desired, login, clock, log }),
    );
    try {
      const answer = await describePerson(held.person, signal);
      const key = await sessions.start(held);
      const isSecure = origins().every((origin) => origin.startsWith("https:"));
      setCookie(context, cookie, key, { httpOnly: true, sameSite: "Strict", path: "/", secure: isSecure });
      log.info("console: a person logged in", { user: answer.user, by });
      return answer;
    } catch (error) {
      await held[Symbol.asyncDispose]();
      throw error;
    }
  }

  async function describePerson(person: Person, signal: AbortSignal): Promise<SessionAnswer> {
    const { user } = await person.identify(signal);
    return { user, cluster: person.cluster, readOnly: isReadOnly };
  }

  async function sessionOf(context: Context): Promise<ConsoleSession | undefined> {
    const key = getCookie(context, cookie);
    return key === undefined ? undefined : await sessions.find(key);
  }

  /** Answers with what `work` returns; ends the session if the API server no longer accepts the person's credentials. */
  async function withSession(
    context: Context,
    work: (session: ConsoleSession, signal: AbortSignal) => Promise<unknown>,
  ): Promise<Response> {
    const session = await sessionOf(context);
    if (!session) return fail(context, 401, "you are not logged in");
    const signal = AbortSignal.any([context.req.raw.signal, session.ended]);
    try {
      await session.person.identify(signal);
      const text = redact(JSON.stringify(await work(session, signal)));
      return context.body(text, 200, { "content-type": "application/json" });
    } catch (error) {
      const { status, error: what, next } = failureOf(error);
      const key = getCookie(context, cookie);
      if (status === 401 && key !== undefined) await sessions.end(key);
      if (status === 500 && !signal.aborted) log.warn("console: a request failed", { path: context.req.path, error });
      return fail(context, status, what, next);
    }
  }

  return app;
}

/** The same API server with the token alone: no certificate and without the impersonation of the person who started the console. */
function accessWith(access: ClusterAccess, token: Secret): ClusterAccess {
  const { impersonation: _, ...reached } = access;
  return { ...reached, credentials: fixedCredentials({ token }) };
}

/** An object that does not exist and one that the person may not see are the same. */
const notFound = "not found, or you may not see it";

function failureOf(error: unknown): Failure & { readonly status: FailureStatus } {
  if (error instanceof Refused) {
    const { status, message, next } = error;
    return { status, error: message, ...(next === undefined ? {} : { next }) };
  }
  if (error instanceof LoginRefused) return { status: 401, error: error.message, next: "log in again" };
  if (error instanceof ApiError) {
    if (error.isUnauthorized) {
      return { status: 401, error: "the API server no longer accepts your credentials", next: "log in again" };
    }
    if (error.isForbidden) {
      return {
        status: 403,
        error: withoutRole(describeError(error)),
        next: "ask an administrator of the namespace for the right",
      };
    }
    if (error.isNotFound) return { status: 404, error: notFound };
    if (error.status < 500) return { status: 409, error: describeError(error) };
    return { status: 503, error: describeError(error), next: "the page tries again" };
  }
  if (error instanceof ConnectionError)
    return { status: 503, error: describeError(error), next: "the page tries again" };
  if (error instanceof InputError) {
    const { next } = error;
    const status = error.what.startsWith("the API server does not know") ? 401 : 400;
    return { status, error: redact(error.what), ...(next === undefined ? {} : { next: redact(next) }) };
  }
  return { status: 500, error: "the console failed; its log says why" };
}

function fail(context: Context, status: FailureStatus, error: string, next?: string): Response {
  const failure: Failure = { error, ...(next === undefined ? {} : { next }) };
  return context.json(failure, status);
}

function isList(name: string | undefined): name is ConsoleList {
  return ConsoleList.safeParse(name).success;
}

function requireList(context: Context): ConsoleList {
  const list = context.req.param("list");
  if (isList(list)) return list;
  throw new Refused(404, `expected one of ${consoleLists.join(", ")}`);
}

function keyIn(context: Context): { readonly namespace: string; readonly name: string } {
  return { namespace: context.req.param("namespace") ?? "", name: context.req.param("name") ?? "" };
}

function orNotFound<Answer>(answer: Answer | undefined): Answer {
  if (answer === undefined) throw new Refused(404, notFound);
  return answer;
}

function firstProblem(person: Person, lists: readonly ConsoleList[]): string | undefined {
  const found = lists.map((list) => person.list(list));
  return found.flatMap(({ problem }) => problem ?? [])[0] ?? found.flatMap(({ incomplete }) => incomplete ?? [])[0];
}
