import { expect, test } from "vitest";
import { InputError } from "#base";
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

test("a cluster that does not respond is not reported as one without the CRDs", async () => {
  await expect(requireCoupledKinds(failing(new Error("connection refused")), signal)).rejects.toThrow(
    "connection refused",
  );
});
