/** The blocks of this kind, each with its armour, in the order they stand in. */
export function pemBlocks(text: string, label: string): string[] {
  return text.match(new RegExp(`-----BEGIN ${label}-----[^-]+-----END ${label}-----`, "g")) ?? [];
}
