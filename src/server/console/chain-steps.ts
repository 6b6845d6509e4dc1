import {
  type ExplainedPropagation,
  type ExplainedSnapshot,
  isTrouble,
  type ReleaseChain,
  shortDigest,
} from "#promotion";
import type { ConsoleRow, ObjectAnswer } from "./console-api.ts";

type Step = ObjectAnswer["chain"][number];
type WaitsOn = ConsoleRow["waitsOn"];

/** What is not in here counts as fine. */
const bad: ReadonlySet<string> = new Set([
  "Failed",
  "Invalid",
  "Deleted",
  "Held",
  "Manual",
  "Limited",
  "TestFail",
  "TestInvalid",
]);
/** The others are counted. */
const shownRollouts = 10;
const busy: ReadonlySet<string> = new Set([
  "Testing",
  "Waiting",
  "Running",
  "Progressing",
  "InProgress",
  "Pending",
  "Proposed",
  "ProposedElsewhere",
  "New",
]);

function waitOf(state: string): WaitsOn {
  return bad.has(state) ? "person" : busy.has(state) ? "tenon" : "nothing";
}

function step(
  title: string,
  state: string,
  given: Partial<Omit<Step, "since">> & { readonly since?: string | undefined },
): Step {
  const { since, ...rest } = given;
  return {
    title,
    state,
    waitsOn: waitOf(state),
    lines: [],
    links: [],
    ...rest,
    ...(since === undefined ? {} : { since }),
  };
}

function imageLine(component: string, image: string, commit?: string, repository?: string): string {
  const from = commit === undefined ? "" : `, commit ${commit}${repository === undefined ? "" : ` of ${repository}`}`;
  return `${component} ${shortDigest(image.replace(/^[^@]*@/, ""))}${from}`;
}

/** Only addresses that a browser may open: a tenant can write any text there. */
function linkTo(text: string, url: string): Step["links"] {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol) ? [{ text, url }] : [];
}

function testSteps({ tests }: Pick<ExplainedSnapshot, "tests">): Step[] {
  return tests.map((test) => {
    const { scenario, status, isOptionalScenario = false, details, log, next, lastUpdateTime } = test;
    const failed: WaitsOn = isOptionalScenario ? "nothing" : "person";
    return step(`Test ${scenario}${isOptionalScenario ? " (optional)" : ""}`, status, {
      since: lastUpdateTime,
      lines: [details, ...(next === undefined ? [] : [next])],
      waitsOn: isTrouble(test) ? failed : waitOf(status),
      ...(log === undefined ? {} : { log: [...log] }),
    });
  });
}

export function snapshotSteps(snapshot: ExplainedSnapshot): Step[] {
  const { from, components, state, message, owner } = snapshot;
  return [
    step("Build", "Built", {
      lines: [`from ${from}`, ...components.map(({ name, image, commit }) => imageLine(name, image, commit))],
    }),
    step("Snapshot", state, { lines: [`of ${owner}`, ...(message === undefined ? [] : [message])] }),
    ...testSteps(snapshot),
  ];
}

function rolloutSteps(rollouts: ReleaseChain["rollouts"]): Step[] {
  const shown = rollouts.slice(0, shownRollouts).map(({ object, component, digest, state, since, message }) =>
    step(`Runs in ${object}`, state, {
      since,
      waitsOn: state === "Failed" ? "person" : state === "Running" ? "nothing" : "tenon",
      lines: [`${component} ${shortDigest(digest)}`, ...(message === undefined ? [] : [message])],
    }),
  );
  const more = rollouts.length - shown.length;
  return more === 0 ? shown : [...shown, step(`Runs in ${more} more workloads`, "Running", { waitsOn: "nothing" })];
}

/** From the commit to where it runs. */
export function releaseSteps(chain: ReleaseChain, tests: ExplainedSnapshot | undefined): Step[] {
  const { commits, build, snapshot, plan, author, automated, created, phases, tags, stages, waitsFor, state } = chain;
  const by = author === undefined ? "" : `, ${author} answers for it`;
  return [
    step("Build", "Built", {
      since: build.ended ?? build.started,
      lines: [
        `from ${build.from}`,
        ...commits.map(({ component, image, commit, repository }) => imageLine(component, image, commit, repository)),
      ],
    }),
    step("Snapshot", snapshot.state, { since: snapshot.since, lines: [snapshot.name] }),
    ...(tests ? testSteps(tests) : []),
    step("Release", state, {
      since: created,
      lines: [`by plan ${plan}, ${automated ? "by itself" : "by a person"}${by}`, `waits for: ${waitsFor}`],
    }),
    ...phases
      .filter((phase) => phase.state !== "Skipped")
      .map((phase) =>
        step(`The ${phase.phase}`, phase.state, {
          since: phase.since,
          ...(phase.message === undefined || phase.message === "" || phase.state === "Succeeded"
            ? {}
            : { log: phase.message.split("\n") }),
        }),
      ),
    ...(tags.length === 0
      ? []
      : [
          step("Tags", "Moved", {
            lines: tags.map((each) => `${each.component} ${shortDigest(each.digest)}: ${each.tags.join(", ")}`),
          }),
        ]),
    ...stages.map((stage) =>
      step(`Stage ${stage.stage} of ${stage.propagation}`, stage.state, {
        since: stage.since,
        lines: [stage.next],
        links: stage.pullRequests.flatMap(({ number, state: each, url }) =>
          linkTo(`pull request ${number}, ${each}`, url),
        ),
      }),
    ),
    ...rolloutSteps(chain.rollouts),
  ];
}

/** Where each digest is, by stage. */
export function stageSteps({ stages, components }: ExplainedPropagation): Step[] {
  const name = (digests: Readonly<Record<string, string>>) =>
    Object.entries(digests)
      .map(([image, digest]) => `${components[image] ?? image} ${shortDigest(digest)}`)
      .join(", ");
  return stages.map((stage) => {
    const { target, merged, running, health } = stage;
    return step(`Stage ${stage.stage}`, stage.state, {
      since: stage.since,
      lines: [
        `branch ${stage.branch} of ${stage.repository}`,
        ...(target ? [`gets ${name(target.digests)}`] : []),
        merged ? `merged ${name(merged.digests)}` : "nothing is merged yet",
        ...(running ? [`runs ${name(running.digests)}`] : []),
        ...(health ? [`${health.state}${health.message === undefined ? "" : `: ${health.message}`}`] : []),
        stage.next,
      ],
      links: stage.pullRequests.flatMap(({ number, state, url }) => linkTo(`pull request ${number}, ${state}`, url)),
    });
  });
}
