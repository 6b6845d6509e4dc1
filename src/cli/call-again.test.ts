import { expect, test } from "vitest";
import { callAgain } from "./call-again.ts";

test.for([
  { env: {}, call: "tenon", reason: "the default" },
  { env: { TENON_CALLED_AS: "./bin/tenon", PATH: "/usr/bin" }, call: "./bin/tenon", reason: "from a checkout" },
  { env: { TENON_CALLED_AS: "/opt/bin/tenon", PATH: "/usr/bin:/opt/bin" }, call: "tenon", reason: "found on the PATH" },
  { env: { TENON_CALLED_AS: "/opt/bin/tenon", PATH: "/usr/bin" }, call: "/opt/bin/tenon", reason: "not on the PATH" },
  { env: { TENON_CALLED_AS: "../my bin/it's" }, call: `'../my bin/it'\\''s'`, reason: "one word for the shell" },
])("$call, because $reason", ({ env, call }) => {
  expect(callAgain(env)).toBe(call);
});
