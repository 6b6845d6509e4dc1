import { expect, it } from "vitest";
import { nearestName } from "./nearest-name.ts";

const kinds = ["Deployment", "DaemonSet", "Pod", "Plug", "Socket"];

it.each([
  { reason: "a letter too many", name: "Deploymentt", nearest: "Deployment" },
  { reason: "a letter missing", name: "Deploymnt", nearest: "Deployment" },
  { reason: "two letters swapped", name: "Sokcet", nearest: "Socket" },
  { reason: "another case", name: "daemonset", nearest: "DaemonSet" },
  { reason: "a short name with one mistake", name: "Plig", nearest: "Plug" },
  { reason: "a short name with two mistakes could be anything", name: "Plim", nearest: undefined },
  { reason: "nothing like it", name: "Certificate", nearest: undefined },
  { reason: "nothing at all", name: "", nearest: undefined },
])("$reason: $name means $nearest", ({ name, nearest }) => {
  expect(nearestName(name, kinds)).toBe(nearest);
});

it("prefers the one with fewer mistakes", () => {
  expect(nearestName("sockets", ["rackets", "socket"])).toBe("socket");
});
