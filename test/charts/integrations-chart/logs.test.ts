import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { JsonObject } from "#base";
import { look, objectsIn, renderOne } from "./render-integrations.ts";

const annotation = 'pod metadata.annotations["tenon.dev/fluent.conf"]';

function configOf(logs: JsonObject): string {
  return z.string().parse(look(renderOne({ logs }), annotation));
}

/** Its variables: a value, the key of a Secret, or the field of its pod. */
function environmentOf(settings: JsonObject, parameters: Record<string, string> = {}): JsonObject {
  const env = objectsIn(look(renderOne(settings, parameters), "container:fluentd env"));
  return Object.fromEntries(
    env.map((variable) => {
      const { name, value = look(variable, "valueFrom.secretKeyRef.key") } = variable;
      return [z.string().parse(name), value ?? look(variable, "valueFrom.fieldRef.fieldPath") ?? null];
    }),
  );
}

describe("the log shipper", () => {
  test.each([
    { reason: "no logs setting", logs: undefined, isThere: false },
    { reason: "everything is off", logs: { slack: false, googleChat: false }, isThere: false },
    { reason: "govSlack has no effect", logs: { govSlack: true }, isThere: false },
    { reason: "Slack", logs: { slack: true }, isThere: true },
    { reason: "Google Chat", logs: { googleChat: true }, isThere: true },
    { reason: "CloudWatch", logs: { cloudwatch: true }, isThere: true },
  ])("is there only if logs ask for it: $reason", ({ logs, isThere }) => {
    const object = renderOne(logs === undefined ? {} : { logs });
    expect(look(object, "container:fluentd name") === "fluentd").toBe(isThere);
    expect(look(object, annotation) !== undefined).toBe(isThere);
    expect(look(object, "container:int volumeMounts[2]")).toEqual(
      isThere ? { name: "logs", mountPath: "/fluentd/log/" } : undefined,
    );
  });

  test("is a container of what runs all the time, and a sidecar of a job, which ends with it", () => {
    const logs = { slack: true };
    expect(look(renderOne({ logs }), "pod spec.containers[1].name")).toBe("fluentd");
    const job = renderOne({ logs, cron: "@hourly" });
    expect(look(job, "pod spec.containers[1]")).toBeUndefined();
    expect(look(job, "container:fluentd restartPolicy")).toBe("Always");
  });

  test("gets its image from parameters, and an empty digest is refused by name", () => {
    const parameters = { FLUENTD_IMAGE: "f", FLUENTD_IMAGE_TAG: "t", FLUENTD_IMAGE_DIGEST: "sha256:1" };
    const object = renderOne({ logs: { slack: true } }, { ...parameters, FLUENTD_IMAGE_PULL_POLICY: "Never" });
    expect(look(object, "container:fluentd image")).toBe("f:t@sha256:1");
    expect(look(object, "container:fluentd imagePullPolicy")).toBe("Never");
    expect(() => renderOne({}, { FLUENTD_IMAGE_DIGEST: "" })).toThrow("FLUENTD_IMAGE_DIGEST");
  });

  test("is restricted, and reads its configuration from an annotation of its pod", () => {
    const object = renderOne({ logs: { slack: true } });
    expect(look(object, "container:fluentd securityContext")).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ["ALL"] },
    });
    expect(look(object, "pod spec.volumes[4].downwardAPI.items")).toEqual([
      { path: "fluent.conf", fieldRef: { fieldPath: "metadata.annotations['tenon.dev/fluent.conf']" } },
    ]);
    expect(look(object, "pod spec.volumes[2]")).toEqual({ name: "logs", emptyDir: {} });
    expect(look(object, "pod spec.volumes[3]")).toEqual({ name: "fluentd-tmp", emptyDir: {} });
    expect(look(object, "container:fluentd volumeMounts")).toEqual([
      { name: "logs", mountPath: "/fluentd/log/" },
      { name: "fluentd-config", mountPath: "/fluentd/etc/", readOnly: true },
      { name: "fluentd-tmp", mountPath: "/tmp" },
    ]);
  });

  test("B-17: the log shipper has resources of its own, with parameters", () => {
    const logs = { slack: true };
    const usual = { requests: { cpu: "15m", memory: "30Mi" }, limits: { memory: "120Mi" } };
    expect(look(renderOne({ logs }), "container:fluentd resources")).toEqual(usual);
    const object = renderOne({ logs, fluentdResources: { limits: { memory: 1 } } }, { A_FLUENTD_MEMORY_LIMIT: "2Gi" });
    expect(look(object, "container:fluentd resources")).toEqual({ limits: { memory: "2Gi" } });
  });
});

describe("B-16: logs go to the targets that the settings name", () => {
  test("everything goes to a channel of Slack, or to that of triggers", () => {
    const parameters = { SLACK_CHANNEL: "all", SLACK_CHANNEL_TRIGGER: "triggers", SLACK_ICON_EMOJI: ":face:" };
    expect(environmentOf({ logs: { slack: true } }, parameters)).toEqual({
      INTEGRATION_NAME: "a",
      LOG_FILE: "/fluentd/log/integration.log",
      SLACK_WEBHOOK_URL: "slack.webhook_url",
      SLACK_CHANNEL: "all",
      SLACK_ICON_EMOJI: ":face:",
    });
    expect(environmentOf({ logs: { slack: true }, trigger: true }, parameters)).toMatchObject({
      SLACK_WEBHOOK_URL: "slack.triggers_url",
      SLACK_CHANNEL: "triggers",
    });
  });

  test("G3-16: errors go to a second Slack channel, whose parameter is the same for all integrations", () => {
    const parameters = { SLACK_RECONCILE_ERR_CHANNEL_NAME: "c" };
    expect(environmentOf({ logs: { slack: true, slackErrorFilter: true } }, parameters)).toMatchObject({
      SLACK_ERRORS_ONLY_WEBHOOK_URL: "slack.errors_only_webhook_url",
      SLACK_RECONCILE_ERR_CHANNEL_NAME: "c",
    });
  });

  test("errors go to Google Chat, one thread a pod", () => {
    expect(environmentOf({ logs: { googleChat: true } })).toMatchObject({
      GOOGLE_CHAT_WEBHOOK_URL: "google_chat.webhook_url",
      POD_NAME: "metadata.name",
    });
    expect(environmentOf({ logs: { googleChat: true }, trigger: true })).toMatchObject({
      GOOGLE_CHAT_WEBHOOK_URL: "google_chat.triggers_url",
    });
  });

  test("everything goes to CloudWatch, a stream for each shard", () => {
    const shard_specs = [{ shard_name_suffix: "-c1" }];
    expect(environmentOf({ logs: { cloudwatch: true }, shard_specs })).toMatchObject({
      LOG_STREAM_NAME: "a-c1",
      LOG_GROUP_NAME: "log_group_name",
      AWS_REGION: "aws_region",
      AWS_ACCESS_KEY_ID: "aws_access_key_id",
      AWS_SECRET_ACCESS_KEY: "aws_secret_access_key",
    });
    const object = renderOne({ logs: { cloudwatch: true } }, { CLOUDWATCH_SECRET: "watch" });
    expect(look(object, "container:fluentd env[3].valueFrom.secretKeyRef.name")).toBe("watch");
  });

  test.each<{ reason: string; logs: JsonObject; types: string[] }>([
    { reason: "Slack", logs: { slack: true }, types: ["tail", "none", "grep", "copy", "slack"] },
    {
      reason: "Slack and its errors",
      logs: { slack: true, slackErrorFilter: true },
      types: ["tail", "none", "grep", "copy", "slack", "relabel", "grep", "slack"],
    },
    {
      reason: "Google Chat",
      logs: { googleChat: true },
      types: ["tail", "none", "grep", "copy", "relabel", "grep", "record_transformer", "http", "json"],
    },
    { reason: "CloudWatch", logs: { cloudwatch: true }, types: ["tail", "none", "grep", "copy", "cloudwatch_logs"] },
  ])("the configuration has what is asked for and no more: $reason", ({ logs, types }) => {
    expect([...configOf(logs).matchAll(/^ *@type (\w+)$/gm)].map(([, type]) => type)).toEqual(types);
  });

  test.each<JsonObject>([{ slack: true }, { slack: true, slackErrorFilter: true, googleChat: true, cloudwatch: true }])(
    "what the configuration opens it closes, and every variable it reads is there: %j",
    (logs) => {
      const config = configOf(logs);
      const tags = [...config.matchAll(/^ *<(\/?\w+)[^>]*>$/gm)].map(([, tag = ""]) => tag);
      const open: string[] = [];
      for (const tag of tags)
        if (`/${open.at(-1)}` === tag) open.pop();
        else open.push(tag);
      expect(open).toEqual([]);
      const read = [...config.matchAll(/ENV\['(\w+)'\]/g)].map(([, name]) => name);
      const given = Object.keys(environmentOf({ logs })).filter((name) => !name.startsWith("AWS_"));
      expect(new Set(given)).toEqual(new Set(read));
    },
  );

  test.each<{ reason: string; logs: JsonObject; words: string }>([
    {
      reason: "the log is read from its beginning",
      logs: { slack: true },
      words: `<source> @type tail path "#{ENV['LOG_FILE']}" pos_file /fluentd/log/position tag integration
        read_from_head true <parse> @type none </parse> </source>`,
    },
    {
      reason: "noise is dropped",
      logs: { slack: true },
      words: `<filter integration> @type grep
        <exclude> key message pattern /using gql endpoint/ </exclude>
        <exclude> key message pattern /request_id: / </exclude>
        <exclude> key message pattern /Certificate did not match expected hostname/ </exclude> </filter>`,
    },
    {
      reason: "a message in Slack says which integration it is from",
      logs: { slack: true },
      words: `<store ignore_error> @type slack webhook_url "#{ENV['SLACK_WEBHOOK_URL']}" channel "#{ENV['SLACK_CHANNEL']}"
        icon_emoji "#{ENV['SLACK_ICON_EMOJI']}" username "#{ENV['INTEGRATION_NAME']}"
        message "\`\`\`[#{ENV['INTEGRATION_NAME']}] %s\`\`\`" flush_interval 10s </store>`,
    },
    {
      reason: "only errors go to their channel",
      logs: { slack: true, slackErrorFilter: true },
      words: `<label @slack_errors> <filter integration> @type grep
        <regexp> key message pattern /^\\[ERROR\\]/ </regexp> </filter> <match integration> @type slack
        webhook_url "#{ENV['SLACK_ERRORS_ONLY_WEBHOOK_URL']}" channel "#{ENV['SLACK_RECONCILE_ERR_CHANNEL_NAME']}"`,
    },
    {
      reason: "only errors go to Google Chat, each a message of its own, of which it knows the field text and no other",
      logs: { googleChat: true },
      words: `<label @google_chat> <filter integration> @type grep
        <regexp> key message pattern /^\\[ERROR\\]/ </regexp> </filter> <filter integration> @type record_transformer
        renew_record true <record> text \${record["message"]} </record> </filter> <match integration> @type http
        endpoint "#{ENV['GOOGLE_CHAT_WEBHOOK_URL']}&threadKey=#{ENV['POD_NAME']}" content_type application/json
        <format> @type json </format> <buffer> chunk_limit_records 1 flush_interval 15s flush_at_shutdown true`,
    },
    {
      reason: "CloudWatch",
      logs: { cloudwatch: true },
      words: `<store ignore_error> @type cloudwatch_logs log_group_name "#{ENV['LOG_GROUP_NAME']}"
        log_stream_name "#{ENV['LOG_STREAM_NAME']}" auto_create_stream true </store>`,
    },
  ])("the configuration says: $reason", ({ logs, words }) => {
    expect(configOf(logs).replaceAll(/\s+/g, " ")).toContain(words.replaceAll(/\s+/g, " "));
  });

  test("nothing of an integration is in the configuration, where it could be Ruby", () => {
    const evil = { name: "#{exit}", logs: { slack: true }, shard_specs: [{ shard_name_suffix: "-#{exit}" }] };
    expect(look(renderOne(evil), annotation)).toBe(configOf({ slack: true }));
  });
});
