import { InputError } from "#base";
import type { Transport } from "./transport.ts";

export interface ServerVersion {
  readonly major: number;
  readonly minor: number;
  /** As the server writes it: `v1.37.1`. */
  readonly text: string;
}

/**
 * The first version with everything that Tenon relies on: aggregated discovery v2 (https://kep.k8s.io/3352); CEL in CRDs came
 * with 1.29 (https://kep.k8s.io/2876), server-side apply with 1.22.
 */
export const oldestServer = { major: 1, minor: 30 } as const;

/** The server's version; an InputError if it is too old for what Tenon relies on. */
export async function requireServerVersion(transport: Transport, signal?: AbortSignal): Promise<ServerVersion> {
  const { body } = await transport.send({ method: "GET", path: "/version" }, signal);
  const version = parseServerVersion(body);
  const oldest = `${oldestServer.major}.${oldestServer.minor}`;
  if (version === undefined) {
    throw new InputError("the server does not say which version of Kubernetes it is", {
      where: `context ${transport.cluster}`,
      next: `point \`server\` at the API server of Kubernetes ${oldest} or later`,
    });
  }
  const isNewEnough =
    version.major > oldestServer.major || (version.major === oldestServer.major && version.minor >= oldestServer.minor);
  if (isNewEnough) return version;
  throw new InputError(`the server runs Kubernetes ${version.text}, and Tenon needs ${oldest} or later`, {
    where: `context ${transport.cluster}`,
    next: "upgrade the cluster, or choose another with --context",
  });
}

/** From `gitVersion`, because `minor` may end in a vendor's "+". */
export function parseServerVersion(body: string): ServerVersion | undefined {
  const text = gitVersionIn(body);
  const { major, minor } = /^v?(?<major>\d+)\.(?<minor>\d+)/.exec(text)?.groups ?? {};
  return major === undefined ? undefined : { major: Number(major), minor: Number(minor), text };
}

function gitVersionIn(body: string): string {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === "object" && answer !== null && "gitVersion" in answer ? String(answer.gitVersion) : "";
  } catch {
    return "";
  }
}
