import { z } from "zod";

const Chain = z.object({
  build: z.object({ started: z.string(), ended: z.string() }),
  tests: z.tuple([z.object({ started: z.string(), ended: z.string() })]),
  created: z.string(),
  ended: z.string(),
  stages: z.tuple([z.object({ merged: z.string(), running: z.string() })]),
});

/** How long each step of a chain took, by the times in what `tenon explain release` says, which are whole seconds. */
export function describeArrows(
  explained: unknown,
  { proposed, merged }: { readonly proposed: string; readonly merged: string },
): string {
  const { build, tests, created, ended, stages } = Chain.parse(explained);
  const steps: readonly (readonly [name: string, from: string, to: string])[] = [
    ["build", build.started, build.ended],
    ["end of the build to start of the test", build.ended, tests[0].started],
    ["test in an environment", tests[0].started, tests[0].ended],
    ["end of the test to Release", tests[0].ended, created],
    ["Release, by a pipeline", created, ended],
    ["released to pull request", ended, proposed],
    ["merge to rolled out and seen", merged, stages[0].running],
  ];
  const lines = steps.map(([name, from, to]) => `  ${name}: ${(Date.parse(to) - Date.parse(from)) / 1_000} s\n`);
  return `the chain took\n${lines.join("")}`;
}
