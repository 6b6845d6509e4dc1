import { describe, test } from "vitest";
import { configMapTemplate, useCoupling } from "#harness";
import { conditionOf } from "./unparsed-objects.ts";

const world = useCoupling();
const on = (name: string) => ({ socket: { name, namespace: world.prov } });
const template = (more: object) => ({
  spec: { containers: [{ name: "a", image: "example.com/a" }], ...more },
});

/** Its deadline ends it, whatever its pod does. */
const failingJob = (name: string) => ({
  apiVersion: "batch/v1",
  kind: "Job",
  metadata: { name },
  spec: { activeDeadlineSeconds: 1, template: template({ restartPolicy: "Never", nodeSelector: { no: "node" } }) },
});

const failing = (waitFor: string) => [{ waitFor, template: failingJob(`fails-${waitFor.toLowerCase()}`) }];

const deployment = (name: string) => ({
  waitFor: "Ready",
  template: {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, ...template({ nodeSelector: { no: "node" } }) },
    },
  },
});

describe.concurrent("readiness of what was made", () => {
  test("a Job that failed is in the message of Coupled, and the plug is ready unless it asks to wait", async ({
    expect,
  }) => {
    await world.apply(
      world.socket("s-job", {}),
      world.plug("p-message", { ...on("s-job"), resources: failing("Message") }),
      world.plug("p-ready", { ...on("s-job"), resources: failing("Ready") }),
    );
    const failed = (name: string) =>
      world.waitFor(world.ref("Plug", name), (found) =>
        String(conditionOf(found, "Coupled")?.["message"]).includes("failed: DeadlineExceeded"),
      );
    const [shown, required] = await Promise.all([failed("p-message"), failed("p-ready")]);
    expect(conditionOf(shown, "Coupled")).toMatchObject({
      status: "True",
      reason: "CouplingSucceeded",
      message: expect.stringMatching(
        /^coupling succeeded; not ready: Job .*\/fails-message: failed: DeadlineExceeded: /,
      ),
    });
    expect(conditionOf(shown, "Ready")?.["status"]).toBe("True");
    expect(conditionOf(required, "Coupled")?.["status"]).toBe("True");
    expect(conditionOf(required, "Ready")).toMatchObject({ status: "False", reason: "ResourceFailed" });
    expect(conditionOf(required, "Stalled")?.["message"]).toMatch(/^Job .*\/fails-ready: failed: DeadlineExceeded: /);
  });

  test("a plug and a socket that wait for a Deployment are ready when its replicas are", async ({ expect }) => {
    await world.apply(
      world.socket("s-wait", { resources: [{ when: ["created"], ...deployment("of-socket") }] }),
      world.plug("p-wait", { ...on("s-wait"), resources: [deployment("of-plug")] }),
    );
    for (const [ref, namespace, name] of [
      [world.ref("Plug", "p-wait"), world.app, "of-plug"],
      [world.ref("Socket", "s-wait"), world.prov, "of-socket"],
    ] as const) {
      const waiting = await world.waitFor(ref, (found) =>
        String(conditionOf(found, "Reconciling")?.["message"]).includes("replicas are ready"),
      );
      expect(conditionOf(waiting, "Ready")).toMatchObject({ status: "False", reason: "ResourceNotReady" });
      expect(conditionOf(waiting, "Coupled")).toMatchObject({
        status: "True",
        message: expect.stringContaining(`not ready: Deployment ${namespace}/${name}: 0 of 1 replicas are ready`),
      });
      await world.client.patch(
        { apiVersion: "apps/v1", kind: "Deployment", namespace, name },
        { type: "merge", body: { spec: { template: { spec: { nodeSelector: null } } } } },
      );
      const ready = await world.waitFor(ref, (found) => conditionOf(found, "Ready")?.["status"] === "True");
      expect(conditionOf(ready, "Coupled")?.["message"]).not.toContain("not ready");
    }
  });

  test("a ConfigMap is ready as soon as it exists", async ({ expect }) => {
    const resources = [{ waitFor: "Ready", template: configMapTemplate("at-once") }];
    await world.apply(world.socket("s-once", {}), world.plug("p-once", { ...on("s-once"), resources }));
    expect(conditionOf(await world.waitUntilCoupled("p-once"), "Ready")?.["status"]).toBe("True");
  });
});
