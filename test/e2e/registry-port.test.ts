import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempDisposable } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { valueAt } from "#base";
import { makeProbeImage, pushImage } from "./probe-image.ts";

const run = promisify(execFile);
const program = join(import.meta.dirname, "..", "..", "bin", "tenon");

test("a registry whose port another program has taken moves by the command that the message names, and keeps its images", async () => {
  await using home = await mkdtempDisposable(join(tmpdir(), "tenon-registry-"));
  const env = { ...process.env, XDG_DATA_HOME: home.path };
  const tenon = async (...words: string[]): Promise<string> => (await run(program, words, { env })).stdout;
  await using _ = { [Symbol.asyncDispose]: async () => void (await tenon("cluster", "stop", "--name", "moved")) };
  const registry = async (): Promise<string> =>
    String(valueAt(JSON.parse(await tenon("cluster", "status", "-o", "json")), [0, "registry"]));

  await tenon("cluster", "start", "--name", "moved", "--node");
  const before = await registry();
  await pushImage(await makeProbeImage(`${before}/probe:1`), before, "probe", "1");
  await tenon("cluster", "stop", "--name", "moved");

  const foreign = createServer().listen(Number(before.split(":")[1]), "127.0.0.1");
  await once(foreign, "listening");
  const refused = await tenon("cluster", "start", "--name", "moved").catch((error: unknown) => error);
  foreign.close();
  const message = String(valueAt(refused, ["stderr"]));
  expect(message).toContain(`port ${before.split(":")[1]} is in use by pid ${process.pid}`);
  const [, words = ""] = /pick a free port with `\S*tenon (.+)`/.exec(message) ?? [];
  expect(words).toBe("cluster start --name moved --registry-port 0");

  await tenon(...words.split(" "));
  const after = await registry();
  expect(after).not.toBe(before);
  const manifest = await fetch(`http://${after}/v2/probe/manifests/1`, { method: "HEAD" });
  expect(manifest.status).toBe(200);
});
