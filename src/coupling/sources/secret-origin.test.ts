import { expect, test } from "vitest";
import { redact } from "#base";
import { resolveSample, secret } from "./resolve-sample.fixture.ts";

const found = [secret("app/sec", { password: "correct-horse" })];

test("a value computed from a Secret is secret, and its neighbours are not", async () => {
  const plug = {
    dataSecretName: "sec",
    data: { user: "ann" },
    configTemplate: { url: "db://{% .plugData.user %}:{% .plugData.password %}@x", user: "{% .plugData.user %}" },
  };
  const { plugConfig } = await resolveSample(plug, {}, found);
  expect(plugConfig.get("url")).toMatchObject({ isSecret: true });
  expect(plugConfig.get("user")).toMatchObject({ isSecret: false });
});

test("a secret is masked in any text while the inputs live", async () => {
  const inputs = await resolveSample({ configSecretName: "sec" }, {}, found);
  expect(redact("the password is correct-horse")).toBe("the password is ***");
  expect(inputs.plugConfig.get("password")?.value).toBe("correct-horse");
});

test("sensitive properties are secret whatever their source, also if a template reads the object itself", async () => {
  const plug = { config: { pin: "12345678" } };
  const socket = {
    interface: {
      config: { plug: { pin: { sensitive: true }, salt: { sensitive: true, default: "pepper-and-salt" } } },
    },
    configTemplate: {
      copy: "{% .plug.spec.config.pin %}",
      given: "{% .socket.spec.interface.config.plug.salt.default %}",
      name: "{% .plug.metadata.name %}",
    },
  };
  const { plugConfig, socketConfig } = await resolveSample(plug, socket);
  const secrets = [...plugConfig, ...socketConfig].filter(([, { isSecret }]) => isSecret).map(([key]) => key);
  expect(secrets).toEqual(["pin", "salt", "copy", "given"]);
});

test("an apparatus' answer is secret if it received a secret", async () => {
  const answer = { a: "1" };
  const config = async () => answer;
  const told = await resolveSample({ dataSecretName: "sec" }, {}, found, { config });
  const untold = await resolveSample({ data: { a: "b" } }, {}, found, { config });
  expect([told, untold].map(({ plugConfig }) => plugConfig.get("a")?.isSecret)).toEqual([true, false]);
});
