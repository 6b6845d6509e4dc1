import { createLogger, createMetrics, type JsonObject, packageFile, systemClock } from "#base";
import { testKubeconfig } from "#harness";
import {
  ApiError,
  connect,
  createClient,
  fixedCredentials,
  isKubeObject,
  type KubeClient,
  type KubeObject,
  type KubeRequest,
  loadAccess,
  requestToken,
  type Transport,
} from "#kube";
import { Health } from "#runtime";
import { loadChart, renderChart } from "#template";
import { startCoupling } from "../../../src/cli/couple/coupling-job.ts";
import { readCouplingSettings } from "../../../src/cli/couple/coupling-settings.ts";
import { FakeShell } from "../../../src/cli/fake-shell.fixture.ts";
import { runCommandLine } from "../../../src/cli/run-command-line.ts";

interface Release {
  readonly name: string;
  readonly namespace: string;
  readonly values: JsonObject;
}

/** Starts as the chart's pod does: with the arguments, the account and the rights that the release has. */
export interface ChartOperator extends AsyncDisposable {
  /** The account and its roles, which the test applied. */
  readonly roles: readonly KubeObject[];
  /** Everything that the operator asked for as itself or for a tenant, like `GET /api/v1/…`. */
  readonly calls: readonly string[];
  /** What Tenon itself was not allowed; what its tenants are not is their business. */
  readonly refused: readonly string[];
  readonly lines: readonly string[];
}

export async function startChartOperator(admin: KubeClient, release: Release): Promise<ChartOperator> {
  const objects = objectsOf(release);
  const roles = objects.filter(({ kind }) => /^(ServiceAccount|(Cluster)?Role(Binding)?)$/.test(kind));
  for (const role of roles) await admin.apply(role, { fieldManager: "test", force: true });
  const words = argumentsOf(objects);
  await whenGranted(release, words);
  const [calls, refused, lines]: [string[], string[], string[]] = [[], [], []];
  const access = await loadAccess({ kubeconfig: testKubeconfig() });
  const { token } = await requestToken(admin, { namespace: release.namespace, name: release.name });
  const transport = noting(connect({ ...access, credentials: fixedCredentials({ token }) }), calls, refused);
  const client = createClient(transport);
  const ending = new AbortController();
  const running = startCoupling(
    {
      client,
      proxyClient: client,
      leaseClient: client,
      server: access.server,
      isInCluster: true,
      namespace: release.namespace,
      identity: release.name,
      health: new Health(systemClock),
      clock: systemClock,
      random: Math.random,
      log: createLogger({ level: "debug", destination: { write: (line) => void lines.push(line) } }),
      metrics: createMetrics(),
    },
    readCouplingSettings(words, {}),
    ending.signal,
  );
  running.catch(() => {}); // reported when it is stopped
  return {
    roles,
    calls,
    refused,
    lines,
    async [Symbol.asyncDispose]() {
      ending.abort(new Error("the test is over"));
      await running;
      await transport[Symbol.asyncDispose]();
    },
  };
}

function objectsOf({ name, namespace, values }: Release): KubeObject[] {
  const { manifests } = renderChart(loadChart(packageFile("charts", "tenon")), {
    values,
    release: { name, namespace },
  });
  return manifests.flatMap(({ object }) => (isKubeObject(object) ? [object] : []));
}

/** The options of `tenon run` in the chart's Deployment, as commander names them. */
function argumentsOf(objects: readonly KubeObject[]): Record<string, string> {
  const text = JSON.stringify(objects.find(({ kind }) => kind === "Deployment"));
  const found = [...text.matchAll(/"--(namespaces|namespace-selector|lease)=([^"]*)"/g)];
  return Object.fromEntries(
    found.map(([, name = "", value = ""]) => [name.replace("-s", "S"), value] satisfies [string, string]),
  );
}

/** The server learns of rights some time after it has stored them. */
async function whenGranted({ name, namespace }: Release, words: Record<string, string>): Promise<void> {
  const { namespaces, lease } = words;
  const given = [...(namespaces ? ["--namespaces", namespaces] : []), ...(lease ? ["--lease", lease] : [])];
  const as = `system:serviceaccount:${namespace}:${name}`;
  const line = ["doctor", "--rbac", "--only", "couple", "--tenon-namespace", namespace, "--as", as, ...given];
  for (;;) {
    const shell = new FakeShell();
    const exitCode = await runCommandLine([...line, "--kubeconfig", testKubeconfig()], shell);
    if (exitCode === 0 && !shell.stdout.text.includes("not needed")) return;
    await systemClock.sleep(200);
  }
}

function noting(transport: Transport, calls: string[], refused: string[], isTenant = false): Transport {
  const told = async <Answer>({ method, path }: KubeRequest, answer: Promise<Answer>): Promise<Answer> => {
    calls.push(`${method} ${path}`);
    return await answer.catch((error: unknown) => {
      if (!isTenant && error instanceof ApiError && error.isForbidden) refused.push(`${method} ${path}`);
      throw error;
    });
  };
  return {
    cluster: transport.cluster,
    send: (request, signal) => told(request, transport.send(request, signal)),
    open: (request, signal) => told(request, transport.open(request, signal)),
    impersonate: (identity) => noting(transport.impersonate(identity), calls, refused, true),
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
