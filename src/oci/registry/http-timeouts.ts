export const connectTimeout = 15_000;
/** A registry may hash a whole layer before it answers. */
export const headersTimeout = 300_000;
/** The longest silence in the middle of an answer. */
export const silenceTimeout = 60_000;
