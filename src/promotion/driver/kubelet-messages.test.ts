import { array, assert, dictionary, property, record, string, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import {
  decodeClaimNames,
  decodeRegistration,
  encodePluginInfo,
  encodePrepared,
  encodeUnprepared,
} from "./kubelet-messages.ts";
import { decodeFields, encodeBytes, encodeText, encodeVarint } from "./protobuf.ts";

const text = string({ unit: "grapheme", maxLength: 20 });

test("the claims of a request are read back as they were written", () => {
  const claims = array(record({ namespace: text, uid: text, name: text }));
  assert(
    property(claims, (names) => {
      const request = names.map(({ namespace, uid, name }) =>
        encodeBytes(1, Buffer.concat([encodeText(1, namespace), encodeText(2, uid), encodeText(3, name)])),
      );
      expect(decodeClaimNames(Buffer.concat(request))).toEqual(names);
    }),
  );
});

test("a request of any bytes is either read or a RangeError", () => {
  assert(
    property(uint8Array({ maxLength: 64 }), (bytes) => {
      for (const decode of [decodeClaimNames, decodeRegistration]) {
        expect(outcomeOf(() => decode(Buffer.from(bytes)))).toMatch(/^(read|RangeError)$/);
      }
    }),
  );
});

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}

/** Texts by the path of field numbers, so that a test needs no second decoder. */
function textsAt(message: Buffer, ...path: readonly number[]): string[] {
  const [number, ...rest] = path;
  return decodeFields(message)
    .filter((field) => field.number === number)
    .flatMap(({ value }) => {
      if (typeof value === "bigint") return [];
      return rest.length === 0 ? [value.toString("utf8")] : textsAt(value, ...rest);
    });
}

test("each claim has its answer, and an error has no devices", () => {
  assert(
    property(dictionary(text, text), (errors) => {
      const message = encodeUnprepared(new Map(Object.entries(errors).map(([uid, error]) => [uid, { error }])));
      expect(textsAt(message, 1, 1)).toEqual(Object.keys(errors).filter((uid) => uid !== ""));
      expect(textsAt(message, 1, 2, 1)).toEqual(Object.values(errors).filter((error) => error !== ""));
    }),
  );
  const device = { requests: ["env"], pool: "node-1", device: "slot-3", cdiDevices: ["env.tenon.dev/claim=u1"] };
  const message = encodePrepared(
    new Map([
      ["u1", { value: [device] }],
      ["u2", { error: "no" }],
    ] as const),
  );
  expect(textsAt(message, 1, 1)).toEqual(["u1", "u2"]);
  const fields = [1, 2, 3, 4].map((number) => textsAt(message, 1, 2, 1, number));
  expect(fields).toEqual([["env"], ["node-1"], ["slot-3"], ["env.tenon.dev/claim=u1"]]);
  expect(textsAt(message, 1, 2, 2)).toEqual(["no"]);
});

test("the plugin says who it is, as the kubelet asks", () => {
  const info = encodePluginInfo({ name: "env.tenon.dev", endpoint: "/a/dra.sock", services: ["v1.DRAPlugin"] });
  const fields = [1, 2, 3, 4].map((number) => textsAt(info, number));
  expect(fields).toEqual([["DRAPlugin"], ["env.tenon.dev"], ["/a/dra.sock"], ["v1.DRAPlugin"]]);
});

test("a registration is good, or says why it is not", () => {
  expect(decodeRegistration(Buffer.concat([encodeVarint(8n), encodeVarint(1n)]))).toBeUndefined();
  expect(decodeRegistration(encodeText(2, "no such version"))).toBe("no such version");
  expect(decodeRegistration(Buffer.alloc(0))).toBe("the kubelet does not say why");
});
