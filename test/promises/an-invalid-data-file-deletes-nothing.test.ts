import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { useManagerWorld } from "./manager/manager-world.ts";

const world = useManagerWorld();
const [here, there] = world.namespaces;
const everything = ["Deployment broken-0", "Deployment broken-1", "Deployment good", "Service integrations"];

async function edit(path: string, change: (text: string) => string): Promise<void> {
  const file = join(world.data.path, "data", path);
  const before = await readFile(file, "utf8");
  const after = change(before);
  expect(after).not.toBe(before);
  await writeFile(file, after);
}

async function writeAll(): Promise<void> {
  await world.data.namespace("n1", { realName: here });
  await world.data.namespace("n2", { realName: here });
  await world.data.namespace("n3", { realName: there });
  const sharding = { strategy: "static", shards: 2 };
  await world.data.integration("broken", [
    { namespace: "n1", sharding },
    { namespace: "n3", sharding },
  ]);
  await world.data.integration("good", [{ namespace: "n2" }]);
}

beforeAll(async () => {
  await writeAll();
  await world.run();
});

beforeEach(async () => {
  await rm(join(world.data.path, "data", "integrations"), { recursive: true, force: true });
  await writeAll();
  await world.run({ deletionsConfirmed: true });
});

const cases: readonly {
  readonly reason: string;
  readonly file?: string;
  readonly change: (text: string) => string;
  readonly says: RegExp;
}[] = [
  {
    reason: "an unknown key",
    change: (text) => text.replace('"managed"', '"manged"'),
    says: /broken\.json:5:\d+: .*manged/,
  },
  {
    reason: "a misspelt $schema",
    change: (text) => text.replace("integration-1.yml", "integraton-1.yml"),
    says: /broken\.json:2:\d+: schema \/app-sre\/integraton-1\.yml does not exist/,
  },
  {
    reason: "no $schema",
    change: (text) => text.replace(/"\$schema": .*\n/, ""),
    says: /broken\.json:1:\d+: the file has no \$schema/,
  },
  {
    reason: "a reference to a file that does not exist",
    change: (text) => text.replace("/namespaces/n1.json", "/namespaces/none.json"),
    says: /broken\.json:8:\d+: \$ref \/namespaces\/none\.json does not exist/,
  },
  {
    reason: "a value of the wrong type",
    change: (text) => text.replace('"shards": 2', '"shards": "2"'),
    says: /broken\.json:\d+:\d+: .*shards/,
  },
  {
    reason: "no name",
    change: (text) => text.replace('"name"', '"nmae"'),
    says: /broken\.json:\d+:\d+: .*name/,
  },
  {
    reason: "another name and an unknown key",
    change: (text) => text.replace('"name": "broken"', '"name": "renamed"').replace('"managed"', '"manged"'),
    says: /broken\.json:\d+:\d+: .*manged/,
  },
  {
    reason: "a file that cannot be parsed",
    change: (text) => text.replace('"managed":', '"managed"'),
    says: /broken\.json:\d+:\d+: not valid JSON/,
  },
  {
    reason: "the file of a namespace cannot be parsed",
    file: "namespaces/n1.json",
    change: (text) => text.replace('"cluster":', '"cluster"'),
    says: /n1\.json:\d+:\d+: not valid JSON.* \(in a file that broken refers to\)/,
  },
  {
    reason: "the file of a namespace is invalid",
    file: "namespaces/n1.json",
    change: (text) => text.replace('"cluster"', '"clutser"'),
    says: /n1\.json:\d+:\d+: .*clu(tser|ster).* \(in a file that broken refers to\)/,
  },
];

describe.each(cases)("$reason", ({ file = "integrations/broken.json", change, says }) => {
  test("its objects stay, the message says the line, the others change, and a correction ends it", async () => {
    expect(await world.workloads(here)).toEqual(everything);
    await edit(file, change);
    await world.data.integration("good", [{ namespace: "n2", spec: { extraArgs: "--more" } }]);
    await world.data.integration("new", [{ namespace: "n2" }]);
    // Confirmed, so that only the validity of the files keeps the objects, and not the limit of deletions.
    const { done, isSuccess, plan } = await world.run({ deletionsConfirmed: true });
    expect(done).toEqual(["c1 create Deployment new", "c1 update Deployment good"]);
    expect(isSuccess).toBe(false);
    expect(plan.errors.map(({ what }) => what).join("\n")).toMatch(says);
    expect(await world.workloads(here)).toEqual([...everything, "Deployment new"].toSorted());
    expect(await world.workloads(there)).toEqual(everything.filter((name) => name !== "Deployment good"));

    await world.data.integration("broken", [
      { namespace: "n1", sharding: { strategy: "static", shards: 1 } },
      { namespace: "n3", sharding: { strategy: "static", shards: 2 } },
    ]);
    await world.data.namespace("n1", { realName: here });
    await world.data.remove("integrations", "new");
    const corrected = await world.run({ deletionsConfirmed: true });
    expect(corrected.plan.errors).toEqual([]);
    expect(corrected.isSuccess).toBe(true);
    expect(corrected.done).toEqual(
      [
        "c1 create Deployment broken",
        "c1 delete Deployment broken-0",
        "c1 delete Deployment broken-1",
        "c1 delete Deployment new",
      ].toSorted(),
    );
  });
});

test("a deletion is held back for a file of which it is not known what it ran, and the reason names the file", async () => {
  await world.data.integration("leaving", [{ namespace: "n2" }]);
  await world.run();
  await world.data.remove("integrations", "leaving");
  await edit("integrations/broken.json", (text) => text.replace('"name"', '"nmae"'));
  const { refusals, actions } = await world.plan({ deletionsConfirmed: true });
  expect(actions).toEqual([]);
  const held = refusals.find(({ name }) => name === "leaving");
  expect(held).toMatchObject({ action: "delete", kind: "Deployment" });
  expect(held?.reason).toMatch(/broken\.json:\d+:\d+/);
  await writeAll();
  expect((await world.run()).done).toEqual(["c1 delete Deployment leaving"]);
});
