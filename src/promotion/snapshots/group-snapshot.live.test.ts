import { expect, test } from "vitest";
import { useGitea } from "#gitea";
import { type KubeObject, refOf } from "#kube";
import { pullRequest, type Shop, useIntake } from "../builds/use-intake.fixture.ts";
import { pacPrefix, promotionAnnotations, promotionLabels, scmLabels } from "../kinds/promotion-names.ts";

const world = useIntake();
const gitea = await useGitea();
const owner = await gitea.createUser();
const groupStatus = ({ metadata }: KubeObject) => metadata.annotations?.[promotionAnnotations.groupStatus] ?? "";
const groupState = ({ metadata }: KubeObject) => metadata.annotations?.[promotionAnnotations.groupState];
/** The status of a group that has one. */
async function created(shop: Shop): Promise<string> {
  const find = async () =>
    (await shop.snapshots()).map(groupStatus).find((status) => status.startsWith("created")) ?? "";
  await expect.poll(find, { timeout: 300_000 }).not.toBe("");
  return await find();
}
const groupsIn = async (shop: Shop) =>
  (await shop.snapshots()).filter(({ metadata }) => metadata.labels?.[promotionLabels.snapshotType] === "group");

/** Two components on Gitea, each with an open pull request of the same branch. */
async function openTwo(hasSecret = true) {
  const shop = await world.shop(["web", "api"]);
  const { host } = new URL(gitea.access.url);
  const data = { password: owner.token, "ca.crt": gitea.access.certificateAuthority };
  const labels = { [scmLabels.credentials]: "scm", [scmLabels.host]: host.replace(":", "_") };
  if (hasSecret) {
    await shop.create({ apiVersion: "v1", kind: "Secret", metadata: { name: "gitea", labels }, stringData: data });
  }
  const open = async (component: string) => {
    const repository = await gitea.createRepository({ "app.txt": "a\n" }, owner);
    const branch = { new_branch_name: "feat-x", old_branch_name: "main" };
    await gitea.expect("POST", `${repository.path}/branches`, branch, owner.token);
    const sha = await gitea.commit(repository, { "app.txt": `b of ${component}\n` }, "feat-x");
    const pull = { head: "feat-x", base: "main", title: "A change" };
    const { number } = await gitea.expect("POST", `${repository.path}/pulls`, pull, owner.token);
    const body = { spec: { source: { git: { url: repository.address } } } };
    await world.client.patch(shop.ref("Component", component), { type: "merge", body });
    const given = pullRequest(String(number), "feat-x");
    const facts = { "git-provider": "gitea", "repo-url": repository.address, sha };
    const said = Object.fromEntries(Object.entries(facts).map(([name, value]) => [`${pacPrefix}${name}`, value]));
    const close = async () => {
      await gitea.expect("PATCH", `${repository.path}/pulls/${number}`, { state: "closed" }, owner.token);
    };
    return { component, ...given, annotations: { ...given.annotations, ...said }, close };
  };
  return { shop, web: await open("web"), api: await open("api") };
}

test("P12: a pull request that was closed is not tested with the others, and the Snapshot of the other says so", async () => {
  const { shop, web, api } = await openTwo();
  await shop.build("api", api);
  const first = await shop.snapshotOf("api");
  await shop.waitFor(shop.ref("Snapshot", first.metadata.name), (found) => groupStatus(found).includes("fewer than 2"));
  await api.close();
  await shop.build("web", { ...web, startTime: "2026-01-02T04:00:00Z" });
  const second = await shop.snapshotOf("web");
  const alone = await shop.waitFor(shop.ref("Snapshot", second.metadata.name), (found) => groupStatus(found) !== "");
  expect(groupStatus(alone)).toBe("fewer than 2 components have an open pull request of this group: web");
  expect(await groupsIn(shop)).toEqual([]);
});

test("P12: pull requests that the forge calls open are tested together", async () => {
  const { shop, web, api } = await openTwo();
  await shop.build("api", api);
  await shop.snapshotOf("api");
  await shop.build("web", { ...web, startTime: "2026-01-02T04:00:00Z" });
  expect(await created(shop)).toMatch(/^created group Snapshot \S+$/);
  expect(await groupsIn(shop)).toHaveLength(1);
});

test("P12: without a token for the forge a pull request counts as open, and the Snapshot says what is missing", async () => {
  const { shop, web, api } = await openTwo(false);
  await shop.build("api", api);
  await shop.snapshotOf("api");
  await shop.build("web", { ...web, startTime: "2026-01-02T04:00:00Z" });
  expect(await created(shop)).toMatch(
    /^created group Snapshot .*cannot ask whether that of api is open: .*no Secret for/,
  );
});

test("P12: a quota that forbids the group Snapshot is said on each member, and once raised each says that it is created", async () => {
  const { shop, web, api } = await openTwo();
  const resource = "count/snapshots.appstudio.redhat.com";
  const quota = await shop.create({
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "objects" },
    spec: { hard: { [resource]: "2" } },
  });
  const status = { hard: { [resource]: "2" }, used: { [resource]: "0" } };
  await world.client.patch(refOf(quota), { type: "merge", subresource: "status", body: { status } });
  await shop.build("api", api);
  const first = await shop.snapshotOf("api");
  await shop.build("web", { ...web, startTime: "2026-01-02T04:00:00Z" });
  const second = await shop.snapshotOf("web");
  const until = (beginning: string) =>
    Promise.all(
      [first, second].map(({ metadata: { name } }) =>
        shop.waitFor(shop.ref("Snapshot", name), (found) => groupStatus(found).startsWith(beginning)),
      ),
    );
  const barred = await until("cannot create the group Snapshot");
  expect(groupStatus(barred[0] ?? first)).toMatch(/exceeded quota: objects.*; raise the quota of the namespace/);
  expect(barred.map(groupState)).toEqual(["forbidden", "forbidden"]);
  await world.client.delete(refOf(quota));
  await world.stop();
  await world.start();
  expect((await until("created group Snapshot")).map(groupState)).toEqual(["created", "created"]);
  expect(await groupsIn(shop)).toHaveLength(1);
});
