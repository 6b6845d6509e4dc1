import { once } from "node:events";
import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { inject } from "vitest";

/** Asks global-setup.ts for a program that test files share, over a connection of its own. It starts when the first of them asks. */
export async function askRun(path: string): Promise<string> {
  const [answer]: IncomingMessage[] = await once(
    get({ socketPath: inject("runSocket"), path, agent: false }),
    "response",
  );
  const body = answer ? await text(answer) : "";
  if (answer?.statusCode !== 200) throw new Error(`the test run has no ${path}: ${body}`);
  return body;
}
