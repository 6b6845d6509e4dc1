import { baseEntries } from "./base-entries.ts";
import type { ImageLayer } from "./image-layer.ts";
import { programEntries } from "./program-entries.ts";

/** Where a runtime layer has Node. */
export const nodePath = "/usr/local/bin/node";

/** Node with its libraries and nothing else, no shell either: `nodePath` is what an entrypoint starts with. */
export async function nodeRuntimeLayer(nodeBinary: string = process.execPath): Promise<ImageLayer> {
  return {
    comment: `Node ${process.version}`,
    entries: [...(await baseEntries()), ...(await programEntries({ [nodePath]: nodeBinary }))],
  };
}
