import { FakeClock } from "../../base/fake-clock.fixture.ts";
import { ApiError } from "../transport/api-error.ts";
import { ConnectionError } from "../transport/connection-error.ts";
import { createReflector, type Reflector, type ReflectorOptions, type StoreChange } from "./reflector.ts";
import type { ScriptedSource } from "./scripted-source.fixture.ts";

export const selection = { apiVersion: "v1", kind: "Thing", namespace: "n" };

export const refusedInitialEvents = () =>
  new ApiError("sendInitialEvents is forbidden", { status: 422, reason: "Invalid" });
export const expiredVersion = () => new ApiError("too old resource version", { status: 410, reason: "Expired" });
export const brokenConnection = () => new ConnectionError("the connection broke", { failure: "broken", wasSent: true });

export interface ScriptedReflector extends AsyncDisposable {
  readonly reflector: Reflector;
  readonly clock: FakeClock;
  /** The changes since the last call, like `added n/a@3`. */
  readonly seen: () => string[];
  readonly stop: () => Promise<void>;
}

/** For tests: a started reflector, after everything that needs no time to pass. */
export async function startReflector(
  source: ScriptedSource,
  options: Partial<ReflectorOptions> = {},
  clock = new FakeClock(),
): Promise<ScriptedReflector> {
  const reflector = createReflector({ client: source, selection, random: () => 0, ...options, clock });
  const changes: StoreChange[] = [];
  reflector.subscribe((change) => changes.push(change));
  const stopping = new AbortController();
  const running = reflector.run(stopping.signal);
  const stop = async (): Promise<void> => {
    stopping.abort();
    await running;
  };
  await clock.advance(0);
  return { reflector, clock, seen: () => changes.splice(0).map(describeChange), stop, [Symbol.asyncDispose]: stop };
}

function describeChange({ type, key, object, isInitial }: StoreChange): string {
  return `${isInitial ? "initially " : ""}${type} ${key}@${object.metadata.resourceVersion}`;
}
