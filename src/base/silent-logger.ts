import type { Logger } from "./log.ts";

/** In a file of its own, so that commands that log nothing do not load the package that writes logs. */
export const silentLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  child: () => silentLogger,
};
