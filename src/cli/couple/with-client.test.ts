import { expect, test } from "vitest";
import { InputError } from "#base";
import { Plug } from "#coupling";
import { requireCoupledKinds } from "./with-client.ts";

const { signal } = new AbortController();

function failing(error: Error) {
  async function find(): Promise<never> {
    throw error;
  }
  return { discovery: { find } };
}

test("a cluster without the CRDs is an error that says how to install them", async () => {
  const required = requireCoupledKinds(failing(new InputError("no such kind")), signal);
  await expect(required).rejects.toThrow(/does not have the kind Plug .*--install-crds/);
  await expect(required, "one piece of advice").rejects.not.toHaveProperty("cause");
});

test.for([
  { kind: "Socket", apiVersion: Plug.apiVersion, installs: "--only couple" },
  { kind: "DeferredResource", apiVersion: Plug.apiVersion, installs: "--only couple" },
  { kind: "Snapshot", apiVersion: "appstudio.redhat.com/v1alpha1", installs: "--only promote --promote builds" },
  {
    kind: "IntegrationTestScenario",
    apiVersion: "appstudio.redhat.com/v1beta2",
    installs: "--only promote --promote tests",
  },
  { kind: "Release", apiVersion: "appstudio.redhat.com/v1alpha1", installs: "--only promote --promote releases" },
  { kind: "Propagation", apiVersion: "tenon.dev/v1alpha1", installs: "--only promote --promote propagation" },
  { kind: "EphemeralClaim", apiVersion: "tenon.dev/v1alpha1", installs: "--only promote --promote environments" },
])("a missing $kind is installed by `tenon run $installs`", async ({ kind, apiVersion, installs }) => {
  const required = requireCoupledKinds(failing(new InputError("no such kind")), signal, [{ kind, apiVersion }]);
  await expect(required).rejects.toHaveProperty(
    "next",
    expect.stringContaining(`\`tenon run ${installs} --install-crds\``),
  );
});

test("a cluster that does not respond is not reported as one without the CRDs", async () => {
  await expect(requireCoupledKinds(failing(new Error("connection refused")), signal)).rejects.toThrow(
    "connection refused",
  );
});
