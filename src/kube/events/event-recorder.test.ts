import { expect, test } from "vitest";
import { createEventRecorder } from "./event-recorder.ts";
import type { KubeObject } from "../client/object.ts";

const about = (namespace: string, name: string): KubeObject => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { namespace, name, uid: `${namespace}-${name}` },
});

test("many events of one namespace do not delay those of another", async () => {
  const written: string[] = [];
  const create = async (event: { readonly metadata: { readonly namespace?: string } }): Promise<KubeObject> => {
    written.push(event.metadata.namespace ?? "");
    return about("any", "event");
  };
  const recorder = createEventRecorder(
    { create, patch: () => Promise.reject(new Error("nothing is counted again")) },
    { reporter: { controller: "example.com/test", instance: "one" } },
  );
  const event = { type: "Warning", reason: "Failed", message: "again" } as const;
  for (let index = 0; index < 200; index += 1) recorder.record(about("noisy", String(index)), event);
  recorder.record(about("quiet", "one"), event);
  await recorder.flush();
  expect(written).toHaveLength(201);
  expect(written.indexOf("quiet")).toBeLessThan(10);
});
