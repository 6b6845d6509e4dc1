import { useEffect } from "react";
import { navigate } from "./use-route.tsx";

/** `/` goes to the search, `j` and `k` from row to row, and `g` with a letter to a page. */
export function useKeys(entries: readonly { readonly path: string; readonly key: string }[]): void {
  useEffect(() => {
    let isGoing = false;
    function press(event: KeyboardEvent): void {
      const { target, key } = event;
      if (event.metaKey || event.ctrlKey || event.altKey) return;
      if (target instanceof HTMLElement && target.matches("input, select, textarea")) return;
      const entry = isGoing ? entries.find((each) => each.key === key) : undefined;
      isGoing = key === "g" && !isGoing;
      if (entry) navigate(entry.path);
      else if (key === "/") document.querySelector<HTMLElement>("[data-search]")?.focus();
      else if (key === "j" || key === "k") moveRow(key === "j" ? 1 : -1);
      else return;
      event.preventDefault();
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [entries]);
}

function moveRow(step: number): void {
  const rows = [...document.querySelectorAll<HTMLElement>("[data-row]")];
  const at = rows.findIndex((row) => row === document.activeElement);
  rows[Math.min(Math.max(at + step, 0), rows.length - 1)]?.focus();
}
