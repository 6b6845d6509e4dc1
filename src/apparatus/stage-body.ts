import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue } from "#base";

/** A Plug or a Socket, as it is in the cluster. */
export interface IntegrationObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace: string;
    readonly uid: string;
    readonly generation?: number;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: JsonObject;
  readonly status?: JsonObject;
}

/** The config of a side; all values are strings. */
export type Config = Readonly<Record<string, string>>;

/** The body of `coupled`, `updated` and `decoupled`. */
export interface PairStageBody<PlugConfig, SocketConfig> {
  readonly plug: IntegrationObject;
  readonly socket: IntegrationObject;
  readonly plugConfig: PlugConfig;
  readonly socketConfig: SocketConfig;
}

/** The body of `created` and `deleted`: about one object; the other may be unknown, and configs empty. */
export interface OwnStageBody {
  readonly plug: IntegrationObject | null;
  readonly socket: IntegrationObject | null;
  readonly plugConfig: Config;
  readonly socketConfig: Config;
}

/** The body of `config`. */
export interface ConfigBody {
  readonly plug: IntegrationObject;
  readonly socket: IntegrationObject;
  readonly plugData: JsonObject;
  readonly socketData: JsonObject;
  readonly vars: JsonObject;
}

/** A body that is not what the protocol says: the caller's mistake. */
export class BodyProblem extends Error {}

export function parseBody(text: string): JsonObject {
  let value: JsonValue;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BodyProblem("the body is not valid JSON");
  }
  if (!isJsonObject(value)) throw new BodyProblem("the body is not a JSON object");
  return value;
}

export function readPairBody(body: JsonObject): PairStageBody<Config, Config> {
  return { plug: readObject(body, "plug"), socket: readObject(body, "socket"), ...readConfigs(body) };
}

export function readOwnBody(body: JsonObject): OwnStageBody {
  const [plug, socket] = [readKnown(body, "plug"), readKnown(body, "socket")];
  if (plug === null && socket === null) throw new BodyProblem("expected a plug or a socket");
  return { plug, socket, ...readConfigs(body) };
}

export function readConfigBody(body: JsonObject): ConfigBody {
  return {
    plug: readObject(body, "plug"),
    socket: readObject(body, "socket"),
    plugData: readValues(body, "plugData"),
    socketData: readValues(body, "socketData"),
    vars: readValues(body, "vars"),
  };
}

/** Identifies the pair of a call: the same for all its stages. */
export function subjectOf(body: Partial<Record<"plug" | "socket", IntegrationObject | null>>): string {
  return `${body.plug?.metadata.uid ?? ""}/${body.socket?.metadata.uid ?? ""}`;
}

/** Equal for bodies that request the same; parts that users do not change, such as a status, are left out. */
export function digestOf(call: string, { plug, socket, ...values }: OwnStageBody | ConfigBody): string {
  const wishes = [plug, socket].map((object) => object && [object.metadata.generation, object.spec]);
  return createHash("sha256")
    .update(JSON.stringify([call, wishes, values]))
    .digest("hex");
}

function readConfigs(body: JsonObject): { plugConfig: Config; socketConfig: Config } {
  return { plugConfig: readTexts(body, "plugConfig"), socketConfig: readTexts(body, "socketConfig") };
}

function readTexts(body: JsonObject, field: string): Config {
  const texts: [string, string][] = Object.entries(readValues(body, field)).map(([key, value]) => {
    if (typeof value !== "string") throw new BodyProblem(`${field}.${key} is not a string`);
    return [key, value];
  });
  return Object.fromEntries(texts);
}

function readValues(body: JsonObject, field: string): JsonObject {
  const value = body[field] ?? {};
  if (!isJsonObject(value)) throw new BodyProblem(`${field} is not an object`);
  return value;
}

function readKnown(body: JsonObject, field: string): IntegrationObject | null {
  return (body[field] ?? null) === null ? null : readObject(body, field);
}

function readObject(body: JsonObject, field: string): IntegrationObject {
  const value = body[field];
  if (isIntegrationObject(value)) return value;
  throw new BodyProblem(`${field}: expected an object with metadata.name, metadata.namespace and metadata.uid`);
}

function isIntegrationObject(value: unknown): value is IntegrationObject {
  if (typeof value !== "object" || value === null || !("metadata" in value)) return false;
  const { metadata } = value;
  if (typeof metadata !== "object" || metadata === null) return false;
  const fields: { name?: unknown; namespace?: unknown; uid?: unknown } = metadata;
  return [fields.name, fields.namespace, fields.uid].every((field) => typeof field === "string" && field !== "");
}
