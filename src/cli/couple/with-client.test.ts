import { expect, test } from "vitest";
import { InputError } from "#base";
import { requireKinds } from "./with-client.ts";

const { signal } = new AbortController();

function failing(error: Error) {
  async function find(): Promise<never> {
    throw error;
  }
  return { discovery: { find } };
}

test("a cluster without plugs says what it lacks, and how to get it", async () => {
  const required = requireKinds(failing(new InputError("no such kind")), signal);
  await expect(required).rejects.toThrow(/does not have the kinds Plug and Socket .*--install-crds/);
});

test("a cluster that does not answer is not taken for one without plugs", async () => {
  await expect(requireKinds(failing(new Error("connection refused")), signal)).rejects.toThrow("connection refused");
});
