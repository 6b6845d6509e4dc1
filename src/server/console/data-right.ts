import { type KubeClient, reviewOwnAccess } from "#kube";
import { Refused } from "./refused.ts";

interface DataReader {
  readonly isStarter: boolean;
  readonly client: KubeClient;
}

/** The right to see the data: a path that is nothing but the name of this right. */
const dataPath = "/tenon.dev/data";

/** Data files are not objects of Kubernetes, but who may see them is decided there too. */
export async function hasDataRight({ isStarter, client }: DataReader, signal: AbortSignal): Promise<boolean> {
  return isStarter || (await reviewOwnAccess(client, { verb: "get", path: dataPath }, signal)).isAllowed;
}

export async function requireDataRight(reader: DataReader, signal: AbortSignal): Promise<void> {
  if (await hasDataRight(reader, signal)) return;
  throw new Refused(
    403,
    "you may not see the data of this console",
    `ask an administrator of the cluster for a ClusterRole with the verb get on the nonResourceURL ${dataPath}`,
  );
}
