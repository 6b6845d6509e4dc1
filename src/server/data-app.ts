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
  /** Required for every route except `/healthz`. Undefined: no authorization. */
  readonly token?: Secret;
  /** Ends running reloads; not the signal of a request, because several requests may share a reload. */
  readonly signal: AbortSignal;
}

const largestBody = 2 ** 20;

const help = `This is a GraphQL server of data files. Send a query by POST or GET:

  curl http://HOST/graphql -H 'content-type: application/json' -d '{"query": "{ __schema { types { name } } }"}'
  curl -G http://HOST/graphql --data-urlencode 'query={ __schema { types { name } } }'
`;

/** The routes of qontract-server. Each answer is read from one immutable bundle. */
export function createDataApp({ store, metrics, log, token, signal }: DataAppOptions): Hono {
  const { bundles } = store;
  const app = new Hono();

  app.get("/healthz", (context) => context.body(null, 200));
  if (token !== undefined) app.use(requireToken(token));
  app.use(
    bodyLimit({
      maxSize: largestBody,
      onError: (context) => badRequest(context, 413, "the query is larger than 1 MiB"),
    }),
  );

  app.get("/", (context) => context.redirect("/graphql"));
  app.on(["GET", "POST"], "/graphql", (context) => answer(context, bundles.use(bundles.latest.identity)));
  app.on(["GET", "POST"], "/graphqlsha/:sha", (context) => answer(context, bundles.use(context.req.param("sha"))));
  app.get("/sha256", (context) => context.text(bundles.latest.identity));
  app.get("/git-commit/:sha?", (context) => withBundle(context, ({ gitCommit = "" }) => context.text(gitCommit)));
  app.get("/git-commit-info/:sha?", (context) =>
    withBundle(context, ({ gitCommit, gitCommitTimestamp }) =>
      context.json({ commit: gitCommit, timestamp: gitCommitTimestamp }),
    ),
  );
  app.get("/diff/:base/:head", (context) =>
    withBundles(context, (base, head) => context.json(diffJson(base.bundle, head.bundle))),
  );
  app.get("/diff/:base/:head/:filetype/:path{.*}?", (context) =>
    withBundles(context, (base, head) => {
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
      return context.text(`reload failed, still serving the previous data: ${redact(describeError(error))}\n`, 503);
    }
  });
  app.onError((error, context) => {
    // A client that closed its connection is not an error of the server.
    log[isConnectionReset(error) ? "debug" : "error"]("request failed", { path: context.req.path, error });
    return context.text("internal server error; see the server log\n", 500);
  });
  app.notFound((context) => context.text("not found\n", 404));

  function withBundle(context: Context, respond: (bundle: QueryableBundle) => Response): Response {
    const sha = context.req.param("sha");
    const bundle = sha === undefined ? bundles.latest : bundles.find(sha);
    return bundle === undefined ? context.text(`Bundle ${sha} not found`, 404) : respond(bundle);
  }

  function withBundles(
    context: Context,
    respond: (base: QueryableBundle, head: QueryableBundle) => Response,
  ): Response {
    const { base = "", head = "" } = context.req.param();
    const [found, other] = [bundles.find(base), bundles.find(head)];
    if (found && other) return respond(found, other);
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
    if (error instanceof BadRequestError) return badRequest(context, 400, error.message);
    throw error;
  }
}

/** Undefined for a browser that opens the page without a query. */
async function readQuery({ req }: Context): Promise<QueryRequest | undefined> {
  if (req.method === "GET") {
    const params = new URL(req.url).searchParams;
    if (!params.has("query") && req.header("accept")?.includes("text/html")) return undefined;
    return readSearchParams(params);
  }
  // A page of another site can only send JSON after a CORS preflight, which this server does not answer.
  const [type = ""] = (req.header("content-type") ?? "").split(";");
  if (type.trim().toLowerCase() !== "application/json")
    throw new BadRequestError("expected content-type application/json");
  return readBody(await req.text());
}

function badRequest(context: Context, status: 400 | 413, message: string): Response {
  return context.json(
    { errors: [{ message, extensions: { code: "BAD_REQUEST" } }], extensions: { schemas: [] } },
    status,
  );
}

function isConnectionReset(error: Error): boolean {
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

/** The request is not a valid GraphQL request. */
class BadRequestError extends Error {}

/** The query of a `GET`. */
function readSearchParams(params: URLSearchParams): QueryRequest {
  const variables = params.get("variables");
  return readRequest({
    query: params.get("query"),
    operationName: params.get("operationName"),
    variables: variables === null ? null : parseJson(variables, "variables"),
  });
}

/** The query of a `POST`. */
function readBody(body: string): QueryRequest {
  const value = parseJson(body, "the body");
  if (!isJsonObject(value)) throw new BadRequestError('expected a JSON object with a "query"');
  return readRequest(value);
}

function readRequest({ query, variables = null, operationName = null }: JsonObject): QueryRequest {
  if (typeof query !== "string" || query === "") throw new BadRequestError('expected a "query"');
  if (variables !== null && !isJsonObject(variables)) throw new BadRequestError('expected "variables" to be an object');
  if (operationName !== null && typeof operationName !== "string")
    throw new BadRequestError('expected "operationName" to be a string');
  return { query, variables: variables ?? undefined, operationName: operationName || undefined };
}

function parseJson(text: string, what: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch {
    throw new BadRequestError(`${what} is not valid JSON`);
  }
}

const fileTypes = ["datafile", "resourcefile"] as const;
type FileType = (typeof fileTypes)[number];

function isFileType(text: string | undefined): text is FileType {
  return fileTypes.some((type) => type === text);
}

/** Both versions of one file, changed or not; undefined when it is in neither bundle. */
function fileDiffJson(type: FileType, path: string, base: Bundle, head: Bundle): object | undefined {
  return type === "datafile"
    ? datafileJson(path, base.datafiles.get(path), head.datafiles.get(path))
    : resourceJson(path, base.resources.get(path), head.resources.get(path));
}

/** Requires the token, as `Bearer TOKEN` or, as qontract's clients send it, without a scheme. */
function requireToken(token: Secret): MiddlewareHandler {
  const expected = digest(token.reveal());
  return async (context, next) => {
    const given = context.req.header("authorization") ?? "";
    if (timingSafeEqual(digest(given.replace(/^bearer +/i, "")), expected)) return next();
    context.header("www-authenticate", "Bearer");
    return context.text("authorization required: send the header Authorization: Bearer TOKEN\n", 401);
  };
}

/** Digests have equal lengths, which `timingSafeEqual` requires. */
function digest(text: string): Buffer {
  return hash("sha256", text, "buffer");
}
