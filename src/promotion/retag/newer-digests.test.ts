import { expect, test } from "vitest";
import type { KubeObject } from "#kube";
import { promotionAnnotations, promotionLabels } from "../kinds/promotion-names.ts";
import { newerDigests } from "./newer-digests.ts";

interface Given {
  readonly component?: string;
  readonly type?: string;
  readonly started?: string;
  readonly created?: string;
  readonly pullRequest?: string;
}

function snapshot(name: string, images: Readonly<Record<string, string>>, given: Given = {}): KubeObject {
  const { component = "web", type = "component", started, created = "2026-01-02T00:00:00Z", pullRequest } = given;
  return {
    apiVersion: "appstudio.redhat.com/v1alpha1",
    kind: "Snapshot",
    metadata: {
      name,
      namespace: "shop",
      creationTimestamp: created,
      labels: {
        [promotionLabels.snapshotType]: type,
        ...(type === "override" ? {} : { [promotionLabels.component]: component }),
        ...(pullRequest === undefined
          ? {}
          : {
              "pac.test.appstudio.openshift.io/pull-request": pullRequest,
              "pac.test.appstudio.openshift.io/event-type": "pull_request",
            }),
      },
      annotations: started === undefined ? {} : { [promotionAnnotations.buildStarted]: started },
    },
    spec: {
      components: Object.entries(images).map(([each, digest]) => ({
        name: each,
        containerImage: `q/${each}@${digest}`,
      })),
    },
  };
}

const at = (minute: number): string => String(Date.UTC(2026, 0, 2, 10, minute));
const s0 = snapshot("s0", { web: "D0", api: "A0" }, { started: at(0) });
const s1 = snapshot("s1", { web: "D1", api: "A0" }, { started: at(10) });

test.for([
  {
    reason: "the image of a newer build of the same component",
    others: [s0, s1, snapshot("s2", { web: "D2", api: "A0" }, { started: at(20) })],
    newer: ["D2"],
  },
  {
    reason: "seconds and milliseconds are one time",
    others: [snapshot("s2", { web: "D2" }, { started: String(Number(at(20)) / 1000) })],
    newer: ["D2"],
  },
  {
    reason: "a later build of another component carries the image before: that one is not newer",
    others: [s0, s1, snapshot("s2", { web: "D0", api: "A2" }, { component: "api", started: at(20) })],
    newer: ["A2"],
  },
  {
    reason: "an image that a later build carries and no older one has, because its own Snapshot is deleted",
    others: [s0, s1, snapshot("s3", { web: "D2", api: "A3" }, { component: "api", started: at(30) })],
    newer: ["A3", "D2"],
  },
  {
    reason: "a person chose the image before, later: it stays",
    others: [s0, s1, snapshot("by-hand", { web: "D0" }, { type: "override", created: "2026-01-02T10:30:00Z" })],
    newer: ["D0"],
  },
  {
    reason: "pull requests are never released",
    others: [s0, s1, snapshot("pr", { web: "D7" }, { started: at(40), pullRequest: "7" })],
    newer: [],
  },
  {
    reason: "its own images are not newer than itself, in whichever Snapshot",
    others: [s1, snapshot("s2", { web: "D1", api: "A0" }, { component: "api", started: at(20) })],
    newer: [],
  },
])("$reason", ({ others, newer }) => {
  expect([...newerDigests(s1, others)].toSorted()).toEqual(newer);
});
