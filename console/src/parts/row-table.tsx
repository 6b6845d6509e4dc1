import type { ReactNode } from "react";
import type { ConsoleRow } from "../../../src/server/console/console-api.ts";
import { Link, objectPage } from "../use-route.tsx";
import { Ago } from "./ago.tsx";
import { StateLabel } from "./state-label.tsx";

/** Columns whose cells stay on one line. */
const short: ReadonlySet<string> = new Set(["ready", "shards", "tests", "plugs", "ends"]);

/** Rows as a table; on a narrow screen, each as a card. */
export function RowTable({
  rows,
  columns,
  caption,
  showsKind = false,
}: {
  rows: readonly ConsoleRow[];
  columns: readonly string[];
  caption: string;
  showsKind?: boolean;
}): ReactNode {
  return (
    <table className="rows">
      <caption className="hidden">{caption}</caption>
      <thead>
        <tr>
          {showsKind && <th scope="col">kind</th>}
          <th scope="col">name</th>
          <th scope="col">state</th>
          {columns.map((column) => (
            <th scope="col" key={column}>
              {column}
            </th>
          ))}
          <th scope="col">since</th>
          <th scope="col">what is going on</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={`${row.list}/${row.namespace}/${row.name}`}>
            {showsKind && <td data-title="kind">{singular[row.list]}</td>}
            <td data-title="name" className="name">
              <Link to={objectPage(row.list, row.namespace, row.name)} data-row>
                <span className="namespace">{row.namespace}/</span>
                {row.name}
              </Link>
            </td>
            <td data-title="state">
              <StateLabel {...row} />
            </td>
            {columns.map((column) => (
              <td data-title={column} key={column} className={short.has(column) ? "cell cell-short" : "cell"}>
                <Cell column={column} value={row.cells[column]} />
              </td>
            ))}
            <td data-title="since" className="since">
              <Ago time={row.since} />
            </td>
            <td data-title="what is going on" className="story">
              {row.waitsFor !== undefined && <span className="waits">{row.waitsFor}</span>}
              {row.next !== undefined && row.next !== row.waitsFor && <span className="next">{row.next}</span>}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Cell({ column, value = "" }: { column: string; value: string | undefined }): ReactNode {
  if (column === "ends") return <Ago time={value} />;
  if (column !== "image" || !value.includes("@")) return value;
  // As the command line prints it; the whole digest is at hand.
  return <span title={value}>{value.replace(/@sha256:([0-9a-f]{7})[0-9a-f]*/g, "@$1")}</span>;
}

export const singular: Readonly<Record<ConsoleRow["list"], string>> = {
  integrations: "integration",
  plugs: "plug",
  sockets: "socket",
  snapshots: "snapshot",
  releases: "release",
  propagations: "propagation",
  claims: "claim",
};
