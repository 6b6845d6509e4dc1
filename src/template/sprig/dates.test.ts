import { expect, test } from "vitest";
import { TemplateSet } from "../go-template/index.ts";
import { Budget, chartLimits, tenantLimits } from "#golang";
import { sprigFunctions } from "./sprig-functions.ts";

const noon = Date.UTC(2020, 1, 29, 12, 0, 0, 250);

function render(text: string, limits = chartLimits): string {
  const set = new TemplateSet({ functions: sprigFunctions });
  set.parse("t", text);
  return set.execute("t", null, { context: { budget: new Budget(limits), now: () => noon, host: {} } });
}

test("now gives the time of the context's clock, with a monotonic clock", () => {
  expect(render("{{ now }}")).toMatch(/^2020-02-29 12:00:00\.25 \+0000 UTC m=\+\d+\.\d{9}$/);
});

test("dateModify keeps the monotonic clock of a time, another zone does not", () => {
  expect(render('{{ now | dateModify "1h" }}')).toContain(" m=+");
  expect(render("{{ now.UTC }}")).toBe("2020-02-29 12:00:00.25 +0000 UTC");
});

test("ago rounds to seconds", () => {
  const date = 'toDate "2006-01-02 15:04:05" "2020-02-29 10:58:57"';
  expect(render(`{{ ${date} | ago }} {{ ${date} | durationRound }}`)).toBe("1h1m3s 1h");
});

test("ago of a future time is negative and rounds its magnitude", () => {
  const date = 'toDate "2006-01-02" "2020-03-03"';
  expect(render(`{{ ${date} | ago }} {{ ${date} | durationRound }}`)).toBe("-60h0m0s 2d");
});

test("date takes the current time for what is neither a time nor a number", () => {
  expect(render('{{ date "2006-01-02" "2019-01-01" }}')).toBe("2020-02-29");
  expect(render('{{ htmlDateInZone nil "Pacific/Kiritimati" }}')).toBe("2020-03-01");
});

test("a long layout is refused before it is written", () => {
  const limits = tenantLimits;
  expect(() => render('{{ date (repeat 120000 "January") 0 }}', limits)).toThrow("at once");
});
