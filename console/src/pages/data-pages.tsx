import type { ReactNode } from "react";
import { EmptyState } from "../parts/notices.tsx";
import { Link, useRoute } from "../use-route.tsx";
import { DataChangesPage } from "./data-changes-page.tsx";
import { DataFilePage } from "./data-file-page.tsx";
import { DataPage } from "./data-page.tsx";

/** The pages of the data: all files, one file, and what changed between two refs. */
export function DataPages(): ReactNode {
  const {
    query,
    parts: [, view],
  } = useRoute();
  const path = query.get("path");
  if (view === undefined) return <DataPage />;
  if (view === "changes") return <DataChangesPage />;
  if (view === "file" && path !== null) {
    return <DataFilePage part={query.get("part") === "resources" ? "resources" : "data"} path={path} />;
  }
  return (
    <EmptyState title="Page not found">
      <Link to="/data">All data files</Link>
    </EmptyState>
  );
}
