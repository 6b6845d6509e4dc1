/**
 * The texts of a `Warning` header, as the API server writes it for deprecated versions and doubtful fields:
 * `299 - "text"`, several joined with commas. https://datatracker.ietf.org/doc/html/rfc7234#section-5.5
 */
export function readWarnings(header: string | undefined): string[] {
  if (header === undefined) return [];
  return [...header.matchAll(/\b299 \S+ "((?:[^"\\]|\\.)*)"/g)].map(([, quoted = ""]) =>
    quoted.replace(/\\(.)/g, "$1"),
  );
}
