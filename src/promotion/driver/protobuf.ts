/** A field of a message on the wire; of the four encodings, two carry bytes here and none carries a group. */
export interface WireField {
  readonly number: number;
  readonly value: bigint | Buffer;
}

/** The fields of a protobuf message, in their order. Throws a RangeError at what is not one. */
export function decodeFields(message: Buffer): WireField[] {
  const fields: WireField[] = [];
  for (let at = 0; at < message.length; ) {
    const key = readVarint(message, at);
    const number = Number(key.value >> 3n);
    if (number === 0) throw new RangeError("a field has the number 0");
    const field = readValue(message, key.end, Number(key.value & 7n));
    fields.push({ number, value: field.value });
    at = field.end;
  }
  return fields;
}

interface Read<Value> {
  readonly value: Value;
  /** Where the next one begins. */
  readonly end: number;
}

/** https://protobuf.dev/programming-guides/encoding/#structure */
function readValue(message: Buffer, at: number, wireType: number): Read<bigint | Buffer> {
  if (wireType === 0) return readVarint(message, at);
  if (wireType === 1) return readBytes(message, at, 8);
  if (wireType === 2) {
    const length = readVarint(message, at);
    return readBytes(message, length.end, Number(length.value));
  }
  if (wireType === 5) return readBytes(message, at, 4);
  throw new RangeError(`expected a wire type of 0, 1, 2 or 5, got ${wireType}`);
}

function readBytes(message: Buffer, at: number, length: number): Read<Buffer> {
  const end = at + length;
  if (end > message.length) throw new RangeError(`a field of ${length} bytes ends behind the message`);
  return { value: message.subarray(at, end), end };
}

const longestVarint = 10;

function readVarint(message: Buffer, at: number): Read<bigint> {
  let value = 0n;
  for (let index = 0; index < longestVarint; index++) {
    const byte = message[at + index];
    if (byte === undefined) throw new RangeError("the message ends within a number");
    value |= BigInt(byte & 127) << BigInt(7 * index);
    if (byte < 128) return { value: BigInt.asUintN(64, value), end: at + index + 1 };
  }
  throw new RangeError(`a number has more than ${longestVarint} bytes`);
}

/** A field with bytes: a text, or another message. */
export function encodeBytes(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([encodeVarint(BigInt(number) * 8n + 2n), encodeVarint(BigInt(bytes.length)), bytes]);
}

/** A field with a text. An empty one is left out, as protobuf does. */
export function encodeText(number: number, text: string): Buffer {
  return text === "" ? Buffer.alloc(0) : encodeBytes(number, Buffer.from(text));
}

export function encodeVarint(value: bigint): Buffer {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, value);
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Buffer.from([...bytes, Number(rest)]);
}
