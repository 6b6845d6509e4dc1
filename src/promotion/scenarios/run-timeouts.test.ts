import { expect, test } from "vitest";
import { promotionAnnotations } from "../kinds/promotion-names.ts";
import { chooseTimeouts, formatTimeouts, timeoutsOf } from "./run-timeouts.ts";

function chosen(env: Record<string, string>, annotations: { pipeline?: string; tasks?: string; finally?: string }) {
  const { timeouts, problems } = chooseTimeouts(timeoutsOf(env).timeouts, {
    [promotionAnnotations.pipelineTimeout]: annotations.pipeline,
    [promotionAnnotations.tasksTimeout]: annotations.tasks,
    [promotionAnnotations.finallyTimeout]: annotations.finally,
  });
  return { timeouts: formatTimeouts(timeouts), problems: problems.length };
}

test.for([
  { reason: "nothing is said", env: {}, given: {}, timeouts: undefined, problems: 0 },
  {
    reason: "P20: the whole run is as long as its parts",
    env: { PIPELINE_TIMEOUT: "2h" },
    given: { tasks: "2h", finally: "1h" },
    timeouts: { pipeline: "3h0m0s", tasks: "2h0m0s", finally: "1h0m0s" },
    problems: 0,
  },
  {
    reason: "an annotation overrides the environment",
    env: { PIPELINE_TIMEOUT: "2h", TASKS_TIMEOUT: "1h" },
    given: { pipeline: "4h", tasks: "90m" },
    timeouts: { pipeline: "4h0m0s", tasks: "1h30m0s" },
    problems: 0,
  },
  {
    reason: "what is not a duration is ignored",
    env: { PIPELINE_TIMEOUT: "2h" },
    given: { pipeline: "soon", tasks: "-1h", finally: "1d" },
    timeouts: { pipeline: "2h0m0s" },
    problems: 3,
  },
  {
    reason: "parts without a whole stay as they are",
    env: {},
    given: { tasks: "2h" },
    timeouts: { tasks: "2h0m0s" },
    problems: 0,
  },
])("timeouts: $reason", ({ env, given, timeouts, problems }) => {
  expect(chosen(env, given)).toEqual({ timeouts, problems });
});

test("a variable of the environment that is not a duration is named", () => {
  expect(timeoutsOf({ TASKS_TIMEOUT: "5 minutes" }).problems).toEqual([
    'TASKS_TIMEOUT: "5 minutes" is not a valid duration; write it like 2h or 30m',
  ]);
});
