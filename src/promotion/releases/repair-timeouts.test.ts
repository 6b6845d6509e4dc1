import { describe, expect, test } from "vitest";
import { formatTimeouts, type RunTimeouts } from "../scenarios/run-timeouts.ts";
import { repairTimeouts } from "./repair-timeouts.ts";

const m = (minutes: number): bigint => BigInt(minutes) * 60_000_000_000n;

describe("P38: timeouts of a release are repaired", () => {
  const defaults = { pipeline: m(60), tasks: m(40), finally: m(20) };
  const cases: readonly (readonly [string, RunTimeouts, object | undefined])[] = [
    ["nothing given: the defaults", {}, { pipeline: "1h0m0s", tasks: "40m0s", finally: "20m0s" }],
    ["only finally: the defaults", { finally: m(5) }, { pipeline: "1h0m0s", tasks: "40m0s", finally: "20m0s" }],
    ["only the pipeline: ten minutes are left", { pipeline: m(60) }, { pipeline: "1h0m0s", tasks: "50m0s" }],
    ["only a short pipeline: half is left", { pipeline: m(10) }, { pipeline: "10m0s", tasks: "5m0s" }],
    ["only tasks: ten minutes are added", { tasks: m(30) }, { pipeline: "40m0s", tasks: "30m0s" }],
    [
      "tasks and finally: their sum",
      { tasks: m(30), finally: m(7) },
      { pipeline: "37m0s", tasks: "30m0s", finally: "7m0s" },
    ],
    [
      "the pipeline and a short finally: the rest",
      { pipeline: m(60), finally: m(30) },
      { pipeline: "1h0m0s", tasks: "30m0s", finally: "30m0s" },
    ],
    [
      "the pipeline and a long finally: divided anew",
      { pipeline: m(60), finally: m(31) },
      { pipeline: "1h0m0s", tasks: "50m0s", finally: "10m0s" },
    ],
    [
      "all three, and they fit: as they are",
      { pipeline: m(60), tasks: m(50), finally: m(10) },
      { pipeline: "1h0m0s", tasks: "50m0s", finally: "10m0s" },
    ],
    [
      "all three, and they do not fit: divided anew",
      { pipeline: m(60), tasks: m(55), finally: m(10) },
      { pipeline: "1h0m0s", tasks: "50m0s", finally: "10m0s" },
    ],
    [
      "all three of a short pipeline, and they do not fit: halves",
      { pipeline: m(10), tasks: m(10), finally: m(10) },
      { pipeline: "10m0s", tasks: "5m0s", finally: "5m0s" },
    ],
    [
      "the pipeline and longer tasks: divided anew",
      { pipeline: m(60), tasks: m(90) },
      { pipeline: "1h0m0s", tasks: "50m0s", finally: "10m0s" },
    ],
  ];
  test.each(cases)("%s", (_, given, expected) => {
    expect(formatTimeouts(repairTimeouts(given, defaults))).toEqual(expected);
  });

  test("without defaults, finally alone gives no timeouts", () => {
    expect(formatTimeouts(repairTimeouts({ finally: m(5) }))).toBeUndefined();
  });
});
