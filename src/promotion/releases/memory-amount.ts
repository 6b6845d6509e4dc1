const binary = ["Ki", "Mi", "Gi", "Ti", "Pi", "Ei"] as const;
const powers: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const pattern = /^\+?(?<number>\d+(?:\.\d*)?|\.\d+)(?:(?<unit>[KMGTPE]i|[numkMGTPE])|[eE](?<exponent>[+-]?\d{1,3}))?$/;

/** Kubernetes holds less than 2^63; no number between fits a double. */
export const mostBytes = 2 ** 63 - 1024;

/** The bytes of a quantity such as `1Gi`, at most `mostBytes`; undefined if it is none. */
export function parseBytes(text: string): number | undefined {
  const { number, unit = "", exponent } = pattern.exec(text)?.groups ?? {};
  if (number === undefined) return undefined;
  const place = binary.findIndex((each) => each === unit);
  const bytes =
    place >= 0 ? Number(number) * 1024 ** (place + 1) : Number(`${number}e${exponent ?? powers[unit] ?? 0}`);
  return Math.min(Math.ceil(bytes), mostBytes);
}

/** As a quantity in the largest unit that has no fraction. */
export function formatBytes(bytes: number): string {
  const index = binary.findLastIndex((_, place) => bytes % 1024 ** (place + 1) === 0);
  return index < 0 || bytes === 0 ? String(bytes) : `${bytes / 1024 ** (index + 1)}${binary[index]}`;
}
