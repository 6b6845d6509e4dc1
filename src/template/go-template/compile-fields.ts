import { type GoValue, isPlainMap } from "#golang";
import { type CallSite, compileMethodCall, type RunCall } from "./call.ts";
import type { Frame, MissingKey } from "./frame.ts";
import { wrappedBound } from "./index-value.ts";
import { elementType, type FieldAccess, methodOf, readField } from "./read-field.ts";

/** Names after a receiver: `.a.b`. The last may be a method, which gets the arguments. */
export interface FieldChain {
  readonly names: readonly string[];
  readonly missingKey: MissingKey;
  readonly site: Omit<CallSite, "name">;
  /** Gives `wrappedBound` for a value that came out of a container of interfaces. */
  readonly reportsWrapped: boolean;
}

/** Walks from a receiver along the names. `isWrapped` says that the receiver came out of a container of interfaces. */
export type ReadFields = (frame: Frame, dot: GoValue, final: GoValue, receiver: GoValue, isWrapped: boolean) => GoValue;

interface Step {
  readonly name: string;
  readonly access: FieldAccess;
  /** If the receiver is a plain map, it is enough to read the property. */
  readonly isFast: boolean;
  /** The value if such a map lacks the name. */
  readonly missing: null | undefined;
  readonly callMethod: RunCall;
}

const namesOfObject: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

export function compileFields(path: FieldChain): ReadFields {
  const steps = stepsOf(path);
  const [first] = steps;
  if (steps.length === 1 && first && !path.reportsWrapped)
    return (frame, dot, final, receiver, isWrapped) =>
      readStep(first, undefined, frame, dot, final, receiver, isWrapped);
  const { reportsWrapped } = path;
  return (frame, dot, final, start, isWrapped) => {
    let receiver = start;
    let container: GoValue;
    // An index loop, because iterators are slow in code that the engine has not optimized yet.
    for (let at = 0; at < steps.length; at += 1) {
      const value = readStep(steps[at]!, container, frame, dot, final, receiver, isWrapped);
      container = receiver;
      receiver = value;
    }
    if (reportsWrapped && receiver !== undefined && elementType(container) === "interface {}") return wrappedBound;
    return receiver;
  };
}

function stepsOf({ names, missingKey, site }: FieldChain): Step[] {
  return names.map((name, index) => {
    const isLast = index === names.length - 1;
    const hasArguments = isLast && (site.words.length > 0 || site.hasFinal);
    const own = isLast ? { ...site, name } : { ...site, name, words: [], hasFinal: false };
    return {
      name,
      access: { name, missingKey, hasArguments },
      isFast: !hasArguments && missingKey !== "error" && !namesOfObject.has(name),
      missing: missingKey === "zero" ? null : undefined,
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
  if (step.isFast && isPlainMap(receiver)) {
    if (frame.run.secrets !== undefined) frame.run.secrets.read(receiver, name);
    const value = receiver[name];
    return value === undefined ? step.missing : value;
  }
  const method = methodOf(receiver, name);
  if (method) return step.callMethod(frame, dot, final, method);
  return readField(frame, receiver, step.access, { container, isWrapped: container === undefined && isWrapped });
}
