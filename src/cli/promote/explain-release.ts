import { InputError, systemClock } from "#base";
import { describeRef, type KubeClient, type KubeObject } from "#kube";
import { chainOf, digestsIn, findRollouts, Propagation, Release, type ReleaseChain, Snapshot } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice, OutputFormat } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { printDocument } from "../terminal/print-rows.ts";
import { lineLimit, wrapText } from "../terminal/text-width.ts";
import { safeText } from "../terminal/visible-text.ts";
import { describeChain } from "./describe-chain.ts";

export interface ExplainReleaseChoice extends ClusterChoice {
  readonly output: OutputFormat;
}

/** `tenon explain release/NAMESPACE/NAME`: the way from the commit to the workloads that run it. */
export async function explainRelease(name: string, choice: ExplainReleaseChoice, shell: Shell): Promise<void> {
  const chain = await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Release, Snapshot]);
    const { apiVersion, kind } = Release;
    const ref = { apiVersion, kind, ...parseObjectKey(name, ownNamespace) };
    const release = await client.find(ref, shell.signal);
    if (!release) {
      throw new InputError(`${describeRef(ref)} not found`, {
        next: "`tenon get releases --all-namespaces` lists all",
      });
    }
    const snapshot = await findSnapshot(release, client, shell.signal);
    const propagations = await findPropagations(release, client, shell.signal);
    const { namespace } = release.metadata;
    const rollouts = await findRollouts(digestsIn(release, snapshot), namespace, client, shell.signal);
    return chainOf(release, snapshot, propagations, rollouts);
  });
  if (choice.output === "json" || choice.output === "yaml") await printDocument(chain, choice.output, shell);
  else printChain(chain, choice.output, shell);
}

async function findSnapshot(release: KubeObject, client: KubeClient, signal: AbortSignal) {
  const { apiVersion, kind } = Snapshot;
  const { namespace } = release.metadata;
  const { snapshot } = Release.parse(release).spec;
  return await client.find({ apiVersion, kind, namespace, name: snapshot }, signal);
}

/** None on a cluster without the kind. */
async function findPropagations({ metadata: { namespace } }: KubeObject, client: KubeClient, signal: AbortSignal) {
  const { apiVersion, kind } = Propagation;
  const served = await client.discovery.resources(signal);
  if (!served.some((each) => each.apiVersion === apiVersion && each.kind === kind)) return [];
  return (await client.list({ apiVersion, kind, namespace }, signal)).items;
}

function printChain(chain: ReleaseChain, output: "table" | "markdown", { stdout }: Shell): void {
  const width = lineLimit(stdout);
  const isMarkdown = output === "markdown";
  stdout.write(`${isMarkdown ? "### " : ""}Release ${safeText(chain.release)}: ${chain.state}\n`);
  if (isMarkdown) stdout.write("\n");
  for (const [label, text] of describeChain(chain, systemClock.now())) {
    const line = `${label}: ${safeText(text)}`;
    stdout.write(`${isMarkdown ? `- ${line}` : wrapText(line, width, "  ")}\n`);
  }
}
