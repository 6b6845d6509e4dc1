import { compareSync } from "bcryptjs";
import { expect, test } from "vitest";
import { TemplateSet } from "../go-template/index.ts";
import { Budget, type GoValue, tenantLimits } from "#golang";
import { sprigFunctions } from "./sprig-functions.ts";

const limits = tenantLimits;

function render(text: string, data: GoValue = null, steps = limits.steps): string {
  const set = new TemplateSet({ functions: sprigFunctions });
  set.parse("t", text);
  return set.execute("t", data, { context: { budget: new Budget({ ...limits, steps }), now: () => 0, host: {} } });
}

test("bcrypt hashes verify with their password only", () => {
  const hash = render('{{ bcrypt "pässword" }}');
  expect(compareSync("pässword", hash)).toBe(true);
  expect(compareSync("password", hash)).toBe(false);
});

test("a password that is not valid UTF-8 is refused", () => {
  expect(() => render("{{ bcrypt . }}", "a\udcff")).toThrow("cannot hash a password that is not UTF-8");
});

test.each(['bcrypt "a"', 'derivePassword 1 "pin" "a" "b" "c"'])(
  "a tenant's budget pays for few calls of %s",
  (call) => {
    expect(() => render(`{{ ${call} }}`, null, 40_000)).toThrow("takes more than 40000 steps");
  },
);
