import { expect, test } from "vitest";
import { InputError } from "#base";
import { fixedCredentials } from "#kube";
import { FakeShell } from "../fake-shell.fixture.ts";
import { isSharedConsole, openConsole } from "./open-console.ts";
import { createLogger } from "#base";

const access = {
  context: "here",
  namespace: "default",
  source: "a test",
  server: new URL("https://127.0.0.1:1"),
  credentials: fixedCredentials({}),
};

test.each([
  { context: "here", publicUrl: undefined, isShared: false, reason: "who starts it on a machine uses it" },
  {
    context: "here",
    publicUrl: new URL("https://tenon.example.com"),
    isShared: true,
    reason: "others have its address",
  },
  { context: "in-cluster", publicUrl: undefined, isShared: true, reason: "others can read the log of a pod" },
])("a console in context $context is shared: $isShared, because $reason", ({ context, publicUrl, isShared }) => {
  expect(isSharedConsole({ context }, publicUrl)).toBe(isShared);
});

test.each([
  { settings: { host: "0.0.0.0" }, where: "--host", reason: "tokens would travel unencrypted" },
  { settings: { publicUrl: "http://tenon.example.com" }, where: "--public-url", reason: "it is not encrypted" },
  {
    settings: { publicUrl: "https://tenon.example.com/tenon" },
    where: "--public-url",
    reason: "cookies are of a host",
  },
])("a console with $settings is refused: $reason", async ({ settings, where }) => {
  const log = createLogger({ destination: { write: () => {} } });
  const opened = openConsole(settings, access, log, new FakeShell());
  await expect(opened).rejects.toSatisfy((error) => error instanceof InputError && error.where === where);
});
