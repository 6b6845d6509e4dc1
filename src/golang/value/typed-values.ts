import type { GoFunction } from "./go-function.ts";
import type { GoValue } from "./value.ts";

const intKinds = ["int", "int8", "int16", "int32", "int64", "uint", "uint8", "uint16", "uint32", "uint64"] as const;

export type IntKind = (typeof intKinds)[number];

export function isIntKind(type: string): type is IntKind {
  return intKinds.some((kind) => kind === type);
}

/** An integer of one of Go's sized kinds. `value` is within the kind's range: `wrapInt` makes it so. */
export class Int {
  readonly kind: IntKind;
  readonly value: bigint;

  constructor(kind: IntKind, value: bigint) {
    this.kind = kind;
    this.value = value;
  }
}

const smallInts = Array.from({ length: 1_024 }, (_, value) => new Int("int", BigInt(value)));

/** Go's `int`, from an integral number. */
export function int(value: number): Int {
  return smallInts[value] ?? new Int("int", BigInt(value));
}

/** Go's `int64`, wrapped around as Go's arithmetic does. */
export function int64(value: bigint): Int {
  return new Int("int64", BigInt.asIntN(64, value));
}

/** Go's `complex128`, which a template can only write as a constant: `1i`. */
export class Complex {
  readonly real: number;
  readonly imaginary: number;

  constructor(real: number, imaginary: number) {
    this.real = real;
    this.imaginary = imaginary;
  }
}

/** A slice whose elements are not interfaces: `element` is their Go type ("string" for `[]string`). */
export class Slice {
  readonly element: string;
  readonly items: readonly GoValue[];

  constructor(element: string, items: readonly GoValue[]) {
    this.element = element;
    this.items = items;
  }
}

/** A map of another type than `map[string]interface{}`, such as `map[string]string`. Its keys are strings: templates cannot get maps with others. */
export class GoMap {
  readonly key: string;
  readonly element: string;
  readonly entries: ReadonlyMap<string, GoValue>;

  constructor(key: string, element: string, entries: ReadonlyMap<string, GoValue>) {
    this.key = key;
    this.element = element;
    this.entries = entries;
  }
}

/** `[]byte`. */
export class Bytes {
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }
}

export interface StructDetails {
  /** Exported fields in Go's order of declaration. */
  readonly fields?: Readonly<Record<string, GoValue>>;
  /** The fields of embedded structs, which can be read as if they were its own. */
  readonly promoted?: Readonly<Record<string, GoValue>>;
  readonly methods?: Readonly<Record<string, GoFunction>>;
  /** What `String()` or `Error()` gives: printing uses it, as Go's fmt does. */
  readonly text?: () => string;
  /** Unexported fields: templates may not read them, but a verb that asks no method shows them. */
  readonly unexported?: Readonly<Record<string, GoValue>>;
  /** What `GoString()` gives, which `%#v` asks for. */
  readonly goText?: () => string;
  /** What a pointer points to, where that prints otherwise than the pointer. */
  readonly target?: () => GoValue;
  /** What `String()` of a pointer to it gives: only an action that prints the struct uses it. */
  readonly pointerText?: () => string;
  /** What encoding/json gives where it is not the exported fields. */
  readonly json?: () => GoValue;
  /** Whether another of its type is equal, by `reflect.DeepEqual` or by `==`; without it fields or texts decide. */
  readonly equals?: (other: Struct, by: "contents" | "identity") => boolean;
  /** What the implementation keeps to itself; templates cannot reach it. */
  readonly hidden?: unknown;
}

/** A struct, or a pointer to one if `type` begins with `*`: `time.Time`, `*semver.Version`, `sprig.certificate`, an error. */
export class Struct {
  readonly type: string;
  readonly details: StructDetails;

  constructor(type: string, details: StructDetails) {
    this.type = type;
    this.details = details;
  }

  /** Exported or not. */
  get allFields(): Readonly<Record<string, GoValue>> {
    return { ...this.details.fields, ...this.details.unexported };
  }
}

/** A value of a named type that is not a struct: `json.Number` (a string), `time.Duration` (an int64), `chartutil.Values`. */
export class Named {
  readonly type: string;
  readonly underlying: GoValue;
  readonly methods: Readonly<Record<string, GoFunction>>;
  /** What `String()` gives: printing uses it, as Go's fmt does. */
  readonly text: (() => string) | undefined;

  constructor(
    type: string,
    underlying: GoValue,
    methods: Readonly<Record<string, GoFunction>> = {},
    text?: () => string,
  ) {
    this.type = type;
    this.underlying = underlying;
    this.methods = methods;
    this.text = text;
  }
}

/** A nil that has a type, such as the nil `map[string]interface{}` that decoding `null` gives. */
export class TypedNil {
  readonly type: string;

  constructor(type: string) {
    this.type = type;
  }
}
