import type { ReactNode } from "react";
import { Link } from "../use-route.tsx";

/** A link to the page of a file of the data. */
export function DataFileLink({ part, path, line }: { part: string; path: string; line?: number }): ReactNode {
  const query = new URLSearchParams({ ...(part === "data" ? {} : { part }), path });
  return (
    <Link to={`/data/file?${query}${line === undefined ? "" : `#line-${line}`}`} data-row>
      {part === "data" ? path : `${part}${path}`}
    </Link>
  );
}
