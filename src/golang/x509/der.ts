/** Values of ASN.1 in their distinguished encoding, as far as certificates need them. */

const tags = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  nothing: 0x05,
  objectIdentifier: 0x06,
  utf8String: 0x0c,
  printableString: 0x13,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const;

/** Any value by its tag. */
export function derTagged(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  return Buffer.concat([Buffer.from([tag]), lengthOf(content), content]);
}

function lengthOf({ length }: Uint8Array): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes = Buffer.from(evenHex(BigInt(length)), "hex");
  return Buffer.concat([Buffer.from([0x80 + bytes.length]), bytes]);
}

function evenHex(value: bigint): string {
  const digits = value.toString(16);
  return digits.length % 2 === 0 ? digits : `0${digits}`;
}

export function derSequence(...items: readonly Uint8Array[]): Buffer {
  return derTagged(tags.sequence, ...items);
}

export function derSet(...items: readonly Uint8Array[]): Buffer {
  return derTagged(tags.set, ...items);
}

/** Not negative. */
export function derInteger(value: bigint): Buffer {
  const bytes = Buffer.from(evenHex(value), "hex");
  // A first bit that is set would make it negative.
  return (bytes[0] ?? 0) < 0x80 ? derTagged(tags.integer, bytes) : derTagged(tags.integer, Buffer.from([0]), bytes);
}

export function derBoolean(value: boolean): Buffer {
  return derTagged(tags.boolean, Buffer.from([value ? 0xff : 0]));
}

export function derOctetString(bytes: Uint8Array): Buffer {
  return derTagged(tags.octetString, bytes);
}

export function derBitString(bytes: Uint8Array, unusedBits = 0): Buffer {
  return derTagged(tags.bitString, Buffer.from([unusedBits]), bytes);
}

export function derNull(): Buffer {
  return derTagged(tags.nothing);
}

/** Written with points: `2.5.4.3`. */
export function derObjectIdentifier(arcs: string): Buffer {
  const [first = 0, second = 0, ...rest] = arcs.split(".").map(Number);
  const bytes = [first * 40 + second, ...rest].flatMap((arc) => {
    const groups = [arc & 0x7f];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128))
      groups.unshift((left & 0x7f) | 0x80);
    return groups;
  });
  return derTagged(tags.objectIdentifier, Buffer.from(bytes));
}

/** A PrintableString where it can be one, as Go chooses. */
export function derText(value: string): Buffer {
  const isPrintable = /^[A-Za-z0-9 '()+,\-./:=?]*$/.test(value);
  return derTagged(isPrintable ? tags.printableString : tags.utf8String, Buffer.from(value, "utf8"));
}

/** To the second. The years 1950 to 2049 are written with two digits. */
export function derTime(milliseconds: number): Buffer {
  const digits = new Date(milliseconds).toISOString().replaceAll(/[-:T]|\.\d+/g, "");
  const year = Number(digits.slice(0, 4));
  const isShort = year >= 1950 && year < 2050;
  return derTagged(isShort ? tags.utcTime : tags.generalizedTime, Buffer.from(isShort ? digits.slice(2) : digits));
}
