/** The full name of an image, as container runtimes store it: `tenon:1` is `docker.io/library/tenon:1`. */
export function fullImageName(name: string): string {
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const path = hasHost ? name : rest.length > 0 ? `docker.io/${name}` : `docker.io/library/${name}`;
  return /[:@][^/]*$/.test(path) ? path : `${path}:latest`;
}
