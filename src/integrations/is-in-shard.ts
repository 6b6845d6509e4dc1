import { hash } from "node:crypto";
import { InputError } from "#base";

/** Which part of the work is ours. */
export interface Shard {
  readonly shards: number;
  /** From 0. */
  readonly shardId: number;
  /** What the shard is for, if there is one for each of something. */
  readonly shardKey?: string | undefined;
}

/** Whether a value is for this one of several equal shards; every value is for exactly one of them, always the same. */
export function isInShard(value: string, { shards, shardId }: Shard): boolean {
  return shards === 1 || BigInt(`0x${hash("md5", value)}`) % BigInt(shards) === BigInt(shardId);
}

/** The shard that the manager has made us: `SHARDS`, `SHARD_ID` and `SHARD_KEY`. */
export function shardFromEnvironment(env: Readonly<Record<string, string | undefined>>): Shard {
  const shards = numberIn(env, "SHARDS", 1);
  const shardId = numberIn(env, "SHARD_ID", 0);
  if (shards < 1 || shardId >= shards) {
    throw new InputError(`SHARD_ID is ${shardId}, but SHARDS is ${shards}`, {
      where: "environment variables SHARDS and SHARD_ID",
      next: "number the shards from 0 to SHARDS - 1",
    });
  }
  return { shards, shardId, shardKey: env["SHARD_KEY"] || undefined };
}

/** As metrics name a shard. */
export function shardLabel({ shards, shardId, shardKey }: Shard): string {
  return shardKey ?? `${shardId}-${shards}`;
}

function numberIn(env: Readonly<Record<string, string | undefined>>, name: string, otherwise: number): number {
  const text = env[name];
  if (!text) return otherwise;
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new InputError(`expected ${name} to be a number, got ${JSON.stringify(text)}`, {
    where: `environment variable ${name}`,
    next: "write digits only",
  });
}
