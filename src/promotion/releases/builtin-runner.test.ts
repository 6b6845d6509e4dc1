import { describe, expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { Wakeups } from "#runtime";
import { type BuiltinPipeline, BuiltinRunner } from "./builtin-runner.ts";
import { readPipeline } from "./phase-pipeline.ts";
import type { PhaseRequest } from "./phase-runner.ts";

const signal = new AbortController().signal;

function requestOf(name: string, uid = name): PhaseRequest {
  const object = (kind: string): KubeObject => ({
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind,
    metadata: { namespace: "shop", name, uid },
  });
  const pipeline = readPipeline({ pipelineRef: { resolver: "builtin", params: [{ name: "name", value: "retag" }] } });
  if (!pipeline) throw new Error("expected a pipeline");
  return {
    phase: "tenant",
    namespace: "shop",
    pipeline,
    release: object("Release"),
    plan: object("ReleasePlan"),
    snapshot: object("Snapshot"),
    admission: undefined,
    data: {},
    timeouts: {},
    attempt: 0,
    known: undefined,
  };
}

function runnerOf(pipeline: BuiltinPipeline) {
  const concluded = new Wakeups();
  const woken: string[] = [];
  concluded.source.reflector.subscribe(({ key }) => void woken.push(key));
  return { runner: new BuiltinRunner(new Map([["retag", pipeline]]), concluded), woken };
}

describe("pipelines of Tenon's own", () => {
  test("a run is started once, and its outcome is handed out once", async () => {
    let runs = 0;
    const { runner, woken } = runnerOf(async ({ serviceAccountName }) => {
      runs += 1;
      return { kind: "succeeded", artifacts: { serviceAccountName } };
    });
    const requested: string[] = [];
    runner.source.reflector.subscribe(({ key }) => void requested.push(key));
    expect(await runner.advance(requestOf("one"))).toEqual({ kind: "running" });
    expect(await runner.advance(requestOf("one"))).toEqual({ kind: "running" });
    expect(requested).toEqual(["shop/one"]);
    await runner.reconcile("shop/one", signal);
    await runner.reconcile("shop/one", signal);
    expect([runs, woken]).toEqual([1, ["shop/one"]]);
    const artifacts = { serviceAccountName: "appstudio-pipeline" };
    expect(await runner.advance(requestOf("one"))).toEqual({ kind: "succeeded", artifacts });
    expect(runner.source.reflector.store.list()).toEqual([]);
  });

  test("a failure that may pass is said, and retried by the controller alone", async () => {
    const { runner, woken } = runnerOf(() => Promise.reject(new Error("the registry is down")));
    await runner.advance(requestOf("one"));
    const requested: string[] = [];
    runner.source.reflector.subscribe(({ key }) => void requested.push(key));
    await expect(runner.reconcile("shop/one", signal)).rejects.toThrow("the registry is down");
    expect(woken).toEqual(["shop/one"]);
    const message = "Tenon retries, because: the registry is down";
    expect(await runner.advance(requestOf("one"))).toEqual({ kind: "running", message });
    expect(requested).toEqual([]);
    expect(runner.source.reflector.store.list().map(({ metadata }) => metadata.name)).toEqual(["one"]);
  });

  test("the outcome of a Release that was deleted is not that of another one of its name", async () => {
    const { runner } = runnerOf(async ({ release }) => ({
      kind: "succeeded",
      artifacts: { uid: release.metadata.uid },
    }));
    await runner.advance(requestOf("one", "first"));
    await runner.reconcile("shop/one", signal);
    expect(await runner.advance(requestOf("one", "second"))).toEqual({ kind: "running" });
    await runner.reconcile("shop/one", signal);
    const outcome = await runner.advance(requestOf("one", "second"));
    expect(outcome).toEqual({ kind: "succeeded", artifacts: { uid: "second" } });
  });

  test("a pipeline that Tenon does not have fails, and the message names those that it has", async () => {
    const { runner } = runnerOf(async () => ({ kind: "succeeded", artifacts: {} }));
    const request = requestOf("one");
    const pipeline = { ...request.pipeline, resolverParams: [{ name: "name", value: "deploy" }] };
    await runner.advance({ ...request, pipeline });
    await runner.reconcile("shop/one", signal);
    expect(await runner.advance({ ...request, pipeline })).toEqual({
      kind: "failed",
      message: 'builtin pipeline "deploy" not found; use one of retag',
    });
  });
});
