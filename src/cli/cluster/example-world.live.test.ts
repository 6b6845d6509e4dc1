import { mkdtempDisposable, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test, vi } from "vitest";
import { clusterHome } from "#cluster";
import { connect, createClient, loadAccess } from "#kube";
import { temporaryHome, testKubeconfig } from "#harness";
import { FakeShell } from "../fake-shell.fixture.ts";
import { runCommandLine } from "../run-command-line.ts";

test("`tenon up --kubeconfig` shows the plan for the user's cluster, asks, and brings the example with its namespaces", async () => {
  await using home = await temporaryHome();
  await using transport = connect(await loadAccess({ kubeconfig: testKubeconfig() }));
  const client = createClient(transport);
  const namespaces = async (): Promise<string[]> =>
    (await client.list({ apiVersion: "v1", kind: "Namespace" })).items.map(({ metadata }) => metadata.name ?? "");
  // Those of earlier test files may be on their way out.
  const before = await namespaces();
  const made = async () => (await namespaces()).filter((name) => !before.includes(name));
  const words = ["up", "--kubeconfig", testKubeconfig()];
  const env = { XDG_DATA_HOME: home.data, XDG_CACHE_HOME: home.data };

  const asked = new FakeShell({ env });
  expect(await runCommandLine(words, asked)).toBe(1);
  expect(asked.stdout.text).toMatch(/^context \S+ is Kubernetes v1\.\d+\.\d+ at https:\/\/\S+\n/);
  expect(asked.stdout.text).toContain("+ Namespace platform-stage: does not exist");
  expect(asked.stderr.text).toContain("change 28 objects?");
  expect(await made(), "created before the answer").toEqual([]);

  await using _ = {
    async [Symbol.asyncDispose]() {
      for (const name of await made()) await client.delete({ apiVersion: "v1", kind: "Namespace", name });
    },
  };
  const answered = new FakeShell({ env });
  expect({ code: await runCommandLine([...words, "-y"], answered), stderr: answered.stderr.text }).toMatchObject({
    code: 0,
  });
  expect(answered.stdout.text).toContain("\n28 of 28 done\n");
  expect(answered.stdout.text).toContain("One has moved to the new database, one is deleted:");
  expect(await readdir(join(home.data, "tenon")), "no instance is started").not.toContain("clusters");
});

test("`tenon up` runs the example world: a changed file is rolled out, a removed one is deleted, and both survive `tenon down`", async () => {
  await using data = await mkdtempDisposable(join(tmpdir(), "tenon-world-"));
  const cache = dirname(dirname(clusterHome().cache));
  const env = { PATH: process.env["PATH"], XDG_DATA_HOME: data.path, XDG_CACHE_HOME: cache };
  async function tenon(...words: string[]): Promise<string> {
    const shell = new FakeShell({ env });
    const exitCode = await runCommandLine(words, shell);
    expect({ words, exitCode, stderr: shell.stderr.text }).toMatchObject({ exitCode: 0 });
    return shell.stdout.text;
  }
  const stop = { [Symbol.asyncDispose]: async () => void (await tenon("down")) };
  await using _ = stop;

  const started = await tenon("up");
  const [, address = "", key = ""] = /\nThe console; this link .*\n {2}(http:\S+)\/login#(\S+)\n/.exec(started) ?? [];
  expect(started).toMatch(/\n\d+ integrations are ready\n/);
  const explained = /\n\$ tenon explain release\/(\S+)\n/;
  const [, release = ""] = explained.exec(started) ?? [];
  const told = started.slice(started.indexOf("From a commit to a running integration"), started.search(explained));
  expect(told.replaceAll(/^ *\d+\.\d s {2}/gm, "AT  ").replaceAll(/\b[0-9a-f]{7}(?:\.\.\.|\b)/g, "SHORT")).toBe(
    `From a commit to a running integration, without Tekton:
AT  commit SHORT of tracking is built: image SHORT
AT  Snapshot ${/parcels-[0-9a-f]{16}/.exec(release)?.[0]} is to be tested
AT  test smoke has passed, as a Job
AT  Release ${release.replace("parcels-release/", "")} by plan parcels-released
AT  tag released leads to SHORT
AT  branch promotion/main/parcels/stage is proposed
AT  merged into data/environments/stage.yml
            -  IMAGE_DIGEST: sha256:SHORT
            +  IMAGE_DIGEST: sha256:SHORT
AT  tenon apply: 1 to update, 1 unchanged
AT  Deployment parcels-stage/tracking runs SHORT
`,
  );
  const chain = started.slice(started.search(explained), started.indexOf("What to try next:\n"));
  expect(chain).toContain("  runs in: Deployment parcels-stage/tracking: tracking");
  expect(chain).toContain("  waits for: nothing\n");
  const kubeconfig = (await tenon("cluster", "kubeconfig")).trim();
  const environments = await tenon("get", "environments", "-A", "--kubeconfig", kubeconfig, "-o", "json");
  const [environment] = JSON.parse(environments);
  expect(environment).toMatchObject({ environment: "stage", where: ["Deployment parcels-stage/tracking"] });
  expect(environment.running).toBe(environment.released);
  const next = started.slice(started.indexOf("What to try next:\n")).trimEnd().split("\n").slice(1);
  expect(next.length, "lines of what to do next").toBeLessThanOrEqual(6);
  const [, folder = ""] = /\n {2}cd (\S+) /.exec(started) ?? [];
  const config = ["--config", join(folder, "tenon.yaml")];
  const session = await logIn(address, key);
  expect(session.user).toBe("kubernetes-admin");
  const plan = await fetch(`${address}/api/plan`, { headers: { cookie: session.cookie } });
  expect(await plan.json(), "the console shows the plan of the example").toMatchObject({
    summary: expect.any(String),
    errors: [],
  });
  interface Row {
    readonly integration: string;
    readonly desired: number;
    readonly running: number;
    readonly trouble: readonly string[];
  }
  const rows = async (): Promise<Row[]> => JSON.parse(await tenon("get", "integrations", "-o", "json", ...config));
  await vi.waitFor(
    async () => {
      const all = await rows();
      expect(all.length).toBeGreaterThan(10);
      expect(all.filter(({ desired, running, trouble }) => running !== desired || trouble.length > 0)).toEqual([]);
    },
    { timeout: 300_000, interval: 250 },
  );

  const members = join(folder, "data", "integrations", "github-members.yml");
  await writeFile(members, (await readFile(members, "utf8")).replace("shards: 2", "shards: 3"));
  await rm(join(folder, "data", "integrations", "price-feed.yml"));
  const applied = await tenon("apply", "--yes", ...config);
  expect(applied).toContain("+ Deployment github-members-2: new\n");
  expect(applied).toContain("- Deployment price-feed: no longer desired\n");

  await tenon("down");
  await expect(logIn(address, key), "the console has ended").rejects.toThrow("fetch failed");
  const again = await tenon("up");
  expect(again).toMatch(/\n\n\d+ unchanged\n/);
  expect(explained.exec(again)?.[1], "released once").toBe(release);
  expect(again).not.toContain("From a commit to a running integration");
  const names = (await rows()).map(({ integration }) => integration);
  expect(names).toContain("github-members");
  expect(names).not.toContain("price-feed");
});

async function logIn(address: string, link: string) {
  const headers = { origin: address, "content-type": "application/json" };
  const answer = await fetch(`${address}/api/session`, { method: "POST", headers, body: JSON.stringify({ link }) });
  expect(answer.status).toBe(200);
  const cookie = (answer.headers.get("set-cookie") ?? "").split(";", 1)[0] ?? "";
  return { ...JSON.parse(await answer.text()), cookie };
}
