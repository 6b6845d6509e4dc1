import { setFlagsFromString } from "node:v8";

/**
 * Runs something that is over before optimized code would pay. V8 spends as much processor time on compiling what is called often as it
 * wins by it, on other threads: rendering 500 integrations, start included, takes 290 ms without its last compiler and 350 ms with it.
 * What runs for longer than a second or so must not be run so.
 */
export function runUnoptimized<Result>(act: () => Result): Result {
  setFlagsFromString("--no-opt");
  try {
    return act();
  } finally {
    setFlagsFromString("--opt");
  }
}
