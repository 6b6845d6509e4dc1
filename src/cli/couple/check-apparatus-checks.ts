import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { InputError, isJsonObject, type JsonObject, type JsonValue } from "#base";
import { findResultProblem } from "#coupling";
import { type Exchange, type Probe, valueOf } from "./check-apparatus-probe.ts";
import type { Samples } from "./check-apparatus-samples.ts";

export interface Finding {
  readonly check: string;
  readonly state: "ok" | "fail";
  readonly detail: string;
  readonly advice?: string;
}

const concurrency = 10;
const unknownFields = { tenonCheck: { of: ["a", "field", null] }, version: "2" };

/** Takes an apparatus through the life of a plug, and tries what goes wrong in real life on the way. */
export async function checkApparatus(probe: Probe, samples: Samples, signal: AbortSignal): Promise<Finding[]> {
  const { config, pair, alone } = samples;
  const get = (path: string) => probe.ask({ method: "GET", path }, signal);
  const post = (path: string, body: JsonObject | string, id?: string) =>
    probe.ask({ method: "POST", path, body, ...(id === undefined ? {} : { id }) }, signal);
  const findings: Finding[] = [];
  const add = (check: string, detail: string | undefined, advice: string, praise: string): void => {
    findings.push(
      detail === undefined ? { check, state: "ok", detail: praise } : { check, state: "fail", detail, advice },
    );
  };
  const addStage = (check: string, exchange: Exchange, advice: string): void =>
    add(check, failureOf(exchange), advice, `${exchange.status}`);

  const ping = await get("/ping");
  if (ping.problem !== undefined && !ping.isLate) {
    throw new InputError(`nobody answers: ${ping.problem}`, { next: "start the apparatus, or check the URL" });
  }
  add(
    "ping",
    isSuccess(ping) ? undefined : describe(ping),
    "answer GET /ping with 200 as soon as you can be called",
    "200",
  );
  const configured = await post("/config", config);
  add("config", configProblem(configured), "answer POST /config with a JSON object, if only with {}", "a JSON object");
  addStage("created", await post("/created", pair), stageAdvice("created"));
  addStage("nulls", await post("/created", alone), "plug or socket may be null at created and deleted, and configs {}");

  const id = randomUUID();
  const first = await post("/coupled", pair, id);
  addStage("coupled", first, stageAdvice("coupled"));
  const second = await post("/coupled", pair, id);
  add("same id", difference(first, second), sameIdAdvice, "answered alike");
  addStage(
    "coupled again",
    await post("/coupled", pair),
    "what exists already is no error: after a crash, it all comes again",
  );
  const updated = await post("/updated", pair);
  addStage("updated", updated, stageAdvice("updated"));
  const results = [first, updated];
  add("result", results.map(resultMistake).find(Boolean), resultAdvice, describeResults(results.map(resultOf)));
  addStage(
    "unknown fields",
    await post("/updated", { ...pair, ...unknownFields }),
    "ignore fields that you do not know",
  );
  add("concurrent calls", await crowd(() => post("/config", config)), "answer several calls at the same time", "alike");

  const malformed = await post("/coupled", "{ not json");
  const isRefused = malformed.status !== undefined && malformed.status >= 400 && malformed.status < 500;
  add(
    "malformed JSON",
    isRefused ? undefined : describe(malformed),
    "answer 400 to what is no JSON",
    `${malformed.status}`,
  );
  const lost = [await get("/coupled"), await post("/tenon-check-nowhere", pair)];
  const found = lost.find(({ status }) => status !== 404 && status !== 405);
  add("wrong paths", found && describe(found), "answer 404 or 405 to other paths and methods", "404 or 405");

  addStage("decoupled", await post("/decoupled", pair), stageAdvice("decoupled"));
  addStage(
    "decoupled again",
    await post("/decoupled", pair),
    "what is gone already is no error: after a crash, it all comes again",
  );
  addStage("deleted", await post("/deleted", alone), stageAdvice("deleted"));
  return [...findings, ...judgeAll(probe.exchanges)];
}

const sameIdAdvice =
  "answer a call whose X-Integration-Id you know as you did before, or do it again with the same outcome";

const resultAdvice =
  'answer coupled and updated without "result", or with one of few and short values: {"result": {"user": "shop"}}';

function stageAdvice(stage: string): string {
  return `answer POST /${stage} with a status below 400; if it wants certain keys, give them with --config`;
}

/** What holds for every answer. */
function judgeAll(exchanges: readonly Exchange[]): Finding[] {
  const judge = (check: string, wrong: (exchange: Exchange) => boolean, detail: string, advice: string): Finding => {
    const calls = [...new Set(exchanges.filter(wrong).map(({ call }) => call))];
    if (calls.length === 0) return { check, state: "ok", detail: `all ${exchanges.length} answers` };
    return { check, state: "fail", detail: `${detail}: ${calls.join(", ")}`, advice };
  };
  return [
    judge(
      "in time",
      ({ isLate }) => isLate,
      "too late",
      "answer long work with 202 and Retry-After, and be asked again with the same id",
    ),
    judge(
      "size",
      ({ isTooLarge }) => isTooLarge,
      "more than 1 MiB",
      "answer with less; Tenon reads no more than 1 MiB",
    ),
    judge(
      "redirects",
      ({ status = 0 }) => status >= 300 && status < 400,
      "redirected",
      "answer yourself; Tenon follows no redirects. Is there a slash too many in the URL, or https instead of http?",
    ),
  ];
}

function isSuccess({ status = 0, isTooLarge }: Exchange): boolean {
  return status >= 200 && status < 300 && !isTooLarge;
}

/** Undefined if the stage was done, as Tenon sees it. */
function failureOf(exchange: Exchange): string | undefined {
  return exchange.status === undefined || exchange.status >= 400 || exchange.status === 202
    ? describe(exchange)
    : undefined;
}

function configProblem(exchange: Exchange): string | undefined {
  const failure = failureOf(exchange);
  if (failure !== undefined || exchange.isTooLarge) return failure;
  const value = valueOf(exchange);
  if (!isJsonObject(value)) return `${exchange.call} gives no JSON object`;
  return inexactKey(value);
}

/** Undefined if there is none, or Tenon would take it. */
function resultMistake(exchange: Exchange): string | undefined {
  const result = resultOf(exchange);
  if (!isJsonObject(result)) return undefined;
  const problem = findResultProblem(result);
  return problem === undefined ? inexactKey(result) : `${exchange.call} gives a result ${problem}`;
}

function describeResults(results: readonly JsonValue[]): string {
  if (results.some(isJsonObject)) return "keys and values";
  return results.every((result) => result === null) ? "none" : "none: what is no object is ignored";
}

function resultOf(exchange: Exchange): JsonValue {
  const value = failureOf(exchange) === undefined ? valueOf(exchange) : undefined;
  return (isJsonObject(value) ? value["result"] : undefined) ?? null;
}

function inexactKey(values: JsonObject): string | undefined {
  const [key] = Object.entries(values).find(([, each]) => typeof each === "number" && !isExact(each)) ?? [];
  return key === undefined ? undefined : `${key} is a number that loses digits on its way; give it as a text`;
}

function isExact(value: number): boolean {
  return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value));
}

function difference(first: Exchange, second: Exchange): string | undefined {
  if (first.status !== second.status) return `${describe(first)}, then ${describe(second)}`;
  const isAlike = isDeepStrictEqual(valueOf(first) ?? first.text, valueOf(second) ?? second.text);
  return isAlike ? undefined : `${first.call} gives another answer the second time`;
}

async function crowd(call: () => Promise<Exchange>): Promise<string | undefined> {
  const exchanges = await Promise.all(Array.from({ length: concurrency }, call));
  const failed = exchanges.filter((exchange) => !isSuccess(exchange));
  return failed[0] && `${failed.length} of ${concurrency} at once: ${describe(failed[0])}`;
}

function describe({ call, status, problem }: Exchange): string {
  return `${call} ${status === undefined ? `failed: ${problem}` : `gives ${status}`}`;
}
