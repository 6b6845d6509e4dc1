import type { KubeClient } from "./client.ts";
import { LineSplitter } from "./line-splitter.ts";
import { objectPath } from "./resource-path.ts";

export interface LogOptions {
  /** Needed when the pod has several. */
  readonly container?: string | undefined;
  /** Goes on with what is written from now on, until the container ends. */
  readonly follow?: boolean | undefined;
  /** Of the container before its last restart. */
  readonly previous?: boolean | undefined;
  readonly tailLines?: number | undefined;
  readonly sinceSeconds?: number | undefined;
  /** Each line starts with its time. */
  readonly timestamps?: boolean | undefined;
  readonly limitBytes?: number | undefined;
}

const pods = { group: "", version: "v1", plural: "pods", kind: "Pod", isNamespaced: true };

/** The lines of a pod's log. A last line without a newline is a line too. */
export async function* readLogs(
  { transport }: Pick<KubeClient, "transport">,
  pod: { readonly namespace: string; readonly name: string },
  options: LogOptions,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const path = objectPath(pods, { ...pod, subresource: "log" });
  const { container, follow, previous, tailLines, sinceSeconds, timestamps, limitBytes } = options;
  const query = { container, follow, previous, tailLines, sinceSeconds, timestamps, limitBytes };
  const splitter = new LineSplitter();
  for await (const piece of await transport.open({ method: "GET", path, query }, signal)) {
    yield* splitter.push(piece);
  }
  const rest = splitter.takeRest();
  if (rest !== undefined) yield rest;
}
