import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { CommandFailed, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { findResultProblem } from "#coupling";
import { type ProbeExchange, type ApparatusProbe, parseProbeAnswer } from "./apparatus-probe.ts";
import type { ApparatusSamples } from "./apparatus-samples.ts";

export interface ApparatusCheck {
  readonly check: string;
  readonly state: "ok" | "fail";
  readonly detail: string;
  readonly advice?: string;
}

const concurrency = 10;
const unknownFields = { tenonCheck: { of: ["a", "field", null] }, version: "2" };

/** Calls an apparatus through the life of a plug, with the faults that occur in practice: repeats, nulls, unknown fields, bad JSON. */
export async function runApparatusChecks(
  probe: ApparatusProbe,
  samples: ApparatusSamples,
  signal: AbortSignal,
): Promise<ApparatusCheck[]> {
  const { config, pair, alone } = samples;
  const get = (path: string) => probe.ask({ method: "GET", path }, signal);
  const post = (path: string, body: JsonObject | string, id?: string) =>
    probe.ask({ method: "POST", path, body, ...(id === undefined ? {} : { id }) }, signal);
  const checks: ApparatusCheck[] = [];
  const add = (check: string, detail: string | undefined, advice: string, success: string): void => {
    checks.push(
      detail === undefined ? { check, state: "ok", detail: success } : { check, state: "fail", detail, advice },
    );
  };
  const addStage = (check: string, exchange: ProbeExchange, advice: string): void =>
    add(check, failureOf(exchange), advice, `${exchange.status}`);

  const ping = await get("/ping");
  if (ping.problem !== undefined && !ping.isLate) {
    throw new CommandFailed(`the apparatus does not respond: ${ping.problem}`, {
      next: "start the apparatus, or check the URL",
    });
  }
  add(
    "ping",
    isSuccess(ping) ? undefined : describe(ping),
    "answer GET /ping with 200 as soon as the apparatus can handle calls",
    "200",
  );
  const configured = await post("/config", config);
  add("config", configProblem(configured), "answer POST /config with a JSON object, at least {}", "a JSON object");
  addStage("created", await post("/created", pair), stageAdvice("created"));
  addStage("nulls", await post("/created", alone), "plug or socket may be null at created and deleted, and configs {}");

  const id = randomUUID();
  const first = await post("/coupled", pair, id);
  addStage("coupled", first, stageAdvice("coupled"));
  const second = await post("/coupled", pair, id);
  add("same id", difference(first, second), sameIdAdvice, "same answer");
  addStage(
    "coupled again",
    await post("/coupled", pair),
    "succeed if everything exists already: after a crash, Tenon repeats the call",
  );
  const updated = await post("/updated", pair);
  addStage("updated", updated, stageAdvice("updated"));
  const results = [first, updated];
  add("result", results.map(resultProblem).find(Boolean), resultAdvice, describeResults(results.map(resultOf)));
  addStage("unknown fields", await post("/updated", { ...pair, ...unknownFields }), "ignore unknown fields");
  add(
    "concurrent calls",
    await callConcurrently(() => post("/config", config)),
    "answer several calls at the same time",
    "same answers",
  );

  const malformed = await post("/coupled", "{ not json");
  const isRefused = malformed.status !== undefined && malformed.status >= 400 && malformed.status < 500;
  add(
    "malformed JSON",
    isRefused ? undefined : describe(malformed),
    "answer 400 to malformed JSON",
    `${malformed.status}`,
  );
  const lost = [await get("/coupled"), await post("/tenon-check-nowhere", pair)];
  const found = lost.find(({ status }) => status !== 404 && status !== 405);
  add("wrong paths", found && describe(found), "answer 404 or 405 to other paths and methods", "404 or 405");

  addStage("decoupled", await post("/decoupled", pair), stageAdvice("decoupled"));
  addStage(
    "decoupled again",
    await post("/decoupled", pair),
    "succeed if everything is gone already: after a crash, Tenon repeats the call",
  );
  addStage("deleted", await post("/deleted", alone), stageAdvice("deleted"));
  return [...checks, ...checkAllAnswers(probe.exchanges)];
}

const sameIdAdvice = "answer a call with a known X-Integration-Id as before, or repeat it with the same result";

const resultAdvice =
  'answer coupled and updated without "result", or with few and short values: {"result": {"user": "shop"}}';

function stageAdvice(stage: string): string {
  return `answer POST /${stage} with a status below 400; if it requires certain keys, set them with --config`;
}

/** Checks of every answer. */
function checkAllAnswers(exchanges: readonly ProbeExchange[]): ApparatusCheck[] {
  const checkAll = (
    check: string,
    wrong: (exchange: ProbeExchange) => boolean,
    detail: string,
    advice: string,
  ): ApparatusCheck => {
    const calls = [...new Set(exchanges.filter(wrong).map(({ call }) => call))];
    if (calls.length === 0) return { check, state: "ok", detail: `all ${exchanges.length} answers` };
    return { check, state: "fail", detail: `${detail}: ${calls.join(", ")}`, advice };
  };
  return [
    checkAll(
      "in time",
      ({ isLate }) => isLate,
      "too late",
      "answer long work with 202 and Retry-After; Tenon asks again with the same id",
    ),
    checkAll("size", ({ isTooLarge }) => isTooLarge, "more than 1 MiB", "send less; Tenon reads at most 1 MiB"),
    checkAll(
      "redirects",
      ({ status = 0 }) => status >= 300 && status < 400,
      "redirected",
      "answer directly; Tenon follows no redirects. Does the URL have a slash too many, or https instead of http?",
    ),
  ];
}

function isSuccess({ status = 0, isTooLarge }: ProbeExchange): boolean {
  return status >= 200 && status < 300 && !isTooLarge;
}

/** Undefined if the stage succeeded. */
function failureOf(exchange: ProbeExchange): string | undefined {
  return exchange.status === undefined || exchange.status >= 400 || exchange.status === 202
    ? describe(exchange)
    : undefined;
}

function configProblem(exchange: ProbeExchange): string | undefined {
  const failure = failureOf(exchange);
  if (failure !== undefined || exchange.isTooLarge) return failure;
  const value = parseProbeAnswer(exchange);
  if (!isJsonObject(value)) return `${exchange.call} does not answer with a JSON object`;
  return inexactKey(value);
}

/** Undefined if there is no result, or a valid one. */
function resultProblem(exchange: ProbeExchange): string | undefined {
  const result = resultOf(exchange);
  if (!isJsonObject(result)) return undefined;
  const problem = findResultProblem(result);
  return problem === undefined ? inexactKey(result) : `${exchange.call} answers with a result ${problem}`;
}

function describeResults(results: readonly JsonValue[]): string {
  if (results.some(isJsonObject)) return "keys and values";
  return results.every((result) => result === null) ? "none" : "none: a result that is not an object is ignored";
}

function resultOf(exchange: ProbeExchange): JsonValue {
  const value = failureOf(exchange) === undefined ? parseProbeAnswer(exchange) : undefined;
  return (isJsonObject(value) ? value["result"] : undefined) ?? null;
}

function inexactKey(values: JsonObject): string | undefined {
  const [key] = Object.entries(values).find(([, each]) => typeof each === "number" && !isExact(each)) ?? [];
  return key === undefined ? undefined : `${key} is a number that loses digits in JSON; send it as a string`;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function difference(first: ProbeExchange, second: ProbeExchange): string | undefined {
  if (first.status !== second.status) return `${describe(first)}, then ${describe(second)}`;
  const isAlike = isDeepStrictEqual(parseProbeAnswer(first) ?? first.text, parseProbeAnswer(second) ?? second.text);
  return isAlike ? undefined : `${first.call} answers differently the second time`;
}

async function callConcurrently(call: () => Promise<ProbeExchange>): Promise<string | undefined> {
  const exchanges = await Promise.all(Array.from({ length: concurrency }, call));
  const failed = exchanges.filter((exchange) => !isSuccess(exchange));
  return failed[0] && `${failed.length} of ${concurrency} at once: ${describe(failed[0])}`;
}

function describe({ call, status, problem }: ProbeExchange): string {
  return `${call} ${status === undefined ? `failed: ${problem}` : `answers ${status}`}`;
}
