import { expect, test } from "vitest";
import { mergeSources } from "../sources/resolved.ts";
import { ownBy } from "./prepare-stage.ts";

const from = (source: string) => ({ source, values: [[source.replace(" ", "-"), { value: "x" }]] as const });
const sources = [
  "config",
  "configSecretName s",
  "configConfigMapName c",
  "default",
  "configTemplate",
  "apparatus /config",
];
const maps = {
  plugConfig: mergeSources(sources.map(from)),
  socketConfig: mergeSources(sources.map(from)),
  plugResult: mergeSources([from("result"), from("resultTemplate")]),
  socketResult: mergeSources([from("result")]),
};

test.each([
  { path: "socket.spec.config.a", isOwn: true, reason: "who writes the template writes it" },
  { path: "socket.status.conditions", isOwn: false, reason: "others write it, too" },
  { path: "socket", isOwn: false, reason: "the status is in it" },
  { path: "", isOwn: false, reason: "everything" },
  { path: "plug.metadata.annotations.a", isOwn: false, reason: "the plug's" },
  { path: "plugConfig.config", isOwn: false, reason: "the plug's" },
  { path: "socketConfig.config", isOwn: true, reason: "it is in the spec" },
  { path: "socketConfig.configSecretName-s", isOwn: true, reason: "it is in a Secret that the spec names" },
  { path: "socketConfig.configConfigMapName-c", isOwn: true, reason: "or in a ConfigMap" },
  { path: "socketConfig.default", isOwn: true, reason: "the socket's interface has it" },
  { path: "socketConfig.none", isOwn: true, reason: "there is nothing" },
  { path: "socketConfig.configTemplate", isOwn: false, reason: "it may be made of what the plug gave" },
  { path: "socketConfig.apparatus-/config", isOwn: false, reason: "the apparatus that answers got what the plug gave" },
  { path: "socketConfig", isOwn: false, reason: "such values are in it" },
  { path: "socketResult", isOwn: true, reason: "none are in it" },
  { path: "result.result", isOwn: true, reason: "the same by another name" },
  { path: "plugResult.result", isOwn: false, reason: "the plug's" },
])(
  "F-01: only values that the socket's author wrote count as the socket's own: $path, $isOwn, $reason",
  ({ path, isOwn }) => {
    expect(ownBy("socket", maps)(path === "" ? [] : path.split("."))).toBe(isOwn);
  },
);

test("F-01: a default of the interface counts as the socket's own, not as the plug's", () => {
  expect(["config", "default"].map((key) => ownBy("plug", maps)(["plugConfig", key]))).toEqual([true, false]);
});
