/** What a registry asks for with `WWW-Authenticate`: https://www.rfc-editor.org/rfc/rfc9110#name-www-authenticate */
export interface AuthChallenge {
  /** Lower case. */
  readonly scheme: string;
  /** Names in lower case. */
  readonly parameters: Readonly<Record<string, string>>;
}

const schemeAhead = /[\s,]*([\w!#$%&'*+.^`|~-]+)(?=\s|,|$)(?!\s*=)\s*/y;
const parameterAhead = /[\s,]*([\w!#$%&'*+.^`|~-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,"]*))/y;

/** Reads one header, which may hold several challenges. What cannot be read ends it. */
export function parseChallenges(header: string): AuthChallenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  let at = 0;
  const take = (ahead: RegExp): RegExpExecArray | undefined => {
    ahead.lastIndex = at;
    const match = ahead.exec(header);
    at += match?.[0].length ?? 0;
    return match ?? undefined;
  };
  for (;;) {
    const parameter = take(parameterAhead);
    const open = challenges.at(-1);
    if (parameter) {
      const [, name = "", quoted, plain = ""] = parameter;
      if (open) open.parameters[name.toLowerCase()] = quoted?.replaceAll(/\\(.)/g, "$1") ?? plain;
      continue;
    }
    const scheme = take(schemeAhead)?.[1];
    if (scheme === undefined) return challenges;
    challenges.push({ scheme: scheme.toLowerCase(), parameters: Object.create(null) });
  }
}
