import { property, assert, array, bigInt, integer, oneof, record, uint8Array } from "fast-check";
import { expect, test } from "vitest";
import { decodeFields, encodeBytes, encodeText, encodeVarint } from "./protobuf.ts";

const number = integer({ min: 1, max: 2 ** 29 - 1 });
const value = oneof(
  bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
);

test("a message of fields is read back as it was written", () => {
  assert(
    property(array(record({ number, value })), (fields) => {
      const message = fields.map((field) =>
        typeof field.value === "bigint"
          ? Buffer.concat([encodeVarint(BigInt(field.number) * 8n), encodeVarint(field.value)])
          : encodeBytes(field.number, field.value),
      );
      expect(decodeFields(Buffer.concat(message))).toEqual(fields);
    }),
  );
});

test("bytes of any kind are either a message or a RangeError", () => {
  assert(
    property(uint8Array({ maxLength: 64 }), (bytes) => {
      expect(outcomeOf(() => decodeFields(Buffer.from(bytes)))).toMatch(/^(read|RangeError)$/);
    }),
  );
});

test.for([
  { hex: "0a03", reason: "a text that ends behind the message" },
  { hex: "08", reason: "a number that is missing" },
  { hex: "08ffffffffffffffffffff01", reason: "a number of eleven bytes" },
  { hex: "0b", reason: "the beginning of a group, which no message of ours has" },
  { hex: "0201", reason: "a field without a number" },
  { hex: "0affffffffffffffffff01", reason: "a length of 2^64 - 1" },
])("refused: $reason", ({ hex }) => {
  expect(() => decodeFields(Buffer.from(hex, "hex"))).toThrow(RangeError);
});

test("an empty text is left out, as protobuf does", () => {
  expect(encodeText(1, "")).toHaveLength(0);
  expect(encodeText(2, "é").toString("hex")).toBe("1202c3a9");
});

test("numbers of fixed length are passed over", () => {
  const message = Buffer.concat([
    Buffer.from("0d01020304", "hex"),
    Buffer.from("110102030405060708", "hex"),
    encodeText(3, "x"),
  ]);
  expect(decodeFields(message).map(({ number: at }) => at)).toEqual([1, 2, 3]);
});

function outcomeOf(read: () => unknown): string {
  try {
    read();
    return "read";
  } catch (error) {
    return error instanceof Error ? error.name : String(error);
  }
}
