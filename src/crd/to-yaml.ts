/** Plain data as people write it; for examples in documentation. */
export function toYaml(value: unknown): string {
  return `${block(value, "")}\n`;
}

function block(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0) {
    return value.map((item) => `${indent}- ${block(item, `${indent}  `).trimStart()}`).join("\n");
  }
  if (isMap(value)) {
    return Object.entries(value)
      .map(([key, field]) => `${indent}${scalar(key)}:${below(field, indent)}`)
      .join("\n");
  }
  return `${indent}${scalar(value)}`;
}

function below(value: unknown, indent: string): string {
  if (Array.isArray(value) && value.length > 0) return `\n${block(value, indent)}`;
  return isMap(value) ? `\n${block(value, `${indent}  `)}` : ` ${scalar(value)}`;
}

function isMap(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;
}

/** JSON is YAML; quotes are left out only where no YAML reader could take the text for something else. */
function scalar(value: unknown): string {
  const isPlain = typeof value === "string" && /^[A-Za-z][\w./-]*$/.test(value) && !reserved.test(value);
  return isPlain ? value : JSON.stringify(value);
}

const reserved = /^(?:y|n|yes|no|on|off|true|false|null)$/i;
