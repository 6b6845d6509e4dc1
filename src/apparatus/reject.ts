/** What `reject` throws. The message is shown to whoever made the plug or the socket. */
export class Rejection extends Error {
  override get name(): string {
    return "Rejection";
  }
}

/**
 * Ends a handler because the user must change something; the message says what, and is shown to them.
 * Tenon tries again when something changed, and seldom otherwise. Anything else that is thrown is tried again soon.
 */
export function reject(message: string): never {
  throw new Rejection(message);
}
