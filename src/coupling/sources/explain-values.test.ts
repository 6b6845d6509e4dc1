import { expect, test } from "vitest";
import { samplePair } from "../kinds/sample-pair.fixture.ts";
import { explainValues } from "./explain-values.ts";
import { configMap, FakeReader, secret } from "./resolve-sample.fixture.ts";
import { resolveInputs, resolveResults } from "./resolve-values.ts";

const never = new AbortController().signal;

test("each key is explained with the source that won and those that lost, without secrets", async () => {
  const { plug, socket } = samplePair(
    {
      configSecretName: "sec",
      config: { user: "ann", junk: "x" },
      configConfigMapName: "cm",
      resultTemplate: { greeting: "hello {% .plugConfig.user %}", token: "{% .plugConfig.password %}" },
    },
    { interface: { config: { plug: { user: {}, password: {}, port: { default: "5432" } } } } },
  );
  const { as } = new FakeReader(
    secret("app/sec", { user: "root", password: "correct-horse" }),
    configMap("app/cm", { user: "eve" }),
  );
  const inputs = await resolveInputs(plug, socket, as, {}, never);
  const results = await resolveResults(plug, socket, inputs, as, {}, never);
  if ("waiting" in results) throw new Error(results.waiting);
  const explained = explainValues(inputs, results);
  const stable = { isSecret: false, isUnstable: false };
  expect(explained).toEqual([
    {
      name: "plugConfig",
      side: "plug",
      keys: [
        { key: "password", value: "***", source: "configSecretName sec", overrode: [], ...stable, isSecret: true },
        { key: "port", value: "5432", source: "default", overrode: [], ...stable },
        {
          key: "user",
          value: "eve",
          source: "configConfigMapName cm",
          overrode: ["configSecretName sec", "config"],
          ...stable,
        },
      ],
      dropped: [{ key: "junk", source: "config" }],
    },
    {
      name: "plugResult",
      side: "plug",
      keys: [
        { key: "greeting", value: "hello eve", source: "resultTemplate", overrode: [], ...stable },
        { key: "token", value: "***", source: "resultTemplate", overrode: [], ...stable, isSecret: true },
      ],
      dropped: [],
    },
  ]);
  expect(JSON.stringify(explained)).not.toContain("correct-horse");
});
