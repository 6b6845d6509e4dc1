import type { Hono } from "hono";
import { describeError, InputError, type JsonValue } from "#base";
import { type ExplainedField, type ExplainedTarget, explainIntegration, fieldLocator } from "#integrations";
import { consoleRoutes } from "./console-api.ts";
import type { ConsoleData } from "./console-data.ts";
import { requireDataRight } from "./data-right.ts";
import { type DataRoutesOptions, requireData } from "./plan-routes.ts";
import type { IntegrationValue, ValuesAnswer } from "./values-api.ts";

const mostShards = 20;

/** Where each value of an integration comes from, as `tenon explain integration/NAME` prints it. */
export function addValuesRoutes(
  app: Hono,
  { data, withSession }: Pick<DataRoutesOptions, "data" | "withSession">,
): void {
  app.get(consoleRoutes.values.path, (context) =>
    withSession(context, async ({ person }, signal): Promise<ValuesAnswer> => {
      const shown = requireData(data);
      await requireDataRight(person, signal);
      const { namespace, name } = context.req.param();
      return await explainValues(shown, namespace, name, signal);
    }),
  );
}

async function explainValues(
  { source, desire }: ConsoleData,
  namespace: string,
  name: string,
  signal: AbortSignal,
): Promise<ValuesAnswer> {
  const loaded = await source.load(signal);
  const find = loaded.find && fieldLocator(loaded.find);
  try {
    const { places, errors } = await explainIntegration(
      loaded,
      name,
      {
        ...desire(),
        // By the path in the data, whatever folder the console reads it from.
        locate: async (file, at, limit) => {
          const line = /:(\d+):\d+$/.exec((await find?.(file, at, limit)) ?? "")?.[1];
          return line === undefined ? file : `${file}:${line}`;
        },
      },
      signal,
    );
    return {
      targets: places.filter((place) => place.namespace === namespace).map(showTarget),
      problems: errors.map(({ where, what }) => (where === undefined ? what : `${where}: ${what}`)),
    };
  } catch (error) {
    // It runs here, and the data does not have it (any more).
    if (error instanceof InputError) return { targets: [], problems: [describeError(error)] };
    throw error;
  }
}

function showTarget({ cluster, environment, suspended, shards }: ExplainedTarget): ValuesAnswer["targets"][number] {
  return {
    cluster,
    environment,
    ...(suspended === undefined ? {} : { suspended }),
    shards: shards.slice(0, mostShards).map(({ name, fields }) => ({ name, values: fields.map(showField) })),
    omitted: Math.max(0, shards.length - mostShards),
  };
}

function showField({ field, value, source, where, overrode }: ExplainedField): IntegrationValue {
  return {
    field,
    value: textOf(value),
    source,
    ...originOf(where),
    overrode: overrode.map((said) => `${textOf(said.value) || "nothing"} (${said.where ?? said.source})`),
  };
}

/** A place such as `/integrations/feed.yml:12`, or the name of an option. */
function originOf(where: string | undefined): Pick<IntegrationValue, "path" | "line" | "where"> {
  if (where === undefined) return {};
  const [, path, line] = /^(\/[^:]+)(?::(\d+))?$/.exec(where) ?? [];
  if (path === undefined) return { where };
  return { path, ...(line === undefined ? {} : { line: Number(line) }) };
}

function textOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
