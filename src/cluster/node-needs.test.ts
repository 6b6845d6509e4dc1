import { expect, test } from "vitest";
import { InputError } from "#base";
import { findMissingForNode, requireNodeNeeds } from "./node-needs.ts";

const everything = async () => true;

test("without root a node is refused, and the error names both alternatives", async () => {
  await expect(requireNodeNeeds(1000, everything)).rejects.toThrow(InputError);
  await expect(requireNodeNeeds(1000, everything)).rejects.toMatchObject({
    message: expect.stringContaining("needs root"),
    next: expect.stringMatching(/sudo.*--fake-nodes/),
  });
});

test("missing programs are named, with the one command that installs their packages", async () => {
  const missing = ["runc", "ptp", "portmap"];
  const isThere = async (path: string) => !missing.some((program) => path.endsWith(`/${program}`));
  await expect(requireNodeNeeds(0, isThere)).rejects.toMatchObject({
    message: expect.stringContaining("runc, ptp, portmap"),
    next: expect.stringContaining("apt-get install --no-install-recommends runc containernetworking-plugins"),
  });
});

test.each([
  { reason: "Debian's network plugins", directory: "/usr/lib/cni" },
  { reason: "those of the upstream project", directory: "/opt/cni/bin" },
  { reason: "Fedora's", directory: "/usr/libexec/cni" },
])("nothing is missing on a machine that has all programs of a node: $reason", async ({ directory }) => {
  const isThere = async (path: string) => path.startsWith("/usr/sbin/") || path.startsWith(directory);
  expect(await findMissingForNode(isThere)).toEqual({ programs: [], packages: [] });
  await requireNodeNeeds(0, isThere);
});
