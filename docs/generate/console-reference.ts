import { z } from "zod";
import { type ConsoleRoute, consoleRoutes, Failure } from "#server";
import { code, generatedFrom, page, paragraphs, prose, table } from "./markdown.ts";

/** The page of the console's API, with the OpenAPI description that other programs can read. */
export async function consoleReference(): Promise<string> {
  const routes = Object.values<ConsoleRoute>(consoleRoutes);
  return page(
    generatedFrom("`src/server/console/console-api.ts`"),
    "# The API of the console",
    paragraphs(
      "What `tenon console` serves to its pages, and to programs of yours.\nEvery route but those of the login needs the cookie of a session; a write also needs the header `Origin` with the address of the console, and `content-type: application/json`.\nA request that fails is answered with `error` and, where there is one, the `next` step: 401 without a session, 403 without the right, 404 for what does not exist, 503 while the API server does not answer.",
      "With an identity provider, a browser also goes to `/oidc/login`, which leads to the provider, and comes back to `/oidc/callback`, which starts a session; `to` of the former is the page to go to then.",
      "`/api/changes` is a stream of server-sent events: `change` for each object that changed, `reset` if so much was missed that everything should be read again, and `beat` every 5 s, with the `problem` of the moment if there is one.",
    ),
    "## Routes",
    table(
      ["Route", "What it does", "Query"],
      routes.map(({ method, path, summary, query }) => [
        code(`${method.toUpperCase()} ${openPath(path)}`),
        prose(summary),
        query ? Object.keys(query.shape).map(code).join(", ") : "",
      ]),
    ),
    "## OpenAPI",
    `\`\`\`json\n${JSON.stringify(openApi(routes), undefined, 2)}\n\`\`\``,
  );
}

/** OpenAPI 3.1, whose schemas are JSON schemas. */
function openApi(routes: readonly ConsoleRoute[]): object {
  const paths = Map.groupBy(routes, ({ path }) => openPath(path));
  return {
    openapi: "3.1.0",
    info: { title: "The console of Tenon", version: "1" },
    components: {
      schemas: { Failure: jsonSchema(Failure, "output") },
      securitySchemes: { session: { type: "apiKey", in: "cookie", name: "tenon-session" } },
    },
    paths: Object.fromEntries(
      [...paths].map(([path, own]) => [path, Object.fromEntries(own.map((route) => [route.method, operation(route)]))]),
    ),
  };
}

function operation({ method, path, summary, query, body, answer }: ConsoleRoute): object {
  const needsSession = ![consoleRoutes.login, consoleRoutes.ways].some(
    (route) => route.method === method && route.path === path,
  );
  const inPath = [...path.matchAll(/:(\w+)/g)].map(([, name]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
  }));
  const inQuery = Object.entries(query?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: "query",
    schema: jsonSchema(schema, "input"),
  }));
  const type = path === consoleRoutes.changes.path ? "text/event-stream" : "application/json";
  return {
    summary,
    ...(inPath.length + inQuery.length === 0 ? {} : { parameters: [...inPath, ...inQuery] }),
    ...(body ? { requestBody: { content: { "application/json": { schema: jsonSchema(body, "input") } } } } : {}),
    security: needsSession ? [{ session: [] }] : [],
    responses: {
      200: { description: "done", content: { [type]: { schema: jsonSchema(answer, "output") } } },
      default: {
        description: "refused or failed",
        content: { "application/json": { schema: { $ref: "#/components/schemas/Failure" } } },
      },
    },
  };
}

function jsonSchema(schema: z.core.$ZodType, io: "input" | "output"): object {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  return rest;
}

/** `/api/lists/{list}` */
function openPath(path: string): string {
  return path.replaceAll(/:(\w+)/g, "{$1}");
}
