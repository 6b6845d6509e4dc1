import type { ReactNode } from "react";
import { setFilter } from "../use-route.tsx";

/** Which part of a list is shown, and the ways to the next and the previous one. */
export function Pager({
  offset,
  shown,
  total,
  size,
}: {
  offset: number;
  shown: number;
  total: number;
  size: number;
}): ReactNode {
  return (
    <footer className="pager">
      <span>
        {offset + 1} to {offset + shown} of {total}
      </span>
      {total > size && (
        <>
          <button
            type="button"
            disabled={offset === 0}
            onClick={() => setFilter("offset", offset <= size ? "" : String(offset - size))}
          >
            Previous
          </button>
          <button
            type="button"
            disabled={offset + shown >= total}
            onClick={() => setFilter("offset", String(offset + size))}
          >
            Next
          </button>
        </>
      )}
    </footer>
  );
}
