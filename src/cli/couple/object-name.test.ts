import { expect, test } from "vitest";
import { readKey, readName } from "./object-name.ts";

test.for([
  { text: "plug/shop/db", found: { kind: "Plug", namespace: "shop", name: "db" }, reason: "all of it" },
  { text: "socket/db", found: { kind: "Socket", namespace: "mine", name: "db" }, reason: "of the context's namespace" },
  { text: "PLUGS/shop/db", found: { kind: "Plug", namespace: "shop", name: "db" }, reason: "as kubectl takes it" },
])("$text: $reason", ({ text, found }) => {
  expect(readName(text, "mine")).toEqual(found);
});

test.for(["db", "shop/db", "pod/shop/db", "plug/", "plug/a/b/c", "plug//db", "/shop/db"])("%s is refused", (text) => {
  expect(() => readName(text, "mine")).toThrow(/names no/);
});

test.for(["", "a/b/c", "/b", "a/"])("%j is no key", (text) => {
  expect(() => readKey(text, "mine")).toThrow(/write NAMESPACE\/NAME/);
});
