export interface ErrorDetails {
  /** The file and line, object or field at fault. */
  readonly where?: string;
  /** What the reader should do now. */
  readonly next?: string;
  readonly cause?: unknown;
}

abstract class ExplainedError extends Error {
  readonly what: string;
  readonly where: string | undefined;
  readonly next: string | undefined;

  constructor(what: string, claim: string, { where, next, cause }: ErrorDetails) {
    const message = `${where === undefined ? "" : `${where}: `}${claim}${next === undefined ? "" : `; ${next}`}`;
    super(message, cause === undefined ? {} : { cause });
    this.what = what;
    this.where = where;
    this.next = next;
  }
}

/** The user must change something; trying again is pointless. */
export class InputError extends ExplainedError {
  constructor(what: string, details: ErrorDetails = {}) {
    super(what, what, details);
  }

  // On the prototype, so that the stack opens with it; spelled out, because bundlers rename classes.
  override get name(): string {
    return "InputError";
  }
}

/**
 * The run failed because something outside Tenon did: a program ended with an error, a port is in use, a disk is full, a
 * server did not respond. Unlike after an `InputError`, the same run may succeed later.
 */
export class CommandFailed extends ExplainedError {
  constructor(what: string, details: ErrorDetails = {}) {
    super(what, what, details);
  }

  override get name(): string {
    return "CommandFailed";
  }
}

/** It has another owner. The message names the owner, whatever `what` says. */
export class ConflictError extends ExplainedError {
  readonly owner: string;

  constructor(what: string, details: ErrorDetails & { readonly owner: string }) {
    super(what, `${what} (owned by ${details.owner})`, details);
    this.owner = details.owner;
  }

  override get name(): string {
    return "ConflictError";
  }
}
