import { readFile } from "node:fs/promises";
import { type Clock, InputError, Secret } from "#base";
import { notificationEvents, Notifier, Webhook } from "#integrations";
import type { NotificationSettings } from "../control/tenon-config.ts";

export interface NotifierOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  readonly warn: (what: string, problem: string) => void;
}

/** Opens the webhooks of `notifications` in `tenon.yaml`. */
export async function openNotifier(
  settings: readonly NotificationSettings[],
  { env, clock, warn }: NotifierOptions,
): Promise<Notifier> {
  const webhooks = settings.map(async ({ url, urlFrom, secretFrom, events, format }, index) => {
    const where = `notifications[${index}]`;
    const address = url === undefined ? await readFrom(urlFrom, `${where}.urlFrom`, env) : new Secret(url);
    if (!address || !/^https?:\/\//.test(address.reveal()) || !URL.canParse(address.reveal())) {
      throw new InputError("the address of the webhook is not a URL", {
        where,
        next: "write it like https://host/path",
      });
    }
    return new Webhook({
      url: address,
      events: events ?? notificationEvents,
      secret: await readFrom(secretFrom, `${where}.secretFrom`, env),
      format: format ?? "json",
      clock,
      random: Math.random,
      warn,
    });
  });
  return new Notifier(await Promise.all(webhooks), clock);
}

async function readFrom(
  from: NotificationSettings["urlFrom"],
  where: string,
  env: NodeJS.ProcessEnv,
): Promise<Secret | undefined> {
  if (!from) return undefined;
  const isFile = "file" in from;
  const text = isFile ? await readText(from.file, where) : (env[from.variable] ?? "");
  if (text.trim() !== "") return new Secret(text.trim());
  const what = isFile ? `${from.file} is empty` : `the variable ${from.variable} is not set`;
  throw new InputError(what, { where, next: isFile ? "write the secret to it" : "set it" });
}

async function readText(file: string, where: string): Promise<string> {
  return await readFile(file, "utf8").catch((cause: unknown) => {
    throw new InputError(`cannot read ${file}`, { where, next: "check the path and its permissions", cause });
  });
}
