import {
  FunctionError,
  type GoFunction,
  goFunction,
  type GoObject,
  canonicalBytes,
  kindName,
  newMap,
  printValue,
} from "#golang";
import { splitOnce, escapeUrl, hostnameOf, parseUrl, type UrlParts } from "./parse-url.ts";

/** URLs as maps of their parts. */
export const urls: Record<string, GoFunction> = {
  urlParse: goFunction(["string"], ([text]) => {
    const { userinfo = "", ...parts } = complaining("unable to parse url", () => parseUrl(text));
    return newMap(Object.entries({ ...parts, hostname: hostnameOf(parts.host), userinfo }));
  }),
  urlJoin: goFunction(["map[string]any"], ([map]) => {
    const scheme = textAt(map, "scheme");
    const host = textAt(map, "host");
    const path = textAt(map, "path");
    const query = textAt(map, "query");
    const opaque = textAt(map, "opaque");
    const fragment = textAt(map, "fragment");
    const user = textAt(map, "userinfo");
    const userinfo =
      user === ""
        ? undefined
        : complaining("unable to parse userinfo in dict", () => parseUrl(`proto://${user}@host`)).userinfo;
    return canonicalBytes(joinUrl({ scheme, opaque, userinfo, host, path, query, fragment }));
  }),
};

function complaining<T>(complaint: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof FunctionError)) throw error;
    throw new FunctionError(`${complaint}: ${error.message}`);
  }
}

function textAt(map: GoObject, key: string): string {
  if (!Object.hasOwn(map, key)) return "";
  const value = map[key];
  if (value === null || value === undefined)
    throw new FunctionError("runtime error: invalid memory address or nil pointer dereference");
  const kind = kindName(value);
  if (kind !== "string")
    throw new FunctionError(`unable to parse ${key} key, must be of type string, but ${kind} found`);
  return printValue(value);
}

/** Go's `URL.String`. */
function joinUrl({ scheme, opaque, userinfo, host, path, query, fragment }: UrlParts): string {
  const before = scheme === "" ? "" : `${scheme}:`;
  const after = (query === "" ? "" : `?${query}`) + (fragment === "" ? "" : `#${escapeUrl(fragment, "fragment")}`);
  if (opaque !== "") return before + opaque + after;
  const hasAuthority = host !== "" || userinfo !== undefined || (scheme !== "" && path !== "");
  const user = userinfo === undefined ? "" : `${userinfo}@`;
  const start = before + (hasAuthority ? `//${user}${escapeUrl(host, "host")}` : "");
  const written = path === "*" ? path : escapeUrl(path, "path");
  return start + separatorBefore(written, start, host) + written + after;
}

function separatorBefore(path: string, start: string, host: string): string {
  if (path !== "" && !path.startsWith("/") && host !== "") return "/";
  // Else the first segment would be taken for a scheme.
  return start === "" && splitOnce(path, "/")[0].includes(":") ? "./" : "";
}
