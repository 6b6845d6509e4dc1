import { expect, test } from "vitest";
import { samplePair } from "../../kinds/sample-pair.fixture.ts";
import { PerOwner } from "./per-owner.ts";

const { plug, socket } = samplePair();

function kept() {
  const present = new Map([plug, socket].map((object) => [object.kind, object]));
  const values = new PerOwner<string>((kind) => present.get(kind));
  return { present, values };
}

test("a value is kept for its owner, and not shared with another owner", () => {
  const { values } = kept();
  expect(values.get(plug, () => "first")).toBe("first");
  expect(values.get(plug, () => "second")).toBe("first");
  expect(values.find(socket.metadata.uid)).toBe(undefined);
  values.set(socket, "other");
  expect([plug, socket].map(({ metadata }) => values.find(metadata.uid))).toEqual(["first", "other"]);
});

test("a value that is set after its owner is gone is not kept", () => {
  const { present, values } = kept();
  values.set(socket, "known");
  present.delete("Socket");
  values.forget(socket.metadata.uid);
  values.set(socket, "too late");
  expect(values.get(socket, () => "for this once")).toBe("for this once");
  expect(values.find(socket.metadata.uid)).toBe(undefined);
});

test("an object with the same name and another uid is another owner", () => {
  const { present, values } = kept();
  present.set("Plug", { ...plug, metadata: { ...plug.metadata, uid: "another" } });
  values.set(plug, "too late");
  expect(values.find(plug.metadata.uid)).toBe(undefined);
});
