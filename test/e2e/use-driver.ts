import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { toYaml } from "#golang";
import { accountUser, grantRights, revokeRights } from "#harness";
import { type KubeClient, loadAccess, requestToken } from "#kube";
import { driverRights } from "#promotion";

const program = join(import.meta.dirname, "..", "..", "bin", "tenon");

export interface DriverProcess {
  /** What it has logged. */
  readonly lines: string[];
  /** Ends it with this signal, and waits until it has ended. */
  end(signal: "SIGTERM" | "SIGKILL"): Promise<void>;
}

/** An account with the driver's rights and no others, and a kubeconfig of it in `directory`. */
export async function makeDriverAccount(
  {
    client,
    kubeconfig,
    namespace,
  }: { readonly client: KubeClient; readonly kubeconfig: string; readonly namespace: string },
  directory: string,
): Promise<AsyncDisposable & { readonly file: string }> {
  const account = { namespace, name: "driver" };
  await client.create({ apiVersion: "v1", kind: "ServiceAccount", metadata: account });
  const grant = {
    name: `driver-${namespace}`,
    user: accountUser(account),
    rules: driverRights.map(({ apiGroup, resources, verbs, names }) => ({
      apiGroups: [apiGroup],
      resources,
      verbs,
      resourceNames: names,
    })),
  };
  await grantRights(client, grant);
  const { token } = await requestToken(client, account, { expirationSeconds: 24 * 3600 });
  const { server, certificateAuthority = "" } = await loadAccess({ kubeconfig });
  const file = join(directory, "driver.kubeconfig");
  const authority = Buffer.from(certificateAuthority).toString("base64");
  const text = toYaml({
    apiVersion: "v1",
    kind: "Config",
    "current-context": "driver",
    clusters: [{ name: "driver", cluster: { server: server.href, "certificate-authority-data": authority } }],
    users: [{ name: "driver", user: { token: token.reveal() } }],
    contexts: [{ name: "driver", context: { cluster: "driver", user: "driver" } }],
  });
  await writeFile(file, text, { mode: 0o600 });
  return { file, [Symbol.asyncDispose]: () => revokeRights(client, grant) };
}

/** Runs `tenon dra-driver` where a DaemonSet would: among the files of the node, with its kubelet's sockets. */
export function startDriver(node: { readonly pid: number; readonly name: string }, kubeconfig: string): DriverProcess {
  const words = ["-t", `${node.pid}`, "--mount", program, "dra-driver", "--node-name", node.name, "--slots", "4"];
  const child: ChildProcess = spawn("nsenter", [...words, "--kubeconfig", kubeconfig], {
    env: { PATH: process.env["PATH"], HOME: process.env["HOME"] },
    stdio: ["ignore", "ignore", "pipe"],
  });
  const closed = once(child, "close");
  const lines: string[] = [];
  child.stderr?.setEncoding("utf8").on("data", (text: string) => lines.push(text));
  return {
    lines,
    async end(signal) {
      child.kill(signal);
      await closed;
    },
  };
}
