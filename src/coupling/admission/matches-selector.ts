import type { LabelSelector } from "../kinds/socket.ts";

/** As Kubernetes reads it: everything that is asked must be so, and `{}` asks nothing. */
export function matchesSelector(
  { matchLabels = {}, matchExpressions = [] }: LabelSelector,
  labels: Readonly<Record<string, string>>,
): boolean {
  const valueOf = (key: string) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
  return (
    Object.entries(matchLabels).every(([key, value]) => valueOf(key) === value) &&
    matchExpressions.every(({ key, operator, values = [] }) => {
      const value = valueOf(key);
      const isListed = value !== undefined && values.includes(value);
      const isSo = { In: isListed, NotIn: !isListed, Exists: value !== undefined, DoesNotExist: value === undefined };
      return isSo[operator];
    })
  );
}
