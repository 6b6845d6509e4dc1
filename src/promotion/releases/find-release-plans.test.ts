import { expect, test } from "vitest";
import { InputError } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { promotionLabels } from "../kinds/promotion-names.ts";
import { findReleasePlans } from "./find-release-plans.ts";

const signal = AbortSignal.timeout(60_000);
const owner = { kind: "Application", name: "shop" } as const;
const plan = (application: string, labels: Readonly<Record<string, string>> = {}): KubeObject => ({
  apiVersion: "appstudio.redhat.com/v1alpha1",
  kind: "ReleasePlan",
  metadata: { name: "released", namespace: "t1", labels },
  spec: { application },
});

/** Asks with a store and a server that have these plans. */
function ask(stored: readonly KubeObject[], served: readonly KubeObject[] | InputError) {
  let requests = 0;
  const client: Pick<KubeClient, "list"> = {
    async list() {
      requests += 1;
      if (served instanceof InputError) throw served;
      return { items: [...served], resourceVersion: "1" };
    },
  };
  const find = findReleasePlans({ client, plans: { byIndex: () => [...stored] } });
  return { answer: find("t1", owner, signal), requests: () => requests };
}

test("a plan in the store is found without a request", async () => {
  const { answer, requests } = ask([plan("shop")], []);
  expect(await answer).toBe(true);
  expect(requests()).toBe(0);
});

test("a plan that the store does not have yet is found on the server", async () => {
  expect(await ask([], [plan("other"), plan("shop")]).answer).toBe(true);
});

test.each([
  { reason: "no plan", served: [] },
  { reason: "a plan of another owner", served: [plan("other")] },
  { reason: "a plan that a person has to use", served: [plan("shop", { [promotionLabels.autoRelease]: "false" })] },
  { reason: "no such kind in the cluster", served: new InputError("no kind ReleasePlan") },
])("no plan releases by itself: $reason", async ({ served }) => {
  expect(await ask([], served).answer).toBe(false);
});
