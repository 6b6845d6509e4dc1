import { expect, test } from "vitest";
import { parseObjectKey, parseCoupledName } from "./object-name.ts";

test.for([
  { text: "plug/shop/db", found: { kind: "Plug", namespace: "shop", name: "db" }, reason: "a full name" },
  { text: "socket/db", found: { kind: "Socket", namespace: "mine", name: "db" }, reason: "in the default namespace" },
  { text: "PLUGS/shop/db", found: { kind: "Plug", namespace: "shop", name: "db" }, reason: "plural, upper case" },
])("$text: $reason", ({ text, found }) => {
  expect(parseCoupledName(text, "mine")).toEqual(found);
});

test.for(["db", "shop/db", "pod/shop/db", "plug/", "plug/a/b/c", "plug//db", "/shop/db"])(
  "%s is not the name of a plug or socket",
  (text) => {
    expect(() => parseCoupledName(text, "mine")).toThrow(/^expected (KIND\/)?NAMESPACE\/NAME, got /);
  },
);

test.for(["", "a/b/c", "/b", "a/"])("%j is not NAMESPACE/NAME", (text) => {
  expect(() => parseObjectKey(text, "mine")).toThrow(/^expected NAMESPACE\/NAME, got /);
});
