import {
  type GoFunction,
  GoMap,
  type GoObject,
  type GoValue,
  Int,
  isGoObject,
  isIntKind,
  Named,
  quote,
  Slice,
  Struct,
  TypedNil,
  typeName,
} from "#golang";
import { type Frame, fail, type MissingKey } from "./frame.ts";

const zeroes: Readonly<Record<string, GoValue>> = { string: "", bool: false, float64: 0 };

/** The zero value of a map's elements. */
export function zeroOf(element: string): GoValue {
  if (element === "interface {}") return null;
  if (Object.hasOwn(zeroes, element)) return zeroes[element];
  if (isIntKind(element)) return new Int(element, 0n);
  return new TypedNil(element);
}

/** The static element type of a container; `undefined` if the value's own type counts. */
export function elementType(container: GoValue): string | undefined {
  if (container instanceof GoMap || container instanceof Slice) return container.element;
  if (container instanceof Named) return elementType(container.underlying);
  return Array.isArray(container) || isGoObject(container) ? "interface {}" : undefined;
}

/** How a receiver was reached: messages name the static type of the place, not the type of the value. */
export interface Reached {
  /** The container it came out of, if that is known. */
  readonly container: GoValue;
  /** It is known to have come out of a container of interfaces. */
  readonly isWrapped: boolean;
}

function shownType(receiver: GoValue, { container, isWrapped }: Reached): string {
  if (isWrapped || receiver === null) return "interface {}";
  return elementType(container) ?? typeName(receiver);
}

/** The method of that name, which comes before fields and keys. */
export function methodOf(receiver: GoValue, name: string): GoFunction | undefined {
  const methods =
    receiver instanceof Struct ? receiver.details.methods : receiver instanceof Named ? receiver.methods : undefined;
  return methods && Object.hasOwn(methods, name) ? methods[name] : undefined;
}

export interface FieldAccess {
  readonly name: string;
  readonly missingKey: MissingKey;
  readonly hasArguments: boolean;
}

/** Reads a field of a struct or a key of a map; methods and plain maps that have the key are handled before. */
export function readField(frame: Frame, receiver: GoValue, access: FieldAccess, reached: Reached): GoValue {
  const { name, missingKey, hasArguments } = access;
  if (receiver === undefined) {
    if (missingKey === "error") fail(frame, `nil data; no entry for key ${quote(name)}`);
    return undefined;
  }
  if (receiver === null) return fail(frame, `nil pointer evaluating interface {}.${name}`);
  if (receiver instanceof Struct) {
    const { fields = {}, promoted = {}, unexported = {} } = receiver.details;
    const holder = Object.hasOwn(fields, name) ? fields : promoted;
    if (Object.hasOwn(holder, name)) {
      if (hasArguments) fail(frame, `${name} has arguments but cannot be invoked as function`);
      return holder[name];
    }
    if (Object.hasOwn(unexported, name))
      fail(frame, `${name} is an unexported field of struct type ${typeName(receiver)}`);
  }
  const map = receiver instanceof Named ? receiver.underlying : receiver;
  if (isGoObject(map) || map instanceof GoMap || (map instanceof TypedNil && map.type.startsWith("map[string]"))) {
    if (hasArguments) fail(frame, `${name} is not a method but has arguments`);
    frame.run.secrets?.read(map, name);
    return mapEntry(frame, map, name, missingKey);
  }
  return fail(frame, `can't evaluate field ${name} in type ${shownType(receiver, reached)}`);
}

function mapEntry(frame: Frame, map: GoObject | GoMap | TypedNil, name: string, missingKey: MissingKey): GoValue {
  let value: GoValue;
  let element = "interface {}";
  if (map instanceof GoMap) {
    value = map.entries.get(name);
    ({ element } = map);
  } else if (map instanceof TypedNil) {
    element = map.type.slice("map[string]".length);
  } else if (Object.hasOwn(map, name)) {
    value = map[name];
  }
  if (value !== undefined || missingKey === "default" || missingKey === "empty") return value;
  if (missingKey === "zero") return zeroOf(element);
  return fail(frame, `map has no entry for key ${quote(name)}`);
}
