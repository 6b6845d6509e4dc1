import { type GoFunction, goFunction } from "#golang";

const base = goFunction(["string"], ([path]) => baseOf(path));
const dir = goFunction(["string"], ([path]) => cleanPath(path.slice(0, path.lastIndexOf("/") + 1)));
const clean = goFunction(["string"], ([path]) => cleanPath(path));
const ext = goFunction(["string"], ([path]) => {
  const name = path.slice(path.lastIndexOf("/") + 1);
  return name.includes(".") ? name.slice(name.lastIndexOf(".")) : "";
});
const isAbs = goFunction(["string"], ([path]) => path.startsWith("/"));

/** Paths with slashes; those of the operating system are Linux's, whatever we run on. */
export const paths: Record<string, GoFunction> = {
  base,
  dir,
  clean,
  ext,
  isAbs,
  osBase: base,
  osDir: dir,
  osClean: clean,
  osExt: ext,
  osIsAbs: isAbs,
};

function baseOf(path: string): string {
  if (path === "") return ".";
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end -= 1;
  const trimmed = path.slice(0, end);
  return trimmed.slice(trimmed.lastIndexOf("/") + 1) || "/";
}

/** Go's `path.Clean`: the shortest path that means the same. */
function cleanPath(path: string): string {
  const isRooted = path.startsWith("/");
  const kept: string[] = [];
  for (const name of path.split("/")) {
    if (name === "" || name === ".") continue;
    if (name !== "..") kept.push(name);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!isRooted) kept.push(name);
  }
  return (isRooted ? "/" : "") + kept.join("/") || ".";
}
