import { type FieldPath, formatFieldPath, InputError, type JsonValue } from "#base";
import { locateInYaml } from "#yaml";
import {
  Budget,
  chartLimits,
  fromBytes,
  type GoObject,
  type GoValue,
  isGoObject,
  LimitError,
  type Limits,
  mapGet,
  typeName,
} from "#golang";
import type { ChartFile } from "../chart/chart.ts";
import type { WorkingChart } from "../chart/working-chart.ts";
import { isExhaustion } from "../../go-template/index.ts";
import { ChartError } from "../chart-error.ts";
import type { GivenValues } from "../values/given-values.ts";
import { compileSchema } from "./compile-schema.ts";
import { formatFailure, leavesOf, type SchemaFailure } from "./schema-failure.ts";
import { pathOf } from "./json-pointer.ts";
import { type Schema, SchemaValidation } from "./schema.ts";

type WhereIs = GivenValues["whereIs"];

/** The violations in the values of one chart: as Helm prints them, and one by one. */
interface Violation {
  readonly helm: string;
  readonly faults: readonly InputError[];
}

/** Refuses values that do not satisfy the `values.schema.json` of the chart, or those of its subcharts. */
export function validateValues(
  chart: WorkingChart,
  values: GoObject,
  whereIs: WhereIs,
  limits: Limits = chartLimits,
): void {
  const violations = [...violationsIn(chart, values, [], { whereIs, budget: new Budget(limits) })];
  if (violations.length === 0) return;
  const helm = violations.map((violation) => violation.helm).join("");
  const helmMessage = `values don't meet the specifications of the schema(s) in the following chart(s):\n${helm}`;
  const [first, ...others] = violations.flatMap(({ faults }) => faults);
  if (first && others.length === 0) {
    throw new ChartError(first.what, {
      helmMessage,
      ...(first.where && { where: first.where }),
      ...(first.next && { next: first.next }),
    });
  }
  const all = new AggregateError([first, ...others], "the values do not satisfy the chart's schemas");
  throw new ChartError(`${others.length + 1} values do not satisfy the chart's schema`, { helmMessage, cause: all });
}

interface Inspection {
  readonly whereIs: WhereIs;
  readonly budget: Budget;
}

function* violationsIn(
  chart: WorkingChart,
  values: GoObject,
  path: FieldPath,
  inspection: Inspection,
): Generator<Violation> {
  const { schema, metadata } = chart;
  const { whereIs, budget } = inspection;
  const failure = schema && validate(schema, values, budget);
  if (failure) {
    const faults = leavesOf(failure).map(({ path: tokens, text }) => {
      const within = pathIn(values, tokens);
      const whole = [...path, ...within];
      const where = whereIs(whole) ?? inDefaults(chart, within);
      const name = whole.length === 0 ? "the values" : formatFieldPath(whole);
      return new InputError(`${name}: ${text}`, { ...(where && { where }), next: `see ${schema.origin}` });
    });
    yield { helm: `${metadata.name}:\n${formatFailure(failure)}\n`, faults };
  }
  for (const subchart of chart.dependencies) {
    const { name } = subchart.metadata;
    const below = mapGet(values, name) ?? null;
    if (below === null) continue;
    if (isGoObject(below)) yield* violationsIn(subchart, below, [...path, name], inspection);
    else {
      const helm = `${name}:\ninvalid type for values: expected object (map), got ${typeName(below)}\n`;
      const where = whereIs([...path, name]);
      yield {
        helm,
        faults: [new InputError(`expected ${formatFieldPath([...path, name])} to be a map`, where ? { where } : {})],
      };
    }
  }
}

function validate(file: ChartFile, values: GoObject, budget: Budget): SchemaFailure | undefined {
  const schema = compiled(file);
  try {
    return new SchemaValidation(schema, values, [], budget).run();
  } catch (error) {
    const isBeyondLimit = error instanceof LimitError;
    if (!isBeyondLimit && !isExhaustion(error)) throw error;
    const problem = isBeyondLimit ? error.message : "goes too deep into the values";
    throw new InputError(`validating the values against the schema ${problem}`, {
      where: file.origin,
      next: "simplify schemas that refer to each other, or pass --skip-schema-validation",
      cause: error,
    });
  }
}

/** Places in lists are numbers. */
function pathIn(values: GoObject, tokens: readonly string[]): FieldPath {
  let value: GoValue = values;
  return tokens.map((token) => {
    const step = Array.isArray(value) ? Number(token) : token;
    value = Array.isArray(value) ? value[Number(token)] : isGoObject(value) ? mapGet(value, token) : undefined;
    return step;
  });
}

function inDefaults({ valuesFile }: WorkingChart, path: FieldPath): string | undefined {
  const place = valuesFile && locateInYaml(fromBytes(valuesFile.data), path);
  return place && `${valuesFile.origin}:${place.line}:${place.column}`;
}

const schemas = new WeakMap<ChartFile, Schema>();

function compiled(file: ChartFile): Schema {
  const known = schemas.get(file);
  if (known) return known;
  const text = fromBytes(file.data);
  const root = parseJson(text, file.origin);
  const schema = compileSchema(root, (pointer, what, next) => {
    const place = locateInYaml(text, pathOf(root, pointer));
    const where = place ? `${file.origin}:${place.line}:${place.column}` : file.origin;
    return new InputError(`${pointer === "" ? "" : `#${pointer}: `}${what}`, { where, ...(next && { next }) });
  });
  schemas.set(file, schema);
  return schema;
}

function parseJson(text: string, where: string): JsonValue {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InputError("not valid JSON", {
      where,
      next: "remove comments and trailing commas",
      cause: error,
    });
  }
}
