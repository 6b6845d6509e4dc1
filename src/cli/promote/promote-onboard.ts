import { CommandFailed, describeError, InputError, isRecord } from "#base";
import type { KubeClient, KubeObject } from "#kube";
import { formatRepository, parseImageReference } from "#oci";
import {
  Application,
  authorLabelOf,
  Component,
  type GitopsSettings,
  onboardingManager,
  type OnboardingStep,
  planOnboarding,
  Propagation,
  ReleasePlan,
  renderTenant,
} from "#promotion";
import { requireCoupledKinds, withClient } from "../couple/with-client.ts";
import type { ClusterChoice } from "../shared-options.ts";
import type { Shell } from "../shell.ts";
import { confirm } from "../terminal/confirm.ts";
import { safeText } from "../terminal/visible-text.ts";

export interface PromoteOnboardChoice extends ClusterChoice {
  readonly application?: string;
  readonly plan?: string;
  readonly tag: readonly string[];
  readonly pipeline: "builtin" | "tekton";
  readonly taskImage?: string;
  readonly plainHttp: readonly string[];
  readonly environmentTasks: boolean;
  readonly autoRelease: boolean;
  readonly registrySecret: readonly string[];
  readonly gitops?: string;
  readonly branch: string;
  readonly path: readonly string[];
  readonly stage: string;
  readonly forge?: string;
  readonly forgeSecret?: string;
  readonly image: readonly string[];
  readonly takeOver: boolean;
  readonly dryRun: boolean;
  readonly yes: boolean;
}

/** `tenon promote onboard`: what a team's namespace needs, shown, asked about, and applied with the rights of the user. */
export async function promoteOnboard(namespace: string, choice: PromoteOnboardChoice, shell: Shell): Promise<void> {
  if (!/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(namespace)) {
    throw new InputError(`${JSON.stringify(namespace)} is not a valid namespace`, {
      next: "use letters like a-z, digits and -",
    });
  }
  await withClient(choice, shell, async (client) => {
    const kinds = [Application, ReleasePlan, ...(choice.gitops === undefined ? [] : [Propagation])];
    await requireCoupledKinds(client, shell.signal, kinds);
    const { user } = await client.whoAmI(shell.signal);
    const desired = renderTenant({
      namespace,
      application: choice.application,
      plan: choice.plan,
      tags: choice.tag.length === 0 ? ["released"] : choice.tag,
      pipeline: choice.pipeline,
      taskImage: choice.taskImage,
      plainHttp: choice.plainHttp,
      environmentTasks: choice.environmentTasks,
      autoRelease: choice.autoRelease,
      author: authorLabelOf(user),
      registrySecrets: await registrySecrets(namespace, choice, client, shell.signal),
      gitops: await readGitops(namespace, choice, client, shell.signal),
    });
    const plan = () => planOnboarding(desired, choice, client, shell.signal);
    const steps = await plan();
    const say = (line: string) => shell.stdout.write(`${safeText(line)}\n`);
    say(`namespace ${namespace}, as ${user}:`);
    for (const line of steps.flatMap(describeStep)) say(line);
    const changes = steps.filter(({ action }) => action === "create" || action === "change");
    const refused = steps.filter(({ action }) => action === "refused").length;
    if (changes.length === 0 || choice.dryRun) {
      if (changes.length === 0) say(refused === 0 ? "nothing to do" : "nothing can be done");
      if (refused > 0) throw refusal(refused);
      return;
    }
    if (!choice.yes && !(await confirm("apply this?", shell, shell.signal))) {
      throw new InputError("nothing was changed", { next: "answer yes, or use --yes" });
    }
    const failed = await applySteps(changes, choice.takeOver, client, shell);
    if (failed + refused > 0) throw refusal(failed + refused);
    say(`${changes.length} applied`);
    say(`next: tenon get releaseplans -n ${namespace}`);
  });
}

function refusal(count: number): CommandFailed {
  return new CommandFailed(`${count} objects could not be applied`, {
    next: "see the reasons above; the others are applied, and the command can be repeated",
  });
}

/** What fails is said, and keeps nothing else back. */
async function applySteps(
  steps: readonly OnboardingStep[],
  force: boolean,
  client: KubeClient,
  shell: Shell,
): Promise<number> {
  let failed = 0;
  for (const { object } of steps) {
    try {
      await client.apply(object, { fieldManager: onboardingManager, force }, shell.signal);
    } catch (error) {
      shell.signal.throwIfAborted();
      failed += 1;
      shell.stdout.write(`${safeText(`  ! ${nameOf(object)}: ${describeError(error)}`)}\n`);
    }
  }
  return failed;
}

const signs: Readonly<Record<OnboardingStep["action"], string>> = {
  create: "+",
  change: "~",
  unchanged: "=",
  kept: "=",
  refused: "!",
};

function describeStep({ action, object, reason, fields = [] }: OnboardingStep): string[] {
  if (action === "unchanged") return [];
  const why = action === "change" ? fields.join(", ") : reason;
  return [`  ${signs[action]} ${nameOf(object)}${why === undefined ? "" : `: ${why}`}`];
}

function nameOf({ kind, metadata: { name } }: KubeObject): string {
  return `${kind} ${name}`;
}

/** Those that the user names, and those that the account has already. */
async function registrySecrets(
  namespace: string,
  { registrySecret }: PromoteOnboardChoice,
  client: KubeClient,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const account = { apiVersion: "v1", kind: "ServiceAccount", namespace, name: "appstudio-pipeline" };
  const found = await client.find(account, signal).catch(() => undefined);
  const linked = [found?.["secrets"], found?.["imagePullSecrets"]].flatMap((list) => (Array.isArray(list) ? list : []));
  const names = linked.flatMap((each: unknown) =>
    isRecord(each) && typeof each["name"] === "string" ? [each["name"]] : [],
  );
  return [...new Set([...registrySecret, ...names])].toSorted();
}

async function readGitops(
  namespace: string,
  choice: PromoteOnboardChoice,
  client: KubeClient,
  signal: AbortSignal,
): Promise<GitopsSettings | undefined> {
  if (choice.gitops === undefined) return undefined;
  const { gitops: repository, branch, path: paths, stage, forgeSecret: credentials } = choice;
  const images = choice.image.map(parseImage);
  if (images.length === 0) images.push(...(await builtImages(namespace, choice.application, client, signal)));
  if (images.length === 0) {
    throw new InputError("no image is known that the GitOps repository could refer to", {
      where: "--gitops",
      next: "name the repositories of the images, with --image quay.io/acme/web for each",
    });
  }
  return {
    repository,
    branch,
    paths,
    stage,
    forge: { kind: choice.forge ?? guessForge(repository), credentials },
    images,
  };
}

function parseImage(text: string): GitopsSettings["images"][number] {
  const [, component, image = text] = /^([a-z0-9-]+)=(.+)$/.exec(text) ?? [];
  const repository = formatRepository(parseImageReference(image));
  return component === undefined ? { repository } : { repository, component };
}

/** The repositories that the components of the Application are built into. */
async function builtImages(
  namespace: string,
  application: string | undefined,
  client: KubeClient,
  signal: AbortSignal,
): Promise<GitopsSettings["images"][number][]> {
  const { apiVersion, kind } = Component;
  const { items } = await client.list({ apiVersion, kind, namespace }, signal);
  return items.flatMap(({ metadata: { name }, spec }) => {
    const { application: owner, containerImage } = isRecord(spec) ? spec : {};
    if (owner !== application || typeof containerImage !== "string" || containerImage === "") return [];
    return [{ repository: formatRepository(parseImageReference(containerImage)), component: name }];
  });
}

function guessForge(repository: string): string {
  if (/\bgithub\.com\b/.test(repository)) return "github";
  if (/\bgitlab\b/.test(repository)) return "gitlab";
  if (/\b(?:gitea|codeberg|forgejo)\b/.test(repository)) return "gitea";
  throw new InputError(`cannot tell which forge ${repository} is on`, {
    where: "--gitops",
    next: "say it with --forge github, gitlab, gitea or plain",
  });
}
