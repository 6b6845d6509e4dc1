import { FunctionError, type GoFunction, goFunction } from "../value/go-function.ts";
import { Int, int, Struct, type StructDetails } from "../value/typed-values.ts";
import type { GoValue } from "../value/value.ts";
import { compareVersions, formatVersion, nextVersion, type Version, withMetadata, withPrerelease } from "./version.ts";

const held = new WeakMap<Struct, Version>();

/** The version that a `*semver.Version` holds. */
function versionOf(value: GoValue): Version {
  const version = value instanceof Struct ? held.get(value) : undefined;
  if (version !== undefined) return version;
  throw new FunctionError("runtime error: invalid memory address or nil pointer dereference");
}

function pointerValue(version: Version, details: StructDetails): Struct {
  // All else follows from how it was written.
  const equals = (other: Struct): boolean => versionOf(other).original === version.original;
  const value = new Struct("*semver.Version", { ...details, ...textsOf(version), equals });
  held.set(value, version);
  return value;
}

/** A `*semver.Version` of Masterminds/semver 3 as templates hold it. */
export function versionValue(version: Version): Struct {
  const methods = {
    ...methodsOfValue(version),
    ...comparisons(version),
    LessThanEqual: comparing(version, (order) => order <= 0),
    GreaterThanEqual: comparing(version, (order) => order >= 0),
  };
  return pointerValue(version, { methods, unexported: insideOf(version, "uint64") });
}

/** `IncMajor` returns a value, not a pointer, which lacks the methods that need a pointer. */
function plainVersionValue(version: Version): Struct {
  return new Struct("semver.Version", {
    methods: methodsOfValue(version),
    ...textsOf(version),
    unexported: insideOf(version, "uint64"),
  });
}

function methodsOfValue(version: Version): Readonly<Record<string, GoFunction>> {
  return {
    ...parts(version, "uint64"),
    ...successors(version, plainVersionValue),
    SetPrerelease: goFunction(["string"], ([prerelease]) => plainVersionValue(withPrerelease(version, prerelease))),
    SetMetadata: goFunction(["string"], ([metadata]) => plainVersionValue(withMetadata(version, metadata))),
  };
}

/** A `*semver.Version` of Masterminds/semver 1. */
export function versionValue1(version: Version): Struct {
  const methods = {
    ...parts(version, "int64"),
    ...comparisons(version),
    ...successors(version, plainVersionValue1),
  };
  const unexported = insideOf(version, "int64");
  return pointerValue(version, { methods, unexported, target: () => plainVersionValue1(version) });
}

/** There even `String` needs a pointer, so that it prints as the struct it is. */
function plainVersionValue1(version: Version): Struct {
  return new Struct("semver.Version", {
    methods: successors(version, plainVersionValue1),
    unexported: insideOf(version, "int64"),
  });
}

function insideOf(version: Version, kind: "int64" | "uint64"): Readonly<Record<string, GoValue>> {
  const { major, minor, patch, prerelease, metadata, original } = version;
  return {
    major: new Int(kind, major),
    minor: new Int(kind, minor),
    patch: new Int(kind, patch),
    pre: prerelease,
    metadata,
    original,
  };
}

function textsOf(version: Version): { readonly text: () => string; readonly json: () => string } {
  return { text: () => formatVersion(version), json: () => formatVersion(version) };
}

function parts(version: Version, kind: "int64" | "uint64"): Readonly<Record<string, GoFunction>> {
  return {
    Major: giving(new Int(kind, version.major)),
    Minor: giving(new Int(kind, version.minor)),
    Patch: giving(new Int(kind, version.patch)),
    Prerelease: giving(version.prerelease),
    Metadata: giving(version.metadata),
    String: giving(formatVersion(version)),
  };
}

function comparisons(version: Version): Readonly<Record<string, GoFunction>> {
  return {
    Original: giving(version.original),
    Compare: comparing(version, int),
    Equal: comparing(version, (order) => order === 0),
    LessThan: comparing(version, (order) => order < 0),
    GreaterThan: comparing(version, (order) => order > 0),
  };
}

function successors(version: Version, toValue: (next: Version) => Struct): Readonly<Record<string, GoFunction>> {
  return {
    IncMajor: goFunction([], () => toValue(nextVersion(version, "major"))),
    IncMinor: goFunction([], () => toValue(nextVersion(version, "minor"))),
    IncPatch: goFunction([], () => toValue(nextVersion(version, "patch"))),
  };
}

function giving(value: GoValue): GoFunction {
  return goFunction([], () => value);
}

function comparing(version: Version, answer: (order: number) => GoValue): GoFunction {
  return goFunction(["*semver.Version"], ([other]) => answer(compareVersions(version, versionOf(other))));
}
