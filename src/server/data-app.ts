import { hash, timingSafeEqual } from "node:crypto";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import {
  describeError,
  isJsonObject,
  type JsonObject,
  type JsonValue,
  type Logger,
  type Metrics,
  redact,
  type Secret,
} from "#base";
import { type Bundle, datafileJson, diffJson, type QueryableBundle, type QueryRequest, resourceJson } from "#bundle";
import type { DataStore } from "./data-store.ts";

export interface DataAppOptions {
  readonly store: DataStore;
  readonly metrics: Metrics;
  readonly log: Logger;
  /** Wanted for everything but `/healthz`. Undefined: everybody may ask. */
  readonly token?: Secret;
  /** Ends reloads that go on; not the request's own, because several may share one. */
  readonly signal: AbortSignal;
}

const largestBody = 2 ** 20;

const help = `This is a GraphQL server of data files. Ask it by POST or GET:

  curl http://HOST/graphql -H 'content-type: application/json' -d '{"query": "{ __schema { types { name } } }"}'
  curl -G http://HOST/graphql --data-urlencode 'query={ __schema { types { name } } }'
`;

/** The routes of qontract-server. Each answer is made from one bundle, which nothing changes. */
export function createDataApp({ store, metrics, log, token, signal }: DataAppOptions): Hono {
  const { bundles } = store;
  const app = new Hono();

  app.get("/healthz", (context) => context.body(null, 200));
  if (token !== undefined) app.use(requireToken(token));
  app.use(bodyLimit({ maxSize: largestBody, onError: (context) => problem(context, 413, "the query is too long") }));

  app.get("/", (context) => context.redirect("/graphql"));
  app.on(["GET", "POST"], "/graphql", (context) => answer(context, bundles.use(bundles.latest.identity)));
  app.on(["GET", "POST"], "/graphqlsha/:sha", (context) => answer(context, bundles.use(context.req.param("sha"))));
  app.get("/sha256", (context) => context.text(bundles.latest.identity));
  app.get("/git-commit/:sha?", (context) => ofBundle(context, ({ gitCommit = "" }) => context.text(gitCommit)));
  app.get("/git-commit-info/:sha?", (context) =>
    ofBundle(context, ({ gitCommit, gitCommitTimestamp }) =>
      context.json({ commit: gitCommit, timestamp: gitCommitTimestamp }),
    ),
  );
  app.get("/diff/:base/:head", (context) =>
    ofPair(context, (base, head) => context.json(diffJson(base.bundle, head.bundle))),
  );
  app.get("/diff/:base/:head/:filetype/:path{.*}?", (context) =>
    ofPair(context, (base, head) => {
      const { filetype, path = "" } = context.req.param();
      if (!isFileType(filetype)) return context.text(`unknown filetype ${filetype}`, 400);
      const found = fileDiffJson(filetype, `/${path}`, base.bundle, head.bundle);
      return found === undefined ? context.text(`${filetype} not found`, 404) : context.json(found);
    }),
  );
  app.get("/cache", (context) => context.json(describeCache(store)));
  app.get("/metrics", async (context) => {
    const { contentType, body } = await metrics.expose();
    return context.body(body, 200, { "content-type": contentType });
  });
  app.post("/reload", async (context) => {
    try {
      await store.reload(signal);
      return context.body(null, 200);
    } catch (error) {
      return context.text(`not loaded, the old data stays: ${redact(describeError(error))}\n`, 503);
    }
  });
  app.onError((error, context) => {
    // Who went away in the middle of a question is nobody's fault.
    log[isGone(error) ? "debug" : "error"]("a request failed", { path: context.req.path, error });
    return context.text("the server failed; its log says why\n", 500);
  });
  app.notFound((context) => context.text("there is nothing here\n", 404));

  function ofBundle(context: Context, tell: (bundle: QueryableBundle) => Response): Response {
    const sha = context.req.param("sha");
    const bundle = sha === undefined ? bundles.latest : bundles.find(sha);
    return bundle === undefined ? context.text(`Bundle ${sha} not found`, 404) : tell(bundle);
  }

  function ofPair(context: Context, tell: (base: QueryableBundle, head: QueryableBundle) => Response): Response {
    const { base = "", head = "" } = context.req.param();
    const [found, other] = [bundles.find(base), bundles.find(head)];
    if (found && other) return tell(found, other);
    return context.text(`Bundle ${found ? head : base} not found`, 404);
  }

  return app;
}

async function answer(context: Context, bundle: QueryableBundle | undefined): Promise<Response> {
  if (bundle === undefined) return context.notFound();
  try {
    const request = await readQuery(context);
    if (request === undefined) return context.text(help.replaceAll("HOST", new URL(context.req.url).host));
    const result = bundle.answer(request);
    return context.json(result, "data" in result ? 200 : 400);
  } catch (error) {
    if (error instanceof BadRequestError) return problem(context, 400, error.message);
    throw error;
  }
}

/** Undefined for a person with a browser, who has not asked anything yet. */
async function readQuery({ req }: Context): Promise<QueryRequest | undefined> {
  if (req.method === "GET") {
    const params = new URL(req.url).searchParams;
    if (!params.has("query") && req.header("accept")?.includes("text/html")) return undefined;
    return readSearchParams(params);
  }
  // Browsers ask the server before they send JSON to it from another site's page, and it does not agree.
  const [type = ""] = (req.header("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json") throw new BadRequestError("the body must be application/json");
  return readBody(await req.text());
}

function problem(context: Context, status: 400 | 413, message: string): Response {
  return context.json(
    { errors: [{ message, extensions: { code: "BAD_REQUEST" } }], extensions: { schemas: [] } },
    status,
  );
}

function isGone(error: Error): boolean {
  return "code" in error && error.code === "ECONNRESET";
}

/** The keys are those of qontract-server. */
function describeCache({ bundles }: DataStore): object {
  const identities = bundles.all.map(({ queryable }) => queryable.identity);
  return {
    bundleCache: bundles.all.map(({ queryable, expiration }) => ({ sha: queryable.identity, expiration })),
    bundles: identities,
    routerStack: identities.length,
    searchableFields: identities,
  };
}

/** Why a request is none. */
export class BadRequestError extends Error {}

/** The query of a `GET`. */
export function readSearchParams(params: URLSearchParams): QueryRequest {
  const variables = params.get("variables");
  return readRequest({
    query: params.get("query"),
    operationName: params.get("operationName"),
    variables: variables === null ? null : parseJson(variables, "variables"),
  });
}

/** The query of a `POST`. */
export function readBody(body: string): QueryRequest {
  const value = parseJson(body, "the body");
  if (!isJsonObject(value)) throw new BadRequestError("the body is no JSON object with a query");
  return readRequest(value);
}

function readRequest({ query, variables = null, operationName = null }: JsonObject): QueryRequest {
  if (typeof query !== "string" || query === "") throw new BadRequestError("there is no query");
  if (variables !== null && !isJsonObject(variables)) throw new BadRequestError("variables is no object");
  if (operationName !== null && typeof operationName !== "string")
    throw new BadRequestError("operationName is no text");
  return { query, variables: variables ?? undefined, operationName: operationName || undefined };
}

function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestError(`${what} is no JSON`);
  }
}

const fileTypes = ["datafile", "resourcefile"] as const;
type FileType = (typeof fileTypes)[number];

export function isFileType(text: string | undefined): text is FileType {
  return fileTypes.some((type) => type === text);
}

/** Both versions of one file, changed or not; undefined when it is in neither bundle. */
export function fileDiffJson(type: FileType, path: string, base: Bundle, head: Bundle): object | undefined {
  return type === "datafile"
    ? datafileJson(path, base.datafiles.get(path), head.datafiles.get(path))
    : resourceJson(path, base.resources.get(path), head.resources.get(path));
}

/** Lets in who gives the token, as `Bearer TOKEN` or, as clients of qontract do, as it is. */
export function requireToken(token: Secret): MiddlewareHandler {
  const expected = digest(token.reveal());
  return async (context, next) => {
    const given = context.req.header("authorization") ?? "";
    if (timingSafeEqual(digest(given.replace(/^bearer +/i, "")), expected)) return next();
    context.header("www-authenticate", "Bearer");
    return context.text("this server wants a token: send it as Authorization: Bearer TOKEN\n", 401);
  };
}

/** Of equal length, whatever was given. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
