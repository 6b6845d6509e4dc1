import {
  type ArgumentValue,
  byteLength,
  Bytes,
  elementsOf,
  fromBytes,
  FunctionError,
  GoMap,
  type GoValue,
  Int,
  int,
  isGoObject,
  kindName,
  mapGet,
  mapView,
  Named,
  Slice,
  Struct,
  toBytes,
  TypedNil,
  typeName,
} from "#golang";
import { zeroOf } from "./read-field.ts";
import type { TaintTracker } from "./secret-marks.ts";

/** `index item key1 key2 …`. */
export function indexValue(item: GoValue, keys: readonly GoValue[]): GoValue {
  if (item === undefined || item === null) throw new FunctionError("index of untyped nil");
  let value: GoValue = item;
  for (const key of keys) value = elementOf(value, key ?? undefined);
  return value;
}

/** `index` reads only the keys that it is given, and returns what it finds there. */
export function watchIndex(secrets: TaintTracker, args: readonly ArgumentValue[]): void {
  let [value, ...keys] = args.filter((arg) => typeof arg !== "bigint");
  for (const key of keys) {
    const name = key instanceof Int ? Number(key.value) : key;
    if (typeof name !== "string" && typeof name !== "number") return;
    const container = value instanceof Named ? value.underlying : value;
    secrets.read(container, name);
    value = mapView(container)?.get(String(name)) ?? elementsOf(container)?.[Number(name)];
  }
}

function elementOf(item: GoValue, key: GoValue): GoValue {
  if (item === null || item === undefined || isNilPointer(item)) throw new FunctionError("index of nil pointer");
  const bare = item instanceof Named ? item.underlying : item;
  if (typeof bare === "string") {
    const bytes = toBytes(bare);
    return new Int("uint8", BigInt(bytes[elementIndex(key, bytes.length, "string")] ?? 0));
  }
  const elements = bare instanceof Bytes ? undefined : elementsOf(bare);
  if (elements) return elements[elementIndex(key, elements.length)] ?? null;
  if (bare instanceof Bytes) return new Int("uint8", BigInt(bare.bytes[elementIndex(key, bare.bytes.length)] ?? 0));
  if (isGoObject(bare)) return mapGet(bare, mapKey(key)) ?? null;
  if (bare instanceof GoMap) return bare.entries.get(mapKey(key)) ?? zeroOf(bare.element);
  if (bare instanceof TypedNil && kindName(bare) === "map") {
    mapKey(key);
    return zeroOf(bare.type.slice("map[string]".length));
  }
  const type = item instanceof Struct ? item.type.replace(/^\*/, "") : typeName(item);
  throw new FunctionError(`can't index item of type ${type}`);
}

function isNilPointer(value: GoValue): boolean {
  return value instanceof TypedNil && kindName(value) === "ptr";
}

/** A key for a map of strings. */
function mapKey(key: GoValue): string {
  if (typeof key === "string") return key;
  if (key === undefined) throw new FunctionError("value is nil; should be of type string");
  throw new FunctionError(`value has type ${typeName(key)}; should be string`);
}

/** An index from 0 to `count`, inclusive. */
function place(key: GoValue, count: number): number {
  const bare = key instanceof Named ? key.underlying : key;
  if (bare === undefined || bare === null) throw new FunctionError("cannot index slice/array with nil");
  if (!(bare instanceof Int)) throw new FunctionError(`cannot index slice/array with type ${typeName(key)}`);
  const index = BigInt.asIntN(64, bare.value);
  if (index < 0n || index > count) throw new FunctionError(`index out of range: ${index}`);
  return Number(index);
}

function elementIndex(key: GoValue, count: number, kind = "slice"): number {
  const index = place(key, count);
  // Go's check accepts `count` itself, and reflection then panics.
  if (index === count) throw new FunctionError(`reflect: ${kind} index out of range`);
  return index;
}

/** Stands for any bound that is still in an interface, which Go does not unwrap there. */
export const wrappedBound: GoValue = new TypedNil("interface {}");

/** `slice item from to most`. */
export function sliceValue(item: GoValue, bounds: readonly GoValue[]): GoValue {
  if (item === undefined || item === null) throw new FunctionError("slice of untyped nil");
  if (isNilPointer(item)) throw new FunctionError("slice of nil pointer");
  if (bounds.length > 3) throw new FunctionError(`too many slice indexes: ${bounds.length}`);
  const bare = item instanceof Named ? item.underlying : item;
  if (typeof bare === "string") {
    if (bounds.length === 3) throw new FunctionError("cannot 3-index slice a string");
    const bytes = toBytes(bare);
    const [from, to] = sliceBounds(bounds, bytes.length);
    return retyped(item, fromBytes(bytes.subarray(from, to)));
  }
  if (bare instanceof Bytes) {
    const [from, to] = sliceBounds(bounds, bare.bytes.length);
    return new Bytes(bare.bytes.subarray(from, to));
  }
  const elements = elementsOf(bare);
  if (!elements) {
    const type = item instanceof Struct ? item.type.replace(/^\*/, "") : typeName(item);
    throw new FunctionError(`can't slice item of type ${type}`);
  }
  const [from, to] = sliceBounds(bounds, elements.length);
  const part = elements.slice(from, to);
  return retyped(item, bare instanceof Slice ? new Slice(bare.element, part) : part);
}

/** The value with the type of `original`, if that is a named type. */
export function retyped(original: GoValue, value: GoValue): GoValue {
  return original instanceof Named ? new Named(original.type, value, original.methods, original.text) : value;
}

function sliceBounds(bounds: readonly GoValue[], length: number): [number, number] {
  const indexes = bounds.map((bound) => place(bound ?? undefined, length));
  const [from = 0, to = length, most] = indexes;
  if (from > to) throw new FunctionError(`invalid slice index: ${from} > ${to}`);
  if (most !== undefined && to > most) throw new FunctionError(`invalid slice index: ${to} > ${most}`);
  return [from, to];
}

/** `len item`. */
export function lengthOf(item: GoValue): Int {
  if (item === null || isNilPointer(item)) throw new FunctionError("len of nil pointer");
  if (item === undefined) throw new FunctionError("reflect: call of reflect.Value.Type on zero Value");
  const bare = item instanceof Named ? item.underlying : item;
  if (typeof bare === "string") return int(byteLength(bare));
  if (bare instanceof Bytes) return int(bare.bytes.length);
  const size = elementsOf(bare)?.length ?? mapView(bare)?.size();
  if (size !== undefined) return int(size);
  const type = item instanceof Struct ? item.type.replace(/^\*/, "") : typeName(item);
  throw new FunctionError(`len of type ${type}`);
}

/** `call`: no value that a template can have is a function. */
export function refuseCall(callee: GoValue, written = reflectString(callee)): never {
  if (callee === undefined || callee === null) throw new FunctionError("call of nil");
  throw new FunctionError(`non-function ${written} of type ${typeName(callee)}`);
}

function reflectString(value: GoValue): string {
  const bare = value instanceof Named ? value.underlying : value;
  if (typeof bare === "string") return bare;
  return value === undefined || value === null ? "<invalid Value>" : `<${typeName(value)} Value>`;
}
