import { type AnchorHTMLAttributes, type ReactNode, useSyncExternalStore } from "react";

const listeners = new Set<() => void>();

function announce(): void {
  for (const listener of listeners) listener();
}

window.addEventListener("popstate", announce);

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Goes to a path of the console; `replace` leaves no entry in the history, for what changes while a person types. */
export function navigate(to: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", to);
  else history.pushState(null, "", to);
  announce();
  if (!replace) window.scrollTo(0, 0);
}

export interface Route {
  readonly path: string;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
}

export function useRoute(): Route {
  const location = useSyncExternalStore(subscribe, () => `${window.location.pathname}${window.location.search}`);
  const [path = "/", search = ""] = location.split("?");
  const parts = path.split("/").filter(Boolean).map(decodePart);
  return { path, parts, query: new URLSearchParams(search) };
}

/** What was typed into the address may be anything; a part that is not encoded as it should be is taken as it is. */
function decodePart(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** Changes one filter of the current view; an empty value removes it, and the first page is shown again. */
export function setFilter(name: string, value: string): void {
  const query = new URLSearchParams(window.location.search);
  if (value === "") query.delete(name);
  else query.set(name, value);
  if (name !== "offset") query.delete("offset");
  const text = query.toString();
  navigate(`${window.location.pathname}${text === "" ? "" : `?${text}`}`, { replace: true });
}

/** A link that does not load the page again; opened in a new tab it is an ordinary one. */
export function Link({
  to,
  children,
  ...rest
}: { to: string; children: ReactNode } & AnchorHTMLAttributes<HTMLAnchorElement>): ReactNode {
  return (
    <a
      {...rest}
      href={to}
      onClick={(event) => {
        if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
        event.preventDefault();
        navigate(to);
      }}
    >
      {children}
    </a>
  );
}

export function objectPage(list: string, namespace: string, name: string): string {
  return `/${[list, namespace, name].map(encodeURIComponent).join("/")}`;
}
