import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { z } from "zod";
import { failure, failureStatus, type HttpProxy, selfSigned } from "#faults";
import { testKubeconfig, useNamespace } from "#harness";
import { loadAccess } from "#kube";
import { fastClock } from "./watched/fast-clock.ts";
import { expectNothingLost } from "./watched/nothing-lost.ts";
import { isRead, startWatchedWorld } from "./watched/watched-world.ts";

const { api, namespace } = useNamespace();
const before = ["a", "b"];
const reader = "reader";

/** A reflector that reads its token from a file; its watch is cut after one live event, and its old token is rejected. */
async function startRotatingWorld() {
  await using cleanup = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "tenon-token-"));
  cleanup.defer(() => rm(folder, { recursive: true }));
  await allowToRead();
  const [oldToken, newToken] = [await requestToken(), await requestToken()];
  const tokenFile = join(folder, "token");
  await writeFile(tokenFile, oldToken);
  const tls = await selfSigned("proxy");
  const world = cleanup.use(
    await startWatchedWorld({
      kubeconfig: testKubeconfig(),
      namespace,
      before,
      clock: fastClock(10),
      tls,
      prepare: (proxy) => void proxy.cut({ match: isRead, at: { lines: before.length + 2 }, times: 1 }),
      access: async (proxy) => loadAccess({ kubeconfig: await writeKubeconfig(folder, proxy, tls.cert) }),
    }),
  );
  await world.reflector.whenSynced();
  world.proxy.answer({
    match: ({ headers }) => headers.authorization === `Bearer ${oldToken}`,
    ...failure(failureStatus(401, "Unauthorized", "Unauthorized")),
  });
  const disposal = cleanup.move();
  return {
    world,
    rotate: () => replaceFile(tokenFile, newToken),
    [Symbol.asyncDispose]: () => disposal.disposeAsync(),
  };
}

test("with the new token in place before the old one is rejected, the watch resumes where it was", async () => {
  await using rotating = await startRotatingWorld();
  const { world, rotate } = rotating;
  await rotate();
  await world.write("seen-before-the-cut");
  await world.write("not-seen-before-the-cut");
  await expectNothingLost(world);
  expect(world.proxy.count(({ status }) => status === 401)).toBeGreaterThan(0);
  expect(world.asked().filter((asked) => asked === "read")).toHaveLength(1);
  expect(world.reflector.problem).toBeUndefined();
});

test("with the old token rejected before the new one is in place, the watch reports the problem, then resumes where it was", async () => {
  await using rotating = await startRotatingWorld();
  const { world, rotate } = rotating;
  await world.write("seen-before-the-cut");
  await world.write("not-seen-before-the-cut");
  await expect.poll(() => world.reflector.problem).toMatch(/^cannot watch ConfigMap/);
  await rotate();
  await expectNothingLost(world);
  expect(world.proxy.count(({ status }) => status === 401)).toBeGreaterThan(0);
  expect(world.asked().filter((asked) => asked === "read")).toHaveLength(1);
  expect(world.reflector.problem).toBeUndefined();
});

async function allowToRead(): Promise<void> {
  const role = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
  await api.call("POST", `/api/v1/namespaces/${namespace}/serviceaccounts`, { metadata: { name: reader } });
  await api.call("POST", `/apis/rbac.authorization.k8s.io/v1/namespaces/${namespace}/rolebindings`, {
    metadata: { name: reader },
    roleRef: role,
    subjects: [{ kind: "ServiceAccount", name: reader, namespace }],
  });
}

const TokenRequest = z.object({ status: z.object({ token: z.string() }) });

async function requestToken(): Promise<string> {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${reader}/token`;
  const { body } = await api.call("POST", path, { spec: { expirationSeconds: 600 } });
  return TokenRequest.parse(body).status.token;
}

async function writeKubeconfig(folder: string, { url }: HttpProxy, certificate: string): Promise<string> {
  const path = join(folder, "kubeconfig");
  const authority = Buffer.from(certificate).toString("base64");
  const config = {
    apiVersion: "v1",
    kind: "Config",
    "current-context": "rotating",
    clusters: [{ name: "proxy", cluster: { server: url.origin, "certificate-authority-data": authority } }],
    users: [{ name: "reader", user: { tokenFile: "token" } }],
    contexts: [{ name: "rotating", context: { cluster: "proxy", user: "reader" } }],
  };
  await writeFile(path, JSON.stringify(config));
  return path;
}

/** Replaces the file in one step, as the kubelet does, so that no reader sees half a token. */
async function replaceFile(path: string, content: string): Promise<void> {
  await writeFile(`${path}.new`, content);
  await rename(`${path}.new`, path);
}
