/** A value or text that Go's encoders refuse. The message is Go's. */
export class EncodingError extends Error {
  override readonly name = "EncodingError";
}
