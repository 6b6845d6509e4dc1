import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { InputError } from "#base";
import type { TextStore } from "../state/text-store.ts";
import type { HistoryEntry, HistoryObject } from "./history-entry.ts";

const most = 100;
/** A ConfigMap may have 1 MiB. */
const mostBytes = 512 * 1024;
const mostBytesOfEntry = 64 * 1024;

const counts = z.object({
  created: z.number(),
  updated: z.number(),
  adopted: z.number(),
  replaced: z.number(),
  deleted: z.number(),
  failed: z.number(),
  heldBack: z.number(),
});
const Written = z.object({
  version: z.literal(1),
  entries: z.array(
    z.object({
      id: z.number(),
      at: z.string(),
      times: z.number().optional(),
      lastAt: z.string().optional(),
      by: z.string(),
      source: z.object({
        location: z.string(),
        commit: z.string().optional(),
        bundle: z.string(),
        refs: z.record(z.string(), z.string()).optional(),
      }),
      rollbackTo: z.number().optional(),
      plan: z.string(),
      isSuccess: z.boolean(),
      counts,
      integrations: z.array(z.string()),
      objects: z.array(
        z.object({
          cluster: z.string(),
          namespace: z.string(),
          kind: z.string(),
          name: z.string(),
          integration: z.string().optional(),
          action: z.enum(["create", "update", "adopt", "replace", "delete"]),
          state: z.enum(["done", "planned", "skipped", "refused", "failed"]),
          before: z.string().optional(),
          after: z.string().optional(),
        }),
      ),
      omitted: z.number().optional(),
    }),
  ),
});

/** Oldest first. */
export function readHistory(text: string | undefined, where: string): readonly HistoryEntry[] {
  if (text === undefined || text.trim() === "") return [];
  const next = "restore it, or delete it; only the history is lost";
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new InputError("cannot read the history: not valid JSON", { where, next, cause });
  }
  const read = Written.safeParse(value);
  if (read.success) return read.data.entries;
  throw new InputError(`cannot read the history: ${z.prettifyError(read.error)}`, { where, next });
}

/** One line for each entry, so that one can read it in the ConfigMap. */
export function writeHistory(entries: readonly HistoryEntry[]): string {
  return `{"version":1,"entries":[\n${entries.map((entry) => JSON.stringify(entry)).join(",\n")}\n]}\n`;
}

/**
 * Adds an entry, and drops the oldest ones beyond the bounds. What repeats the last entry is counted there: a fight with another
 * writer must not push everything else out. A failure that goes on is not added again at all.
 */
export function addToHistory(
  entries: readonly HistoryEntry[],
  entry: Omit<HistoryEntry, "id">,
): readonly HistoryEntry[] {
  const last = entries.at(-1);
  if (last && isRepetition(last, entry)) {
    const isOnlyFailure = entry.objects.every(({ state }) => state !== "done");
    if (isOnlyFailure) return entries;
    return [...entries.slice(0, -1), { ...last, times: (last.times ?? 1) + 1, lastAt: entry.at }];
  }
  const all = [...entries, withinBounds({ id: (last?.id ?? 0) + 1, ...entry })].slice(-most);
  let bytes = 0;
  const first = all.findLastIndex((one) => {
    bytes += Buffer.byteLength(JSON.stringify(one)) + 2;
    return bytes > mostBytes;
  });
  return all.slice(first + 1);
}

function isRepetition(last: HistoryEntry, entry: Omit<HistoryEntry, "id">): boolean {
  const isSame = (key: keyof HistoryEntry & keyof typeof entry): boolean =>
    isDeepStrictEqual(plain(last[key]), plain(entry[key]));
  return isSame("by") && isSame("source") && isSame("rollbackTo") && isSame("objects") && last.omitted === undefined;
}

/** As it is when it was written and read. */
function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function withinBounds(entry: HistoryEntry): HistoryEntry {
  let bytes = Buffer.byteLength(JSON.stringify({ ...entry, objects: [] }));
  const objects: HistoryObject[] = [];
  for (const object of entry.objects) {
    bytes += Buffer.byteLength(JSON.stringify(object)) + 1;
    if (bytes > mostBytesOfEntry) return { ...entry, objects, omitted: entry.objects.length - objects.length };
    objects.push(object);
  }
  return entry;
}

/** What was applied, newest last. */
export interface History {
  readonly where: string;
  read(signal: AbortSignal): Promise<readonly HistoryEntry[]>;
  add(entry: Omit<HistoryEntry, "id">, signal: AbortSignal): Promise<void>;
}

export function historyIn(store: TextStore): History {
  return {
    where: store.where,
    read: async (signal) => readHistory(await store.read(signal), store.where),
    add: (entry, signal) =>
      store.update((text) => {
        const before = readHistory(text, store.where);
        const after = addToHistory(before, entry);
        return after === before ? undefined : writeHistory(after);
      }, signal),
  };
}
