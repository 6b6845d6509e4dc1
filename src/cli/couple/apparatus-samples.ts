import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { InputError, type JsonObject, type JsonValue } from "#base";
import { parseYaml } from "#yaml";
import { Plug, Socket } from "#coupling";

export type CheckedSide = "plug" | "socket";

/** Values for the bodies from a file; an apparatus may require certain keys. */
const Values = z.strictObject({
  plugConfig: z.record(z.string(), z.string()).default({}),
  socketConfig: z.record(z.string(), z.string()).default({}),
  plugData: z.record(z.string(), z.string()).default({}),
  socketData: z.record(z.string(), z.string()).default({}),
  vars: z.record(z.string(), z.json()).default({}),
});
export type SampleValues = z.infer<typeof Values>;

/** Valid bodies for a plug and a socket that exist only here. */
export interface ApparatusSamples {
  readonly config: JsonObject;
  readonly pair: JsonObject;
  /** The body of `created` while the other side is unknown. */
  readonly alone: JsonObject;
}

export const sampleName = "tenon-check";

export function makeSamples(side: CheckedSide, values: SampleValues): ApparatusSamples {
  const { plugConfig, socketConfig, plugData, socketData, vars } = values;
  const metadata = (): JsonObject => ({
    name: sampleName,
    namespace: sampleName,
    uid: randomUUID(),
    generation: 1,
    resourceVersion: "1",
    creationTimestamp: new Date().toISOString(),
  });
  const plug = {
    apiVersion: Plug.apiVersion,
    kind: "Plug",
    metadata: metadata(),
    spec: { socket: { name: sampleName, namespace: sampleName }, config: plugConfig },
  };
  const socket = {
    apiVersion: Socket.apiVersion,
    kind: "Socket",
    metadata: metadata(),
    spec: { config: socketConfig },
  };
  return {
    config: { version: 1, plug, socket, plugData, socketData, vars },
    pair: { version: "1", plug, socket, plugConfig, socketConfig },
    alone: {
      version: "1",
      plug: side === "plug" ? plug : null,
      socket: side === "socket" ? socket : null,
      plugConfig: {},
      socketConfig: {},
    },
  };
}

export async function readSampleValues(file: string | undefined): Promise<SampleValues> {
  if (file === undefined) return Values.parse({});
  const text = await readFile(file).catch((cause: unknown) => {
    throw new InputError("cannot read the file", { where: file, next: "check the path", cause });
  });
  const value: JsonValue = parseYaml(text, { file });
  const { success, data, error } = Values.safeParse(value ?? {});
  if (success) return data;
  const [issue] = error.issues;
  throw new InputError(`${issue?.path.join(".") || "the file"}: ${issue?.message}`, {
    where: file,
    next: `give ${Object.keys(Values.shape).join(", ")}, each an object of strings`,
  });
}
