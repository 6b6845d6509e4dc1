import type { GoValue } from "../go-value/index.ts";
import { type CallSite, compileMethodCall, type RunCall } from "./call.ts";
import type { Frame, MissingKey } from "./frame.ts";
import { wrappedBound } from "./index-value.ts";
import { elementType, type FieldAccess, methodOf, readField } from "./read-field.ts";

/** Names after a receiver: `.a.b`. The last may be a method, which gets the arguments. */
export interface FieldPath {
  readonly names: readonly string[];
  readonly missingKey: MissingKey;
  readonly site: Omit<CallSite, "name">;
  /** Gives `wrappedBound` in place of what came out of a container of interfaces. */
  readonly reportsWrapped: boolean;
}

/** Walks from a receiver along the names. `isWrapped` says that the receiver came out of a container of interfaces. */
export type ReadFields = (frame: Frame, dot: GoValue, final: GoValue, receiver: GoValue, isWrapped: boolean) => GoValue;

interface Step {
  readonly name: string;
  readonly access: FieldAccess;
  /** Reading the property is enough where the receiver is a plain map that has it. */
  readonly isFast: boolean;
  readonly callMethod: RunCall;
}

const namesOfObject: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

export function compileFields(path: FieldPath): ReadFields {
  const steps = stepsOf(path);
  const [first] = steps;
  if (steps.length === 1 && first && !path.reportsWrapped) return (...args) => readStep(first, undefined, ...args);
  const { reportsWrapped } = path;
  return (frame, dot, final, start, isWrapped) => {
    let receiver = start;
    let container: GoValue;
    for (const step of steps) {
      const value = readStep(step, container, frame, dot, final, receiver, isWrapped);
      container = receiver;
      receiver = value;
    }
    if (reportsWrapped && receiver !== undefined && elementType(container) === "interface {}") return wrappedBound;
    return receiver;
  };
}

function stepsOf({ names, missingKey, site }: FieldPath): Step[] {
  return names.map((name, index) => {
    const isLast = index === names.length - 1;
    const hasArguments = isLast && (site.words.length > 0 || site.hasFinal);
    const own = isLast ? { ...site, name } : { ...site, name, words: [], hasFinal: false };
    return {
      name,
      access: { name, missingKey, hasArguments },
      isFast: !hasArguments && !namesOfObject.has(name),
      callMethod: compileMethodCall(own),
    };
  });
}

function readStep(
  step: Step,
  container: GoValue,
  frame: Frame,
  dot: GoValue,
  final: GoValue,
  receiver: GoValue,
  isWrapped: boolean,
): GoValue {
  const { name } = step;
  if (step.isFast && isPlain(receiver)) {
    const value = receiver[name];
    if (value !== undefined) {
      if (frame.run.secrets !== undefined) frame.run.secrets.read(receiver, name);
      return value;
    }
  }
  const method = methodOf(receiver, name);
  if (method) return step.callMethod(frame, dot, final, method);
  return readField(frame, receiver, step.access, { container, isWrapped: container === undefined && isWrapped });
}

/** A map as JSON gives it. Everything else, and maps with unusual prototypes, take the slow way. */
function isPlain(value: GoValue): value is { [key: string]: GoValue } {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
