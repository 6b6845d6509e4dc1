import { InputError, isRecord } from "#base";
import { type KubeClient, type NewObject, refOf } from "#kube";
import { removeFinalizer } from "#runtime";
import { copiedPacPrefix, pacNames, promotionFinalizers } from "../../kinds/promotion-names.ts";
import { createOnce } from "../create-once.ts";
import type { TestRunner, TestRunRequest } from "../test-runner.ts";
import { jobTemplateRef, readJob, readJobPods, testJob } from "./test-job.ts";

const retryMs = 60_000;

/** Runs tests as Jobs, without Tekton. */
export function jobRunner(client: KubeClient): TestRunner {
  async function makeJob(request: TestRunRequest, signal: AbortSignal): Promise<NewObject | undefined> {
    const template = jobTemplateRef(request);
    const { namespace } = request.snapshot;
    const found = await client.find(
      { apiVersion: "v1", kind: "ConfigMap", namespace, name: template.configMap },
      signal,
    );
    const data = isRecord(found?.["data"]) ? found["data"][template.key] : undefined;
    return typeof data === "string" ? testJob(data, template, request) : undefined;
  }

  return {
    async start(request, signal) {
      let job: NewObject | undefined;
      try {
        job = await makeJob(request, signal);
      } catch (error) {
        if (error instanceof InputError) return { kind: "refused", message: error.message };
        throw error;
      }
      if (job) return createOnce(client, job, request.snapshot, signal);
      const { configMap, key } = jobTemplateRef(request);
      return { kind: "waiting", message: `ConfigMap ${configMap} has no ${key} yet; create it`, afterMs: retryMs };
    },

    async observe(run, signal) {
      const progress = readJob(run);
      if (progress.progress === "running") return { ...progress, tasks: [] };
      const { namespace, name } = run.metadata;
      const { items } = await client.list(
        { apiVersion: "v1", kind: "Pod", namespace, labelSelector: `job-name=${name}` },
        signal,
      );
      return { ...progress, tasks: readJobPods(items) };
    },

    async cancel(run, signal) {
      const isSuspended = isRecord(run["spec"]) && run["spec"]["suspend"] === true;
      if (readJob(run).progress === "running" && !isSuspended) {
        // Pods get SIGTERM and their grace period, so that a test can clean up.
        const body = {
          metadata: { annotations: { [`${copiedPacPrefix}${pacNames.cancelled}`]: "true" } },
          spec: { suspend: true },
        };
        await client.patch(refOf(run), { type: "merge", body }, signal);
      }
      await removeFinalizer(run, promotionFinalizers.run, client, signal);
    },
  };
}
