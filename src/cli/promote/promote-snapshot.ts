import { randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { CommandFailed, InputError, systemClock } from "#base";
import { keyOf } from "#kube";
import { Application, Component, createSnapshot, planOverride, type OverridePlan, Snapshot } from "#promotion";
import { parseObjectKey } from "../couple/object-name.ts";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText } from "../terminal/visible-text.ts";
import { shortImage } from "./short-image.ts";

export interface PromoteSnapshotChoice extends ClusterChoice {
  readonly namespace?: string;
  readonly image: readonly string[];
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** `tenon promote snapshot`: an override Snapshot, made with the rights of the user. */
export async function promoteSnapshot(owner: string, choice: PromoteSnapshotChoice, shell: Shell): Promise<void> {
  const images = parseImages(choice.image);
  await withClient(choice, shell, async (client, ownNamespace) => {
    await requireCoupledKinds(client, shell.signal, [Application, Component, Snapshot]);
    const { namespace, name: application } = parseObjectKey(owner, choice.namespace ?? ownNamespace);
    const plan = () => planOverride({ namespace, application, images }, client, shell.signal);
    const shown = await plan();
    for (const line of describeOverride(`${namespace}/${application}`, shown)) {
      shell.stdout.write(`${safeText(line)}\n`);
    }
    if (choice.dryRun) return;
    if (!choice.yes && !(await confirm("create this Snapshot?", shell, shell.signal))) {
      throw new InputError("nothing was created", { next: "answer yes, or use --yes" });
    }
    // An override sets the candidate of each of its components: one that changed meanwhile would go back.
    const { snapshot, rows } = await plan();
    if (!isDeepStrictEqual(rows, shown.rows)) {
      throw new CommandFailed("the candidates have changed since they were shown", { next: "run it again" });
    }
    const origin = { id: randomUUID(), startedAt: systemClock.now(), isSame: () => false };
    const key = keyOf(await createSnapshot(snapshot, origin, client, shell.signal));
    shell.stdout.write(`Snapshot ${key} created\nnext: tenon explain snapshot/${key}\n`);
  });
}

function parseImages(given: readonly string[]): ReadonlyMap<string, string> {
  const images = new Map<string, string>();
  for (const text of given) {
    const [, component = "", image = ""] = /^([^=/:@]+)=(.+)$/.exec(text) ?? [];
    if (component === "") {
      throw new InputError(`--image ${text} names no component`, {
        next: "write --image COMPONENT=REPOSITORY@sha256:...",
      });
    }
    if (images.has(component)) {
      throw new InputError(`--image names the component ${component} twice`, { next: "leave one of them out" });
    }
    images.set(component, image);
  }
  return images;
}

function describeOverride(application: string, { rows, omitted }: OverridePlan): string[] {
  return [
    `a Snapshot of ${application}, whose images become the candidates of their components:`,
    ...rows.map(({ component, before, image }) =>
      before === image
        ? `  ${component}: ${shortImage(image)}, as it is`
        : `  ${component}: ${before === undefined ? "no image" : shortImage(before)} -> ${image}`,
    ),
    ...(omitted.length === 0 ? [] : [`left out, because they have no image yet: ${omitted.join(", ")}`]),
  ];
}
