import { expect, test } from "vitest";
import { parseSocket, Socket } from "./socket.ts";

const { apiVersion, kind } = Socket;
const version = (resourceVersion: string, spec: object) => ({
  apiVersion,
  kind,
  metadata: { namespace: "prov", name: "s", resourceVersion },
  spec,
});

test("a socket is parsed once for each of its versions", () => {
  const [first, second] = [version("1", { limit: 1 }), version("2", { limit: 2 })];
  expect(parseSocket(first)).toBe(parseSocket(first));
  expect(parseSocket(second).spec.limit).toBe(2);
});

test("an invalid socket is refused each time it is parsed", () => {
  const wrong = version("1", { limit: "many" });
  expect(() => parseSocket(wrong)).toThrow("limit");
  expect(() => parseSocket(wrong)).toThrow("limit");
});
