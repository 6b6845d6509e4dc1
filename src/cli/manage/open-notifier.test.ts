import { expect, test } from "vitest";
import { systemClock } from "#base";
import type { NotificationSettings } from "../control/tenon-config.ts";
import { openNotifier } from "./open-notifier.ts";

const env = { HOOK: "https://hooks.example.com/x", EMPTY: "" };
const options = { env, clock: systemClock, warn: () => {} };

test.each<{ settings: NotificationSettings; message: string }>([
  { settings: { urlFrom: { variable: "EMPTY" } }, message: "the variable EMPTY is not set" },
  { settings: { urlFrom: { file: "/nowhere/hook" } }, message: "cannot read /nowhere/hook" },
  { settings: { url: env.HOOK, secretFrom: { variable: "NO_SUCH" } }, message: "the variable NO_SUCH is not set" },
  { settings: { url: "ftp://hooks.example.com" }, message: "the address of the webhook is not a URL" },
])("a webhook is refused before anything is changed: $message", async ({ settings, message }) => {
  await expect(openNotifier([settings], options)).rejects.toThrow(message);
});

test("a webhook gets its address and its secret from variables", async () => {
  const settings = { urlFrom: { variable: "HOOK" }, secretFrom: { variable: "HOOK" } };
  await expect(openNotifier([settings], options)).resolves.toBeDefined();
});
