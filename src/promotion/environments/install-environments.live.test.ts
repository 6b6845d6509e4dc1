import { expect, test } from "vitest";
import { createLogger } from "#base";
import type { KubeClient } from "#kube";
import { installEnvironments } from "./install-environments.ts";
import { useEnvironments } from "./use-environments.fixture.ts";

const world = useEnvironments();

/** The client of a cluster that differs from this one in what it serves. */
function withoutKind({ discovery, ...client }: KubeClient, without: string): KubeClient {
  const resources = async (signal?: AbortSignal) =>
    (await discovery.resources(signal)).filter(({ kind }) => kind !== without);
  return { ...client, discovery: { ...discovery, resources } };
}

test("an API server without MutatingAdmissionPolicy gets the kinds, and the log says that TaskRuns get no claims, and what to use", async () => {
  const lines: string[] = [];
  const log = createLogger({ level: "warn", destination: { write: (line) => void lines.push(line) } });
  await installEnvironments(withoutKind(world.client, "MutatingAdmissionPolicy"), log, AbortSignal.timeout(300_000));
  expect(lines.map((line): unknown => JSON.parse(line))).toMatchObject([
    {
      level: "warn",
      msg: "TaskRuns get no resource claims, because the API server has no MutatingAdmissionPolicy",
      next: "update Kubernetes to 1.36, or use the Secret of an EphemeralClaim as a workspace",
    },
  ]);
});
