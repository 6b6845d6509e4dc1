const units = ["kB", "MB", "GB", "TB"] as const;

/** Like `12.3 MB`, in powers of 1000. */
export function describeBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log10(bytes) / 3), units.length);
  return `${(bytes / 1000 ** power).toFixed(1)} ${units[power - 1]}`;
}
